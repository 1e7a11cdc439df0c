"""Warnings that point at the line of the caller, however deep in the package they arise."""

from __future__ import annotations

import os
import sys
import warnings

from typing import Sequence

import joblib
import sklearn

from .errors import PlanWarning, PromiseWarning

#: What stands between the caller and the line that warns: this package, and the pipelines and searches of scikit-learn.
_BETWEEN = tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, sklearn.__file__, joblib.__file__))


def warn(warning: Warning) -> None:
    """Warns at the first line that is of neither."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_BETWEEN):
        frame = frame.f_back
        level += 1
    warnings.warn(warning, stacklevel=level)


def warn_of_plan(warned: Sequence[tuple[str, str]]) -> None:
    """What the library warns of, as (code, text)."""
    for code, text in warned:
        warn(PromiseWarning(text) if code == "promise_lowered" else PlanWarning(text, code))
