"""What the caller of fit is told about the rows: refusals by name before anything is charged, and warnings that are not for release."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sotto
from sotto import DataWarning, InvalidData, Ledger, LogisticRegression


def people(rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    age, hours = rng.uniform(17, 90, rows), rng.uniform(1, 99, rows)
    table = pd.DataFrame({"age": age, "hours": hours, "fnlwgt": rng.uniform(1e4, 1e6, rows)})
    return table, (hours > 45).astype(int)


BOUNDS = ([17, 1, 1e4], [90, 99, 1e6])


def test_rows_that_are_clipped_to_nothing_are_refused_by_the_name_of_the_column() -> None:
    X, y = people()
    with pytest.raises(InvalidData) as refused:
        LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)
    text = str(refused.value)
    assert "column 'fnlwgt' has 100 % of their squared length" in text
    assert "check=False" in text and "bounds" in text
    assert "not for release" in text.splitlines()[1], "the table follows"


def test_whoever_wants_no_check_has_none() -> None:
    X, y = people()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert LogisticRegression(epsilon=1.0, data_norm=1.0, check=False).fit(X, y).privacy_.is_private


def test_ordinary_rows_are_passed_over_in_silence() -> None:
    X, y = people()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        LogisticRegression(epsilon=1.0, bounds=BOUNDS).fit(X, y)


def test_what_is_strange_is_told_by_a_warning_that_is_not_for_release() -> None:
    X, y = people()
    with pytest.warns(DataWarning, match="not for release") as told:  # at the line of the caller
        LogisticRegression(epsilon=1.0, bounds=([17, 1, 1e4], [40, 99, 1e6])).fit(X, y)
    assert "age" in str(told[0].message) and "outside the declared range" in str(told[0].message)
    assert told[0].filename == __file__
    with pytest.warns(DataWarning, match="0 of 1"):
        LogisticRegression(epsilon=1.0, bounds=BOUNDS).fit(X, np.zeros(len(y), dtype=int))


def test_a_refusal_charges_nothing_and_a_check_costs_nothing(tmp_path) -> None:
    X, y = people()
    ledger = Ledger.create(tmp_path / "L", epsilon=2.0, delta=1e-6, X=X, y=y, filter="sum")
    with pytest.raises(InvalidData):
        LogisticRegression(epsilon=0.5, data_norm=1.0, accountant=ledger).fit(X, y)
    assert ledger.spent == 0 and ledger.entries == []
    spent = []
    for check in (True, False):
        LogisticRegression(epsilon=0.5, bounds=BOUNDS, accountant=ledger, check=check, alpha=0.1 + check).fit(X, y)
        spent.append(ledger.spent)
    assert spent[1] == 2 * spent[0]


def test_a_request_that_does_not_fit_says_that_first(tmp_path) -> None:
    X, y = people()
    ledger = Ledger.create(tmp_path / "L", epsilon=0.1, X=X, y=y, filter="sum")
    with pytest.raises(sotto.BudgetExceeded):
        LogisticRegression(epsilon=0.5, data_norm=1.0, accountant=ledger).fit(X, y)


def test_a_blind_ledger_never_tells(tmp_path) -> None:
    X, y = people()
    ledger = Ledger.create(tmp_path / "L", epsilon=2.0, delta=1e-6, X=X, y=y, filter="sum", blind=True)
    assert ledger.show()["blind"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        LogisticRegression(epsilon=0.5, data_norm=1.0, accountant=ledger).fit(X, y)
    assert ledger.spent > 0


def test_the_check_changes_no_bit_of_the_model() -> None:
    from sotto import _core
    from sotto._encoding import Encoding, plain_names
    from sotto._inputs import rows_of, values_of

    X = np.random.default_rng(0).normal(size=(300, 3)) / 4
    codes = (X[:, 0] > 0).astype(np.int32)
    encoding = Encoding.of_array(plain_names(3), 1.0, 0.0, ["0", "1"]).core
    for matrix in (X, X.astype(np.float32), np.asfortranarray(X)):
        texts = []
        for counted in (False, True):
            options = _core.RunOptions()
            options.noise_seed, options.order_seed = 5, 5
            model = _core.train(rows_of(matrix, codes, encoding, counted), {"epsilon": "1", "method": "bolt_on"}, options)[0]
            assert (options.check_text != "") == counted
            texts.append(model.weights().tobytes())
        assert texts[0] == texts[1]
        assert values_of(matrix) is not None


def test_tables_and_arrays_are_told_the_same() -> None:
    X, y = people(100)
    X.loc[:, "age"] = np.where(np.arange(100) < 30, 200.0, X["age"])
    schema = sotto.Schema.from_json(
        '{"label": {"column": "y", "classes": ["0", "1"]}, "data_norm": 2, "columns": ['
        '{"name": "age", "kind": "numeric", "min": 17, "max": 90}, {"name": "hours", "kind": "numeric", "min": 1, "max": 99},'
        '{"name": "fnlwgt", "kind": "numeric", "min": 1e4, "max": 1e6}]}'
    )
    with pytest.warns(DataWarning) as of_array:
        LogisticRegression(epsilon=1.0, bounds=BOUNDS, fit_intercept=False, data_norm=2.0).fit(X, y)
    with pytest.warns(DataWarning) as of_table:
        LogisticRegression(epsilon=1.0, schema=schema, fit_intercept=False).fit(X.assign(y=y))
    assert str(of_array[0].message) == str(of_table[0].message)


def test_a_text_column_that_is_declared_a_number_is_named() -> None:
    X, y = people(100)
    schema = sotto.Schema.from_json(
        '{"label": {"column": "y", "classes": ["0", "1"]}, "data_norm": 2, "columns": ['
        '{"name": "age", "kind": "numeric", "min": 17, "max": 90}, {"name": "job", "kind": "numeric", "min": 0, "max": 1}]}'
    )
    table = pd.DataFrame({"age": X["age"], "job": ["baker"] * 100, "y": y})
    with pytest.raises(InvalidData, match="column 'job' holds texts, and no categories are declared for it") as refused:
        LogisticRegression(epsilon=1.0, schema=schema).fit(table)
    assert "baker" not in str(refused.value)


def test_searches_check_as_their_estimator_does() -> None:
    X, y = people()
    estimator = LogisticRegression(epsilon=1.0, data_norm=1.0)
    with pytest.raises(InvalidData, match="fnlwgt"):
        sotto.tune(estimator, X, y, grid={"alpha": [0.1, 0.2]})
    with pytest.raises(InvalidData, match="fnlwgt"):
        sotto.PrivateSearchCV(estimator, {"alpha": [0.1, 0.2]}).fit(X, y)
    sotto.tune(estimator.set_params(check=False), X, y, grid={"alpha": [0.1, 0.2]})


def test_packing_leaves_no_file_of_rows_that_nothing_can_be_learned_from(tmp_path) -> None:
    pa = pytest.importorskip("pyarrow")
    X, y = people()
    table = pa.Table.from_pandas(X.assign(y=y), preserve_index=False)
    with pytest.raises(InvalidData, match="fnlwgt"):
        sotto.pack(table, tmp_path / "rows", label="y", classes=[0, 1], data_norm=1.0)
    assert not (tmp_path / "rows").exists()
    assert sotto.pack(table, tmp_path / "rows", label="y", classes=[0, 1], data_norm=1.0, check=False) == 400
