"""Coefficients with intervals."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from ._html import table
from ._parameters import catalog

#: Titles of columns that have words.
_WORDS = ("class", "feature")


class Summary:
    """The coefficients of a fitted estimator by name, with intervals where they are known.

    A model that was fitted with ``options={"intervals": share}`` (methods auto, objective and output) released what confidence
    intervals need. They count sampling and noise. Otherwise, where the noise is on the released weights, its standard
    deviation is public, and the interval is for that noise alone. Where the noise is added elsewhere there is none.

    Attributes
    ----------
    names : list of str
        The features, and "intercept".
    coefficients : array
        A row for each class, or one.
    covers : str
        What the intervals count: "sampling and noise", "noise", or nothing.
    note : str
        The same as a sentence, or how to get intervals.
    level : float
        The chance that an interval covers its coefficient.
    """

    def __init__(self, estimator: Any, level: float = 0.95) -> None:
        if not 0 < level < 1:
            raise ValueError(f"level: got {level!r}, must lie between 0 and 1")
        card = estimator.privacy_
        encoding = estimator.encoding_
        self.level = level
        self.privacy = card
        self.names = [*encoding.feature_names, *(["intercept"] if encoding.intercept else [])]
        self.classes = estimator.classes_[1:] if len(estimator.coef_) == 1 else estimator.classes_
        constants = estimator.intercept_[:, None] if encoding.intercept else np.empty((len(estimator.coef_), 0))
        self.coefficients = np.hstack([estimator.coef_, constants])
        self.noise_stddev = self._noise(card, encoding)
        self._ends = self._released(estimator, level)
        self.covers = "sampling and noise" if self._ends is not None else "noise" if self.noise_stddev is not None else ""

    @staticmethod
    def _noise(card: Any, encoding: Any) -> Any:
        if card["noise"]["added_to"] != "the released weights":
            return None
        stddev = float(card["noise"]["stddev"])
        scales = np.full(encoding.stored_features, stddev)
        low, width = encoding.linear
        scales[: len(width)] /= width
        if encoding.intercept:
            # The constant term of raw numbers is a mixture of all weights.
            scales[-1] = stddev * float(np.sqrt(encoding.intercept**2 + np.sum((low / width) ** 2)))
        return scales

    @staticmethod
    def _released(estimator: Any, level: float) -> tuple[Any, Any] | None:
        encoding = estimator.encoding_
        ends = estimator.model_.intervals(level)
        if ends is None:
            return None
        lower, upper = (np.array(side).reshape(len(estimator.coef_), -1) for side in np.asarray(ends).T)
        low, width = encoding.linear
        for side in (lower, upper):
            side[:, : len(width)] /= width
            if encoding.intercept:
                # With bounds the constant term of raw features is a mixture of all weights.
                side[:, -1] = np.nan if low.any() else side[:, -1] * encoding.intercept
        return lower, upper

    def interval(self) -> tuple[Any, Any] | None:
        """Lower and upper ends, or None where nothing is known about a coefficient's error."""
        if self._ends is not None:
            return self._ends
        if self.noise_stddev is None:
            return None
        # Chebyshev for the L2-Laplace noise of pure privacy, whose tails are heavier than normal ones.
        gaussian = "gaussian" in str(self.privacy["noise"]["mechanism"])
        factor = NormalDist().inv_cdf(0.5 + self.level / 2) if gaussian else (1 - self.level) ** -0.5
        reach = factor * self.noise_stddev
        return self.coefficients - reach, self.coefficients + reach

    def rows(self) -> list[tuple[str, str, float, float | None, float | None]]:
        """(class, feature, coefficient, lower, upper) for every coefficient."""
        ends = self.interval()
        found = []
        for k, label in enumerate(self.classes):
            for j, name in enumerate(self.names):
                low = None if ends is None else float(ends[0][k, j])
                high = None if ends is None else float(ends[1][k, j])
                found.append((str(label), name, float(self.coefficients[k, j]), low, high))
        return found

    def __repr__(self) -> str:
        head, rows = self._cells()
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        words = sum(1 for name in head if name in _WORDS)
        lines = [
            "  ".join(cell.ljust(width) if i < words else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in [head, *rows]
        ]
        return "\n".join([*lines, self.note])

    def _repr_html_(self) -> str:
        head, rows = self._cells()
        return table(rows, head=head, words=self.note)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Titles and cells; a column that would be empty or always the same is left out."""
        several, ends = len(self.coefficients) > 1, self.interval() is not None
        head = [*(["class"] if several else []), "feature", "coefficient", *(["lower", "upper"] if ends else [])]
        rows = []
        for label, name, *numbers in self.rows():
            shown = numbers if ends else numbers[:1]
            rows.append([*([label] if several else []), name, *(_number(each) for each in shown)])
        return head, rows

    @property
    def note(self) -> str:
        """What the intervals cover, or how to get some."""
        if self.covers:
            return f"Intervals of {100 * self.level:g} percent for {self.covers}."
        if not self.privacy.is_private:
            return "No intervals: the model is not private."
        offered = [entry["name"] for entry in catalog()["methods"] if any(field["name"] == "intervals" for field in entry["fields"])]
        method = self.privacy["method"]
        how = "" if method in offered else ' method="auto" and'
        return f'No intervals: the noise of {method} is not on the weights. A fit with{how} options={{"intervals": 0.2}} spends a fifth of epsilon on them.'


def _number(value: float | None) -> str:
    return "not known" if value is None or value != value else f"{value:.4g}"
