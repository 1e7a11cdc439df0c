"""The examples of the documents, run as they are printed."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import os
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


DOCUMENTED = [
    "_estimators", "_fitted", "_linear", "_card", "_summary", "_tuning", "_load", "_parameters", "_pipeline", "ledger", "preprocessing", "schema"
]


@pytest.mark.parametrize("module", DOCUMENTED)
def test_the_examples_of_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(f"sotto.{module}"))
    assert not found.failed


def test_every_public_class_and_function_has_an_example_or_says_what_it_returns():
    import sotto

    for name in ("LogisticRegression", "LinearSVC", "SGDClassifier", "Ledger", "Schema", "Scaler", "OneHot", "PrivateSearchCV", "tune", "load"):
        text = inspect.getdoc(getattr(sotto, name))
        assert "Parameters\n" in text and "Examples\n" in text, name
    for estimator in (sotto.LogisticRegression, sotto.LinearSVC, sotto.SGDClassifier):
        text = inspect.getdoc(estimator)
        for attribute in ("coef_", "intercept_", "classes_", "privacy_", "n_features_in_", "feature_names_in_", "stored_"):
            assert f"\n{attribute} : " in text, attribute
        for parameter in inspect.signature(estimator).parameters:
            assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]* : ", text, re.MULTILINE), parameter
        for method in ("fit", "predict", "decision_function", "score", "privacy_cost", "summary"):
            assert "Returns\n" in inspect.getdoc(getattr(estimator, method)), method
        assert "Not private" in inspect.getdoc(estimator.score)


USER = '''
import numpy as np
import numpy.typing as npt
import sotto
from typing_extensions import assert_type

X = np.zeros((10, 2))
model = sotto.LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, X[:, 0])
assert_type(model, sotto.LogisticRegression)
assert_type(model.coef_, npt.NDArray[np.float64])
assert_type(model.score(X, X[:, 0]), float)
assert_type(model.predict_proba(X), npt.NDArray[np.float64])
assert_type(model.privacy_.epsilon, float)
assert_type(model.summary(), sotto.Summary)
chosen = sotto.tune(sotto.LinearSVC(epsilon=1.0, data_norm=1.0), X, X[:, 0], grid={"alpha": [0.1]})
assert_type(chosen, sotto.LinearSVC)
ledger = sotto.Ledger.create("l", epsilon=1, X=X, y=X[:, 0])
assert_type(ledger.lower(0.5).budget.still_fits, float)
sotto.LogisticRegression(epsilon="1", data_norm=1.0)  # type: ignore[arg-type]
sotto.LogisticRegression(1.0)  # type: ignore[call-arg]
'''


def test_a_user_has_types_too(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    config = ["--config-file", os.devnull, "--strict", str(tmp_path / "user.py")]
    said = subprocess.run([sys.executable, "-m", "mypy", *config], capture_output=True, text=True, cwd=tmp_path)
    assert said.returncode == 0, said.stdout


def test_the_types_are_checked_strictly():
    pytest.importorskip("mypy")
    config = ["--config-file", str(ROOT / "pyproject.toml")]
    said = subprocess.run([sys.executable, "-m", "mypy", *config, "--strict", "-p", "sotto"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
