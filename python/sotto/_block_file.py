"""What a block file or a model file declares about rows, as far as an estimator can follow it. Whether bounds are private, and
what they cost, is not asked here: the library reads it in the file's header."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._encoding import Encoding, plain_names
from .errors import InvalidData, Unsupported

def encoding_of(rows: Any) -> Encoding:
    """The encoding of the file that ``rows`` are; it must be about these rows."""
    encoding = encoding_in(rows.encoding, "train on the file by 'sotto train --data FILE'")
    found = {"features": rows.features, "data_norm": rows.data_norm, "classes": rows.classes}
    stated = {"features": encoding.stored_features, "data_norm": encoding.stored_norm, "classes": len(encoding.classes)}
    for name, value in found.items():
        if value != stated[name]:
            raise InvalidData(f"block file: {name} of its rows is not the one it declares")
    return encoding


def encoding_in(text: str, instead: str) -> Encoding:
    """The encoding that a schema describes; ``instead`` says what serves where an estimator does not."""
    schema = json.loads(text)
    if schema.get("projection", {}).get("kind", "none") != "none":
        raise Unsupported(f"projection: an estimator has none; {instead}")
    columns = [column for column in schema.get("columns", []) if column["kind"] != "ignore"]
    if not columns or schema.get("features"):
        raise Unsupported(f"columns: an estimator needs the file's columns by name; {instead}")
    if "range" in schema and not all("min" in column for column in columns):
        raise Unsupported(f"range: an estimator needs one of every column, or none; {instead}")
    encoding = _core.Encoding.from_json(text)
    if not _is_plain(columns):
        return Encoding(encoding, named=True, raw=True)
    return Encoding(encoding, named=_are_names(tuple(encoding.names), schema))


def _is_plain(columns: list[dict[str, Any]]) -> bool:
    """Whether rows are arrays of numbers that are scaled to ranges, or taken as they are; otherwise they are tables of cells."""
    numbers = all(column["kind"] == "numeric" and column.get("scale", "linear") == "linear" for column in columns)
    ranged = ["min" in column for column in columns]
    return numbers and any(ranged) == all(ranged) and not any(column.get("missing") for column in columns)


def _are_names(names: tuple[str, ...], schema: dict[str, Any]) -> bool:
    """Not so where columns are called by their position, or are those of an array: that schema knows no header."""
    positions = tuple(str(i + 1) for i in range(len(names)))
    return names != positions and ("header" in schema or names != plain_names(len(names)))
