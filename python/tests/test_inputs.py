from __future__ import annotations

import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.pipeline import make_pipeline
from sotto import Ledger, LogisticRegression, NotPrivateWarning, OneHot, _core, pack, pack_parquet
from conftest import encoding_of
from sotto._inputs import encode_labels, rows_of

CODES = np.array([0, 1, 1], dtype=np.int32)


def noiseless(**other):
    return LogisticRegression(epsilon=1.0, data_norm=1.0, method="noiseless", alpha=0.01, random_state=1, check=False, **other)


def weights(X, y, **other):
    with pytest.warns(NotPrivateWarning):
        return noiseless(**other).fit(X, y).coef_


def layouts(X):
    yield np.asfortranarray(X)
    yield X[::-1].copy()[::-1]
    yield np.repeat(X, 2, axis=1)[:, ::2]
    yield X.astype(np.float32).astype(np.float64)


def test_every_layout_gives_the_same_model(two):
    X, y = two
    X = X.astype(np.float32).astype(np.float64)
    expected = weights(X, y)
    for other in layouts(X):
        assert np.array_equal(weights(other, y), expected)
    np.testing.assert_allclose(weights(X.astype(np.float32), y), expected, rtol=1e-5)
    # Sparse rows lie in other blocks, so they are visited in another order.
    np.testing.assert_allclose(weights(scipy.sparse.csr_matrix(X), y), expected, atol=0.02)
    assert np.array_equal(weights(X, y, fit_intercept=False), weights(X.copy(), y, fit_intercept=False))


def test_floats_inside_the_norm_are_not_copied():
    X = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.5]], dtype=np.float32)
    assert not rows_of(X, CODES, encoding_of(2, 1.0)).copied
    assert rows_of(X, CODES, encoding_of(2, 0.5)).copied
    assert rows_of(X, CODES, encoding_of(2, 1.0, 1.0)).copied
    assert rows_of(X, np.array([0, 1, -1], dtype=np.int32), encoding_of(2, 1.0)).copied


def test_a_memory_mapped_array_is_read_in_place(two, tmp_path):
    X, y = two
    np.save(tmp_path / "x.npy", X.astype(np.float32) * 0.99)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    codes = encode_labels(y, [0, 1])
    assert not rows_of(mapped, codes, encoding_of(5, 1.0)).copied
    assert weights(mapped, y, fit_intercept=False).shape == (1, 5)


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.floats(-1e6, 1e6)),
    st.floats(1e-3, 1e3),
    st.sampled_from([0.0, 1.0]),
)
def test_no_row_is_longer_than_the_declared_norm(X, norm, intercept):
    """The score of a row by unit weights in its own direction is its stored norm."""
    about = encoding_of(X.shape[1], norm, intercept)
    codes = np.zeros(len(X), dtype=np.int32)
    for matrix in (X, np.asfortranarray(X), X.astype(np.float32), scipy.sparse.csr_matrix(X)):
        rows = rows_of(matrix, codes, about)
        assert rows.rows == len(X) and rows.data_norm == norm
        wide = np.hstack([X, np.full((len(X), 1), intercept)]) if intercept else X
        lengths = np.linalg.norm(wide, axis=1)
        for i, length in enumerate(lengths):
            if length == 0:
                continue
            model = unit_model(wide[i] / length)
            assert model.scores(rows)[i, 0] <= norm * (1 + 2**-19)
            assert model.scores(rows)[i, 0] == pytest.approx(min(length, norm), rel=1e-4)


def unit_model(direction):
    import json

    with pytest.warns(NotPrivateWarning):
        made = noiseless(fit_intercept=False).fit(np.eye(len(direction), dtype=np.float32).repeat(2, axis=0), np.tile([0, 1], len(direction)))
    content = json.loads(made.model_.text())
    content["weights"] = [float(v) for v in direction]
    return _core.Model.from_text(json.dumps(content))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.lists(st.integers(-3, 3), min_size=2, max_size=5, unique=True))
def test_labels_become_their_place_in_the_list_or_minus_one(labels, classes):
    order = sorted(classes)
    expected = [order.index(v) if v in order else -1 for v in labels]
    assert encode_labels(np.array(labels), order).tolist() == expected
    assert encode_labels(np.array([str(v) for v in labels]), [str(v) for v in order]).tolist() == expected


def test_data_frames_name_the_features(two):
    pandas = pytest.importorskip("pandas")
    X, y = two
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(frame, pandas.Series(y))
    assert list(model.feature_names_in_) == list("abcde")
    assert list(model.encoding_.names) == list("abcde")
    nullable = frame.astype("Float64")
    assert np.array_equal(model.predict(nullable), model.predict(frame))
    nullable.iloc[0, 0] = pandas.NA
    with pytest.raises(ValueError, match="NaN"):
        model.predict(nullable)
    frame["job"] = pandas.Categorical(["x"] * len(frame))
    with pytest.raises(ValueError, match="column 'job' is categorical"):
        LogisticRegression(epsilon=5.0, data_norm=1.0).fit(frame, y)


def test_nullable_whole_numbers_and_truths_are_numbers():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    columns = {"n": [0, 1, 2, 3] * 50, "b": [True, False, True, True] * 50}
    y = np.array([0, 1, 1, 0] * 50)
    plain = np.column_stack([np.array(columns["n"], float), np.array(columns["b"], float)])
    expected = weights(plain, y)
    frame = pandas.DataFrame(columns).astype({"n": "Int64", "b": "boolean"})
    assert np.array_equal(weights(frame, y), expected)
    assert np.array_equal(weights(polars.DataFrame(columns), y), expected)
    missing = polars.DataFrame({"n": [None, *columns["n"][1:]], "b": columns["b"]})
    with pytest.raises(ValueError, match="NaN"):
        noiseless().fit(missing, y)


def test_categories_of_every_library_ask_for_declared_ones():
    pa = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    cells = ["a", "b", "a", "c"] * 25
    y = np.array([0, 1, 0, 1] * 25)
    categorical = pandas.DataFrame({"job": pandas.Categorical(cells)})
    held = [
        categorical,
        polars.DataFrame({"job": polars.Series(cells, dtype=polars.Categorical)}),
        polars.DataFrame({"job": polars.Series(cells, dtype=polars.Enum(["a", "b", "c"]))}),
        pa.table({"job": pa.array(cells).dictionary_encode()}),
    ]
    for table in held:
        with pytest.raises(ValueError, match="column 'job' is categorical"):
            LogisticRegression(epsilon=5.0, data_norm=1.0).fit(table, y)
        encoded = OneHot([["a", "b", "c", "d"]]).fit_transform(table)
        assert np.array_equal(encoded.argmax(axis=1), [0, 1, 0, 2] * 25) and encoded.shape == (100, 4)
        # The values that pandas, Polars and Arrow keep with a column were taken from the rows: here nobody declared them.
        with pytest.raises(ValueError, match="must not be taken from the rows"):
            OneHot().fit(table)
    for table in (held[0], held[2], held[3]):
        assert OneHot(categories="dtype").fit(table).categories_ == [["a", "b", "c"]]
    with pytest.raises(ValueError, match="'job' has none declared"):
        OneHot(categories="dtype").fit(held[1])
    model = make_pipeline(OneHot({"job": ["a", "b", "c"]}), LogisticRegression(epsilon=50.0, data_norm=1.0)).fit(categorical, y)
    assert model[-1].privacy_.is_private


def test_a_missing_text_is_no_category():
    pandas = pytest.importorskip("pandas")
    for kind in ("string", "object", "category"):
        frame = pandas.DataFrame({"job": pandas.Series(["a", None, "b"], dtype=kind)})
        assert OneHot([["a", "b"]]).fit_transform(frame).tolist() == [[1, 0], [0, 0], [0, 1]]
    frame = pandas.DataFrame({"n": pandas.Series([1, pandas.NA, 2], dtype="Int64")})
    assert OneHot({"n": [1, 2]}).fit_transform(frame).tolist() == [[1, 0], [0, 0], [0, 1]]


def test_polars_arrow_and_duckdb(two):
    X, y = two
    pa = pytest.importorskip("pyarrow")
    held = pa.table({name: X[:, i] for i, name in enumerate("abcde")})
    expected = weights(X, y)
    model = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(held, y)
    assert list(model.feature_names_in_) == list("abcde")
    assert np.array_equal(weights(held, y), expected)
    assert np.array_equal(weights(pa.RecordBatchReader.from_batches(held.schema, held.to_batches()), y), expected)
    polars = pytest.importorskip("polars")
    assert np.array_equal(weights(polars.DataFrame(held), y), expected)
    duckdb = pytest.importorskip("duckdb")
    assert np.array_equal(weights(duckdb.sql("select * from held"), y), expected)


def test_a_parquet_file_is_streamed_into_a_block_file(two, tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    X, y = two
    columns = {name: X[:, i] for i, name in enumerate("abcde")} | {"y": y}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=500)
    path = tmp_path / "t.sotto"
    assert pack_parquet(tmp_path / "t.parquet", path, label="y", classes=[0, 1], data_norm=1.0) == len(X)
    model = LogisticRegression(epsilon=5.0, data_norm=1.0, method="bolt_on", alpha=0.01).fit_block_file(path)
    assert model.score(X, y) > 0.9 and model.privacy_.is_private
    assert model.privacy_["facts"]["rows"] == len(X)


def test_streams_of_every_library_are_packed(two, tmp_path):
    """The rows arrive whole: a model without noise trained on the file is that of the array."""
    pa = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    X, y = two
    held = pa.table({name: X[:, i] for i, name in enumerate("abcde")} | {"y": y})
    sources = {
        "reader": pa.RecordBatchReader.from_batches(held.schema, held.to_batches(max_chunksize=300)),
        "table": held,
        "polars": polars.DataFrame(held),
        "batches": iter(held.to_batches(max_chunksize=1000)),
        "relation": duckdb.sql("select * from held"),
    }
    for name, source in sources.items():
        path = tmp_path / name
        assert pack(source, path, label="y", classes=[0, 1], data_norm=1.0) == len(X)
        with pytest.warns(NotPrivateWarning):
            found = noiseless(max_iter=20).fit_block_file(path)
        assert list(found.encoding_.names) == list("abcde")
        # Rows are shuffled on the way: another order, nearly the same weights.
        np.testing.assert_allclose(found.coef_, weights(X, y, max_iter=20), atol=0.05, err_msg=name)


LARGER = """
    import os, resource, sys
    import numpy as np, pyarrow as pa, pyarrow.parquet as pq
    from sotto import LogisticRegression, pack_parquet
    def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    folder, rows, features = sys.argv[1], 50_000, 25
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(features)]
    with pq.ParquetWriter(folder + "/t.parquet", pa.schema([(n, pa.float64()) for n in names] + [("y", pa.int64())])) as out:
        X = rng.normal(size=(rows, features)); y = (X[:, 0] > 0).astype(int)
        for _ in range(30):
            out.write_table(pa.table({n: X[:, i] for i, n in enumerate(names)} | {"y": y}))
    del X, y
    before = peak()
    count = pack_parquet(folder + "/t.parquet", folder + "/t.sotto", label="y", classes=[0, 1], data_norm=5.0, memory_mb=32)
    packed = peak() - before
    os.remove(folder + "/t.parquet")
    model = LogisticRegression(epsilon=1.0, data_norm=5.0, alpha=1e-3, method="bolt_on", max_iter=1)
    model.fit_block_file(folder + "/t.sotto")
    whole = count * features * 8 >> 20
    print(count, model.privacy_.is_private, whole, packed, peak() - before)
"""


def test_a_parquet_file_is_never_held_whole(tmp_path):
    pytest.importorskip("pyarrow")
    said = subprocess.run([sys.executable, "-c", textwrap.dedent(LARGER), str(tmp_path)], capture_output=True, text=True, timeout=600)
    assert said.returncode == 0, said.stderr
    count, private, whole, packed, trained = said.stdout.split()
    assert (int(count), private, int(whole)) == (1_500_000, "True", 286)
    # The block file is mapped while it is trained from: its pages count, and are given back when memory is short.
    assert int(packed) < 180 and int(trained) < int(whole) + 32, said.stdout


def test_a_stream_with_bad_values_packs_them_as_zero_rows(tmp_path):
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"a": [0.5, None, float("inf"), 0.25], "y": ["u", "v", "v", "other"]})
    assert pack([batch], tmp_path / "b", label="y", classes=["u", "v"], data_norm=1.0, check=False) == 4
    with pytest.raises(ValueError, match="no column 'z'"):
        pack([batch], tmp_path / "c", label="z", classes=[0, 1], data_norm=1.0)
    text = pa.record_batch({"a": ["x"], "y": [0]})
    with pytest.raises(ValueError, match="must be a number"):
        pack([text], tmp_path / "d", label="y", classes=[0, 1], data_norm=1.0)


def test_no_message_quotes_a_cell(tmp_path):
    pandas = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    from sotto import Scaler

    cells = {"age": [1.0, 2.0], "name": ["7", "Alice Smith"]}
    frame = pandas.DataFrame(cells)
    y = [0, 1]
    held = [frame, frame.astype({"name": object}), frame.astype({"name": "string"}), polars.DataFrame(cells), pa.table(cells)]
    arrays = [frame.astype(object).to_numpy(), np.array([["1", "7"], ["2", "Alice Smith"]]), [["1", "7"], ["2", "Alice Smith"]]]
    good = LogisticRegression(epsilon=5.0, data_norm=1.0).fit(np.eye(2), y)
    for name, X in [("'name'", X) for X in held] + [("1", X) for X in arrays]:
        for ask in (LogisticRegression(epsilon=5.0, data_norm=1.0).fit, lambda X, y: good.predict(X), Scaler((0, 1)).fit):
            with pytest.raises(ValueError, match=f"column {name}") as refusal:
                ask(X, y)
            shown = refusal.getrepr(chain=True, style="short").reprcrash.message + str(refusal.value.__context__)
            assert "Alice" not in shown
    with pytest.raises(ValueError, match="column 'name' holds texts"):
        Ledger.create(tmp_path / "l", epsilon=1.0, X=frame, y=y)
    large = pa.record_batch({"n": pa.array([9007199254740993, 1]), "y": [0, 1]})
    assert pack([large], tmp_path / "large", label="y", classes=[0, 1], data_norm=1.0, check=False) == 2
    with pytest.raises(ValueError, match="only one class") as refusal:
        LogisticRegression(epsilon=5.0, data_norm=1.0).fit(np.eye(2), ["Alice", "Alice"])
    assert "Alice" not in str(refusal.value)


@pytest.mark.parametrize("form", [lambda X: X[:, 0], lambda X: X[0, 0], lambda X: X + 1j], ids=["1d", "scalar", "complex"])
def test_a_wrong_shape_or_type_is_named_without_its_values(two, form):
    X = np.full_like(two[0], 0.123456)
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    for refused in (lambda: model.fit(form(X), two[1]), lambda: model.fit(X, two[1]).predict(form(X))):
        with pytest.raises(ValueError, match="Expected 2D array|Complex data not supported") as said:
            refused()
        assert "0.123" not in "".join(traceback.format_exception(said.value))
