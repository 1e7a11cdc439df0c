"""The one table that maps the keywords of estimators to the fields of the library.

Everything else about a field (its default, its help, what it may be) is declared in C++ and asked from there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Mapping

from . import _core
from .errors import InvalidArgument


def _lambda_of_c(c: Any, rows: int) -> float:
    # scikit-learn minimises C * sum(loss) + |w|^2 / 2, the library mean(loss) + lambda * |w|^2 / 2.
    if not float(c) > 0:
        raise InvalidArgument(f"C: got {c!r}, must be above 0")
    return 1.0 / (float(c) * rows)


def _same(value: Any, rows: int) -> Any:
    return value


LOSSES = {"log_loss": "logistic", "huber": "huber_svm", "hinge": "hinge"}


@dataclass(frozen=True)
class Mapped:
    """A keyword, the field it stands for, and what becomes of its value."""

    keyword: str
    field: str
    convert: Callable[[Any, int], Any] = _same


TABLE: tuple[Mapped, ...] = (
    Mapped("epsilon", "epsilon"),
    Mapped("delta", "delta"),
    Mapped("neighboring_relation", "relation"),
    Mapped("method", "method"),
    Mapped("loss", "loss", lambda value, rows: LOSSES.get(value, value)),
    Mapped("huber_width", "huber_width"),
    Mapped("C", "lambda", _lambda_of_c),
    Mapped("alpha", "lambda"),
    Mapped("max_iter", "passes"),
    Mapped("passes", "passes"),
    Mapped("batch_size", "batch_rows"),
    Mapped("learning_rate", "step"),
    Mapped("eta0", "step_size"),
    Mapped("average", "averaging", lambda value, rows: "uniform" if value is True else value),
)
#: Keywords that say how rows are read or what a run is charged to; they are no fields of a request.
OTHERS: Mapping[str, str] = {
    "data_norm": "data_norm",
    "bounds": "range",
    "classes": "classes",
    "schema": "schema",
    "fit_intercept": "intercept",
    "intercept_scaling": "intercept",
    "random_state": "order_seed",
    "accountant": "ledger",
    "check": "check",
}


@lru_cache(maxsize=1)
def catalog() -> dict[str, Any]:
    """Losses, methods and their parameters as the library declares them.

    Returns
    -------
    dict
        "methods", "losses", "steps", "problem" and "budget": lists of names with a summary and, under "fields", every
        parameter with its default and its help.

    Examples
    --------
    >>> import sotto
    >>> [entry["name"] for entry in sotto.catalog()["methods"]][:3]  # doctest: +ELLIPSIS
    [...]
    """
    declared: dict[str, Any] = json.loads(_core.catalog())
    for entry in declared["losses"] + declared["methods"] + declared["steps"]:
        entry["fields"] = entry["parameters"]  # as this package calls them
    return declared


def probabilities_of(loss: str) -> str:
    """How scores of this loss become probabilities: "none", "sigmoid" or "shares". "none" for a name nobody has."""
    name = LOSSES.get(loss, loss)
    for entry in catalog()["losses"]:
        if name == entry["name"] or name in entry.get("aliases", ()):
            return str(entry["probabilities"])
    return "none"


def text_of(value: Any) -> str:
    """A value as the library reads it."""
    if hasattr(value, "item"):  # NumPy's numbers, some of which are floats too and show themselves as calls
        return text_of(value.item())
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def fields_of(keywords: Mapping[str, Any], options: Mapping[str, Any] | None, rows: int) -> dict[str, str]:
    """The fields a request is made from. A keyword that is None leaves the field to the library."""
    given: dict[str, str] = {}
    for row in TABLE:
        value = keywords.get(row.keyword)
        if value is None or value is False:
            continue
        if row.field in given:
            same = " or ".join(other.keyword for other in TABLE if other.field == row.field and other.keyword in keywords)
            raise InvalidArgument(f"{row.keyword}: {row.field} is given twice; give {same}")
        given[row.field] = text_of(row.convert(value, rows))
    for name, value in (options or {}).items():
        _refuse_keyword(str(name), keywords)
        given[str(name)] = text_of(value)
    return given


def _refuse_keyword(field: str, keywords: Mapping[str, Any]) -> None:
    """What a keyword says is said there alone: two places would contradict each other, and checks look at one."""
    having = [row.keyword for row in TABLE if row.field == field and row.keyword in keywords]
    if having == ["loss"]:
        raise InvalidArgument("options: loss is the estimator's, or the keyword loss of SGDClassifier")
    if having:
        raise InvalidArgument(f"options: {field} has a keyword of its own; give {' or '.join(having)}")
