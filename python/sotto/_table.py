"""Tables of raw cells, column by column, in the form the library reads: numbers, or places in a list of texts."""

from __future__ import annotations

import datetime
from typing import Any, Mapping

import numpy as np

from . import _core
from ._declared import is_missing
from ._inputs import as_table
from .errors import InvalidArgument

#: Whole numbers up to here are doubles too.
_EXACT = 2**53
#: Numbers from here on are spelt with an exponent.
_LONG = 1e16
_TRUTHS = {False: ("false", "False", "FALSE", "0"), True: ("true", "True", "TRUE", "1")}
_MIDNIGHT = " 00:00:00"


def is_table(X: Any) -> bool:
    """Whether columns have names: a data frame, an Arrow table or a dictionary of columns."""
    return isinstance(X, Mapping) or hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")


def columns_of(X: Any, y: Any, label: str) -> dict[str, Any]:
    """The columns of a data frame, an Arrow table or a dictionary by their names; ``y`` is the one called ``label``."""
    table = X if isinstance(X, Mapping) else as_table(X)
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        raise InvalidArgument("X: must be a table with named columns where a schema is declared")
    found = {str(name): table[name] for name in (table if isinstance(table, Mapping) else table.columns)}
    if y is not None:
        if label in found:
            raise InvalidArgument(f"y: X has the label's column {label!r} already; give one of the two")
        found[label] = y
    return found


def rows_in(columns: Mapping[str, Any]) -> int:
    """How many rows a table of columns has."""
    return len(next(iter(columns.values()), ()))


def cells_of(
    columns: Mapping[str, Any], listed: Mapping[str, Any] | None = None, missing: Mapping[str, str] | None = None
) -> list[tuple[Any, ...]]:
    """The columns for the library. ``listed``: the declared texts of a column, by which truths are spelt; ``missing``: how a
    missing cell is spelt, where that is not by an empty text."""
    return [(name, *_cells(column, (listed or {}).get(name, ())), (missing or {}).get(name, "")) for name, column in columns.items()]


def _cells(column: Any, listed: Any) -> tuple[Any, ...]:
    # A list is taken cell by cell: NumPy would spell all of its numbers anew for one text among them.
    values = np.asarray(column, dtype=object if isinstance(column, (list, tuple)) else None)
    if values.ndim != 1:
        raise InvalidArgument("X: a column must have one dimension")
    if values.dtype.kind == "f":
        return (np.ascontiguousarray(values, dtype=np.float64),)
    if values.dtype.kind in "iu" and (not len(values) or max(-int(values.min()), int(values.max())) <= _EXACT):
        return (np.ascontiguousarray(values, dtype=np.float64),)
    if values.dtype.kind == "M":
        values = _times(values)
    texts: dict[str, int] = {}
    places = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values.tolist() if values.dtype.kind in "biuU" else values):
        places[i] = -1 if is_missing(value) else texts.setdefault(_text(value, listed), len(texts))
    return places, list(texts)


def _times(values: Any) -> Any:
    """Points in time as a CSV file has them. A cell's text depends on that cell alone."""
    texts = np.datetime_as_string(values, unit="us").astype(object)
    return np.array([None if missing else _time(text) for text, missing in zip(texts, np.isnat(values))], dtype=object)


def _time(text: str) -> str:
    """A day alone at midnight, and no fraction of a second that is 0."""
    return text.replace("T", " ").removesuffix(".000000").removesuffix(_MIDNIGHT)


def _text(value: Any, listed: Any) -> str:
    """A cell as a CSV file has it, and as the library spells a number: whatever the other cells of the column are."""
    point = getattr(value, "asm8", value) if getattr(value, "tzinfo", None) is None else value
    if isinstance(point, (np.datetime64, datetime.datetime)):
        return _time(str(np.datetime_as_string(point, unit="us") if isinstance(point, np.datetime64) else point))
    item = value.item() if isinstance(value, np.generic) else value
    if isinstance(item, bool):
        return next((text for text in _TRUTHS[item] if text in listed), str(item))
    if isinstance(item, float) and item.is_integer() and abs(item) < _LONG:
        return str(int(item))
    return str(item)


def table_fingerprint(columns: Mapping[str, Any]) -> str:
    """Of the raw cells, whatever a schema makes of them."""
    return _core.fingerprint_table(cells_of(columns))
