"""Warnings that point at the line of the caller, however deep in the package they arise."""

from __future__ import annotations

import os
import sys
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def warn(warning: Warning) -> None:
    """Warns at the first line that is not of this package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_HERE):
        frame = frame.f_back
        level += 1
    warnings.warn(warning, stacklevel=level)
