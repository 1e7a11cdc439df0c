#!/usr/bin/env python3
"""Fails when a text of the library speaks the language of a front end: a flag, or a command of the program.

Errors carry a hint instead, which each front end words. Usage: check_messages.py <folder>..., normally core
"""
import re
import sys
from pathlib import Path

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^()\s]*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'|#\s*include[^\n]*""", re.S)
VERBS = "account|audit|bounds|calibrate|data|evaluate|explain|ledger|man|plan|predict|report|train|tune|verify"
SPOKEN = re.compile(rf"(?<![\w-])--[a-z]|[`'](?:sotto )?(?:{VERBS}) [a-z]|[`']sotto [a-z]|Ledger\.create|=> ?'")


def texts(source):
    """(line, text) of every string literal; neighbours are one text."""
    found, end = [], None
    for match in TOKEN.finditer(source):
        token = match.group(0)
        if token.startswith("/"):
            continue
        if token.startswith(("'", "#")):
            end = None
            continue
        text = match.group(2) if token.startswith("R") else match.group(3)
        if end is not None and not source[end:match.start()].strip():
            found[-1][1] += text
        else:
            found.append([source.count("\n", 0, match.start()) + 1, text])
        end = match.end()
    return found


def check(root):
    """One line for each text that names a flag or a command."""
    found = []
    for path in sorted(p for p in Path(root).rglob("*") if p.suffix in {".h", ".cpp", ".inl"}):
        for line, text in texts(path.read_text(encoding="utf-8")):
            if SPOKEN.search(text):
                found.append(f"{path}:{line}: speaks the language of a front end: {text}")
    return found


def main():
    found = [line for root in sys.argv[1:] for line in check(root)]
    print("\n".join(found) if found else "messages: hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
