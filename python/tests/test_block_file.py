"""What a block file declares about itself reaches the card, or the file is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import sphere
from sotto import InvalidArgument, InvalidData, Ledger, LogisticRegression, NotPrivateWarning, Unsupported, _core
from sotto._inputs import declared

X, Y = sphere(2000, 2)
COST = {"relation": "replace_one", "epsilon": 3.0, "delta": 0.0, "events": [{"event": "exponential", "epsilon": 3.0, "times": 1}], "ledger": ""}


def schema(**other):
    plain = {
        "format": "csv",
        "columns": [{"name": "a", "kind": "numeric", "scale": "linear"}, {"name": "b", "kind": "numeric", "scale": "linear"}],
        "label": {"column": "y", "classes": ["0", "1"]},
        "data_norm": 1.0,
        "intercept": 0.0,
        "projection": {"kind": "none"},
        "complete": True,
        "bounds_from_data": False,
    }
    made = plain | other
    return {key: value for key, value in made.items() if value is not None}


@pytest.fixture
def packed(tmp_path):
    """A block file with these declarations, as the command line writes it."""

    def pack(metadata):
        path = tmp_path / "rows.sotto"
        text = metadata if isinstance(metadata, str) else json.dumps(metadata)
        packer = _core.BlockPacker(str(path), 2, declared(1.0, 0.0, 2), {"encoding": text, "fingerprint": "", "memory_mb": 16})
        packer.add(X, Y.astype(np.int32))
        packer.finish()
        return path

    return pack


def model(**other):
    return LogisticRegression(epsilon=1.0, delta=1e-8, alpha=0.01, method="bolt_on", **other)


def test_a_file_of_declared_bounds_gives_a_private_model(packed):
    made = model().fit_block_file(packed(schema()))
    assert made.privacy_.is_private and list(made.classes_) == [0, 1] and made.n_features_in_ == 2
    assert np.array_equal(made.predict(X), (made.decision_function(X) > 0).astype(int))


def test_bounds_from_the_rows_stamp_the_model(packed):
    path = packed(schema(bounds_from_data=True))
    with pytest.warns(NotPrivateWarning, match="bounds were taken from the rows"):
        made = model().fit_block_file(path)
    assert not made.privacy_.is_private
    assert json.loads(made.model_.text())["encoding"]["bounds_from_data"] is True


def test_a_ledger_refuses_bounds_from_the_rows(packed, tmp_path):
    ledger = Ledger.create(tmp_path / "l.ledger", epsilon=2.0, delta=1e-6, name="rows")
    with pytest.raises(InvalidArgument, match="private requests only"):
        model(accountant=ledger).fit_block_file(packed(schema(bounds_from_data=True)))
    assert ledger.spent == 0


def test_bounds_that_cost_something_are_for_the_command_line(packed):
    with pytest.raises(Unsupported, match="sotto train --data"):
        model().fit_block_file(packed(schema(bounds_cost=COST)))


COLUMN = {"name": "a", "kind": "numeric", "min": 0.0, "max": 1.0}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"columns": [COLUMN | {"scale": "log1p"}, COLUMN | {"name": "b"}]}, "scale"),
        ({"columns": [{"name": "a", "kind": "category", "values": ["u", "v"]}]}, "not numeric"),
        ({"columns": [COLUMN, {"name": "b", "kind": "numeric"}]}, "range"),
        ({"columns": [{"name": "a", "kind": "numeric"}, COLUMN | {"name": "b"}]}, "range"),
        ({"range": {"min": 0.0, "max": 1.0}}, "range"),
        ({"projection": {"kind": "gaussian", "dimensions": 2, "key": 1}}, "projection"),
        ({"format": "libsvm", "columns": [], "features": 2}, "columns"),
        ({"columns": [COLUMN]}, "features"),
        ({"data_norm": 2.0}, "data_norm"),
        ({"data_norm": None}, "data_norm"),
        ({"label": {"column": "y", "classes": ["0", "1", "2"]}}, "classes"),
        ({"later": 1}, "later"),
    ],
)
def test_declarations_an_estimator_cannot_follow_are_refused(packed, other, said):
    with pytest.raises((Unsupported, InvalidData), match=said):
        model().fit_block_file(packed(schema(**other)))


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"columns": 3}'])
def test_declarations_that_are_none_are_refused_without_being_quoted(packed, text):
    with pytest.raises((Unsupported, InvalidData)) as refusal:
        model().fit_block_file(packed(text))
    assert "no json" not in str(refusal.value)


def test_the_label_of_two_lists_has_the_first_of_each_as_classes(packed):
    made = model().fit_block_file(packed(schema(label={"column": "y", "positive": ["yes", "1"], "negative": ["no"]})))
    assert list(made.classes_) == ["no", "yes"]
    assert json.loads(made.model_.text())["encoding"]["label"]["positive"] == ["yes", "1"]


def test_nothing_of_a_fit_before_is_left(packed):
    pandas = pytest.importorskip("pandas")
    before = model(data_norm=1.0).fit(pandas.DataFrame(np.hstack([X, X]), columns=list("pqrs")), Y)
    after = before.fit_block_file(packed(schema()))
    assert not hasattr(after, "feature_names_in_") and after.n_features_in_ == 2
    with pytest.raises(Unsupported):
        after.fit_block_file(packed(schema(bounds_cost=COST)))
    assert not [name for name in vars(after) if name.endswith("_")]
