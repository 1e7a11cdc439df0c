"""Scaler and OneHot by name and on logarithmic scales; classes by the type of a column, on the caller's word."""

from __future__ import annotations

import numpy as np
import pytest
import sotto
from sotto import InvalidArgument, LogisticRegression, NotPrivateWarning, Scaler

pandas = pytest.importorskip("pandas")
FRAME = pandas.DataFrame({"age": [17.0, 60.0, 200.0], "gain": [0.0, 999.0, 1e9]})


def test_bounds_by_name_are_those_of_the_columns_whatever_their_order():
    bounds = {"gain": (0, 99_999, "log1p"), "age": (10, 110)}
    made = Scaler(bounds).fit(FRAME)
    expected = [[0.07, 0.0], [0.5, np.log(1000) / np.log(1e5)], [1.0, 1.0]]
    assert np.allclose(made.transform(FRAME), expected)
    assert np.allclose(Scaler(bounds).fit_transform(FRAME[["gain", "age"]]), np.array(expected)[:, ::-1])
    assert list(made.get_feature_names_out()) == ["age", "gain"]


def test_a_scale_is_one_for_all_or_one_a_feature():
    X = FRAME.to_numpy()
    both = Scaler(([10, 0], [110, 99_999]), scale="log1p").fit_transform(X)
    one = Scaler(([10, 0], [110, 99_999]), scale=["linear", "log1p"], feature_range=(-1, 1)).fit_transform(X)
    assert both[0, 0] == pytest.approx(np.log(8) / np.log(101)) and one[0, 0] == pytest.approx(-0.86)
    assert np.allclose(2 * both[:, 1] - 1, one[:, 1])


@pytest.mark.parametrize(
    ("given", "rows", "said"),
    [
        ({"bounds": {"age": (0, 1)}}, FRAME, "bounds: 'gain' has none"),
        ({"bounds": {"age": (0, 1), "gain": (0, 1), "job": (0, 1)}}, FRAME, "bounds: 'job' is no column"),
        ({"bounds": {"age": (0, 1), "gain": (0,)}}, FRAME, "bounds: each must be"),
        ({"bounds": {"age": (0, 1), "gain": (0, 1, "log")}}, FRAME, "scale: must be"),
        ({"bounds": {"age": (0, 1), "gain": (0, 1)}}, FRAME.to_numpy(), "bounds: are by name"),
        ({"bounds": (0, 1), "scale": ["log1p"]}, FRAME, "scale: has 1 entries for 2"),
        ({"bounds": (0, 1), "scale": "log2"}, FRAME, "scale: must be"),
    ],
)
def test_what_is_not_for_the_columns_is_refused(given, rows, said):
    with pytest.raises(InvalidArgument, match=said):
        Scaler(**given).fit(rows)


def test_classes_of_a_categorical_are_public_only_on_the_callers_word(two):
    X, y = two
    labels = pandas.Series(pandas.Categorical.from_codes(y, ["no", "yes"]))
    with pytest.warns(NotPrivateWarning, match="classes were taken from y"):
        assert not LogisticRegression(epsilon=5.0, data_norm=1.0).fit(X, labels).privacy_.is_private
    model = LogisticRegression(epsilon=5.0, data_norm=1.0, classes="dtype").fit(X, labels)
    assert model.privacy_.is_private and list(model.classes_) == ["no", "yes"]
    for wrong in (np.array(["no", "yes"])[y], y):
        with pytest.raises(InvalidArgument, match="classes: must be a list"):
            LogisticRegression(epsilon=5.0, data_norm=1.0, classes="dtype").fit(X, wrong)
    with pytest.raises(InvalidArgument, match="classes: must be a list"):
        LogisticRegression(epsilon=5.0, data_norm=1.0, classes="dtyp").fit(X, labels)
    with pytest.raises(InvalidArgument, match="classes: must be a list"):
        model.privacy_cost(n_samples=10, n_features=5)
    unused = pandas.Series(pandas.Categorical.from_codes(y, ["no", "yes", "perhaps"]))
    assert len(sotto.LogisticRegression(epsilon=5.0, data_norm=1.0, classes="dtype").fit(X, unused).classes_) == 3


@pytest.mark.parametrize("labels", [["<=50K", ">50K"], [-1, 1], [False, True], [1, 2]])
def test_labels_of_any_spelling_are_declared_by_classes(two, labels):
    X, y = two
    model = LogisticRegression(epsilon=5.0, data_norm=1.0, classes=labels).fit(X, np.array(labels)[y])
    assert model.privacy_.is_private and list(model.classes_) == labels and model.score(X, np.array(labels)[y]) > 0.8
