"""Refusals of the library in the words of an estimator: its keywords for fields, its functions for commands."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Iterator

from ._parameters import OTHERS, TABLE, catalog
from .errors import BudgetExceeded, Error

_OTHER_FILTER = '; a ledger counts in the currency of its filter: Ledger.create(filter="sum") makes one that adds up epsilon and delta'


@contextmanager
def in_keywords(estimator: Any) -> Iterator[None]:
    """Rewords what the library refuses inside."""
    try:
        yield
    except Error as error:
        if error.field:
            error.args = (reworded(error, estimator.get_params(deep=False)),)
        raise


def reworded(error: Error, keywords: dict[str, Any]) -> str:
    text = str(error)
    if error.filters:
        text += "; " + " or ".join(f'Ledger.create(filter="{name}")' for name in error.filters) + " makes one"
    if isinstance(error, BudgetExceeded) and "of epsilon and delta" not in text:
        text += _OTHER_FILTER
    field, start = error.field, f"{error.field}: "
    if not text.startswith(start):
        return text
    keyword = _keyword_of(field, keywords)
    missing = re.search(r"method (\w+) with loss \w+ has no parameter", text)
    if missing and keyword:
        return f"{keyword}: {_without(field, keyword, missing[1])}"
    if keyword:
        return f"{keyword}: {text[len(start) :]}"
    is_option = any(field == known["name"] for method in catalog()["methods"] for known in method["fields"])
    return f'{text}; it is an option: options={{"{field}": ...}}' if is_option and not missing else text


def _keyword_of(field: str, keywords: dict[str, Any]) -> str:
    """Those of the field's keywords that were given, or all that the estimator has."""
    having = [row.keyword for row in TABLE if row.field == field and row.keyword in keywords]
    having = having or [keyword for keyword, other in OTHERS.items() if other == field]
    given = [keyword for keyword in having if keywords[keyword] is not None and keywords[keyword] is not False]
    return " or ".join(given or having)


def _without(field: str, keyword: str, method: str) -> str:
    if field == "step_size" and method in _methods_with("step"):
        return 'is the step of learning_rate="constant"; give that too'
    others = ", ".join(_methods_with(field))
    if method == "auto":
        return f"method auto chooses it; leave {keyword} out, or name a method that has it ({others})"
    return f"method {method} has none; leave {keyword} out, or name a method that has it ({others})"


def _methods_with(field: str) -> list[str]:
    return [method["name"] for method in catalog()["methods"] if any(known["name"] == field for known in method["fields"])]
