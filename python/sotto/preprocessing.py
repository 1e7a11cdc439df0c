"""Public, row-wise preprocessing: what depends on declared bounds and categories alone costs no privacy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._declared import declared_bounds, is_missing
from ._inputs import as_table
from ._pieces import naming_columns
from .errors import InvalidArgument


class Scaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Moves every feature into its declared bounds and scales it to ``feature_range``.

    ``fit`` looks at names and shapes only: bounds taken from the rows would be a release.
    """

    def __init__(self, bounds: Any = None, *, feature_range: tuple[float, float] = (0.0, 1.0)) -> None:
        self.bounds = bounds
        self.feature_range = feature_range

    def fit(self, X: Any, y: Any = None) -> "Scaler":
        X = self._checked(as_table(X))
        if self.bounds is None:
            raise InvalidArgument("bounds: must be declared, a pair (lower, upper); they must not be taken from the rows")
        lower, upper = declared_bounds(self.bounds, X.shape[1])
        self.lower_, self.upper_ = np.array(lower), np.array(upper)
        return self

    def _checked(self, X: Any, reset: bool = True) -> Any:
        return naming_columns(X, lambda: validate_data(self, X, dtype=[np.float64, np.float32], reset=reset))

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "lower_")
        X = self._checked(as_table(X), reset=False)
        low, high = self.feature_range
        unit = (np.clip(X, self.lower_, self.upper_) - self.lower_) / (self.upper_ - self.lower_)
        return (low + (high - low) * unit).astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        check_is_fitted(self, "lower_")
        names = getattr(self, "feature_names_in_", input_features)
        return np.array([f"x{i}" for i in range(self.n_features_in_)] if names is None else names, dtype=object)


class OneHot(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """One feature a declared category; a value that is not declared gives zeros.

    A missing value (None, NaN, pandas.NA, one for all) may be declared like any other.

    ``categories`` lists the values of every column, or maps column names to them. "dtype" takes those that the type of a
    categorical column lists (pandas, Polars Enum, Arrow dictionaries), on your word that they are public: a conversion such
    as ``astype("category")`` takes them from the rows.
    """

    def __init__(self, categories: Any = None) -> None:
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> "OneHot":
        table = as_table(X)
        columns = _columns_of(table)
        validate_data(self, table, skip_check_array=True)
        self._refuse_more_than([name for name, _ in columns])
        self.categories_ = [list(self._declared(i, name, column)) for i, (name, column) in enumerate(columns)]
        for (name, _), values in zip(columns, self.categories_):
            if not values:
                raise InvalidArgument(f"categories: the list of column {name!r} is empty; leave the column out")
        return self

    def _refuse_more_than(self, names: list[str]) -> None:
        if isinstance(self.categories, dict):
            for name in self.categories:
                if name not in names:
                    raise InvalidArgument(f"categories: there is no column {name!r}")
        elif self.categories is not None and not isinstance(self.categories, str) and len(self.categories) > len(names):
            raise InvalidArgument(f"categories: {len(self.categories)} lists are declared for {len(names)} columns")

    def _declared(self, place: int, name: str, column: Any) -> Any:
        if isinstance(self.categories, dict):
            if name not in self.categories:
                raise InvalidArgument(f"categories: column {name!r} has none declared")
            return self.categories[name]
        if isinstance(self.categories, str):
            return self._of_dtype(name, column)
        if self.categories is not None:
            if len(self.categories) <= place:
                raise InvalidArgument("categories: declare a list for every column")
            if isinstance(self.categories[place], str):
                raise InvalidArgument("categories: must be a list of values for every column, not one list of values")
            return self.categories[place]
        raise InvalidArgument(
            f"categories: column {name!r} has none declared; they must not be taken from the rows. If what a categorical type "
            'lists is public, say categories="dtype"'
        )

    def _of_dtype(self, name: str, column: Any) -> Any:
        if self.categories != "dtype":
            raise InvalidArgument('categories: must be a list for every column, a mapping from names to lists, or "dtype"')
        dtype = getattr(column, "dtype", None)
        # Categorical of Polars lists no values: those it has seen are kept elsewhere.
        categories = None if type(dtype).__name__ == "Categorical" else getattr(dtype, "categories", None)
        if categories is None:
            raise InvalidArgument(f"categories: column {name!r} has none declared, its type lists none")
        return list(categories)

    def transform(self, X: Any) -> Any:
        check_is_fitted(self, "categories_")
        table = as_table(X)
        columns = _columns_of(table)
        validate_data(self, table, reset=False, skip_check_array=True)
        parts = []
        for (_, column), values in zip(columns, self.categories_):
            cells = np.asarray(column, dtype=object)
            parts.append(np.stack([_equal(cells, value) for value in values], axis=1).astype(np.float32))
        return np.concatenate(parts, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        check_is_fitted(self, "categories_")
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        return np.array([f"{name}={value}" for name, values in zip(names, self.categories_) for value in values], dtype=object)


def _equal(cells: Any, value: Any) -> Any:
    if is_missing(value):
        return np.array([is_missing(cell) for cell in cells], dtype=bool)
    try:
        return cells == value
    except TypeError:  # pandas.NA is neither equal nor unequal
        same = np.equal(cells, value, dtype=object)
        return np.array([isinstance(one, (bool, np.bool_)) and bool(one) for one in same], dtype=bool)


def _columns_of(table: Any) -> list[tuple[str, Any]]:
    if scipy.sparse.issparse(table):
        raise TypeError("Sparse data was passed, but dense cells are required")
    if hasattr(table, "columns"):
        _refuse_empty(table.shape)
        return [(str(name), table[name]) for name in table.columns]
    if np.asarray(table).dtype.kind == "c":
        raise ValueError("Complex data not supported")
    array = np.asarray(table, dtype=object)
    if array.ndim != 2:
        raise ValueError("Expected 2D array, got another number of dimensions instead. Reshape your data.")
    _refuse_empty(array.shape)
    return [(f"x{i}", array[:, i]) for i in range(array.shape[1])]


def _refuse_empty(shape: tuple[int, ...]) -> None:
    for count, what in zip(shape, ("sample", "feature")):
        if count == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
