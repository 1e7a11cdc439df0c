"""A schema as text and as a table of a notebook."""

from __future__ import annotations

import html
import json
from typing import Any, Mapping, Sequence

_SHOWN = 6
_SUGGESTED = (
    "Suggested from the rows and not confirmed: {names}. Not for release. A model of this schema is stamped not private until "
    ".confirm() says that all of it is public."
)


def text_of(schema: str, why: Mapping[str, str], unconfirmed: Sequence[str]) -> str:
    head, rows, note = _parts(schema, why, unconfirmed)
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0])).rstrip() for row in rows]
    return "\n".join([head, *lines, *([note] if note else [])])


def html_of(schema: str, why: Mapping[str, str], unconfirmed: Sequence[str]) -> str:
    head, rows, note = _parts(schema, why, unconfirmed)
    titles = ("column", "kind", "declared", "")
    used = [i for i in range(4) if any(row[i] for row in rows)]
    line = "".join(f"<th>{titles[i]}</th>" for i in used)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(row[i])}</td>" for i in used) + "</tr>" for row in rows)
    last = f"<p><strong>{html.escape(note)}</strong></p>" if note else ""
    return f"<table><caption>{html.escape(head)}</caption><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table>{last}"


def _parts(schema: str, why: Mapping[str, str], unconfirmed: Sequence[str]) -> tuple[str, list[tuple[str, ...]], str]:
    held = json.loads(schema)
    label = held["label"]
    classes = label.get("classes") or [label["negative"][0], label["positive"][0]]
    norm = f", data_norm {held['data_norm']:.4g}" if "data_norm" in held else ""
    head = f"Schema: {len(held['columns'])} columns, label {label['column']!r} ({_listed(classes)}){norm}"
    rows: list[tuple[str, ...]] = [(column["name"], *_words(column), _reason(column, why)) for column in held["columns"]]
    return head, rows, _SUGGESTED.format(names=_listed(unconfirmed)) if unconfirmed else ""


def _reason(column: Mapping[str, Any], why: Mapping[str, str]) -> str:
    mark = "" if column.get("public", True) else "suggested"
    return ": ".join(part for part in (mark, why.get(column["name"], "")) if part)


def _words(column: Mapping[str, Any]) -> tuple[str, str]:
    if column["kind"] == "ignore":
        return "left out", ""
    if column["kind"] == "category":
        return "category", _listed(column["values"])
    words = f"{column['min']:g} to {column['max']:g}" if "min" in column else "as it is"
    if column.get("scale", "linear") != "linear":
        words += ", logarithmic"
    return "number", words + (", may be missing" if column.get("missing") else "")


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(value or "(empty)" for value in values[:_SHOWN])
    return shown if len(values) <= _SHOWN else f"{shown} and {len(values) - _SHOWN} more"
