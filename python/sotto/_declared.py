"""What a caller declares about rows before one is read: norm, bounds, classes, epsilons. Each is checked here alone."""

from __future__ import annotations

import math
import numbers
from collections.abc import Set
from typing import Any, Sequence

import numpy as np

from .errors import InvalidArgument


def declared_norm(data_norm: Any, bounds: Any) -> float | str | None:
    """A positive number, "private", or None where ``bounds`` stand for it."""
    if isinstance(data_norm, str) and data_norm == "private":
        return "private"
    if data_norm is None:
        if bounds is None:
            raise InvalidArgument(
                "data_norm: must be declared. It bounds the L2 norm of a row and must be known without looking at the rows; longer "
                "rows are clipped to it. For d features in [0, 1] sqrt(d) clips none, and sqrt(d / 3) is usual. Or declare bounds, a "
                "pair (lower, upper) for the features; or, for a raw table, schema: sotto.Schema.draft writes a first one"
            )
        return None
    number = data_norm.item() if isinstance(data_norm, np.ndarray) and data_norm.ndim == 0 else data_norm
    is_number = isinstance(number, numbers.Real) and not isinstance(number, bool)
    if not (is_number and math.isfinite(number) and number > 0):
        raise InvalidArgument(f'data_norm: got {data_norm!r}, must be a finite number above 0, or "private"')
    return float(number)


def refuse_other_than_number(name: str, value: Any) -> None:
    """A text that spells a number, a truth and NaN are none."""
    if value is None:
        return
    number = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    is_number = isinstance(number, numbers.Real) and not isinstance(number, (bool, np.bool_))
    if not is_number or not math.isfinite(number):
        raise InvalidArgument(f"{name}: got {value!r}, must be a finite number")


def declared_bounds(bounds: Any, features: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Lower and upper bounds, one a feature; empty where there are none."""
    if bounds is None:
        return (), ()
    if not isinstance(bounds, (Sequence, np.ndarray)) or len(bounds) != 2:
        raise InvalidArgument("bounds: must be a pair (lower, upper), of numbers or of one number a feature")
    sides = [np.asarray(side, dtype=np.float64) for side in bounds]
    for side, name in zip(sides, ("lower", "upper")):
        if side.ndim > 1 or side.ndim == 1 and len(side) not in (1, features):
            given = f"{side.ndim} dimensions" if side.ndim > 1 else f"{len(side)} numbers"
            raise InvalidArgument(f"bounds: {name} has {given} for {features} features; give one number, or one a feature")
    lower, upper = (np.broadcast_to(side, (features,)) for side in sides)
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower < upper).all()):
        raise InvalidArgument("bounds: every lower bound must be below its upper bound, both finite")
    return tuple(lower.tolist()), tuple(upper.tolist())


def declared_classes(classes: Any) -> Any:
    """The sorted list of classes."""
    if isinstance(classes, (Set, dict)):
        raise InvalidArgument("classes: must be an ordered list, a set has no order")
    given = np.asarray(classes)
    if given.ndim != 1:
        raise InvalidArgument("classes: must be a list")
    if any(is_missing(value) for value in classes):
        raise InvalidArgument("classes: a missing value (NaN, None) is no class")
    try:
        order = np.unique(given)
    except TypeError:
        raise InvalidArgument("classes: must be all numbers or all texts") from None
    if len(order) < 2:
        raise InvalidArgument("classes: at least two classes must be declared")
    return order


def listed_by_dtype(column: Any) -> list[Any] | None:
    """The values that the type of a categorical column lists, or None."""
    dtype = getattr(column, "dtype", None)
    # Categorical of Polars lists no values: those it has seen are kept elsewhere.
    listed = None if type(dtype).__name__ == "Categorical" else getattr(dtype, "categories", None)
    return None if listed is None else list(listed)


def classes_by_dtype(classes: Any, y: Any) -> Any:
    """What "dtype" stands for: the classes that the type of ``y`` lists, on the caller's word that they are public."""
    if not isinstance(classes, str):
        return classes
    listed = listed_by_dtype(y) if classes == "dtype" else None
    if listed is None:
        raise InvalidArgument('classes: must be a list, or "dtype" where y is categorical and the classes its type lists are public')
    return listed


def declared_epsilons(epsilons: Any) -> Any:
    """One epsilon a position, or None; their values the library checks."""
    if epsilons is None:
        return None
    if isinstance(epsilons, np.ma.MaskedArray):
        raise InvalidArgument("personal_epsilons: must not be masked; what is behind a mask would be promised")
    try:
        given = np.ascontiguousarray(epsilons, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument("personal_epsilons: must be numbers, one a row") from None
    if given.ndim != 1:
        raise InvalidArgument(f"personal_epsilons: has {given.ndim} dimensions, must be a list of one number a row")
    return given


def is_missing(value: Any) -> bool:
    """NaN, None, pandas.NA or NaT."""
    not_a_number = isinstance(value, (numbers.Real, np.datetime64, np.timedelta64)) and value != value
    return value is None or not_a_number or type(value).__name__ in ("NAType", "NaTType")


def class_text(value: Any) -> str:
    """A class as the model file spells it; texts that spell numbers are compared as numbers there."""
    item = value.item() if hasattr(value, "item") else value
    if isinstance(item, bool):
        return "1" if item else "0"
    if isinstance(item, float) and item.is_integer():
        return str(int(item))
    return str(item)


def class_texts(classes: Any) -> tuple[str, ...]:
    """The classes as the model file spells them; what cannot be read back from there is refused."""
    texts = tuple(class_text(value) for value in classes)
    if "" in texts:
        raise InvalidArgument("classes: an empty text is no class, a model file has none")
    if len({_as_compared(text) for text in texts}) < len(texts):
        raise InvalidArgument(
            "classes: two of them spell the same number, and a model file compares texts that spell numbers as numbers"
        )
    return texts


def _as_compared(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
