"""Paths, lazy frames and streams are told from rows."""

from __future__ import annotations

import pytest
from sklearn.pipeline import make_pipeline
from sotto import InvalidArgument, LogisticRegression, Scaler, pack


def test_a_stream_is_read_once_and_says_so(two):
    pa = pytest.importorskip("pyarrow")
    X, y = two
    table = pa.table({name: X[:, i] for i, name in enumerate("abcde")})
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    with pytest.raises(InvalidArgument, match=r"A stream can be read once.*\.read_all\(\)"):
        make_pipeline(Scaler((-1.0, 1.0)), model).fit(table.to_reader(), y)
    reader = table.to_reader()
    with pytest.raises(InvalidArgument, match="give n_samples and n_features"):
        model.privacy_cost(reader)
    model.fit(reader, y)  # the dry run has read nothing
    with pytest.raises(InvalidArgument, match="has no rows left"):
        model.fit(reader, y)
    assert model.privacy_cost(table)["facts"]["rows"] == len(y)


def test_what_nobody_has_read_is_no_rows(two, tmp_path):
    polars = pytest.importorskip("polars")
    X, y = two
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    lazy = polars.DataFrame(X).lazy()

    def packed(source):
        return pack(source, tmp_path / "b", label="y", classes=[0, 1], data_norm=1.0)

    for ask in (lambda rows: model.fit(rows, y), model.privacy_cost, Scaler((-1, 1)).fit, packed):
        with pytest.raises(InvalidArgument, match=r"\.collect\(\) first"):
            ask(lazy)
        for path in ("rows.parquet", tmp_path / "rows.parquet"):
            with pytest.raises(InvalidArgument, match="pack_parquet"):
                ask(path)
