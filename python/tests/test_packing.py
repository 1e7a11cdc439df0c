"""What `pack` is told is followed or refused, before a row is used."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
import sotto
from conftest import sphere
from sotto import InvalidArgument, LogisticRegression, _core

pa = pytest.importorskip("pyarrow")

X, Y = sphere(500, 4)
TABLE = pa.table({name: 8 * X[:, i] for i, name in enumerate("abcd")} | {"lab": Y})


def packed_norm(path):
    return json.loads(_core.block_rows(str(path)).encoding)["data_norm"]


@pytest.mark.parametrize("norm", [8, 8.0, np.float32(8), np.int64(8), np.array(8.0)])
def test_every_positive_number_is_a_norm(tmp_path, norm):
    sotto.pack(TABLE, tmp_path / "b", label="lab", classes=[0, 1], data_norm=norm, fit_intercept=False)
    assert packed_norm(tmp_path / "b") == 8.0
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(TABLE, tmp_path / "t.parquet")
    sotto.pack_parquet(tmp_path / "t.parquet", tmp_path / "p", label="lab", classes=[0, 1], data_norm=norm, fit_intercept=False)
    assert packed_norm(tmp_path / "p") == 8.0
    model = LogisticRegression(epsilon=1.0, data_norm=norm, fit_intercept=False).fit(8 * X, Y)
    assert model.encoding_.stored_norm == 8.0


@pytest.mark.parametrize("norm", ["private", "foo", "8", -3.0, 0, np.nan, np.inf, True, [8], Decimal(8), None])
def test_another_norm_is_refused_before_anything_is_read_or_written(tmp_path, norm):
    reader = TABLE.to_reader()
    with pytest.raises(InvalidArgument, match="data_norm"):
        sotto.pack(reader, tmp_path / "b", label="lab", classes=[0, 1], data_norm=norm)
    assert reader.read_all().num_rows == 500 and not list(tmp_path.iterdir())


def batches(*tables):
    return (batch for table in tables for batch in table.to_batches())


@pytest.mark.parametrize(
    "second",
    [
        TABLE.drop_columns(["b"]),
        TABLE.drop_columns(["lab"]),
        TABLE.append_column("e", TABLE["a"]),
        TABLE.select(["b", "a", "c", "d", "lab"]),
        TABLE.rename_columns(["a", "b", "c", "z", "lab"]),
    ],
)
def test_a_batch_with_other_columns_is_refused(tmp_path, second):
    with pytest.raises(InvalidArgument, match="every batch must have the columns of the first"):
        sotto.pack(batches(TABLE, second), tmp_path / "b", label="lab", classes=[0, 1], data_norm=8.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [["a", "a", "c", "d", "lab"], ["a", "b", "c", "lab", "lab"]])
def test_two_columns_of_one_name_are_refused(tmp_path, names):
    with pytest.raises(InvalidArgument, match="two columns have one name"):
        sotto.pack(batches(TABLE.rename_columns(names)), tmp_path / "b", label="lab", classes=[0, 1], data_norm=8.0)
    assert not list(tmp_path.iterdir())
