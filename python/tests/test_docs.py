"""The examples of the documents, run as they are printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(blocks: list[str]) -> None:
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, "<example>", "exec"), names)


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_the_examples_of_a_document_run(document):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    run(blocks)


def test_the_tutorial_runs():
    notebook = json.loads((ROOT / "docs/tutorial.ipynb").read_text(encoding="utf-8"))
    run([cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"])


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
