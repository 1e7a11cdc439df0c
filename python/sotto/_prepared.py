"""Rows that were checked and encoded, and everything a run needs beside its fields. Nothing has been charged yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _core
from ._encoding import Encoding
from ._warn import warn
from .errors import DataWarning, InvalidData


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


class checking:
    """What the library finds in the rows goes to the caller, who has them: with its refusal, or as a warning.

    ``told`` knows the table of a check, and whether there is anything in it that nobody may have meant.
    """

    # No generator: the line that is warned about is found by walking over the frames of this package alone.

    def __init__(self, told: Any) -> None:
        self._told = told

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InvalidData) and error.hint.kind == "declare_column":
            error.table = self._told.check_text
        elif error is None and self._told.check_is_notable:
            warn(DataWarning(self._told.check_text))
