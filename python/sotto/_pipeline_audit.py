"""Replaces one row and looks which other rows a transformer turns into something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import clone

from ._inputs import as_table
from .errors import InvalidArgument

_NEW_TEXT = "a text that no other row has"


def moved_rows(pipeline: Any, X: Any, y: Any, seed: int) -> Iterator[tuple[str, int, str]]:
    """For each step its name, the largest number of other rows that moved, and by which replacement."""
    X = as_table(X)
    if isinstance(X, Mapping) or not hasattr(X, "shape") or X.shape[0] < 2:
        raise InvalidArgument("X_like: must be an array or a data frame of at least 2 rows")
    for name, step in _transformers(pipeline):
        plain = _rows_of(_through(step, X, y, seed))
        worst = (0, "one row replaced")
        for how, other, labels in _neighbours(X, y):
            try:
                moved = _moved(plain, _rows_of(_through(step, other, labels, seed)))
            except (ValueError, TypeError):
                continue  # the step refuses such a row
            worst = max(worst, (moved, how))
        yield name, *worst
        X = _through(step, X, y, seed)


def _transformers(pipeline: Any) -> list[tuple[str, Any]]:
    steps = getattr(pipeline, "steps", None) or [(type(pipeline).__name__, pipeline)]
    if hasattr(steps[-1][1], "predict") and not hasattr(steps[-1][1], "transform"):
        steps = steps[:-1]
    found = [(str(name), step) for name, step in steps if step is not None and not isinstance(step, str)]
    if not found:
        raise InvalidArgument("pipeline: nothing in it transforms rows")
    return found


def _through(step: Any, X: Any, y: Any, seed: int) -> Any:
    made = clone(step)
    coins = [name for name in made.get_params() if name.split("__")[-1] == "random_state"]
    made.set_params(**dict.fromkeys(coins, seed))
    return made.fit(X, y).transform(X)


def _rows_of(table: Any) -> list[tuple[Any, ...]]:
    if scipy.sparse.issparse(table):
        table = table.toarray()
    return [tuple(row) for row in np.asarray(table).tolist()]


def _moved(left: list[tuple[Any, ...]], right: list[tuple[Any, ...]]) -> int:
    """How many rows but the replaced one, the last, differ."""
    return sum(not _same(a, b) for a, b in zip(left[:-1], right[:-1]))


def _same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(a == b or a != a and b != b for a, b in zip(left, right))


def _neighbours(X: Any, y: Any) -> Iterator[tuple[str, Any, Any]]:
    """The same rows with the last one replaced: by another row, by far numbers and new texts, by missing cells."""
    labels = None if y is None else np.array(y, copy=True)
    if labels is not None:
        labels[-1] = next((label for label in labels[:-1] if label != labels[-1]), labels[-1])
    yield "by another row", _replaced(X, lambda column: column[0]), labels
    yield "by far numbers and a new text", _replaced(X, _far), labels
    yield "by missing cells", _replaced(X, _missing), labels


def _replaced(X: Any, value_of: Any) -> Any:
    if hasattr(X, "columns"):
        made = {}
        for name in X.columns:
            column = np.asarray(X[name])
            cells = column.astype(object)
            cells[-1] = value_of(column)
            made[name] = cells.astype(float) if column.dtype.kind in "iuf" else cells
        return type(X)(made)
    array = X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)
    made_of = np.array(array, copy=True, dtype=float if array.dtype.kind in "biuf" else object)
    for j in range(array.shape[1]):
        made_of[-1, j] = value_of(array[:, j])
    return made_of


def _numbers(column: Any) -> Any:
    numbers = [float(value) for value in column if isinstance(value, (int, float, np.number)) and value == value]
    return np.array(numbers)


def _far(column: Any) -> Any:
    numbers = _numbers(column)
    return numbers.max() + 10 * (1 + np.ptp(numbers)) if len(numbers) else _NEW_TEXT


def _missing(column: Any) -> Any:
    return np.nan if len(_numbers(column)) else None
