"""Tables of notebooks, and numbers as people read them."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence

from . import _core

#: Digits of a number that is shown.
_DIGITS = 4


def short(value: float) -> str:
    """At most four digits, rounded up: a promise that is printed is never better than what holds."""
    return str(_core.up_text(float(value), _DIGITS))


def table(rows: Iterable[Sequence[Any]], *, head: Sequence[str] = (), words: str = "", name: str = "") -> str:
    """Rows of cells below a paragraph. Of a table without ``head`` the first cell of a row is its title, and rows without
    content are left out."""
    lines = []
    for row in rows:
        if head:
            lines.append("".join(_cell("td", cell) for cell in row))
        elif any(row[1:]):
            lines.append(_cell("th", row[0]) + "".join(_cell("td", cell) for cell in row[1:]))
    above = f"<p>{html.escape(words)}</p>" if words else ""
    top = f"<thead><tr>{''.join(_cell('th', each) for each in head)}</tr></thead>" if head else ""
    kind = f' class="{name}"' if name else ""
    return f"{above}<table{kind}>{top}<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def _cell(kind: str, value: Any) -> str:
    # Notebooks set tables flush right.
    return f'<{kind} style="text-align: left">{html.escape(str(value))}</{kind}>'
