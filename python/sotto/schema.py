"""What is declared in public about the columns of a table, so that estimators take raw data frames."""

from __future__ import annotations

import json
from typing import Any, Mapping

from . import _core
from .errors import InvalidArgument


class Schema:
    """The public declaration of a table: a kind for every column, the label and its classes.

    ``columns`` maps names to what is declared about each: a pair ``(min, max)`` for a number, a list of texts for a category,
    ``None`` for a column that is read past, or a dictionary as in the JSON form (``{"min": 0, "max": 1e5, "scale": "log1p"}``).
    ``data_norm`` bounds the encoded row; without it nothing is clipped where every column has a range or a list. Ranges and
    lists must be known without looking at the rows.

    >>> Schema({"age": (17, 90), "job": ["clerk", "sales"]}, label="income", classes=["<=50K", ">50K"])  # doctest: +SKIP
    """

    def __init__(
        self, columns: Mapping[str, Any], *, label: str, classes: Any, data_norm: float | None = None, intercept: float = 0.0
    ) -> None:
        from ._declared import class_texts

        declared: dict[str, Any] = {
            "columns": [_column(name, kind) for name, kind in columns.items()],
            "label": {"column": label, "classes": list(class_texts(classes))},
            "intercept": float(intercept),
        }
        if data_norm is not None:
            declared["data_norm"] = float(data_norm)
        self._json = _core.schema_json(json.dumps(declared))
        if data_norm is None:
            self._declare_largest_norm(declared, [*columns, label])

    def _declare_largest_norm(self, declared: dict[str, Any], names: list[str]) -> None:
        largest = _core.complete_encoding(self._json, names).largest_norm()
        if largest is None:
            raise InvalidArgument("data_norm: must be declared where a column has no range")
        self._json = _core.schema_json(json.dumps({**declared, "data_norm": largest}))

    @classmethod
    def from_json(cls, text: str) -> "Schema":
        """The schema that a text in the JSON form declares, such as a file for ``sotto train --schema``."""
        made = cls.__new__(cls)
        made._json = _core.schema_json(text)
        return made

    def to_json(self) -> str:
        """The same text that the command line reads and writes."""
        return self._json

    @property
    def label(self) -> str:
        """The name of the label's column."""
        return str(json.loads(self._json)["label"]["column"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and other._json == self._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        columns = json.loads(self._json)["columns"]
        return f"Schema({len(columns)} columns, label {self.label!r})"


def _column(name: str, kind: Any) -> dict[str, Any]:
    if kind is None:
        return {"name": name, "kind": "ignore"}
    if isinstance(kind, Mapping):
        return {"name": name, **kind}
    if isinstance(kind, tuple) and len(kind) == 2:
        return {"name": name, "kind": "numeric", "min": float(kind[0]), "max": float(kind[1])}
    if isinstance(kind, list):
        return {"name": name, "kind": "category", "values": [str(value) for value in kind]}
    raise InvalidArgument(f"columns: {name!r} needs a pair (min, max), a list of texts, None or a dictionary")
