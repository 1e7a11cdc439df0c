"""Public, row-wise preprocessing: what depends on declared bounds and categories alone costs no privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._declared import declared_bounds, is_missing, listed_by_dtype
from ._inputs import as_table
from ._pieces import naming_columns
from .errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Self


class Scaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Moves every feature into its declared bounds and scales it to ``feature_range``.

    ``fit`` looks at names and shapes only: bounds taken from the rows would be a release.

    Parameters
    ----------
    bounds : (lower, upper) or dict
        Numbers, or one a feature. A dictionary gives each column by its name a pair ``(min, max)``, or
        ``(min, max, "log1p")`` for a logarithmic scale; every column must be in it.
    scale : str or list of str
        "linear", or "log1p" for columns with a long tail: log(1 + v - min) / log(1 + max - min). One for all, or one a feature.
    feature_range : (low, high)
        Where the scaled numbers lie.

    Attributes
    ----------
    lower_, upper_ : array
        The bounds, one a feature.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import pandas as pd, sotto
    >>> people = pd.DataFrame({"age": [17, 90], "gain": [0, 100000]})
    >>> sotto.Scaler({"age": (0, 100), "gain": (0, 1e5, "log1p")}).fit_transform(people).round(2).tolist()
    [[0.17, 0.0], [0.9, 1.0]]
    """

    def __init__(
        self, bounds: Any = None, *, scale: str | Sequence[str] = "linear", feature_range: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        self.bounds = bounds
        self.scale = scale
        self.feature_range = feature_range

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes the names and the number of columns.

        Parameters
        ----------
        X : array or DataFrame
            No value of it is used.
        y : ignored

        Returns
        -------
        self
        """
        X = self._checked(as_table(X))
        if self.bounds is None:
            raise InvalidArgument("bounds: must be declared, a pair (lower, upper); they must not be taken from the rows")
        bounds, scales = self._by_feature(X.shape[1])
        lower, upper = declared_bounds(bounds, X.shape[1])
        self.lower_, self.upper_, self.is_log_ = np.array(lower), np.array(upper), _are_log(scales, X.shape[1])
        return self

    def _by_feature(self, features: int) -> tuple[Any, Any]:
        """Bounds and scales in the order of the columns."""
        if not isinstance(self.bounds, Mapping):
            return self.bounds, self.scale
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        if not names:
            raise InvalidArgument("bounds: are by name, and the rows have no names; give a pair of lists, or a data frame")
        missing = [name for name in names if name not in self.bounds]
        unknown = [name for name in self.bounds if name not in names]
        if missing or unknown:
            raise InvalidArgument(f"bounds: {(missing or unknown)[0]!r} " + ("has none" if missing else "is no column of the rows"))
        given = [tuple(self.bounds[name]) for name in names]
        if any(len(one) not in (2, 3) for one in given):
            raise InvalidArgument('bounds: each must be (min, max) or (min, max, "log1p")')
        return ([one[0] for one in given], [one[1] for one in given]), [one[2] if len(one) == 3 else self.scale for one in given]

    def _checked(self, X: Any, reset: bool = True) -> Any:
        return naming_columns(X, lambda: validate_data(self, X, dtype=[np.float64, np.float32], reset=reset))

    def transform(self, X: Any) -> Any:
        """The scaled rows.

        Parameters
        ----------
        X : array or DataFrame

        Returns
        -------
        array
        """
        check_is_fitted(self, "lower_")
        X = self._checked(as_table(X), reset=False)
        low, high = self.feature_range
        width = self.upper_ - self.lower_
        above = np.clip(X, self.lower_, self.upper_) - self.lower_
        unit = np.where(self.is_log_, np.log1p(above) / np.log1p(width), above / width)
        return (low + (high - low) * unit).astype(X.dtype, copy=False)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns, which stay."""
        check_is_fitted(self, "lower_")
        names = getattr(self, "feature_names_in_", input_features)
        return np.array([f"x{i}" for i in range(self.n_features_in_)] if names is None else names, dtype=object)


def _are_log(scales: Any, features: int) -> Any:
    """Which features are on a logarithmic scale."""
    given = [scales] * features if isinstance(scales, str) else list(scales)
    if len(given) != features:
        raise InvalidArgument(f"scale: has {len(given)} entries for {features} features; give one word, or one a feature")
    if any(one not in ("linear", "log1p") for one in given):
        raise InvalidArgument('scale: must be "linear" or "log1p"')
    return np.array([one == "log1p" for one in given])


class OneHot(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """One feature a declared category; a value that is not declared gives zeros.

    A missing value (None, NaN, pandas.NA, one for all) may be declared like any other.

    Parameters
    ----------
    categories : list of lists, dict or "dtype"
        The values of every column, or of each by its name. "dtype" takes those that the type of a categorical column lists
        (pandas, Polars Enum, Arrow dictionaries), on your word that they are public: a conversion such as
        ``astype("category")`` takes them from the rows.

    Attributes
    ----------
    categories_ : list of lists
        The declared values, one list a column.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import sotto
    >>> sotto.OneHot([["clerk", "cook"]]).fit_transform([["cook"], ["pilot"]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    def __init__(self, categories: Any = None) -> None:
        self.categories = categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Takes the names and the number of columns; no value is looked at.

        Parameters
        ----------
        X : array or DataFrame
        y : ignored

        Returns
        -------
        self
        """
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
        categories = listed_by_dtype(column)
        if categories is None:
            raise InvalidArgument(f"categories: column {name!r} has none declared, its type lists none")
        return categories

    def transform(self, X: Any) -> Any:
        """A column of zeros and ones for each declared value.

        Parameters
        ----------
        X : array or DataFrame

        Returns
        -------
        array
        """
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
