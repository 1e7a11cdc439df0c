"""One budget for all releases from a data set, kept in a file that every process shares."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._declared import class_text
from ._inputs import encode_labels, fingerprint_of, matrix_of
from ._hints import naming
from ._html import short, table
from ._table import columns_of, rows_in, table_fingerprint
from .errors import Error, InvalidData, StorageError

if TYPE_CHECKING:
    from typing_extensions import Self


#: What the fields of a budget are called here.
_FIELDS = {"budget_epsilon": "epsilon", "budget_delta": "delta"}


@dataclass(frozen=True)
class Budget:
    """What a ledger grants and what is left of it. Not for release.

    Attributes
    ----------
    epsilon, delta : float
        What all releases together keep.
    percent_used, percent_left : float
        Of epsilon or of delta, whichever is used more.
    still_fits : float
        The largest epsilon of one more model; 0 where none fits.
    words : str
        All of this in one line.
    currency : str
        The same in what the ledger's filter adds up.
    """

    epsilon: float
    delta: float
    percent_used: float
    percent_left: float
    still_fits: float
    words: str
    currency: str

    def __repr__(self) -> str:
        return f"{self.words} ({self.currency})"


class Ledger:
    """One budget for all releases from the same rows, in a file. Every fit with ``accountant=ledger`` is charged to it.

    An object is the path of the file. Copies, clones and pickles refer to the same file: a budget is never copied. Every
    operation opens the file anew, so that threads, forked processes and joblib workers may share one object.

    Parameters
    ----------
    path : str or path
        A file that :meth:`create` or the command line made.

    Attributes
    ----------
    path : str
        Absolute.
    budget : Budget
        What is used and what still fits, in words and numbers.
    spent, remaining : float
        In the currency of the filter; epsilon under "sum".
    entries : list of dict
        What was charged.
    public_key : str
        By which :func:`sotto.verify` knows what this ledger released.

    Examples
    --------
    >>> import tempfile, numpy as np, sotto
    >>> X = np.random.default_rng(0).normal(size=(4000, 3)) / 3
    >>> y = (X[:, 0] > 0).astype(int)
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = sotto.Ledger.create(folder.name + "/rows.ledger", epsilon=1, X=X, y=y)
    >>> model = sotto.LogisticRegression(epsilon=0.5, data_norm=1.0, accountant=ledger).fit(X, y)
    >>> ledger.budget.words
    '50 percent used; a model of epsilon 0.5 still fits'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        epsilon: float,
        delta: float | None = None,
        X: Any = None,
        y: Any = None,
        name: str | None = None,
        schema: Any = None,
        relation: str = "replace_one",
        filter: str | None = None,
        anchor: str | os.PathLike[str] | None = None,
        blind: bool = False,
    ) -> "Ledger":
        """Opens a budget for the rows of ``X`` and ``y``, or for the data set called ``name``.

        A ledger for rows knows them by their content. Fits on other rows, such as folds, are charged as fits on a part
        of them: that they are one, chosen without looking at values and with no row twice, is the holder's word.

        Parameters
        ----------
        path : str or path
            A file that is not there yet.
        epsilon : float
            What all releases together may cost. It can be lowered later, never raised.
        delta : float, optional
            Without it a power of ten that is at most 1/(10 rows^1.1): 1e-6 for 30,000 rows. A data set by ``name`` has no known
            number of rows and needs one. With 0 no request with real-valued noise fits.
        X, y : table or array, optional
            The rows. With ``schema`` the raw cells of a table; ``y`` may be left out where a column has the labels.
        name : str, optional
            A name for the data set in place of its rows: every fit is then charged.
        schema : Schema, optional
            Says that the rows are raw cells. Which schema does not matter: other ones later are charged to the same budget.
        relation : "replace_one"
            The only one a ledger is offered under.
        filter : str, optional
            How costs add up. "sum", the default, adds epsilon and delta. "zcdp", "gdp" and "rdp" take more models with Gaussian
            noise, and fewer or none with pure noise.
        anchor : path, optional
            A second file, on another disk, that guards against an old copy of the ledger. Without it ``path`` + ".anchor".
        blind : bool
            No request looks at the rows before it is charged, whatever ``check`` says. For a holder who runs the requests of
            others and passes on what is printed.

        Returns
        -------
        Ledger
        """
        if os.path.exists(path):
            raise StorageError(f"{os.fspath(path)}: is there already and is not replaced; Ledger(path) opens it")
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
            "budget_delta": None if delta is None else float(delta),
            "relation": relation,
            "filter": filter or "",
            "anchor": os.path.abspath(os.fspath(anchor)) if anchor else "",
            "fingerprint": fingerprint,
            "rows": rows,
            "blind": bool(blind),
        }
        with naming(_FIELDS):
            _core.ledger_create(os.path.abspath(os.fspath(path)), terms)
        return cls(path)

    def lower(self, epsilon: float, delta: float | None = None) -> Self:
        """Lowers the budget for good: all releases together keep less than was granted before. It is never raised.

        Parameters
        ----------
        epsilon : float
            The new budget; at least what is spent.
        delta : float, optional
            Without it the delta stays.

        Returns
        -------
        self
        """
        with naming(_FIELDS):
            _core.ledger_lower(self.path, float(epsilon), None if delta is None else float(delta))
        return self

    @property
    def budget(self) -> Budget:
        """What is used and what still fits. Not for release."""
        held = self.show()["budget"]
        return Budget(
            epsilon=held["epsilon"],
            delta=held["delta"],
            percent_used=held["percent_used"],
            percent_left=held["percent_left"],
            still_fits=held["still_fits"]["epsilon"],
            words=held["words"],
            currency=held["currency_words"],
        )

    def show(self) -> dict[str, Any]:
        """Guarantee, what is spent and left, and the entries. Not for release.

        Returns
        -------
        dict
            ``budget`` has the words; ``spent``, ``remaining`` and ``limit`` are in the filter's ``currency``.
        """
        return dict(json.loads(_core.ledger_show(self.path)))

    def verify(self, model: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Recomputes chain, totals and stored models and compares them with the anchor; raises if they disagree.

        With ``model`` also whether this file is byte for byte what the ledger released.

        Parameters
        ----------
        model : path, optional
            A model file.

        Returns
        -------
        dict
            ``verified``, and the numbers of ``records`` and ``models``; with ``model`` its ``entry``.
        """
        checked = dict(json.loads(_core.ledger_verify(self.path)))
        if model is None:
            return checked
        digest = hashlib.sha256(Path(model).read_bytes()).hexdigest()
        found = [entry["entry"] for entry in self.entries if entry["released"] == digest]
        if not found:
            raise InvalidData(f"{os.fspath(model)}: is not byte for byte what this ledger released: it was edited, or is no release of it")
        return {**checked, "entry": found[0]}

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page about the budget for people: entries, what is left and what would fit. One HTML file, not for release.

        Parameters
        ----------
        path : str or path
            Where the page is written.
        """
        _core.write_file(os.fspath(path), _core.ledger_page(self.path).encode())

    @property
    def public_key(self) -> str:
        """The key, in PEM, by which :func:`sotto.verify` knows what this ledger released. The private one has no reader."""
        return str(_core.ledger_public_key(self.path))

    @property
    def spent(self) -> float:
        """In the currency of the filter; epsilon under "sum"."""
        return float(self.show()["spent"])

    @property
    def remaining(self) -> float:
        """What is left, in the same currency."""
        return float(self.show()["remaining"])

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What was charged, oldest first; ``share`` says how much of the budget in words."""
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
        try:
            words = self.budget.words
        except Error as error:
            words = str(error)
        return f"<Ledger {self.path!r}: {words}>"

    def _repr_html_(self) -> str:
        shown = self.show()
        guarantee = shown["guarantee"]
        about = table(
            [
                ("budget", f"epsilon {short(guarantee['epsilon'])}, delta {short(guarantee['delta'])} ({shown['relation']}, {shown['unit']})"),
                ("filter", f"{shown['filter']} ({shown['budget']['currency_words']})"),
                ("rows", f"{shown['rows']:,}" if shown["rows"] else ""),
                ("file", self.path),
            ],
            words=shown["budget"]["words"],
        )
        entries = [(each["entry"], _time(each["time"]), each["state"], each["share"]) for each in shown["entries"]]
        return about + (table(entries, head=("entry", "time", "state", "cost")) if entries else "")


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
    return rows_in(columns), table_fingerprint(columns)


def _time(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
