#!/usr/bin/env python3
"""Fails when a folder below sotto/ includes a folder that is not above it in ORDER, TOP and LIBRARIES.

Usage: check_includes.py <folder that holds sotto/>..., normally core report audit
"""
import re
import sys
from pathlib import Path

# A folder may include itself and the folders before it.
ORDER = ["base", "linalg", "random", "losses", "data", "files", "optim", "privacy", "work", "methods", "engines", "model",
         "tuning"]
# Files directly in sotto/, after these folders; the last is the one header users include.
TOP = ["charged_run", "request", "warnings", "quote_json", "catalogue", "train", "tune_plan", "tune", "bounds", "training_ahead", "sotto"]
# The libraries on top of the core.
LIBRARIES = ["report", "audit"]
# What happens to a row and what a release costs are joined by work and methods only.
STRANGERS = {("optim", "privacy"), ("privacy", "optim")}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def place(path):
    """The folder or top-level file a path below sotto/ belongs to, and its rank; rank None if it has no place."""
    parts = Path(path).parts
    name = parts[0] if len(parts) > 1 else Path(path).name.split(".")[0]
    known = [*ORDER, *LIBRARIES] if len(parts) > 1 else TOP
    if name not in known:
        return name, None
    return name, [*ORDER, *TOP, *LIBRARIES].index(name)


def complaint(source, included, quoted, folder):
    """Why `source` (relative to sotto/) may not include `included`, or None."""
    here, here_rank = place(source)
    if here_rank is None:
        return f"'{here}' has no place in the order ({', '.join(ORDER + TOP + LIBRARIES)})"
    if not included.startswith("sotto/"):
        if quoted and (".." in Path(included).parts or (folder / included).exists()):
            return f'write "{included}" as a path from sotto/'
        return None
    there, there_rank = place(included[len("sotto/"):])
    if there_rank is None:
        return f"includes '{there}', which has no place in the order"
    if (here, there) in STRANGERS:
        return f"{here} and {there} never include each other"
    if there_rank > here_rank:
        return f"{here} may include only what is above it in the order, not {there}"
    return None


def check(root):
    """One line for each violation, for every source and header below root/sotto."""
    base = Path(root) / "sotto"
    sources = sorted(p for p in base.rglob("*") if p.suffix in {".h", ".cpp", ".inl"} or p.name.endswith(".h.in"))
    if not sources:
        raise SystemExit(f"check_includes: no source below {base}")
    found = []
    for path in sources:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            why = complaint(path.relative_to(base), match[2], match[1] == '"', path.parent)
            if why:
                found.append(f"{path}:{number}: {why}")
    return found


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    found = [line for root in sys.argv[1:] for line in check(root)]
    print("\n".join(found) if found else "include order: holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
