"""Public, row-wise preprocessing: what depends on declared bounds and categories alone costs no privacy."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._encoding import _bounds
from ._inputs import as_table
from .errors import InvalidArgument


class Scaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Moves every feature into its declared bounds and scales it to ``feature_range``.

    ``fit`` looks at names and shapes only: bounds taken from the rows would be a release.
    """

    def __init__(self, bounds: Any = None, *, feature_range: tuple[float, float] = (0.0, 1.0)) -> None:
        self.bounds = bounds
        self.feature_range = feature_range

    def fit(self, X: Any, y: Any = None) -> "Scaler":
        X = validate_data(self, as_table(X), dtype=[np.float64, np.float32])
        if self.bounds is None:
            raise InvalidArgument("bounds: must be declared, a pair (lower, upper); they must not be taken from the rows")
        lower, upper = _bounds(self.bounds, X.shape[1])
        self.lower_, self.upper_ = np.array(lower), np.array(upper)
        return self

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "lower_")
        X = validate_data(self, as_table(X), dtype=[np.float64, np.float32], reset=False)
        low, high = self.feature_range
        unit = (np.clip(X, self.lower_, self.upper_) - self.lower_) / (self.upper_ - self.lower_)
        return (low + (high - low) * unit).astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        check_is_fitted(self, "lower_")
        names = getattr(self, "feature_names_in_", input_features)
        return np.array([f"x{i}" for i in range(self.n_features_in_)] if names is None else names, dtype=object)


class OneHot(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """One feature a declared category; a value that is not declared gives zeros.

    ``categories`` lists the values of every column, or maps column names to them. Without it the categories that
    pandas keeps in the type of a categorical column are taken as declared.
    """

    def __init__(self, categories: Any = None) -> None:
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> "OneHot":
        columns = _columns_of(X)
        self.n_features_in_ = len(columns)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([name for name, _ in columns], dtype=object)
        self.categories_ = [list(self._declared(i, name, column)) for i, (name, column) in enumerate(columns)]
        return self

    def _declared(self, place: int, name: str, column: Any) -> Any:
        if isinstance(self.categories, dict):
            if name not in self.categories:
                raise InvalidArgument(f"categories: column {name!r} has none declared")
            return self.categories[name]
        if self.categories is not None:
            if len(self.categories) <= place:
                raise InvalidArgument("categories: declare a list for every column")
            return self.categories[place]
        categories = getattr(getattr(column, "dtype", None), "categories", None)
        if categories is not None:
            return list(categories)
        raise InvalidArgument(f"categories: column {name!r} has none declared; they must not be taken from the rows")

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "categories_")
        columns = _columns_of(X)
        if len(columns) != self.n_features_in_:
            raise ValueError(f"X has {len(columns)} features, but OneHot is expecting {self.n_features_in_} features as input")
        parts = []
        for (_, column), values in zip(columns, self.categories_):
            cells = np.asarray(column, dtype=object)
            parts.append(np.stack([cells == value for value in values], axis=1).astype(np.float32))
        return np.concatenate(parts, axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        check_is_fitted(self, "categories_")
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        return np.array([f"{name}={value}" for name, values in zip(names, self.categories_) for value in values], dtype=object)


def _columns_of(X: Any) -> list[tuple[str, Any]]:
    table = as_table(X)
    if hasattr(table, "columns"):
        return [(str(name), table[name]) for name in table.columns]
    array = np.asarray(table, dtype=object)
    if array.ndim != 2:
        raise ValueError("Expected 2D array, got another number of dimensions instead. Reshape your data.")
    return [(f"x{i}", array[:, i]) for i in range(array.shape[1])]
