"""Attempts to break the promises of the library. No row of yours is read: the tables are invented.

>>> from sotto import LogisticRegression, audit
>>> audit.planned(LogisticRegression(epsilon=1.0, data_norm=1.0), n_samples=500, n_features=5)  # doctest: +SKIP
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, fields
from typing import Any, Iterator, Sequence

from . import _core
from ._hints import in_keywords
from ._progress import Progress
from .errors import InvalidArgument


@dataclass(frozen=True)
class Finding:
    """A promise put to a test: it stands while ``found`` is at most ``claim``."""

    check: str
    subject: str
    quantity: str
    claim: float
    found: float
    holds: bool
    #: Whether the test could have broken the claim at all.
    has_power: bool
    evidence: str

    @property
    def verdict(self) -> str:
        return "FALLEN" if not self.holds else "holds" if self.has_power else "mute"


class Audit(Sequence[Finding]):
    """The findings of an audit; a table in notebooks."""

    def __init__(self, findings: list[Finding], svg: str = "") -> None:
        self._findings = findings
        #: The trade-off curve promised and the one the games found, or empty.
        self.svg = svg

    @property
    def holds(self) -> bool:
        """Whether every claim stands; that none fell does not prove them."""
        return all(finding.holds for finding in self._findings)

    def __len__(self) -> int:
        return len(self._findings)

    def __getitem__(self, place: Any) -> Any:
        return self._findings[place]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def _rows(self) -> list[tuple[str, ...]]:
        return [(f.check, f.subject, f.quantity, f"{f.claim:.4g}", f"{f.found:.4g}", f.verdict) for f in self]

    def __repr__(self) -> str:
        head = ("check", "subject", "quantity", "claim", "found", "verdict")
        rows = [head, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head = "<tr>" + "".join(f"<th>{n}</th>" for n in ("check", "subject", "quantity", "claim", "found", "verdict")) + "</tr>"
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows())
        return f"<table>{head}{body}</table>{self.svg}"


def checks() -> list[str]:
    """The names of the checks of :func:`everything`."""
    return list(json.loads(_core.audit_checks()))


def planned(
    estimator: Any,
    X: Any = None,
    *,
    n_samples: int | None = None,
    n_features: int | None = None,
    quick: bool = True,
    games: int = 0,
    seed: int = 1,
) -> Audit:
    """What ``estimator.fit`` would promise on rows of this shape, attacked by replay, by games and by one run with planted rows.

    ``games`` is the number of trainings on each of two neighbouring tables; 0 takes as many as fit half a minute.
    """
    facts, given, _ = estimator._planned(X, n_samples, n_features)
    with in_keywords(estimator):
        said = json.loads(_core.audit_request(facts, given, _how(quick=quick, games=games, seed=seed)))
    return Audit(_findings(said["findings"]), str(said["svg"]))


def everything(
    *, method: str = "", check: str = "", quick: bool = True, games: int = 0, seed: int = 1, verbose: int = 0
) -> Audit:
    """Every check over every method of the library, or over ``method`` or ``check`` alone. Takes minutes."""
    how = _how(quick=quick, games=games, seed=seed, method=method, check=check)
    with Progress(verbose) as progress:
        found = _findings(json.loads(_core.audit_all(how, progress.tell)))
    if not found:
        raise InvalidArgument("method: nothing was audited: no private method of that name, or none that the check treats")
    return Audit(found)


def museum(*, exhibit: str = "", games: int = 0, seed: int = 1, verbose: int = 0) -> list[dict[str, Any]]:
    """Wrong methods of the literature, each broken by evidence, beside the library's own under the same test."""
    with Progress(verbose) as progress:
        shown = json.loads(_core.audit_museum(_how(quick=True, games=games, seed=seed, check=exhibit), progress.tell))
    if not shown:
        raise InvalidArgument("exhibit: the museum has none of that name")
    return list(shown)


def pipeline(pipeline: Any, X_like: Any, y_like: Any = None, *, seed: int = 1) -> Audit:
    """Puts what stands before an estimator to the test: one row is replaced, and no other row may be turned into something else.

    Every step is fitted and applied twice, on the rows given and on the same rows with one of them replaced. The guarantee of the
    estimator behind is about one row: it does not cover a step by which one row moves the others.

    Parameters
    ----------
    pipeline : Pipeline, ColumnTransformer or transformer
        Is not changed. The last step is left out if it predicts.
    X_like, y_like : array or DataFrame
        Rows of the same form as yours. Invented ones do: what is shown is about the steps, not about rows.
    seed : int
        Repeats the coins of the steps.

    Returns
    -------
    Audit
        A line for each step: how many other rows moved when one was replaced. "mute": none did, which proves nothing.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> from sklearn.preprocessing import StandardScaler
    >>> sotto.audit.pipeline(StandardScaler(), np.arange(12.0).reshape(6, 2)).holds
    False
    """
    from ._pipeline_audit import moved_rows

    return Audit([Finding("pipeline", name, "other rows moved", 0.0, float(moved), moved == 0, moved > 0, how) for name, moved, how in moved_rows(pipeline, X_like, y_like, seed)])


def _how(*, quick: bool, games: int, seed: int, method: str = "", check: str = "") -> dict[str, Any]:
    return {"quick": bool(quick), "games": int(games), "seed": int(seed), "method": method, "check": check}


def _findings(said: list[dict[str, Any]]) -> list[Finding]:
    names = [field.name for field in fields(Finding)]
    return [Finding(*(_number(entry[name]) for name in names)) for entry in said]


def _number(value: Any) -> Any:
    """JSON has no NaN and no infinity: both arrive as None."""
    return float("nan") if value is None else value
