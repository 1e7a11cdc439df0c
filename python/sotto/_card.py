"""The privacy card: what a reader of a model must know about its privacy."""

from __future__ import annotations

import html
import json
from typing import Any, Iterator, Mapping


class PrivacyCard(Mapping[str, Any]):
    """The card of a model or of a plan, as a mapping; shown as a table in notebooks."""

    def __init__(self, content: Mapping[str, Any], text: str = "") -> None:
        self._content = dict(content)
        self._text = text

    @classmethod
    def from_json(cls, text: str, shown: str = "") -> "PrivacyCard":
        return cls(json.loads(text), shown)

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
        promised = self._content["guarantee"]["delta"]
        return 1.0 if promised is None else float(promised)

    def __repr__(self) -> str:
        return self._text or json.dumps(self._content, indent=2)

    def _repr_html_(self) -> str:
        stamp = "" if self.is_private else "<caption><strong>NOT PRIVATE</strong></caption>"
        return f'<table class="sotto-card">{stamp}{_lines(self._content)}</table>'


def _lines(content: Mapping[str, Any]) -> str:
    return "".join(f"<tr><th>{html.escape(str(k))}</th><td>{_cell(v)}</td></tr>" for k, v in content.items())


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"<table>{_lines(value)}</table>"
    if isinstance(value, list):
        return "<br>".join(_cell(entry) for entry in value)
    return html.escape(str(value))
