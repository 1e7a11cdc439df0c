#!/usr/bin/env python3
"""Runs what the README shows: every ```sh block, in order, in one empty directory with build/sotto at hand.

Usage: run_readme.py <README.md> <path of the program>
Blocks in another language (```console for commands that build the project) are shown, not run.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    return [(text.count("\n", 0, match.start()) + 2, match[1]) for match in BLOCK.finditer(text)]


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    readme, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    found = blocks(readme.read_text(encoding="utf-8"))
    if not found:
        raise SystemExit(f"{readme}: no ```sh block to run")
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "build").mkdir()
        (Path(directory) / "build" / "sotto").symlink_to(program)
        for line, script in found:
            print(f"== {readme.name}, line {line}\n{script}", flush=True)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=directory, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                raise SystemExit(f"{readme}: the block at line {line} ended with status {done.returncode}")
    print(f"{len(found)} blocks ran")


if __name__ == "__main__":
    main()
