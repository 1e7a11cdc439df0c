"""One budget for all releases from a data set, kept in a file that every process shares."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._declared import class_text
from ._inputs import encode_labels, fingerprint_of, matrix_of
from ._table import columns_of, table_fingerprint
from .errors import InvalidData


class Ledger:
    """A ledger by the path of its file. Copies, clones and pickles refer to the same file: a budget is never copied.

    Every operation opens the file anew, so that threads, forked processes and joblib workers may share one object.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        epsilon: float,
        delta: float = 0.0,
        X: Any = None,
        y: Any = None,
        name: str | None = None,
        schema: Any = None,
        relation: str = "replace_one",
        filter: str | None = None,
        anchor: str | os.PathLike[str] | None = None,
    ) -> "Ledger":
        """Opens a budget, for the rows of ``X`` and ``y`` or for the data set called ``name``.

        With ``schema`` the rows are the raw cells of a table, as for an estimator with a schema; which one does not matter.

        A ledger for rows knows them by their content. Fits on other rows, such as folds, are charged as fits on a part
        of them: that they are one, chosen without looking at values and with no row twice, is the holder's word.
        """
        if (X is None) == (name is None):
            raise ValueError("give either X and y, or the name of the data set")
        if schema is None and (X is None) != (y is None):
            raise ValueError("y: must be given with X, and only with it: a row is its features and its label")
        rows = 0
        fingerprint = _core.text_fingerprint(f"sotto data set {name}")
        if X is not None:
            rows, fingerprint = _identified(X, y) if schema is None else _table_identified(X, y, schema)
        terms = {
            "budget_epsilon": float(epsilon),
            "budget_delta": float(delta),
            "relation": relation,
            "filter": filter or "",
            "anchor": os.path.abspath(os.fspath(anchor)) if anchor else "",
            "fingerprint": fingerprint,
            "rows": rows,
        }
        _core.ledger_create(os.path.abspath(os.fspath(path)), terms)
        return cls(path)

    def show(self) -> dict[str, Any]:
        """Guarantee, what is spent and left in the ledger's currency, and the entries. Not for release."""
        return dict(json.loads(_core.ledger_show(self.path)))

    def verify(self, model: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Recomputes chain, totals and stored models and compares them with the anchor; raises if they disagree.

        With ``model`` also whether this file is byte for byte what the ledger released.
        """
        checked = dict(json.loads(_core.ledger_verify(self.path)))
        if model is None:
            return checked
        digest = hashlib.sha256(Path(model).read_bytes()).hexdigest()
        found = [entry["entry"] for entry in self.entries if entry["released"] == digest]
        if not found:
            raise InvalidData(f"{os.fspath(model)}: is not byte for byte what this ledger released: it was edited, or is no release of it")
        return {**checked, "entry": found[0]}

    @property
    def public_key(self) -> str:
        """The key, in PEM, by which :func:`sotto.verify` knows what this ledger released. The private one has no reader."""
        return str(_core.ledger_public_key(self.path))

    @property
    def spent(self) -> float:
        return float(self.show()["spent"])

    @property
    def remaining(self) -> float:
        return float(self.show()["remaining"])

    @property
    def entries(self) -> list[dict[str, Any]]:
        return list(self.show()["entries"])

    def __copy__(self) -> "Ledger":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Ledger":
        return self

    def __reduce__(self) -> tuple[type["Ledger"], tuple[str]]:
        return (Ledger, (self.path,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        from ._card import PrivacyCard

        shown = self.show()
        return PrivacyCard({"private": True, **{k: v for k, v in shown.items() if k != "entries"}})._repr_html_()


@dataclass(frozen=True)
class Charge:
    """The ledger a fit is charged to, what its rows are known by there, and whether they are a part of its data."""

    path: str = ""
    fingerprint: str = ""
    part: bool = False

    @classmethod
    def to(cls, ledger: Ledger, fingerprint: str, rows: int) -> "Charge":
        part = not _core.ledger_is_about(ledger.path, fingerprint)
        registered = int(ledger.show()["rows"])
        if part and registered and rows > registered:
            raise InvalidData(f"accountant: the ledger was made for {registered} rows, these are {rows}; nothing was charged")
        return cls(ledger.path, fingerprint, part)


def _identified(X: Any, y: Any) -> tuple[int, str]:
    """The number of rows and the fingerprint of their content."""
    matrix = matrix_of(X)
    labels = np.asarray(y)
    classes = np.unique(labels)
    codes = encode_labels(labels, classes)
    return matrix.shape[0], fingerprint_of(matrix, codes, [class_text(value) for value in classes])


def _table_identified(X: Any, y: Any, schema: Any) -> tuple[int, str]:
    columns = columns_of(X, y, schema.label)
    return len(next(iter(columns.values()), ())), table_fingerprint(columns)
