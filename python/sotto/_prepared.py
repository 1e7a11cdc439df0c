"""Rows that were checked and encoded, and everything a run needs beside its fields. Nothing has been charged yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _core
from ._encoding import Encoding


class Trained(NamedTuple):
    """What a run gives: the model, whether a ledger had it already, and what the plan warns of, as (code, text)."""

    model: _core.Model
    stored: bool = False
    warned: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Prepared:
    """What ``fit`` and ``tune`` train on."""

    rows: Any
    encoding: Encoding
    classes: Any
    options: _core.RunOptions
    norm_found: bool = False
