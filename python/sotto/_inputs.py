"""From what people hold (NumPy, SciPy, pandas, Polars, Arrow) to rows of the library."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np
import scipy.sparse

from . import _core
from ._pieces import in_pieces, naming_columns
from .errors import InvalidArgument


def as_table(X: Any) -> Any:
    """Arrow tables and streams (through the PyCapsule interface) and DuckDB relations as something with columns."""
    if isinstance(X, (np.ndarray, list, tuple)) or scipy.sparse.issparse(X):
        return X
    refuse_unread(X, "X")
    if hasattr(X, "__dataframe__") or hasattr(X, "iloc") or hasattr(X, "to_pandas") and not hasattr(X, "fetch_arrow_table"):
        if type(X).__module__.split(".")[0] != "pyarrow":
            return X
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "fetch_arrow_table"):
        return _from_arrow(X)
    return X


def _from_arrow(X: Any) -> Any:
    import pyarrow as pa

    for relation in ("to_arrow_table", "fetch_arrow_table"):  # DuckDB, its newer and its older name
        if hasattr(X, relation):
            return getattr(X, relation)().to_pandas()
    table = pa.table(X)
    if table.num_rows == 0 and _is_stream(X):
        raise InvalidArgument(
            "X: the stream has no rows left. A stream can be read once, and a pipeline or another fit reads it again: "
            "materialise it first, by .read_all()"
        )
    return table.to_pandas()


def refuse_unread(source: Any, name: str) -> None:
    """What stands for rows that nobody has read yet."""
    if isinstance(source, (str, bytes, os.PathLike)):
        raise InvalidArgument(
            f"{name}: got a path, must be rows. Read the file first, or stream it into a block file by sotto.pack_parquet "
            "and train by fit_block_file"
        )
    if type(source).__name__ == "LazyFrame":
        raise InvalidArgument(f"{name}: a LazyFrame has no rows yet; call its .collect() first")


def _is_stream(X: Any) -> bool:
    """Whether it can be read once: it does not know how many rows it has."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape")


def shape_of(X: Any) -> tuple[int, int]:
    """The number of rows and features, without reading a value."""
    refuse_unread(X, "X")
    if _is_stream(X):
        raise InvalidArgument("X: a stream tells its number of rows by being read; give n_samples and n_features instead")
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise InvalidArgument("X: must have two dimensions, rows and features")
    return int(shape[0]), int(shape[1])


def refuse_text_columns(X: Any) -> None:
    """Says which column has no numbers, before a conversion fails with less."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "columns"):
        return
    for name, dtype in zip(X.columns, list(dtypes)):
        if str(dtype) in ("category", "Categorical", "Enum") or str(dtype).startswith(("Categorical", "Enum")):
            raise InvalidArgument(
                f"X: column {name!r} is categorical, and its categories must be declared: by a sotto.Schema and schema=, or by "
                "sotto.OneHot before the estimator"
            )


def matrix_of(X: Any) -> Any:
    """A 2-d array of float32 or float64, or a CSR matrix, without a copy where there can be none."""
    if scipy.sparse.issparse(X):
        matrix = X.tocsr()
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix
    table = as_table(X)
    array = np.asarray(table)
    return array if array.dtype in (np.float32, np.float64) else naming_columns(table, lambda: array.astype(np.float64))


def encode_labels(y: Any, classes: Any) -> Any:
    """The place of each label in the sorted list of classes, -1 for one that is not in it."""
    order = np.asarray(classes)
    labels = np.asarray(y)
    if order.dtype.kind in "OUS" or labels.dtype.kind in "OUS":
        places = {value: place for place, value in enumerate(order.tolist())}
        return in_pieces(labels, lambda part: [places.get(value, -1) for value in part.tolist()], np.int32)
    if _counts_up(order, labels):
        return labels.astype(np.int32)
    return in_pieces(labels, lambda part: _places(order, part), np.int32)


def _counts_up(order: Any, labels: Any) -> bool:
    """Whether the classes are 0, 1, 2, ... and every label is one of them: then a label is its own place."""
    if order.dtype.kind not in "iu" or labels.dtype.kind not in "iu" or not len(labels):
        return False
    counted = order[0] == 0 and order[-1] == len(order) - 1  # sorted, each once
    return bool(counted and labels.min() >= 0 and labels.max() < len(order))


def _places(order: Any, labels: Any) -> Any:
    found = np.searchsorted(order, labels)
    found[found == len(order)] = 0
    return np.where(order[found] == labels, found, -1)


def values_of(matrix: Any) -> Any:
    """A matrix as the library takes it: an array, or the parts of a sparse one."""
    if scipy.sparse.issparse(matrix):
        return (matrix.data, matrix.indices, matrix.indptr, matrix.shape[1])
    return matrix


def rows_of(matrix: Any, codes: Any, encoding: _core.Encoding, counted: bool = False) -> Any:
    """Rows of the library, encoded as declared. ``counted``: what becomes of them is counted, for a check."""
    make = _core.sparse_rows if scipy.sparse.issparse(matrix) else _core.dense_rows
    return make(values_of(matrix), codes, encoding, counted)


def fingerprint_of(matrix: Any, codes: Any, classes: Sequence[str]) -> str:
    """Of the content of rows, whatever their type and layout."""
    take = _core.fingerprint_sparse if scipy.sparse.issparse(matrix) else _core.fingerprint_dense
    return take(values_of(matrix), codes, list(classes))
