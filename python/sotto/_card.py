"""The privacy card: what a reader of a model must know about its privacy."""

from __future__ import annotations

import json
import re
from typing import Any, Iterator, Mapping

from ._html import short, table

#: A number of more digits than people read.
_LONG = re.compile(r"\d+\.\d{6,}(e[-+]?\d+)?")


class PrivacyCard(Mapping[str, Any]):
    """What a model promises, or what a fit would: words first, then the details. A mapping, and a table in notebooks.

    Attributes
    ----------
    is_private : bool
        Whether anything is promised.
    epsilon, delta : float
        What is promised; infinite and 1 where nothing is.
    words : str
        The promise in one or two sentences, for people who have not heard of epsilon.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> X = np.random.default_rng(0).normal(size=(4000, 3)) / 3
    >>> card = sotto.LogisticRegression(epsilon=0.5, data_norm=1.0).privacy_cost(X)
    >>> print(card.words)  # doctest: +ELLIPSIS
    Promise: if any one row were replaced by another, whatever anybody concludes from this model would be at most 1.649 times...
    """

    def __init__(self, content: Mapping[str, Any], text: str = "", words: str = "") -> None:
        self._content = dict(content)
        self._text = text
        self.words = words

    @classmethod
    def from_json(cls, text: str, shown: str = "", words: str = "") -> "PrivacyCard":
        return cls(json.loads(text), shown, words)

    def __getitem__(self, key: str) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    @property
    def is_private(self) -> bool:
        return bool(self._content["private"])

    @property
    def epsilon(self) -> float:
        """What is promised; infinite where nothing is."""
        promised = self._content["guarantee"]["epsilon"]
        return float("inf") if promised is None else float(promised)

    @property
    def delta(self) -> float:
        """What is promised; 1 where nothing is."""
        promised = self._content["guarantee"]["delta"]
        return 1.0 if promised is None else float(promised)

    def _warnings(self) -> list[str]:
        return [each["text"] for each in self._content.get("warnings", ())]

    def __repr__(self) -> str:
        if not self._text:
            return json.dumps(self._content, indent=2)
        warned = "".join(f"Warning: {text}.\n" for text in self._warnings())
        return "\n\n".join(part for part in (self.words, warned.rstrip(), self._text) if part)

    def _repr_html_(self) -> str:
        return table(self._lines(), words=self.words, name="sotto-card")

    def _lines(self) -> list[tuple[str, str]]:
        held = self._content
        return [
            ("guarantee", self._guarantee()),
            ("not private because", "; ".join(held.get("not_private_because", ()))),
            ("warning", "; ".join(self._warnings())),
            ("method", held["method"]),
            ("noise", _noise(held["noise"])),
            ("theorem", held["theorem"]),
            ("budget", _budget(held["budget"])),
            ("rows", f"{held['facts']['rows']:,}" if held["facts"]["rows"] else "a private number"),
            ("features, classes", f"{held['facts']['features']:,}, {held['facts']['classes']}"),
            ("norm of a row", f"at most {short(held['facts']['data_norm'])}"),
            *(("remark", _LONG.sub(lambda found: _value(found[0]), remark)) for remark in held["remarks"]),
            ("parameters", ", ".join(f"{name} {_value(text)}" for name, text in held["parameters"].items())),
            ("version", held["version"]),
        ]

    def _guarantee(self) -> str:
        if not self.is_private:
            return "NOT PRIVATE"
        return f"epsilon {short(self.epsilon)}, delta {short(self.delta)} ({self['relation']}, {self['unit']})"


def _noise(noise: Mapping[str, Any]) -> str:
    if noise["mechanism"] == "none":
        return "none"
    return f"{noise['mechanism']} on {noise['added_to']}, standard deviation {noise['stddev']:.4g} of each number"


def _budget(budget: Mapping[str, Any]) -> str:
    if not budget["enforced"]:
        return "none was enforced"
    if "words" in budget:  # of a plan
        return f"{'it fits' if budget['fits'] else 'IT DOES NOT FIT'}; {budget['words']}"
    return f"entry {budget['entry']} of a ledger of epsilon {short(budget['epsilon'])}, delta {short(budget['delta'])}"


def _value(text: str) -> str:
    """Whole numbers as they are, others with four digits."""
    try:
        return text if text.lstrip("-").isdigit() else f"{float(text):.4g}"
    except ValueError:
        return text
