"""What stands before an estimator: steps that look at all rows are no part of what a card covers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sotto
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.random_projection import GaussianRandomProjection
from sotto import InvalidArgument, Ledger, LogisticRegression, NotPrivateWarning, OneHot, PipelineWarning, PrivateSearchCV, Scaler, audit, check_pipeline

FITTED = [
    SimpleImputer(),
    SimpleImputer(strategy="most_frequent"),
    SimpleImputer(strategy="constant", fill_value=0, add_indicator=True),
    StandardScaler(),
    MinMaxScaler(),
    PCA(2),
    SelectKBest(k=2),
    OneHotEncoder(),
    OneHotEncoder(categories=[["a"]], handle_unknown="ignore", min_frequency=3),
    TargetEncoder(),
]
ROW_BY_ROW = [
    Scaler((-1, 1)),
    OneHot([["a"]]),
    Normalizer(),
    SimpleImputer(strategy="constant", fill_value=0),
    OneHotEncoder(categories=[["a"]], handle_unknown="ignore"),
    GaussianRandomProjection(2),
]
UNKNOWN = [FunctionTransformer(np.log1p), OneHotEncoder(categories=[["a"]])]


def model(**other):
    return LogisticRegression(**({"epsilon": 2.0, "delta": 1e-6, "data_norm": 1.0, "check": False} | other))


@pytest.mark.parametrize(("steps", "verdict"), [(FITTED, "fitted on rows"), (ROW_BY_ROW, "row by row"), (UNKNOWN, "unknown")])
def test_a_step_is_judged_by_what_it_is(steps, verdict):
    for step in steps:
        found = check_pipeline(make_pipeline(step, model()))
        assert [one.verdict for one in found] == [verdict], step
        assert found.is_private == (verdict == "row by row")
        assert type(step).__name__ in repr(found) and verdict in found._repr_html_()


def test_steps_within_steps_are_found():
    columns = make_column_transformer((make_pipeline(SimpleImputer(), Scaler((0, 1))), [0]), (OneHot([["a"]]), [1]), remainder=PCA())
    found = check_pipeline(make_pipeline("passthrough", columns, model()))
    assert [(one.kind, one.verdict) for one in found] == [
        ("SimpleImputer", "fitted on rows"), ("Scaler", "row by row"), ("OneHot", "row by row"), ("PCA", "fitted on rows")
    ]  # fmt: skip
    assert check_pipeline(model()).is_private and len(check_pipeline(model())) == 0


@pytest.mark.parametrize("step", [StandardScaler(), PCA(3)])
def test_a_model_behind_a_fitted_step_is_not_private(two, step):
    with pytest.warns(NotPrivateWarning, match=f"fitted on the rows: {type(step).__name__}") as said:
        made = make_pipeline(step, model()).fit(*two)
    assert not made[-1].privacy_.is_private and said[0].filename == __file__


def test_wrappers_do_not_hide_a_fitted_step(two, tmp_path):
    for inner in (VotingClassifier([("m", model())]), PrivateSearchCV(model(), {"alpha": [0.01, 0.1]}), make_pipeline(Normalizer(), model())):
        with pytest.warns(NotPrivateWarning, match="StandardScaler"):
            make_pipeline(StandardScaler(), inner).fit(*two)
    with pytest.warns(NotPrivateWarning, match="StandardScaler"):
        cross_validate(make_pipeline(StandardScaler(), model()), *two, cv=KFold(2), error_score="raise")
    ledger = Ledger.create(tmp_path / "l", epsilon=9.0, delta=1e-5, name="rows")
    with pytest.raises(InvalidArgument, match="fitted on the rows"):
        make_pipeline(StandardScaler(), model(accountant=ledger)).fit(*two)
    assert ledger.spent == 0


def test_a_step_that_nobody_knows_is_warned_of_and_public_ones_are_not(two):
    with pytest.warns(PipelineWarning, match="not known to work row by row: FunctionTransformer"):
        made = make_pipeline(FunctionTransformer(), model()).fit(*two)
    assert made[-1].privacy_.is_private
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make_pipeline(Scaler((-1, 1)), Normalizer(), model()).fit(*two)[-1].privacy_.is_private


@pytest.mark.parametrize("step", [StandardScaler(), MinMaxScaler(), PCA(2), SimpleImputer()])
def test_an_audit_proves_it_by_one_row(step):
    X = np.random.default_rng(0).normal(size=(40, 4))
    X[3, 1] = np.nan if isinstance(step, SimpleImputer) else 0.0
    found = audit.pipeline(make_pipeline(step, model()), X)
    assert not found.holds and found[0].found >= (1 if isinstance(step, SimpleImputer) else 39) and found[0].verdict == "FALLEN"


def test_an_audit_finds_nothing_against_what_works_row_by_row():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a": np.arange(30.0), "job": ["clerk", "cook"] * 15})
    steps = make_column_transformer((Scaler((0, 30)), ["a"]), (OneHot({"job": ["clerk", "cook"]}), ["job"]))
    found = audit.pipeline(make_pipeline(steps, GaussianRandomProjection(2), model()), X)
    assert found.holds and [one.verdict for one in found] == ["mute", "mute"]
    fitted = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    assert not audit.pipeline(fitted, X).holds


def test_an_audit_finds_encoders_of_the_label():
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b"], size=(60, 1)).astype(object)
    assert not audit.pipeline(TargetEncoder(cv=2), X, rng.integers(0, 2, 60)).holds


def test_what_no_audit_can_be_made_of_is_refused():
    with pytest.raises(InvalidArgument, match="nothing in it transforms"):
        audit.pipeline(make_pipeline(model()), np.eye(3))
    with pytest.raises(InvalidArgument, match="at least 2 rows"):
        audit.pipeline(StandardScaler(), np.eye(3)[:1])
    assert sotto.check_pipeline is check_pipeline
