"""Raw tables through a schema: what the library makes of cells, whatever library holds them."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sotto import InvalidArgument, InvalidData, Ledger, LogisticRegression, NotPrivateWarning, PlanWarning, Schema
from sotto._table import cells_of

COLUMNS = {"age": (17, 90), "gain": {"min": 0, "max": 1e5, "scale": "log1p"}, "job": ["clerk", "sales", "?"], "member": ["True", "False"], "id": None}


def people(rows=6000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 90, rows)
    job = rng.choice(["clerk", "sales", "?", "other"], rows)
    income = np.where(age + 20 * (job == "sales") + rng.normal(0, 5, rows) > 60, ">50K", "<=50K")
    return {
        "age": age,
        "gain": np.round(rng.exponential(1000, rows)),
        "job": job.astype(object),
        "member": rng.random(rows) < 0.5,
        "id": np.arange(rows),
        "income": income.astype(object),
    }


def schema(**other):
    return Schema(COLUMNS, label="income", classes=["<=50K", ">50K"], **other)


def exact(**other):
    return LogisticRegression(epsilon=1.0, method="noiseless", alpha=0.001, random_state=1, schema=schema(), **other)


def weights(table, y=None):
    with pytest.warns(NotPrivateWarning):
        return exact().fit(table, y).model_.weights()


def test_every_library_gives_the_same_model():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    table = people()
    expected = weights(table)
    for held in (pandas.DataFrame(table), polars.DataFrame(table), pyarrow.table({k: list(v) for k, v in table.items()})):
        assert np.array_equal(weights(held), expected)
    frame = pandas.DataFrame(table)
    assert np.array_equal(weights(frame.drop(columns="income"), frame["income"]), expected)


def test_a_cell_is_read_alike_whatever_the_other_cells_are():
    # One row must not change what the others are encoded to: no guarantee would hold.
    codes = [100000, 2000000, 2**53, 7] * 50
    label = [0, 1] * 100
    declared = Schema({"code": ["100000", "2000000", str(2**53)]}, label="y", classes=[0, 1])
    held = [
        np.array(codes),
        np.array(codes, dtype=np.float64),
        np.array(codes, dtype=object),
        np.array([*codes[:-1], "7"], dtype=object),
        np.array([*map(float, codes[:-1]), "7"], dtype=object),
        codes,
        [*map(float, codes)],
        [*codes[:-1], "7"],
        [*map(float, codes[:-1]), "7"],
        [*codes[:-1], None],
        [*codes[:-1], 2**70],
    ]
    made = []
    for column in held:
        with pytest.warns(NotPrivateWarning):
            fit = LogisticRegression(epsilon=1.0, method="noiseless", alpha=0.01, random_state=1, schema=declared)
            made.append(fit.fit({"code": column, "y": label}).model_.weights())
    assert np.abs(made[0][:3]).min() > 0
    for weights in made[1:]:
        assert np.array_equal(weights, made[0])


def test_dates_that_are_missing_are_missing_cells():
    days = np.array(["2020-01-01", "NaT"], dtype="datetime64[s]")
    assert cells_of({"day": days})[0][1].tolist() == [0, -1]


def test_a_private_model_of_raw_cells_predicts_names_and_pickles(tmp_path):
    table = people()
    model = LogisticRegression(epsilon=2.0, delta=1e-6, schema=schema()).fit(table)
    assert model.privacy_.is_private
    assert model.score(table, table["income"]) > 0.8
    assert model.predict_proba(table).shape == (6000, 2)
    assert list(model.feature_names_in_) == ["age", "gain", "job", "member"]
    assert model.summary().names == ["age", "gain", "job=clerk", "job=sales", "job=?", "member=True", "member=False", "intercept"]
    assert list(model.classes_) == ["<=50K", ">50K"]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(table), model.decision_function(table))
    model.save(tmp_path / "m.json")
    stored = json.loads((tmp_path / "m.json").read_text())
    assert stored["encoding"]["columns"][1]["scale"] == "log1p"


def test_bounds_that_came_from_rows_stamp_the_model():
    declared = json.loads(schema().to_json()) | {"bounds_from_data": True}
    with pytest.warns(NotPrivateWarning, match="taken from the rows"):
        LogisticRegression(epsilon=1.0, schema=Schema.from_json(json.dumps(declared))).fit(people())


def test_a_ledger_knows_the_raw_rows_whatever_the_schema(tmp_path):
    table = people()
    ledger = Ledger.create(tmp_path / "l", epsilon=4.0, delta=1e-5, X=table, schema=schema())
    LogisticRegression(epsilon=0.5, delta=1e-7, schema=schema(), accountant=ledger).fit(table)
    LogisticRegression(epsilon=0.5, delta=1e-7, schema=schema(data_norm=1.5), accountant=ledger).fit(table)
    assert len(ledger.entries) == 2 and not any(entry.get("part") for entry in ledger.entries)


def test_what_is_not_declared_is_refused_before_a_charge(tmp_path):
    table = people()
    ledger = Ledger.create(tmp_path / "l", epsilon=4.0, delta=1e-5, X=table, schema=schema())
    fit = LogisticRegression(epsilon=0.5, delta=1e-7, schema=schema(), accountant=ledger).fit
    with pytest.raises(InvalidArgument, match="no column"):
        fit({name: column for name, column in table.items() if name != "age"})
    with pytest.raises(InvalidData, match="rows cannot be used.*column 'age'"):
        fit(table | {"age": np.where(np.arange(6000) % 2, np.nan, 40.0)})
    with pytest.raises(InvalidData, match="column 'income' holds no label that is declared"):
        fit(table | {"income": np.array(["?"] * 6000, dtype=object)})
    with pytest.raises(InvalidArgument, match="declared by the schema"):
        LogisticRegression(epsilon=0.5, schema=schema(), classes=[0, 1]).fit(table)
    assert ledger.spent == 0


def test_the_json_form_is_that_of_the_command_line():
    assert Schema.from_json(schema().to_json()) == schema()
    with pytest.raises(InvalidArgument, match="unknown key"):
        Schema.from_json('{"colums": []}')
    with pytest.raises(InvalidArgument, match="data_norm"):
        Schema({"age": {"kind": "numeric"}}, label="y", classes=[0, 1])


def test_a_dry_run_of_a_table_states_what_the_fit_states():
    table = people()
    model = LogisticRegression(epsilon=1.0, schema=schema())
    by_rows, by_number = model.privacy_cost(table), model.privacy_cost(n_samples=6000)
    done = model.fit(table).privacy_
    for key in ("guarantee", "noise", "theorem", "facts", "l2_sensitivity"):
        assert by_rows[key] == by_number[key] == done[key], key
    with pytest.raises(InvalidArgument, match="n_samples: give X, or n_samples"):
        model.privacy_cost()


def test_labels_in_the_table_are_scored_without_naming_them():
    table = people()
    model = LogisticRegression(epsilon=1.0, schema=schema()).fit(table)
    assert model.score(table) == model.score(table, table["income"])
    with pytest.raises(InvalidArgument, match="^y: must be given"):
        model.score({name: column for name, column in table.items() if name != "income"})


def test_a_schema_without_a_norm_is_warned_of():
    declared = json.loads(schema().to_json())
    del declared["data_norm"]
    with pytest.warns(PlanWarning, match="data_norm was not declared"):
        LogisticRegression(epsilon=1.0, schema=Schema.from_json(json.dumps(declared))).fit(people())
