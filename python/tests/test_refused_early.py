"""What cannot succeed is refused before anything is charged; what can is carried through."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sotto import InvalidArgument, InvalidData, Ledger, LinearSVC, LogisticRegression, PromiseWarning, SGDClassifier


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / "l.ledger", epsilon=9.0, delta=1e-6, filter="sum", name="rows")


def raw_numbers(rows: int, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Columns as they come: ages beside amounts."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(17, 90, rows), rng.uniform(0.01, 1, rows) * largest])
    return X, (X[:, 0] > 50).astype(int)


@pytest.mark.parametrize("largest", [1.5e6, 1e11, 1e-6])
@pytest.mark.parametrize("rows", [40, 3000])
@pytest.mark.parametrize("given", [{}, {"C": 1.0}, {"method": "bolt_on", "alpha": 0.01}, {"delta": 1e-8}, {"fit_intercept": False}])
def test_a_norm_that_is_found_is_one_the_training_takes(ledger, rows, largest, given):
    X, y = raw_numbers(rows, largest)
    if largest < 1:
        X = X * 1e-7
    model = LogisticRegression(epsilon=1.0, data_norm="private", accountant=ledger, **given).fit(X, y)
    assert model.privacy_.is_private and model.privacy_.epsilon == pytest.approx(1.0)
    assert [entry["state"] for entry in ledger.entries] == ["released", "released"]


def test_the_same_without_a_ledger():
    X, y = raw_numbers(40, 1e11)
    assert LogisticRegression(epsilon=1.0, data_norm="private").fit(X, y).privacy_.is_private


def test_where_a_large_norm_fits_it_is_kept(two):
    X, y = two
    model = LogisticRegression(epsilon=5.0, data_norm="private", method="bolt_on", alpha=0.01, fit_intercept=False).fit(300 * X, y)
    assert model.encoding_.stored_norm > 100


@pytest.mark.parametrize(
    "given",
    [
        {"alpha": 1e7},
        {"C": 1e-300},
        {"random_state": "yes"},
        {"method": "nothing"},
        {"method": "bolt_on", "options": {"no_such": 1}},
        {"method": "bolt_on", "max_iter": 0},
        {"method": "output", "delta": 0.7},
        {"epsilon": 2e6},
        {"options": {"intervals": 2}},
    ],
)
def test_a_training_that_cannot_be_is_refused_before_its_norm_is_paid_for(two, ledger, given):
    model = LogisticRegression(**{"epsilon": 1.0, "data_norm": "private", "accountant": ledger, **given})
    with pytest.raises(ValueError):
        model.fit(*two)
    assert not ledger.entries and ledger.spent == 0


@pytest.mark.parametrize("name", ["epsilon", "delta", "C", "alpha", "max_iter", "batch_size", "intercept_scaling"])
@pytest.mark.parametrize("value", ["1", True, np.True_, float("nan"), float("inf"), b"1", [1.0]])
def test_what_is_no_number_is_not_taken_for_one(two, ledger, name, value):
    given = {"epsilon": 1.0, "data_norm": 1.0, "accountant": ledger, "method": "bolt_on", name: value}
    with pytest.raises(InvalidArgument, match=f"^{name}: got .*, must be a finite number"):
        LogisticRegression(**given).fit(*two)
    assert not ledger.entries


def test_numbers_of_every_type_are_numbers(two):
    for one in (1, 1.0, np.float32(1), np.int64(1), np.array(1.0)):
        assert LogisticRegression(epsilon=one, data_norm=1.0).fit(*two).privacy_.epsilon == 1.0
    with pytest.raises(InvalidArgument, match="^huber_width: got"):
        LinearSVC(epsilon=1.0, data_norm=1.0, huber_width="0.1").fit(*two)
    with pytest.raises(InvalidArgument, match="^eta0: got"):
        SGDClassifier(epsilon=1.0, data_norm=1.0, learning_rate="constant", eta0="0.1").fit(*two)


@pytest.mark.parametrize("epsilon", [50.0, 1e6])
def test_another_promise_than_was_asked_for_is_said_aloud(two, epsilon):
    with pytest.warns(PromiseWarning, match=r"^the guarantee is not the one asked for: epsilon .* in place of epsilon"):
        model = LogisticRegression(epsilon=epsilon, data_norm=1.0).fit(*two)
    assert model.privacy_.epsilon < epsilon


def test_the_promise_that_was_asked_for_needs_no_words(two):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for given in ({}, {"delta": 1e-6}, {"method": "bolt_on", "alpha": 0.01}, {"data_norm": "private"}):
            LogisticRegression(**{"epsilon": 1.0, "data_norm": 1.0, **given}).fit(*two)


def test_one_limit_of_epsilon_is_named(two):
    for norm in (1.0, "private"):
        with pytest.raises(InvalidArgument, match="^epsilon: .* at most 1000000$"):
            LogisticRegression(epsilon=1e8, data_norm=norm).fit(*two)


def test_missing_numbers_are_not_sent_to_an_imputer(two):
    X, y = two
    for broken in (np.where(X > 0.99 * X.max(), np.nan, X), np.where(X > 0.99 * X.max(), np.nan, X).tolist()):
        with pytest.raises(ValueError, match="Input X contains NaN") as refused:
            LogisticRegression(epsilon=1.0, data_norm=1.0).fit(broken, y)
        assert "constant that you choose" in str(refused.value)
        assert "HistGradient" not in str(refused.value) and "scikit-learn.org" not in str(refused.value)


@pytest.fixture
def changing(monkeypatch):
    """Writes into the array after its norms were looked at, as another thread might."""
    from sotto import _linear

    before = _linear.rows_of

    def rows_of(matrix, codes, declaration, counted):
        rows = before(matrix, codes, declaration, counted)
        assert not rows.copied
        matrix[7] = 2.0
        return rows

    monkeypatch.setattr(_linear, "rows_of", rows_of)


def in_place(two):
    X, y = two
    return np.ascontiguousarray(X * 0.9, dtype=np.float32), y


@pytest.mark.parametrize("method", ["auto", "bolt_on", "dpgd", "objective"])
def test_an_array_that_changes_meanwhile_gives_no_model(two, changing, ledger, method):
    for accountant, states in ((None, []), (ledger, ["reserved"])):
        model = LogisticRegression(
            epsilon=1.0, delta=1e-8, data_norm=1.0, fit_intercept=False, alpha=0.01, method=method, accountant=accountant
        )
        with pytest.raises(InvalidData, match="^X: was changed while it was read"):
            model.fit(*in_place(two))
        assert not hasattr(model, "coef_")
        assert [entry["state"] for entry in ledger.entries] == states


def test_an_array_that_stays_is_used_in_place(two):
    X, y = in_place(two)
    assert LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False).fit(X, y).privacy_.is_private
