"""The public map from raw features to stored rows, in the form the model file has it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._declared import class_texts, declared_bounds
from ._inputs import declared
from .errors import InvalidArgument


def plain_names(features: int) -> tuple[str, ...]:
    """What the features of an array are called."""
    return tuple(f"x{i + 1}" for i in range(features))


@dataclass(frozen=True)
class Encoding:
    """Ranges, intercept, norm and classes; everything declared."""

    names: tuple[str, ...]
    stored_norm: float
    intercept: float
    classes: tuple[str, ...]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    named: bool = False  #: whether the features were given names

    @property
    def features(self) -> int:
        return len(self.names)

    @property
    def stored_features(self) -> int:
        return self.features + (1 if self.intercept else 0)

    @classmethod
    def build(
        cls, estimator: Any, data_norm: float | str | None, features: int, classes: Any, names: Any = None
    ) -> "Encoding":
        lower, upper = declared_bounds(estimator.bounds, features)
        intercept = float(estimator.intercept_scaling) if estimator.fit_intercept else 0.0
        if estimator.fit_intercept and not (math.isfinite(intercept) and intercept > 0):
            raise InvalidArgument("intercept_scaling: must be a finite number above 0")
        # data_norm bounds the features; the stored row has the constant feature in addition. Until it is found it is 1.
        norm = math.hypot(1.0 if data_norm is None or isinstance(data_norm, str) else data_norm, intercept)
        called = plain_names(features) if names is None else tuple(str(name) for name in names)
        return cls(called, norm, intercept, class_texts(classes), lower, upper, named=names is not None)

    def with_norm(self, data_norm: float) -> "Encoding":
        """With a bound that was found; features scaled to [0, 1] are no longer than the root of their number."""
        most = math.sqrt(self.features) if self.lower else math.inf
        return replace(self, stored_norm=math.hypot(min(data_norm, most), self.intercept))

    @property
    def label(self) -> str:
        """A name for the label that no feature has."""
        name = "y"
        while name in self.names:
            name += "_label"
        return name

    def facts(self, rows: int) -> dict[str, Any]:
        """What is public about so many rows."""
        classes = max(2, len(self.classes))
        return {"rows": rows, "features": self.stored_features, "data_norm": self.stored_norm, "classes": classes}

    def class_values(self) -> Any:
        """The classes as numbers where all of them are spelt as whole numbers are, else as texts."""
        try:
            numbers = [int(text) for text in self.classes]
        except ValueError:
            return np.array(self.classes)
        return np.array(numbers if tuple(map(str, numbers)) == self.classes else self.classes)

    def declaration(self) -> dict[str, Any]:
        bounds = (self.lower, self.upper) if self.lower else None
        return declared(self.stored_norm, self.intercept, len(self.classes), bounds)

    def json(self) -> str:
        columns: list[dict[str, Any]] = []
        for i, name in enumerate(self.names):
            column: dict[str, Any] = {"name": name, "kind": "numeric"}
            if self.lower:
                column |= {"min": self.lower[i], "max": self.upper[i]}
            columns.append(column)
        return json.dumps(
            {
                "format": "csv",
                "columns": columns,
                "label": {"column": self.label, "classes": list(self.classes)},
                "data_norm": self.stored_norm,
                "intercept": self.intercept,
                "complete": True,
            }
        )

    def plain_weights(self, weights: Any) -> tuple[Any, Any]:
        """Weights and constant terms for raw features: what a row inside the declared bounds is scored with."""
        coefficients = np.array(weights[:, : self.features])
        constants = weights[:, -1] * self.intercept if self.intercept else np.zeros(len(weights))
        if self.lower:
            low, high = np.array(self.lower), np.array(self.upper)
            coefficients = coefficients / (high - low)
            constants = constants - coefficients @ low
        return coefficients, np.asarray(constants, dtype=np.float64)
