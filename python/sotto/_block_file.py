"""What a block file declares about its rows, as far as an estimator can follow it. Whether its bounds are private, and what
they cost, is not asked here: the library reads it in the file's header."""

from __future__ import annotations

import json
from typing import Any

from ._encoding import Encoding
from .errors import InvalidData, Unsupported

_INSTEAD = "; train on the file by 'sotto train --data FILE'"


def encoding_of(rows: Any) -> Encoding:
    """The encoding of the file that ``rows`` are; it must be about these rows."""
    encoding = _encoding_of(json.loads(rows.encoding))
    found = {"features": rows.features, "data_norm": rows.data_norm, "classes": rows.classes}
    stated = {"features": encoding.stored_features, "data_norm": encoding.stored_norm, "classes": len(encoding.classes)}
    for name, value in found.items():
        if value != stated[name]:
            raise InvalidData(f"block file: {name} of its rows is not the one it declares")
    return encoding


def _encoding_of(schema: dict[str, Any]) -> Encoding:
    columns = schema["columns"]
    if schema["projection"]["kind"] != "none":
        raise Unsupported(f"projection: an estimator has none{_INSTEAD}")
    if not columns or schema["features"]:
        raise Unsupported(f"columns: an estimator needs the file's columns by name{_INSTEAD}")
    if any(column["kind"] != "numeric" for column in columns):
        raise Unsupported(f"columns: some are not numeric{_INSTEAD}")
    if any(column["scale"] != "linear" for column in columns):
        raise Unsupported(f"scale: an estimator has linear ones only{_INSTEAD}")
    ranged = ["min" in column for column in columns]
    if any(ranged) != all(ranged) or "range" in schema and not all(ranged):
        raise Unsupported(f"range: an estimator has one for every column or for none{_INSTEAD}")
    label = schema["label"]
    return Encoding(
        tuple(column["name"] for column in columns),
        float(schema.get("data_norm", 1.0)),  # what ranges alone are clipped to
        float(schema["intercept"]),
        tuple(label.get("classes") or (label["negative"][0], label["positive"][0])),
        tuple(float(column["min"]) for column in columns) if all(ranged) else (),
        tuple(float(column["max"]) for column in columns) if all(ranged) else (),
    )
