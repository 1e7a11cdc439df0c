"""The examples of the documents, run as they are printed."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(blocks: list[str]) -> None:
    """Runs blocks one after the other; what stands last in one is shown as a notebook would show it."""
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        tree = ast.parse(block)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<example>", "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), "<example>", "eval"), names)
            assert getattr(shown, "_repr_html_", shown.__repr__)() is not None


@pytest.mark.filterwarnings("error::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize("document", ["README.md", "docs/python.md", "docs/python-reference.md"])
def test_the_examples_of_a_document_run(document):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    run(blocks)


@pytest.mark.filterwarnings("error::sklearn.exceptions.FitFailedWarning")
def test_the_tutorial_runs():
    notebook = json.loads((ROOT / "docs/tutorial.ipynb").read_text(encoding="utf-8"))
    run([cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"])


def public_names():
    """Everything a user may call, by the name the reference has it under."""
    import sotto
    from sotto import accounting, audit, errors, export, plot

    for module, prefix in ((sotto, ""), (accounting, "accounting."), (audit, "audit."), (export, "export."), (plot, "plot."), (errors, "")):
        listed = getattr(module, "__all__", None) or [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
        for name in listed:
            value = getattr(module, name)
            if callable(value) and not name.startswith("_"):
                yield prefix + name, value


def test_the_reference_names_everything_public():
    """Every function and class, and every parameter of those written in Python."""
    text = (ROOT / "docs/python-reference.md").read_text(encoding="utf-8")
    missing = []
    for name, value in public_names():
        lines = [line for line in text.splitlines() if f"`{name}(" in line] or [line for line in text.splitlines() if f"`{name}`" in line]
        line = lines[0] if lines else None
        if line is None:
            missing.append(name)
        elif inspect.isfunction(value):
            missing += [f"{name}: {p}" for p in inspect.signature(value).parameters if not re.search(rf"\b{p}\b", line)]
    assert not missing


def test_the_table_of_keywords_covers_every_parameter():
    from sotto import LinearSVC, LogisticRegression, SGDClassifier
    from sotto._parameters import OTHERS, TABLE, catalog

    known = {row.keyword for row in TABLE} | set(OTHERS) | {"options", "verbose"}
    for estimator in (LogisticRegression, LinearSVC, SGDClassifier):
        assert set(estimator().get_params()) <= known
    fields = {f["name"] for entry in catalog()["methods"] + catalog()["losses"] + catalog()["steps"] for f in entry["fields"]}
    fields |= {f["name"] for f in catalog()["problem"] + catalog()["budget"]} | {"method"}
    assert {row.field for row in TABLE} <= fields


def test_the_types_are_checked_strictly():
    pytest.importorskip("mypy")
    config = ["--config-file", str(ROOT / "pyproject.toml")]
    said = subprocess.run([sys.executable, "-m", "mypy", *config, "--strict", "-p", "sotto"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
