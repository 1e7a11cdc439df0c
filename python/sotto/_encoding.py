"""The public map from raw features to stored rows. It is the library's; this names what the package asks of it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _core
from ._declared import class_texts, declared_bounds
from ._table import cells_of
from .errors import InvalidArgument


def plain_names(features: int) -> tuple[str, ...]:
    """What the features of an array are called."""
    return tuple(f"x{i + 1}" for i in range(features))


@dataclass(frozen=True)
class Encoding:
    """An encoding of the library, and whether its columns were given names."""

    core: _core.Encoding
    named: bool = False
    raw: bool = False  #: rows are tables of cells, not arrays of numbers

    @classmethod
    def build(
        cls, estimator: Any, data_norm: float | str | None, features: int, classes: Any, names: Any = None
    ) -> "Encoding":
        intercept = constant_of(estimator)
        # data_norm bounds the features; the stored row has the constant feature in addition. Until it is found it is 1.
        norm = math.hypot(1.0 if data_norm is None or isinstance(data_norm, str) else data_norm, intercept)
        called = plain_names(features) if names is None else tuple(str(name) for name in names)
        lower, upper = declared_bounds(estimator.bounds, features)
        return cls.of_array(called, norm, intercept, class_texts(classes), (lower, upper), named=names is not None)

    @classmethod
    def of_array(
        cls, names: Any, stored_norm: float, intercept: float, classes: Any, bounds: Any = None, *, named: bool = False
    ) -> "Encoding":
        lower, upper = bounds if bounds is not None else ((), ())
        declared = {
            "names": list(names),
            "label": _label_beside(names),
            "classes": list(classes),
            "data_norm": float(stored_norm),
            "intercept": float(intercept),
            "lower": [float(v) for v in lower],
            "upper": [float(v) for v in upper],
        }
        return cls(_core.array_encoding(declared), named)

    def with_norm(self, data_norm: float) -> "Encoding":
        """With a bound that was found."""
        schema = json.loads(self.core.json())
        schema["data_norm"] = math.hypot(data_norm, self.intercept)
        return Encoding(_core.Encoding.from_json(json.dumps(schema)), self.named, self.raw)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that give features."""
        return tuple(self.core.names)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Of every stored feature but the constant one: "age", "job=clerk"."""
        return tuple(self.core.feature_names()[: self.stored_features - (1 if self.intercept else 0)])

    @property
    def features(self) -> int:
        return len(self.names)

    @property
    def stored_features(self) -> int:
        return self.core.features

    @property
    def stored_norm(self) -> float:
        return self.core.data_norm

    @property
    def intercept(self) -> float:
        return self.core.intercept

    @property
    def label(self) -> str:
        return self.core.label

    @cached_property
    def classes(self) -> tuple[str, ...]:
        return tuple(self.core.classes)

    @cached_property
    def listed(self) -> dict[str, list[str]]:
        """The texts by which truths of a column are spelt: those that are declared, 0 and 1 for a number."""
        schema = json.loads(self.json())
        texts = {column["name"]: column.get("values", ["0", "1"]) for column in schema["columns"]}
        label = schema["label"]
        return {**texts, label["column"]: label.get("classes") or [*label["negative"], *label["positive"]]}

    @cached_property
    def missing(self) -> dict[str, str]:
        """How a missing cell of a column is spelt: by an empty text, or as the schema declares where that is not declared."""
        spelled = {}
        for column in json.loads(self.json())["columns"]:
            known = column.get("missing") or [text for text in column.get("values", ()) if _core.spells_missing(text)]
            if known and "" not in known:
                spelled[column["name"]] = known[0]
        return spelled

    def cells(self, columns: dict[str, Any]) -> list[tuple[Any, ...]]:
        """The columns of a table as the library reads them."""
        return cells_of(columns, self.listed, self.missing)

    @cached_property
    def linear(self) -> tuple[Any, Any]:
        """Low end and width of what each stored feature was scaled by: stored = (raw - low) / width."""
        low, width = self.core.linear_map()
        return np.array(low), np.array(width)

    @cached_property
    def bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lower and upper ends of the columns; empty where the schema has no range for some."""
        columns = [column for column in json.loads(self.json())["columns"] if column["kind"] != "ignore"]
        if not all("min" in column for column in columns):
            return (), ()
        return tuple(column["min"] for column in columns), tuple(column["max"] for column in columns)

    def facts(self, rows: int) -> dict[str, Any]:
        """What is public about so many rows."""
        return self.core.facts(rows)

    def class_values(self) -> Any:
        """The classes as numbers where all of them are spelt as whole numbers are, else as texts."""
        try:
            numbers = [int(text) for text in self.classes]
        except ValueError:
            return np.array(self.classes)
        return np.array(numbers if tuple(map(str, numbers)) == self.classes else self.classes)

    def json(self) -> str:
        return self.core.json()

    def plain_weights(self, weights: Any) -> tuple[Any, Any]:
        """Weights and constant terms for raw numbers: what a row inside the declared bounds is scored with."""
        coefficients, constants = self.core.plain_weights(np.ascontiguousarray(weights, dtype=np.float64))
        return np.array(coefficients).reshape(len(weights), -1), np.array(constants)


def constant_of(estimator: Any) -> float:
    """The value of the constant feature; 0 without one."""
    intercept = float(estimator.intercept_scaling) if estimator.fit_intercept else 0.0
    if estimator.fit_intercept and not (math.isfinite(intercept) and intercept > 0):
        raise InvalidArgument("intercept_scaling: must be a finite number above 0")
    return intercept


def _label_beside(names: Any) -> str:
    """A name for the label that no feature has."""
    taken = set(names)
    name = "y"
    while name in taken:
        name += "_label"
    return name
