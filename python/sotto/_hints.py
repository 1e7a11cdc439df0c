"""Hints of the library in the words of the package: its keywords for fields, its functions for commands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, Mapping

from ._parameters import OTHERS, TABLE, catalog
from .errors import Error, Hint


def _other_choice(error: Error) -> str:
    choice, *members = error.hint.arguments
    name = error.names.get(error.field, error.field)
    return f"leave {name} out, or name a {error.names.get(choice, choice)} that has it ({', '.join(members)})"


def _did_you_mean(error: Error) -> str:
    return f"did you mean {' or '.join(repr(name) for name in error.hint.arguments)}?"


def _other_filter(error: Error) -> str:
    return " or ".join(f'Ledger.create(filter="{name}")' for name in error.hint.arguments) + " makes one"


def _adding_filter(error: Error) -> str:
    made = f'Ledger.create(filter="{error.hint.arguments[0]}")'
    return f"a ledger counts in the currency of its filter: {made} makes one that adds up epsilon and delta"


def _declare_column(error: Error) -> str:
    what, column = error.hint.arguments
    unchecked = "; check=False goes on with the rows as they are"
    if what == "labels":
        return "declare the labels by classes=, or in the schema" + unchecked
    if what == "norm":
        where = f"bounds for {column!r}" if column else "bounds"
        return f"declare {where}, or a larger data_norm; Schema.draft proposes both" + unchecked
    if what == "numbers":
        return "ignore the column in the schema, or say there which texts mean that a number is missing" + unchecked
    return "declare its categories in the schema, or ignore it there; Schema.draft proposes them" + unchecked


def _said(text: str) -> Callable[[Error], str]:
    return lambda error: text


#: One entry for each kind of hint; what the package has no function for is done by the command line.
WORDS: Mapping[str, Callable[[Error], str]] = {
    "none": _said(""),
    "say_field": lambda error: f"give it by {error.names.get(error.field, error.field)}=...",
    "did_you_mean": _did_you_mean,
    "other_choice": _other_choice,
    "other_filter": _other_filter,
    "adding_filter": _adding_filter,
    "say_header": _said("say in the schema whether the first line is the header"),
    "declare_columns": _said("declare bounds, categories or data_norm"),
    "declare_column": _declare_column,
    "inspect_data": _said("the command `sotto data info` tells where"),
    "pack_again": _said(
        "pack it again by pack_parquet, which names the file, or by pack(fingerprint=...), 64 hexadecimal digits that name the data"
    ),
    "schema_as_found": _said("use the schema as it was when the bounds were found"),
    "public_key": _said("Ledger(path).public_key is one"),
    "move_ledger": _said("if it is the one that counts from now on, say so by the command `sotto ledger move`"),
    "finish_move": _said("run the command `sotto ledger move` again"),
    "former_is_gone": _said("if nothing is left there, say so by the command `sotto ledger move --former-is-gone`"),
}


def hinted(error: Error, kind: str, *arguments: str) -> Error:
    """The error with a hint."""
    error.hint = Hint(kind, arguments)
    return error


@contextmanager
def naming(names: dict[str, str]) -> Iterator[None]:
    """What the library refuses inside goes by these names in place of its fields."""
    try:
        yield
    except Error as error:
        error.names = names
        raise


@contextmanager
def in_keywords(estimator: Any) -> Iterator[None]:
    """What the library refuses inside is said in the keywords of the estimator."""
    try:
        yield
    except Error as error:
        if error.field:
            _name(error, estimator.get_params(deep=False))
        raise


def _name(error: Error, keywords: dict[str, Any]) -> None:
    fields = [error.field, *error.hint.arguments[:1]]
    error.names = {field: keyword for field in fields if (keyword := _keyword_of(field, keywords))}
    is_option = any(error.field == known["name"] for method in catalog()["methods"] for known in method["fields"])
    if is_option and error.field not in error.names and error.hint.kind != "other_choice":
        error.remark = f'it is an option: options={{"{error.field}": ...}}'


def _keyword_of(field: str, keywords: dict[str, Any]) -> str:
    """Those of the field's keywords that were given, or all that the estimator has."""
    having = [row.keyword for row in TABLE if row.field == field and row.keyword in keywords]
    having = having or [keyword for keyword, other in OTHERS.items() if other == field]
    given = [keyword for keyword in having if keywords[keyword] is not None and keywords[keyword] is not False]
    return " or ".join(given or having)
