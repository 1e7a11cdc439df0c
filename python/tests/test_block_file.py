"""What a block file declares about itself reaches the card, or the file is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import encoding_of, sphere
from sotto import InvalidArgument, InvalidData, Ledger, LogisticRegression, NotPrivateWarning, Unsupported, _core

X, Y = sphere(2000, 2)
COST = {"relation": "replace_one", "epsilon": 3.0, "delta": 0.0, "events": [{"event": "exponential", "epsilon": 3.0, "times": 1}], "ledger": ""}
COLUMN = {"name": "a", "kind": "numeric", "min": 0.0, "max": 1.0}


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
        about = {"encoding": text, "fingerprint": "cd" * 32, "memory_mb": 16}
        packer = _core.BlockPacker(str(path), encoding_of(2, 1.0), about)
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


def test_the_header_stamps_the_model_whatever_python_says(packed):
    """Training is asked for directly, with nothing said about bounds: the library reads the header itself."""
    rows = _core.block_rows(str(packed(schema(bounds_from_data=True))))
    options = _core.RunOptions()
    options.encoding = json.dumps(schema())
    made = _core.train(rows, {"method": "bolt_on", "loss": "logistic", "lambda": "0.01", "epsilon": "1.0"}, options)[0]
    card = json.loads(made.card_json())
    assert not card["private"] and json.loads(made.encoding)["bounds_from_data"] is True


def test_a_file_that_was_exchanged_is_refused(packed):
    rows = _core.block_rows(str(packed(schema())))
    packed(schema(bounds_from_data=True))
    with pytest.raises(InvalidData, match="replaced by another file"):
        _core.train(rows, {"method": "bolt_on", "loss": "logistic", "lambda": "0.01", "epsilon": "1.0"}, _core.RunOptions())


def test_bounds_that_cost_something_are_on_the_card(packed, tmp_path):
    path = packed(schema(bounds_cost=COST))
    card = model().fit_block_file(path).privacy_
    assert card.is_private and 4.0 <= card.epsilon < 4.001
    # Found without charging the ledger: it has no price for them.
    ledger = Ledger.create(tmp_path / "l.ledger", epsilon=9.0, delta=1e-6, name="rows")
    with pytest.raises(InvalidArgument, match="found without charging it"):
        model(accountant=ledger).fit_block_file(path)
    assert ledger.spent == 0


def test_ranges_without_a_norm_are_clipped_to_one(packed):
    columns = [COLUMN, COLUMN | {"name": "b"}]
    made = model().fit_block_file(packed(schema(columns=columns, data_norm=None)))
    assert made.privacy_.is_private and made.privacy_["facts"]["data_norm"] == 1.0
    # (2, 0) is moved to (1, 0), and (2, 2) to (1, 1), which is clipped to half the square root of 2.
    one, both = made.decision_function([[2.0, 0.0], [2.0, 2.0]])
    assert one == pytest.approx(made.coef_[0, 0]) and both == pytest.approx(made.coef_[0].sum() * 0.5**0.5)


@pytest.mark.parametrize(
    "other", [{"data_norm": 0.5}, {"data_norm": "private"}, {"bounds": (0, 1), "data_norm": 1.0}, {"classes": [0, 1, 2]}]
)
def test_what_an_estimator_declares_otherwise_is_refused(packed, other):
    with pytest.raises(InvalidArgument, match=next(iter(other))):
        model(**other).fit_block_file(packed(schema()))


def test_what_an_estimator_declares_alike_is_taken(packed):
    assert model(data_norm=1.0, classes=[0, 1]).fit_block_file(packed(schema())).privacy_.is_private


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"range": {"min": 0.0, "max": 1.0}}, "range"),
        ({"projection": {"kind": "gaussian", "dimensions": 2, "key": 1}}, "projection"),
        ({"format": "libsvm", "columns": [], "features": 2}, "columns"),
        ({"columns": [COLUMN]}, "features"),
        ({"data_norm": 2.0}, "data_norm"),
        ({"label": {"column": "y", "classes": ["0", "1", "2"]}}, "classes"),
        ({"later": 1}, "later"),
    ],
)
def test_declarations_an_estimator_cannot_follow_are_refused(packed, other, said):
    with pytest.raises((Unsupported, InvalidData), match=said):
        model().fit_block_file(packed(schema(**other)))


@pytest.mark.parametrize(
    "columns",
    [
        [COLUMN | {"scale": "log1p"}, COLUMN | {"name": "b"}],
        [{"name": "a", "kind": "category", "values": ["u", "v"]}],
        [COLUMN, {"name": "b", "kind": "numeric"}],
    ],
)
def test_a_file_of_encoded_columns_makes_a_model_of_raw_tables(packed, columns):
    made = model().fit_block_file(packed(schema(columns=columns)))
    table = {"a": ["u", "v"] if len(columns) == 1 else [0.1, 0.2], "b": [0.3, 0.4]}
    assert made.predict(table).shape == (2,)


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"columns": 3}'])
def test_declarations_that_are_none_are_refused_without_being_quoted(packed, text):
    with pytest.raises((Unsupported, InvalidData)) as refusal:
        model().fit_block_file(packed(text))
    assert "no json" not in str(refusal.value)


def test_the_label_of_two_lists_has_the_first_of_each_as_classes(packed):
    made = model().fit_block_file(packed(schema(label={"column": "y", "positive": ["yes", "1"], "negative": ["no"]})))
    assert list(made.classes_) == ["no", "yes"]
    assert json.loads(made.model_.text())["encoding"]["label"]["positive"] == ["yes", "1"]


def test_the_columns_of_the_file_are_the_features_to_predict(packed):
    pandas = pytest.importorskip("pandas")
    made = model().fit_block_file(packed(schema()))
    rows = pandas.DataFrame(X, columns=["a", "b"])
    assert np.array_equal(made.predict(rows), made.predict(rows.to_numpy()))
    with pytest.raises(ValueError, match="feature names"):
        made.predict(rows[["b", "a"]])


def test_columns_that_have_a_position_only_have_no_name(packed):
    numbered = [{"name": "1", "kind": "numeric"}, {"name": "2", "kind": "numeric"}]
    assert not hasattr(model().fit_block_file(packed(schema(columns=numbered))), "feature_names_in_")


def test_nothing_of_a_fit_before_is_left(packed):
    pandas = pytest.importorskip("pandas")
    before = model(data_norm=1.0).fit(pandas.DataFrame(np.hstack([X, X]), columns=list("pqrs")), Y)
    after = before.fit_block_file(packed(schema()))
    assert list(after.feature_names_in_) == ["a", "b"] and after.n_features_in_ == 2
    with pytest.raises(Unsupported):
        after.fit_block_file(packed(schema(projection={"kind": "gaussian", "dimensions": 2, "key": 1})))
    assert not [name for name in vars(after) if name.endswith("_")]


def test_a_file_that_names_the_data_of_a_ledger_must_have_its_rows(tmp_path):
    """A header may name any data: rows drawn with replacement from it are not all of it."""
    name = "ab" * 32
    terms = {"budget_epsilon": 2.0, "budget_delta": 1e-6, "relation": "replace_one", "filter": "", "anchor": ""}
    _core.ledger_create(str(tmp_path / "l.ledger"), terms | {"fingerprint": name, "rows": 1000})
    packer = _core.BlockPacker(
        str(tmp_path / "rows"), encoding_of(2, 1.0), {"encoding": json.dumps(schema()), "fingerprint": name, "memory_mb": 16}
    )
    packer.add(X, Y.astype(np.int32))
    packer.finish()
    ledger = Ledger(tmp_path / "l.ledger")
    with pytest.raises(InvalidData, match="1000 rows the ledger was made for"):
        model(accountant=ledger).fit_block_file(tmp_path / "rows")
    assert ledger.spent == 0
