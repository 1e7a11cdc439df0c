#!/usr/bin/env python3
"""Follows CONTRIBUTING.md: adds its loss, step rule and method to a copy of the tree, builds it and runs the laws.

Usage: contributing.py <root of the tree> <folder for the copy> <C++ compiler>
Code that begins with a path is a new file. A ```diff block names a file and replaces lines that it has exactly once.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(cpp|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = shutil.ignore_patterns("build", ".git", "__pycache__")


def add_file(tree, code):
    path, text = code.split("\n", 1)
    target = tree / path.removeprefix("// ").strip()
    if target.exists():
        raise SystemExit(f"CONTRIBUTING.md: {target} is there already")
    target.write_text(text, encoding="utf-8")


def change_file(tree, change):
    head, *lines = change.splitlines()
    target = tree / head.removeprefix("--- ")
    before = "\n".join(line[1:] for line in lines if line.startswith("-"))
    after = "\n".join(line[1:] for line in lines if line.startswith("+"))
    text = target.read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise SystemExit(f"CONTRIBUTING.md: {target} must have exactly once:\n{before}")
    target.write_text(text.replace(before, after), encoding="utf-8")


def follow(page, tree):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    for kind, body in blocks:
        (add_file if kind == "cpp" else change_file)(tree, body)
    return len(blocks)


def run(*command, cwd):
    print("==", *command, flush=True)
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\nended with status {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def build(tree, compiler):
    place = tree / "build"
    run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1", "-DSOTTO_UNITY=ON", "-DSOTTO_TEST_KINDS=laws", cwd=tree)
    run("cmake", "--build", "build", "--parallel", os.environ.get("JOBS", str(os.cpu_count())),
        "--target", "sotto_laws_tests", "sotto_cli", cwd=tree)
    return place / "tests" / "sotto_laws_tests", place / "cli" / "sotto"


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    root, tree, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(root, tree, ignore=LEFT_OUT)
    print(follow(root / "CONTRIBUTING.md", tree), "blocks were added")
    laws, sotto = build(tree, compiler)
    run(laws, "--gtest_brief=1", cwd=tree)
    # One of each, together: planned, then attacked.
    chosen = ["--method", "late_gaussian", "--loss", "smooth_hinge", "--lambda", "0.01", "--epsilon", "1", "--delta", "1e-6"]
    plan = json.loads(run(sotto, "plan", *chosen, "--step", "shifted", "--rows", "10000", "--features", "5", "--data-norm", "1",
                          "--json", cwd=tree))
    assert "late_gaussian" in json.dumps(plan), plan
    run(sotto, "audit", "--all", "--quick", "--check", "replay", "--method", "late_gaussian", "--json", cwd=tree)


if __name__ == "__main__":
    main()
