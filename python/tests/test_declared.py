"""Declarations that make no sense are refused before a ledger is charged."""

from __future__ import annotations

import numpy as np
import pytest
from sotto import InvalidArgument, Ledger, LogisticRegression, Scaler


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / "l.ledger", epsilon=9.0, delta=1e-6, name="rows")


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (["1", "1.0"], "spell the same number"),
        (["01", "1"], "spell the same number"),
        (["", "x"], "empty text"),
        ([0.0, np.nan], "missing value"),
        (["a", np.nan], "missing value"),
        (["a", None], "missing value"),
        ({0, 1}, "ordered list, a set has no order"),
        ([1], "at least two"),
    ],
)
def test_classes_no_model_file_can_have_are_refused_before_the_charge(two, ledger, classes, said):
    X, _ = two
    names = [name for name in classes if isinstance(name, str)] or [0, 1]
    y = np.array(names)[np.arange(len(X)) % len(names)]
    model = LogisticRegression(epsilon=1.0, delta=1e-8, data_norm=1.0, classes=classes, accountant=ledger)
    for ask in (lambda: model.fit(X, y), lambda: model.privacy_cost(X)):
        with pytest.raises(InvalidArgument, match=f"classes: .*{said}"):
            ask()
    assert not ledger.entries


@pytest.mark.parametrize("bounds", [([0, 0], 1), (0, [1] * 6), (0, [[1] * 5]), (np.zeros(4), np.ones(4))])
def test_bounds_of_the_wrong_length_are_named(two, bounds):
    for ask in (LogisticRegression(epsilon=1.0, bounds=bounds).fit, Scaler(bounds).fit):
        with pytest.raises(InvalidArgument, match="bounds: (lower|upper) has .* for 5 features"):
            ask(*two)


def test_bounds_may_be_one_array_of_two_rows(two):
    X, _ = two
    both = np.stack([np.full(5, -1.0), np.full(5, 1.0)])
    assert np.array_equal(Scaler(both).fit_transform(X), Scaler((-1, 1)).fit_transform(X))
