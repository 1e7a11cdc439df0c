"""A model file gives the estimator back that wrote it."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
import sotto
from conftest import sphere
from sklearn.base import clone
from sotto import InvalidArgument, InvalidData, LinearSVC, LogisticRegression, NotPrivateWarning, SGDClassifier, Unsupported

X, Y = sphere(2000, 4)
X3, Y3 = sphere(2000, 4, classes=3)

FITS = [
    (LogisticRegression(epsilon=5.0, data_norm=1.0), X, Y),
    (LogisticRegression(epsilon=5.0, bounds=(-1, 1), fit_intercept=False), X, Y),
    (LogisticRegression(epsilon=5.0, data_norm=1.0, classes=["a", "b"]), X, np.array(["a", "b"])[Y]),
    (LogisticRegression(epsilon=5.0, data_norm=1.0, classes=["01", "02"]), X, np.array(["01", "02"])[Y]),
    (LogisticRegression(epsilon=5.0, data_norm=1.0, classes=[0, 1, 2]), X3, Y3),
    (LinearSVC(epsilon=5.0, data_norm=1.0, alpha=0.01), X, Y),
    (SGDClassifier(epsilon=5.0, data_norm=1.0, loss="hinge", method="scs13"), X, Y),
]


@pytest.mark.parametrize("place", range(len(FITS)))
def test_a_saved_model_predicts_as_before(place, tmp_path):
    estimator, rows, labels = FITS[place]
    model = clone(estimator).fit(rows, labels)
    model.save(tmp_path / "m.json")
    loaded = sotto.load(tmp_path / "m.json")
    assert type(loaded) is type(model)
    for name in ("coef_", "intercept_", "classes_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name)), name
    assert np.array_equal(loaded.decision_function(9 * rows), model.decision_function(9 * rows))
    assert np.array_equal(loaded.predict(rows), model.predict(rows))
    assert loaded.privacy_ == model.privacy_ and repr(loaded.privacy_) == repr(model.privacy_)
    assert hasattr(loaded, "predict_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.n_features_in_ == 4 and not hasattr(loaded, "feature_names_in_")
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "m.json").read_text()
    with pytest.raises(InvalidArgument):
        loaded.fit(rows, labels)  # nothing is known about how much may be spent


def test_names_of_features_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("pqrs"))
    LogisticRegression(epsilon=1.0, data_norm=1.0).fit(frame, Y).save(tmp_path / "m.json")
    loaded = sotto.load(tmp_path / "m.json")
    assert list(loaded.feature_names_in_) == list("pqrs")
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[list("qprs")])


def written(tmp_path, **encoding):
    """A model file as the command line writes it, with these declarations."""
    LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False).fit(X, Y).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    columns = [{"name": f"x{i + 1}", "kind": "numeric", "scale": "linear"} for i in range(4)]
    plain = {"columns": columns, "header": True, "features": 0, "projection": {"kind": "none"}, "bounds_from_data": False}
    label = {"column": "y", "positive": ["1", "+1", "1.0"], "negative": ["-1", "0", "-1.0", "0.0"]}
    content["encoding"] = content["encoding"] | plain | {"label": label} | encoding
    (tmp_path / "m.json").write_text(json.dumps(content))
    return tmp_path / "m.json"


def test_a_file_of_the_command_line_is_read(tmp_path):
    loaded = sotto.load(written(tmp_path))
    assert list(loaded.classes_) == [-1, 1] and list(loaded.feature_names_in_) == ["x1", "x2", "x3", "x4"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows without names
        assert set(loaded.predict(X)) <= {-1, 1}


def test_a_column_that_is_read_past_is_no_feature(tmp_path):
    columns = [{"name": name, "kind": "ignore" if name == "id" else "numeric"} for name in ("a", "id", "b", "c", "d")]
    assert list(sotto.load(written(tmp_path, columns=columns)).feature_names_in_) == list("abcd")


def test_a_file_with_categories_log_scales_and_missing_cells_predicts_raw_tables(tmp_path):
    columns = [
        {"name": "job", "kind": "category", "values": ["clerk", "cook"]},
        {"name": "gain", "kind": "numeric", "min": 0, "max": 100, "scale": "log1p", "missing": ["?"]},
        {"name": "id", "kind": "ignore"},
    ]
    loaded = sotto.load(written(tmp_path, columns=columns))
    assert list(loaded.feature_names_in_) == ["job", "gain"] and loaded.summary().names[:2] == ["job=clerk", "job=cook"]
    as_text = {"job": ["cook", "clerk", "?"], "gain": ["5", "?", "70"]}
    as_numbers = {"job": ["cook", "clerk", None], "gain": [5.0, np.nan, 70.0]}
    scores = loaded.decision_function(as_text)
    assert np.array_equal(scores, loaded.decision_function(as_numbers)) and len(set(scores)) == 3
    with pytest.raises(InvalidArgument, match="named columns"):
        loaded.predict(X)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ({"columns": [], "features": 4}, "sotto predict"),
        ({"columns": [{"name": "a", "kind": "numeric"}]}, "not for the columns"),
        ({"label": {"column": "y", "classes": ["a", "b", "c"]}}, "not for the columns|classes"),
    ],
)
def test_what_an_estimator_cannot_be_is_refused(tmp_path, encoding, said):
    with pytest.raises((Unsupported, InvalidData), match=said):
        sotto.load(written(tmp_path, **encoding))


def test_a_model_that_is_not_private_says_so_again(tmp_path):
    with pytest.warns(NotPrivateWarning):
        LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, Y + 3).save(tmp_path / "m.json")
    with pytest.warns(NotPrivateWarning):
        loaded = sotto.load(tmp_path / "m.json")
    assert not loaded.privacy_.is_private and list(loaded.classes_) == [3, 4]


def test_a_model_takes_a_path_and_shows_itself(tmp_path):
    LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, Y).save(tmp_path / "m.json")
    model = sotto.Model.load(tmp_path / "m.json")
    model.save(tmp_path / "n.json")
    assert sotto.Model.load(str(tmp_path / "n.json")).text() == model.text()
    assert repr(model) == "<sotto.Model: loss logistic, 2 classes, 5 weights>"
