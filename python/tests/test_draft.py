"""A schema that writes itself: suggestions from the rows, which are not public before somebody confirms them."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pytest
import sotto
from sotto import InvalidArgument, Ledger, LogisticRegression, NotPrivateWarning, Schema


def people(rows=4000, seed=0):
    """Numbers, texts, truths, dates, row numbers and missing cells."""
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 90, rows).astype(float)
    age[rng.random(rows) < 0.1] = np.nan
    job = rng.choice(["clerk", "cook", "nurse"], rows).astype(object)
    job[rng.random(rows) < 0.05] = None
    gain = np.where(rng.random(rows) < 0.9, 0.0, np.round(rng.lognormal(8, 1, rows)))
    return {
        "id": np.arange(rows),
        "age": age,
        "gain": gain,
        "job": job,
        "member": rng.random(rows) < 0.5,
        "since": np.array([np.datetime64("2020-01-01") + int(d) for d in rng.integers(0, 900, rows)]),
        "rich": np.where(np.nan_to_num(age, nan=40) + 20 * (job == "nurse") > 55, ">50K", "<=50K").astype(object),
    }


def held_by_every_library(table):
    import pandas
    import polars
    import pyarrow

    frame = pandas.DataFrame(table)
    return {
        "dict": table,
        "pandas": frame,
        "polars": polars.from_pandas(frame),
        "arrow": pyarrow.Table.from_pandas(frame, preserve_index=False),
    }


def test_a_draft_has_every_kind_of_column_and_nothing_of_it_is_public():
    draft = Schema.draft(people(), label="rich")
    kinds = {column["name"]: column for column in json.loads(draft.to_json())["columns"]}
    assert {name: column["kind"] for name, column in kinds.items()} == {
        "id": "ignore", "age": "numeric", "gain": "numeric", "job": "category", "member": "category", "since": "ignore"
    }  # fmt: skip
    assert kinds["age"]["missing"] == [""] and kinds["age"]["min"] <= 17 and kinds["age"]["max"] >= 89
    assert kinds["gain"]["scale"] == "log1p" and kinds["job"]["values"] == ["clerk", "cook", "nurse"]
    assert kinds["member"]["values"] == ["False", "True"]
    assert draft.unconfirmed == ["id", "age", "gain", "job", "member", "since", "label"]
    assert "Not for release" in repr(draft) and "dates" in repr(draft) and "suggested" in draft._repr_html_()


def test_every_library_gives_the_same_draft_and_the_same_model():
    tables = held_by_every_library(people())
    drafts = {name: Schema.draft(table, label="rich") for name, table in tables.items()}
    assert len(set(drafts.values())) == 1
    weights = []
    for table in tables.values():
        model = LogisticRegression(epsilon=1.0, method="noiseless", alpha=0.01, random_state=1, schema=drafts["dict"].confirm())
        with pytest.warns(NotPrivateWarning):
            weights.append(model.fit(table).model_.weights())
    assert all(np.array_equal(one, weights[0]) for one in weights)


def test_a_model_of_an_unconfirmed_draft_is_not_private_and_says_which_columns(tmp_path):
    table = people()
    draft = Schema.draft(table, label="rich")
    with pytest.warns(NotPrivateWarning, match="not confirmed to be public: id, age, gain"):
        model = LogisticRegression(epsilon=2.0, delta=1e-6, schema=draft).fit(table)
    assert not model.privacy_.is_private
    ledger = Ledger.create(tmp_path / "l", epsilon=4.0, delta=1e-5, X=table, schema=draft)
    with pytest.raises(InvalidArgument, match="not confirmed"):
        LogisticRegression(epsilon=0.5, delta=1e-7, schema=draft, accountant=ledger).fit(table)
    assert ledger.spent == 0
    confirmed = LogisticRegression(epsilon=2.0, delta=1e-6, schema=draft.confirm()).fit(table)
    assert confirmed.privacy_.is_private and confirmed.score(table, table["rich"]) > 0.8
    assert list(confirmed.feature_names_in_) == ["age", "gain", "job", "member"]
    assert confirmed.summary().names[:3] == ["age", "age missing", "gain"]


def test_one_suggestion_left_is_enough_to_stamp_a_model():
    table = people()
    draft = Schema.draft(table, label="rich", columns={"age": (17, 90), "id": None, "since": None}, classes=["<=50K", ">50K"])
    assert draft.unconfirmed == ["gain", "job", "member"]
    partly = draft.declare({"gain": {"min": 0, "max": 1e5, "scale": "log1p"}, "job": ["clerk", "cook", "nurse"]})
    assert partly.unconfirmed == ["member"]
    declared = Schema.draft(table | {"age": np.nan_to_num(table["age"], nan=30)}, label="rich", columns={"age": (17, 90)})
    assert "age" not in declared.unconfirmed
    complete = table | {"age": np.nan_to_num(table["age"], nan=30)}
    with pytest.warns(NotPrivateWarning, match="member"):
        LogisticRegression(epsilon=1.0, schema=partly).fit(complete)
    assert partly.declare({"member": ["True"]}).unconfirmed == []


def test_the_json_is_that_of_the_command_line(tmp_path):
    draft = Schema.draft(people(), label="rich")
    content = json.loads(draft.to_json(tmp_path / "s.json"))
    assert content["columns"][1]["public"] is False and content["label"]["public"] is False
    assert Schema.from_json(tmp_path / "s.json") == draft == Schema.from_json(draft.to_json())
    assert Schema.from_json(tmp_path / "s.json").unconfirmed == draft.unconfirmed
    assert Schema.from_json(draft.confirm().to_json()).unconfirmed == []


@pytest.mark.parametrize(
    ("labels", "classes", "open_"),
    [
        (np.array([0, 1]), [0, 1], []),
        (np.array([0.0, 1.0]), [0, 1], []),
        (np.array([-1, 1]), [-1, 1], ["label"]),
        (np.array([False, True]), ["False", "True"], ["label"]),
        (np.array([1, 2]), [1, 2], ["label"]),
        (np.array(["a", "b", "c"], dtype=object), ["a", "b", "c"], ["label"]),
    ],
)
def test_labels_of_any_spelling_are_predicted_as_they_are_spelt(labels, classes, open_):
    rng = np.random.default_rng(1)
    place = rng.integers(0, len(labels), 3000)
    table = {"x": place + rng.normal(0, 0.2, 3000)}
    y = labels[place]
    draft = Schema.draft(table, y, label="kind", columns={"x": (-1, 3)})
    assert draft.unconfirmed == open_
    model = LogisticRegression(epsilon=5.0, delta=1e-6, schema=draft.confirm()).fit(table, y)
    assert list(model.classes_) == classes
    assert set(model.predict(table)) <= set(classes)


def test_a_missing_cell_is_spelt_as_the_schema_has_it():
    table = people()
    as_text = table | {"age": np.array(["?" if np.isnan(a) else str(int(a)) for a in table["age"]], dtype=object)}
    schema = Schema.draft(as_text, label="rich").confirm()
    assert json.loads(schema.to_json())["columns"][1]["missing"] == ["?"]
    made = LogisticRegression(epsilon=2.0, delta=1e-6, schema=schema).fit(as_text)
    assert np.array_equal(made.decision_function(as_text), made.decision_function(table))


def test_a_point_in_time_is_spelt_by_itself_alone():
    """As a text of a CSV file, and whatever the other cells of its column are: otherwise one row would change all others."""
    pandas = pytest.importorskip("pandas")
    from sotto._table import cells_of

    def texts(column):
        (_, places, found, _), = cells_of({"d": column})
        return [found[place] if place >= 0 else None for place in places]

    days = np.array(["2024-01-31", "NaT", "2024-02-01T10:00", "2024-02-01T10:00:00.25"], dtype="datetime64[ns]")
    expected = ["2024-01-31", None, "2024-02-01 10:00:00", "2024-02-01 10:00:00.250000"]
    assert texts(days) == texts(pandas.Series(days)) == expected
    assert texts(days[:1]) == expected[:1]
    assert texts(pandas.Series([*pandas.Series(days), "soon"], dtype=object)) == [*expected, "soon"]
    assert texts(list(days)) == expected
    assert texts(np.array([datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31), datetime.datetime(2024, 2, 1, 10)], dtype=object)) == [
        "2024-01-31", "2024-01-31", "2024-02-01 10:00:00"
    ]  # fmt: skip


def test_what_no_draft_can_be_made_of_is_refused():
    table = people()
    with pytest.raises(InvalidArgument, match="no column 'income'"):
        Schema.draft(table, label="income")
    with pytest.raises(InvalidArgument, match="label: name the column"):
        Schema.draft(table)
    with pytest.raises(InvalidArgument, match="no column 'agee'"):
        Schema.draft(table, label="rich", columns={"agee": (1, 2)})
    with pytest.raises(InvalidArgument, match="no column 'agee'"):
        Schema.draft(table, label="rich").declare({"agee": (1, 2)})
    with pytest.raises(InvalidArgument, match="named columns"):
        Schema.draft(np.eye(3), label="x")
    with pytest.raises(InvalidArgument, match="fewer than 2"):
        Schema.draft({"x": [1, 2, 3], "y": ["a", "a", "a"]}, label="y")
    assert sotto.Schema is Schema


def test_a_range_that_is_declared_keeps_what_else_was_suggested():
    rng = np.random.default_rng(0)
    table = {
        "age": np.where(rng.random(500) < 0.1, np.nan, rng.integers(17, 90, 500)),
        "gain": np.where(rng.random(500) < 0.2, rng.exponential(5000, 500), 0),
        "height": rng.integers(140, 200, 500),
        "rich": rng.integers(0, 2, 500),
    }
    draft = Schema.draft(table, label="rich")
    declared = draft.declare({"age": (17, 90), "gain": (0, 100_000), "height": (100, 250)})
    columns = {column["name"]: column for column in json.loads(declared.to_json())["columns"]}
    assert columns["age"]["missing"] and (columns["age"]["min"], columns["age"]["max"]) == (17, 90)
    assert columns["gain"]["scale"] == "log1p" and columns["gain"]["max"] == 100_000
    # That some are missing, and the scale, came from the rows: a word of their own is needed.
    assert declared.unconfirmed == ["age", "gain"] and declared.confirm().unconfirmed == []
    assert draft.declare({"age": {"min": 17, "max": 90}}).unconfirmed == ["gain", "height"]
