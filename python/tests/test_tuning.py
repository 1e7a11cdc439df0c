"""A private search: one charge for everything, and nothing leaves that was not paid for."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sotto
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sotto import BudgetExceeded, InvalidArgument, Ledger, LogisticRegression, NotPrivateWarning, PrivateSearchCV, Scaler, Schema, SGDClassifier

GRID = {"alpha": [1e-3, 1e-2, 1.0]}


def base(**other):
    return LogisticRegression(**({"epsilon": 2.0, "delta": 1e-6, "data_norm": 1.0} | other))


@pytest.mark.parametrize("by", [None, "parts", "random_stopping"])
def test_the_whole_search_promises_what_was_asked(two, by):
    model = sotto.tune(base(), *two, grid=GRID, by=by)
    assert model.privacy_.is_private and model.privacy_.epsilon <= 2.0 + 1e-9 and model.privacy_.delta <= 1e-6 * (1 + 1e-9)
    assert model.alpha in GRID["alpha"] and model.score(*two) > 0.8
    remarks = " ".join(model.privacy_["remarks"])
    assert "tried: (lambda=0.001) (lambda=0.01) (lambda=1.0)" in remarks


def test_a_search_without_delta_is_made_by_parts(two):
    model = sotto.tune(base(delta=0.0), *two, grid=GRID)
    assert "parts" in " ".join(model.privacy_["remarks"]) and model.privacy_.epsilon < 2.001
    with pytest.raises(InvalidArgument, match="delta"):
        sotto.tune(base(delta=0.0), *two, grid=GRID, by="random_stopping")


def test_one_charge_pays_for_the_search_and_the_same_search_is_free(two, tmp_path):
    ledger = Ledger.create(tmp_path / "l", epsilon=2.5, delta=1e-5, filter="sum", X=two[0], y=two[1])
    first = sotto.tune(base(accountant=ledger), *two, grid=GRID)
    assert len(ledger.entries) == 1 and not first.stored_
    assert 1.99 < ledger.spent < 2.01
    again = sotto.tune(base(accountant=ledger), *two, grid=GRID)
    assert again.stored_ and again.alpha == first.alpha and np.array_equal(again.coef_, first.coef_) and len(ledger.entries) == 1
    with pytest.raises(BudgetExceeded):
        sotto.tune(base(accountant=ledger), *two, grid={"alpha": [0.1, 0.2]})
    assert len(ledger.entries) == 1


def test_a_search_tells_nothing_but_the_model_and_its_setting(two):
    search = PrivateSearchCV(base(), GRID).fit(*two)
    assert set(search.cv_results_) == {"params"} and [one["alpha"] for one in search.cv_results_["params"]] == GRID["alpha"]
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.alpha == search.best_params_["alpha"]
    fitted = {name for name in vars(search) if name.endswith("_") and not name.startswith("_")}
    assert fitted == {"best_estimator_", "best_params_", "best_index_", "cv_results_", "classes_", "n_features_in_"}
    with pytest.raises(AttributeError, match="not paid for"):
        search.best_score_
    assert not hasattr(search, "scorer_") and not hasattr(search, "refit_time_")


@pytest.mark.parametrize("by", ["parts", "random_stopping"])
def test_the_chosen_setting_is_that_of_the_model(two, by):
    """alpha = 30 leaves weights near 0, alpha = 0.001 large ones: the setting that is told must be the one of the weights."""
    for grid in ([1e-3, 30.0], [30.0, 1e-3], [30.0, 30.0, 1e-3]):
        search = PrivateSearchCV(base(epsilon=20.0, delta=1e-3, method="dpgd", max_iter=20), {"alpha": grid}, by=by).fit(*two)
        large = np.abs(search.best_estimator_.coef_).max() > 0.3
        assert large == (search.best_params_["alpha"] == 1e-3)


def test_a_search_is_an_estimator(two):
    search = PrivateSearchCV(base(), GRID)
    assert clone(search).get_params()["estimator__epsilon"] == 2.0
    search.fit(*two)
    X = two[0][:5]
    assert np.array_equal(search.predict(X), search.best_estimator_.predict(X)) and search.predict_proba(X).shape == (5, 2)
    assert search.decision_function(X).shape == (5,) and search.score(*two) > 0.8
    assert search.privacy_ is search.best_estimator_.privacy_
    assert np.array_equal(pickle.loads(pickle.dumps(search)).predict(X), search.predict(X))
    assert not hasattr(PrivateSearchCV(SGDClassifier(loss="hinge"), GRID), "predict_proba")


def test_a_search_takes_raw_tables():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(17, 90, 4000), "job": rng.choice(["clerk", "cook"], 4000)}
    table["rich"] = np.where(table["age"] > 50, "yes", "no")
    schema = Schema({"age": (17, 90), "job": ["clerk", "cook"]}, label="rich", classes=["no", "yes"])
    search = PrivateSearchCV(LogisticRegression(epsilon=2.0, delta=1e-6, schema=schema), {"C": [0.1, 10.0]}).fit(table)
    assert list(search.feature_names_in_) == ["age", "job"] and search.score(table, table["rich"]) > 0.8


def test_what_is_not_private_stays_so(two):
    with pytest.warns(NotPrivateWarning, match="classes were taken from y"):
        assert not sotto.tune(base(), two[0], two[1] + 3, grid=GRID).privacy_.is_private


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"epsilon": [0.1, 1.0]}, "grid: epsilon cannot be tuned"),
        ({"data_norm": [1.0, 2.0]}, "grid: data_norm cannot be tuned"),
        ({"method": ["dpgd", "objective"]}, "grid: method cannot be tuned"),
        ({"no_such": [1]}, "grid: no_such cannot be tuned"),
        ({"alpha": list(range(1, 1002))}, "grid: has 1001 combinations"),
        ({"alpha": []}, "grid: "),
        ({"alpha": 3}, "grid: "),
    ],
)
def test_what_cannot_be_tuned_is_refused(two, grid, said):
    with pytest.raises(InvalidArgument, match=said):
        sotto.tune(base(), *two, grid=grid)


def test_what_is_no_estimator_of_this_package_is_refused(two):
    with pytest.raises(InvalidArgument, match="without a pipeline"):
        sotto.tune(make_pipeline(Scaler((-1, 1)), base()), *two, grid=GRID)
    with pytest.raises(InvalidArgument, match="data_norm: must be a number for a search"):
        sotto.tune(base(data_norm="private"), *two, grid=GRID)
    with pytest.raises(InvalidArgument, match="by: public rows cost nothing"):
        sotto.tune(base(), *two, grid=GRID, by="public")


def test_a_refused_search_leaves_no_fitted_state(two):
    search = PrivateSearchCV(base(), GRID).fit(*two)
    search.param_grid = {"epsilon": [1.0]}
    with pytest.raises(InvalidArgument):
        search.fit(*two)
    assert not hasattr(search, "best_estimator_") and not hasattr(search, "cv_results_")
