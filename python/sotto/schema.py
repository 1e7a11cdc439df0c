"""What is declared in public about the columns of a table, so that estimators take raw data frames."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping

from . import _core
from ._declared import class_texts
from ._schema_view import html_of, text_of
from ._table import cells_of, columns_of
from .errors import InvalidArgument


class Schema:
    """The public declaration of a table: a kind for every column, the label and its classes.

    Ranges and lists must be known without looking at the rows. :meth:`draft` writes a first schema for you to correct.

    Parameters
    ----------
    columns : dict
        What is declared about each column, by its name: a pair ``(min, max)`` for a number, a list of texts for a category,
        ``None`` for a column that is read past, or a dictionary as in the JSON form
        (``{"min": 0, "max": 1e5, "scale": "log1p", "missing": [""]}``).
    label : str
        The column of the label.
    classes : list
        The classes of the label; of two the second is the positive one.
    data_norm : float, optional
        Bound on the L2 norm of the encoded row. Without it nothing is clipped where every column has a range or a list.
    intercept : float
        The constant feature; 0 leaves it to the estimator.

    Attributes
    ----------
    label : str
        The column of the label.
    unconfirmed : list of str
        What was suggested from rows and not confirmed to be public.

    Examples
    --------
    >>> import sotto
    >>> sotto.Schema({"age": (17, 90), "job": ["clerk", "sales"]}, label="income", classes=["<=50K", ">50K"])
    Schema: 2 columns, label 'income' (<=50K, >50K), data_norm 1.414
      age  number    17 to 90
      job  category  clerk, sales
    """

    def __init__(
        self, columns: Mapping[str, Any], *, label: str, classes: Any, data_norm: float | None = None, intercept: float = 0.0
    ) -> None:
        declared = _declared(columns, label, classes, data_norm)
        declared["intercept"] = float(intercept)
        self._why: dict[str, str] = {}
        self._json = _core.schema_json(json.dumps(declared))
        if data_norm is None:
            largest = _core.complete_encoding(self._json, [*columns, label]).largest_norm()
            if largest is None:
                raise InvalidArgument("data_norm: must be declared where a column has no range")
            self._json = _core.schema_json(json.dumps({**declared, "data_norm": largest}))

    @classmethod
    def _of(cls, text: str, why: dict[str, str] | None = None) -> "Schema":
        made = cls.__new__(cls)
        made._json = _core.schema_json(text)
        made._why = why or {}
        return made

    @classmethod
    def draft(
        cls,
        X: Any,
        y: Any = None,
        *,
        label: str | None = None,
        columns: Mapping[str, Any] | None = None,
        classes: Any = None,
        data_norm: float | None = None,
    ) -> "Schema":
        """A first schema for a table, from all of its cells: kinds, ranges, lists, classes, a norm. Not for release.

        What it takes from the rows is a *suggestion*. A model that is trained with a suggestion nobody confirmed is stamped
        *not private*. Look at the draft, replace by :meth:`declare` what is only known from these rows, then :meth:`confirm`.

        Parameters
        ----------
        X : DataFrame, Arrow table or dict of columns
            The rows, raw: text, numbers, truths, dates and missing cells.
        y : array, optional
            The label, where ``X`` has no column for it.
        label : str, optional
            The column of the label. Without it the name of ``y``, or "y".
        columns, classes, data_norm : optional
            What is declared already, as for :class:`Schema`. It stays as it is.

        Returns
        -------
        Schema
            With ``unconfirmed`` columns, and why each was drafted as it is.

        Examples
        --------
        >>> import sotto
        >>> table = {"age": [20, 31, 64, 58], "job": ["clerk", "cook", "cook", "clerk"], "rich": ["no", "no", "yes", "yes"]}
        >>> draft = sotto.Schema.draft(table, label="rich")
        >>> draft.unconfirmed
        ['age', 'job', 'label']
        >>> sotto.Schema.draft(table, label="rich").declare({"age": (17, 90)}).confirm().unconfirmed
        []
        """
        named = label if label is not None else str(getattr(y, "name", None) or "y") if y is not None else None
        if named is None:
            raise InvalidArgument("label: name the column of the label, or give y")
        table = columns_of(X, y, named)
        if named not in table:
            raise InvalidArgument(f"label: the table has no column {named!r}")
        declared = _declared(columns or {}, named, classes, data_norm)
        unknown = [name for name in columns or {} if name not in table]
        if unknown:
            raise InvalidArgument(f"columns: the table has no column {unknown[0]!r}")
        cells = cells_of(table)
        text, why = _core.draft_table(cells, json.dumps(declared))
        drafted = json.loads(text)
        if classes is None and "positive" in drafted["label"]:
            _name_numbers(drafted["label"], {name: column for name, *column in cells}[named])
        return cls._of(json.dumps(drafted), dict(why))

    def declare(
        self, columns: Mapping[str, Any] | None = None, *, classes: Any = None, data_norm: float | None = None
    ) -> "Schema":
        """The same schema with other declarations in place of these; what is declared here is public.

        Parameters
        ----------
        columns, classes, data_norm : optional
            As for :class:`Schema`. A pair ``(min, max)`` changes the range of a number alone: how a missing one is spelt, and a
            logarithmic scale, stay as they are, suggestions too.

        Returns
        -------
        Schema
            A new one.

        Examples
        --------
        >>> import sotto
        >>> schema = sotto.Schema({"age": (17, 90)}, label="rich", classes=["no", "yes"])
        >>> schema.declare({"age": (0, 120)})
        Schema: 1 columns, label 'rich' (no, yes), data_norm 1
          age  number  0 to 120
        """
        held = json.loads(self._json)
        places = {column["name"]: i for i, column in enumerate(held["columns"])}
        for name, kind in (columns or {}).items():
            if name not in places:
                raise InvalidArgument(f"columns: the schema has no column {name!r}")
            held["columns"][places[name]] = _replaced(held["columns"][places[name]], kind)
        if classes is not None:
            held["label"] = {"column": held["label"]["column"], "classes": list(class_texts(classes))}
        if data_norm is not None:
            held["data_norm"] = float(data_norm)
        why = {name: reason for name, reason in self._why.items() if name not in (columns or {})}
        return self._of(json.dumps(held), why)

    def confirm(self) -> "Schema":
        """Your word that everything in the schema is public: known without looking at these rows.

        Nobody can check it. What only the rows could tell you must be replaced before, by :meth:`declare`.

        Returns
        -------
        Schema
            A new one, without suggestions.
        """
        return self._of(_core.confirmed(self._json))

    @property
    def unconfirmed(self) -> list[str]:
        """The columns, and "label", that were suggested from rows and are not confirmed to be public."""
        return list(_core.unconfirmed(self._json))

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> "Schema":
        """The schema in the JSON form, as ``sotto data schema`` writes it.

        Parameters
        ----------
        source : str or Path
            The text itself, or the :class:`~pathlib.Path` of a file that has it.
        """
        return cls._of(source if isinstance(source, str) else Path(source).read_text(encoding="utf-8"))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The text that the command line reads and writes.

        Parameters
        ----------
        path : optional
            A file that is written too.
        """
        if path is not None:
            _core.write_file(os.fspath(path), (self._json + "\n").encode())
        return self._json

    @property
    def label(self) -> str:
        """The name of the label's column."""
        return str(json.loads(self._json)["label"]["column"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and other._json == self._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        return text_of(self._json, self._why, self.unconfirmed)

    def _repr_html_(self) -> str:
        return html_of(self._json, self._why, self.unconfirmed)


def _declared(columns: Mapping[str, Any], label: str, classes: Any, data_norm: float | None) -> dict[str, Any]:
    declared: dict[str, Any] = {
        "columns": [_column(name, kind) for name, kind in columns.items()],
        "label": {"column": label} if classes is None else {"column": label, "classes": list(class_texts(classes))},
    }
    return declared if data_norm is None else {**declared, "data_norm": float(data_norm)}


def _column(name: str, kind: Any) -> dict[str, Any]:
    if kind is None:
        return {"name": name, "kind": "ignore"}
    if isinstance(kind, Mapping):
        return {"name": name, **kind}
    if isinstance(kind, tuple) and len(kind) == 2:
        return {"name": name, "kind": "numeric", "min": float(kind[0]), "max": float(kind[1])}
    if isinstance(kind, list):
        return {"name": name, "kind": "category", "values": [str(value) for value in kind]}
    raise InvalidArgument(f"columns: {name!r} needs a pair (min, max), a list of texts, None or a dictionary")


def _replaced(held: dict[str, Any], kind: Any) -> dict[str, Any]:
    """A column declared anew. A range alone leaves the rest as it was, and to be confirmed where that was suggested."""
    column = _column(held["name"], kind)
    rest: dict[str, Any] = {key: held[key] for key in ("scale", "missing", "public") if key in held}
    is_range = isinstance(kind, tuple) and held["kind"] == "numeric"
    has_more = bool(rest.get("missing")) or rest.get("scale", "linear") != "linear"
    return column | rest if is_range and has_more else column


def _name_numbers(label: dict[str, Any], cells: list[Any]) -> None:
    """0 and 1, or -1 and 1: the library's own lists take both, and a prediction is to be spelt as the labels are."""
    if label["positive"][0] != "1" or not label.get("public", True):
        return
    numbers = cells[0] if len(cells) == 2 else [_number(text) for text in cells[1]]
    negative = any(number == -1 for number in numbers)
    label.pop("positive"), label.pop("negative")
    label["classes"] = ["-1", "1"] if negative else ["0", "1"]
    if negative:
        label["public"] = False


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
