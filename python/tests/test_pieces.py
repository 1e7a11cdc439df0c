"""Large inputs go through in pieces: as if they went whole, but Ctrl-C is heard between two of them."""

from __future__ import annotations

import signal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.utils.validation import validate_data
from sotto import LogisticRegression, _pieces
from sotto._inputs import encode_labels

ROWS = 500


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    for name, size in {"_VALUES": 64, "_NUMBERS": 32, "_TEXTS": 16}.items():
        monkeypatch.setattr(_pieces, name, size)


def matrix():
    return np.random.default_rng(0).normal(size=(ROWS, 3)).round(2)


def columns():
    return ["a", "b", "c"]


INPUTS = {
    "float64": matrix,
    "float32": lambda: matrix().astype(np.float32),
    "fortran": lambda: np.asfortranarray(matrix()),
    "strided": lambda: np.repeat(matrix(), 2, axis=1)[:, ::2],
    "integers": lambda: (matrix() * 100).astype(np.int64),
    "pandas": lambda: pd.DataFrame(matrix(), columns=columns()),
    "mixed": lambda: pd.DataFrame({"a": np.arange(ROWS), "b": matrix()[:, 1], "c": np.arange(ROWS) % 2 == 0}),
    "nullable": lambda: pd.DataFrame(matrix(), columns=columns()).convert_dtypes(dtype_backend="numpy_nullable"),
    "polars": lambda: pl.DataFrame(matrix(), schema=columns()),
    "csr": lambda: scipy.sparse.csr_matrix(matrix()),
    "csc": lambda: scipy.sparse.csc_matrix(matrix()),
    "whole csr": lambda: scipy.sparse.csr_matrix((matrix() * 100).astype(np.int64)),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_pieces_are_what_scikit_learn_makes_of_the_whole(kind):
    y = np.arange(ROWS) % 2
    ours, theirs = LogisticRegression(), LogisticRegression()
    X, labels = _pieces.checked(ours, INPUTS[kind](), y)
    whole, _ = validate_data(theirs, INPUTS[kind](), y, accept_sparse="csr", dtype=[np.float64, np.float32])
    assert X.dtype == whole.dtype and np.array_equal(labels, y)
    dense = (lambda m: m.toarray()) if scipy.sparse.issparse(whole) else (lambda m: m)
    assert np.array_equal(dense(X), dense(whole))
    assert ours.n_features_in_ == 3
    assert list(getattr(ours, "feature_names_in_", [])) == list(getattr(theirs, "feature_names_in_", []))


@pytest.mark.parametrize("kind", [k for k in INPUTS if k not in ("integers", "whole csr")])
def test_a_missing_value_in_the_last_piece_is_found(kind):
    X = INPUTS[kind]()
    if isinstance(X, pl.DataFrame):
        X = X.with_columns(pl.when(pl.int_range(pl.len()) == ROWS - 1).then(float("nan")).otherwise(pl.col("b")).alias("b"))
    elif isinstance(X, pd.DataFrame):
        X.iloc[ROWS - 1, 1] = None
    else:
        X[ROWS - 1, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, np.arange(ROWS) % 2)


def test_other_mistakes_have_the_messages_of_scikit_learn():
    model = LogisticRegression(epsilon=1.0, data_norm=1.0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(matrix(), np.zeros(3))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model.fit(matrix(), matrix()[:, 0])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.fit(matrix(), np.where(np.arange(ROWS) == ROWS - 1, np.nan, 1.0))
    with pytest.raises(ValueError, match="X has 2 features"):
        model.fit(matrix(), np.arange(ROWS) % 2).predict(matrix()[:, :2])


@pytest.mark.parametrize("labels", [
    np.arange(ROWS) % 3, np.arange(ROWS) % 3 + 5, (np.arange(ROWS) % 3).astype(np.uint8), (np.arange(ROWS) % 3).astype(float),
    np.array(["red", "green", "blue"])[np.arange(ROWS) % 3], np.array(["red", "green", "blue"], dtype=object)[np.arange(ROWS) % 3],
])  # fmt: skip
def test_labels_are_found_and_numbered_over_all_pieces(labels):
    classes = _pieces.unique(labels)
    assert np.array_equal(classes, np.unique(labels))
    codes = encode_labels(labels, classes)
    assert codes.dtype == np.int32 and np.array_equal(classes[codes], labels)
    if labels.dtype.kind in "iuf":
        assert np.array_equal(encode_labels(labels, classes[:2]), np.where(labels <= classes[1], codes, -1))


def test_an_interrupt_is_heard_between_two_pieces(monkeypatch):
    seen = []

    def look(piece, **how):
        seen.append(len(piece))
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_pieces, "assert_all_finite", look)
    with pytest.raises(KeyboardInterrupt):
        LogisticRegression(epsilon=1.0, data_norm=1.0).fit(matrix(), np.arange(ROWS) % 2)
    assert len(seen) == 1 and seen[0] < ROWS
