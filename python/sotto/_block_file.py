"""What a block file declares about its rows: followed as the command line follows it, or refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._encoding import Encoding
from .errors import InvalidData, Unsupported

#: The command line's own words for it.
FROM_ROWS = "bounds were taken from the rows, not declared"
#: How the file was written, which matters no more, and what is followed below.
_KNOWN = frozenset(
    "format separator header skip_lines labels_file names storage complete columns features range label data_norm intercept "
    "projection bounds_from_data bounds_cost".split()
)
_INSTEAD = "; train on the file by 'sotto train --data FILE'"


@dataclass(frozen=True)
class Declarations:
    """An encoding, its text for the model file, and why what was declared is not private if it is not."""

    encoding: Encoding
    text: str
    not_private: list[str]


def declarations_of(rows: Any) -> Declarations:
    """The declarations of the file that ``rows`` are; they must be about these rows."""
    schema = _parsed(rows.encoding)
    try:
        _refuse_unknown(schema)
        encoding = _encoding_of(schema)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidData("block file: its declarations are not a schema") from error
    found = {"features": rows.features, "data_norm": rows.data_norm, "classes": rows.classes}
    stated = {"features": encoding.stored_features, "data_norm": encoding.stored_norm, "classes": len(encoding.classes)}
    for name, value in found.items():
        if value != stated[name]:
            raise InvalidData(f"block file: {name} of its rows is not the one it declares")
    return Declarations(encoding, rows.encoding, [FROM_ROWS] if schema.get("bounds_from_data") else [])


def _parsed(text: str) -> dict[str, Any]:
    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key appears twice")
        return dict(pairs)

    try:
        schema = json.loads(text, object_pairs_hook=each_once)
    except ValueError:
        schema = None
    if not isinstance(schema, dict):
        # The parser's message is not passed on: it holds the text.
        raise InvalidData("block file: its declarations are not a schema") from None
    return schema


def _refuse_unknown(schema: dict[str, Any]) -> None:
    for key in schema:
        if key not in _KNOWN:
            raise Unsupported(f"block file: an estimator does not know what {key} declares{_INSTEAD}")
    if schema.get("bounds_cost") is not None:
        raise Unsupported(f"bounds_cost: the file's bounds cost privacy, which an estimator does not count{_INSTEAD}, whose card does")
    if (schema.get("projection") or {}).get("kind", "none") != "none":
        raise Unsupported(f"projection: an estimator has none{_INSTEAD}")


def _encoding_of(schema: dict[str, Any]) -> Encoding:
    columns = schema["columns"]
    if not columns or schema.get("features"):
        raise Unsupported(f"columns: an estimator needs the file's columns by name{_INSTEAD}")
    if any(column.get("kind", "numeric") != "numeric" for column in columns):
        raise Unsupported(f"columns: some are not numeric{_INSTEAD}")
    if any(column.get("scale", "linear") != "linear" for column in columns):
        raise Unsupported(f"scale: an estimator has linear ones only{_INSTEAD}")
    ranged = [column.get("min") is not None for column in columns]
    if any(ranged) != all(ranged) or schema.get("range") is not None and not all(ranged):
        raise Unsupported(f"range: an estimator has one for every column or for none{_INSTEAD}")
    if schema.get("data_norm") is None:
        raise Unsupported(f"data_norm: the file declares none, which an estimator needs{_INSTEAD}, or pack it with --data-norm")
    label = schema.get("label") or {}
    classes = label.get("classes") or [label.get("negative", ["-1"])[0], label.get("positive", ["1"])[0]]
    return Encoding(
        tuple(str(column["name"]) for column in columns),
        float(schema["data_norm"]),
        float(schema.get("intercept") or 0.0),
        tuple(str(text) for text in classes),
        tuple(float(column["min"]) for column in columns) if all(ranged) else (),
        tuple(float(column["max"]) for column in columns) if all(ranged) else (),
    )
