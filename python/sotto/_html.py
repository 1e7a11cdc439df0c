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


def table(rows: Iterable[Sequence[Any]], *, head: Sequence[str] = (), caption: str = "", name: str = "") -> str:
    """Rows of cells. Of a table without ``head`` the first cell of a row is its title, and rows without content are left out."""
    lines = []
    for row in rows:
        if head:
            lines.append("".join(f"<td>{_text(cell)}</td>" for cell in row))
        elif any(cell not in ("", None) for cell in row[1:]):
            lines.append(f"<th>{_text(row[0])}</th>" + "".join(f"<td>{_text(cell)}</td>" for cell in row[1:]))
    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    top += f"<thead><tr>{''.join(f'<th>{html.escape(each)}</th>' for each in head)}</tr></thead>" if head else ""
    kind = f' class="{name}"' if name else ""
    return f"<table{kind}>{top}<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def _text(value: Any) -> str:
    return "" if value is None else html.escape(str(value))
