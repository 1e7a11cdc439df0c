"""Rows that were checked and encoded, and everything a run needs beside its fields. Nothing has been charged yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core
from ._encoding import Encoding


@dataclass(frozen=True)
class Prepared:
    """What ``fit`` and ``tune`` train on."""

    rows: Any
    encoding: Encoding
    classes: Any
    options: _core.RunOptions
    norm_found: bool = False
