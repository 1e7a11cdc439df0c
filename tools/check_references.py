#!/usr/bin/env python3
"""Fails when a comment or document cites a key, as in [Wu17, Lemma 8], that docs/references.bib does not have.

Usage: check_references.py <root of the repository>
"""
import re
import sys
from pathlib import Path

CITED = re.compile(r"\[([A-Z][A-Za-z]+[0-9]{2}[a-z]?)(?:,[^\]]*)?\]")
ENTRY = re.compile(r"^@\w+\{([^,]+),", re.MULTILINE)
PLACES = ["core", "report", "audit", "cli", "tests", "bench", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def files(root):
    for place in PLACES:
        path = root / place
        if path.is_file():
            yield path
        for inner in sorted(path.rglob("*")) if path.is_dir() else []:
            if inner.suffix in {".h", ".cpp", ".inl", ".md"}:
                yield inner


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    root = Path(sys.argv[1])
    keys = ENTRY.findall((root / "docs/references.bib").read_text(encoding="utf-8"))
    twice = sorted({key for key in keys if keys.count(key) > 1})
    problems = [f"docs/references.bib: {key} stands twice" for key in twice]
    cited = 0
    for path in files(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for key in CITED.findall(line):
                cited += 1
                if key not in keys:
                    problems.append(f"{path.relative_to(root)}:{number}: {key} is not in docs/references.bib")
    print("\n".join(problems) if problems else f"references: {cited} citations, {len(keys)} entries")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
