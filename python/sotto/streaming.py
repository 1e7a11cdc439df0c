"""Tables larger than memory: streamed once into a block file, which is trained from in bounded memory."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Iterator

import numpy as np

from . import _core
from ._declared import declared_classes, declared_norm
from ._encoding import Encoding
from ._inputs import encode_labels, refuse_unread
from ._prepared import checking
from .errors import InvalidArgument

_BATCH_ROWS = 65536
_READ_BYTES = 1 << 20


def pack(
    batches: Any,
    path: str | os.PathLike[str],
    *,
    label: str,
    classes: Any,
    data_norm: float | None = None,
    bounds: Any = None,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    memory_mb: int = 0,
    fingerprint: str = "",
    check: bool = True,
) -> int:
    """Streams record batches into a block file, for :meth:`LogisticRegression.fit_block_file`.

    Rows are shuffled, clipped, and kept in 32 bits.

    Parameters
    ----------
    batches : iterable
        A DuckDB relation, a table or reader with the Arrow PyCapsule interface, or Arrow record batches.
    path : str or path
        The file that is written.
    label : str
        The column of the label. Every other one is a feature.
    classes, data_norm, bounds, fit_intercept, intercept_scaling
        Declared as for an estimator.
    memory_mb : int
        What the shuffle may take; 0 chooses by the memory that is free.
    fingerprint : str
        64 hexadecimal digits that name the data, by which a ledger knows the rows. Without them the file serves no ledger.
    check : bool
        As of an estimator: no file is left of rows that nothing can be learned from.

    Returns
    -------
    int
        The number of rows.
    """
    norm = declared_norm(data_norm, bounds)
    if norm == "private":
        raise InvalidArgument(
            "data_norm: must be a number for a stream, which is read once; find one by 'sotto data bounds', or fit in memory"
        )
    if fingerprint and not re.fullmatch("[0-9a-f]{64}", fingerprint):
        raise InvalidArgument("fingerprint: must be 64 hexadecimal digits, in small letters")
    packer: Any = None
    columns_of_first: list[str] = []
    names: list[str] = []
    order = declared_classes(classes)
    for batch in _batches_of(batches):
        if packer is None:
            columns_of_first = list(batch.schema.names)
            names = _features_of(columns_of_first, label)
            shape = _Declared(bounds, fit_intercept, intercept_scaling)
            encoding = Encoding.build(shape, norm, len(names), order, names)
            about = {"fingerprint": fingerprint, "memory_mb": int(memory_mb), "check": bool(check)}
            packer = _core.BlockPacker(os.fspath(path), encoding.core, about)
        if list(batch.schema.names) != columns_of_first:
            raise InvalidArgument("batches: every batch must have the columns of the first, in their order")
        columns = [_numbers(batch.column(batch.schema.get_field_index(name)), name) for name in names]
        labels = encode_labels(_labels(batch.column(batch.schema.get_field_index(label))), order)
        packer.add(np.stack(columns, axis=1) if columns else np.empty((batch.num_rows, 0)), labels)
    if packer is None:
        raise InvalidArgument("batches: there are none")
    with checking(packer):
        return int(packer.finish())


def pack_parquet(source: str | os.PathLike[str], path: str | os.PathLike[str], *, label: str, **declarations: Any) -> int:
    """The same for a Parquet file, which is read batch by batch. A ledger knows the result by the file's content.

    Parameters
    ----------
    source : str or path
        The Parquet file.
    path : str or path
        The block file that is written.
    label : str
        The column of the label.
    **declarations
        As for :func:`pack`.

    Returns
    -------
    int
        The number of rows.
    """
    import pyarrow.parquet as pq

    with open(source, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)
    # Without read-ahead, which keeps every column chunk it has read until the last batch.
    batches = pq.ParquetFile(source, pre_buffer=False, buffer_size=_READ_BYTES).iter_batches(batch_size=_BATCH_ROWS)
    return pack(batches, path, label=label, fingerprint=digest, **declarations)


def _features_of(columns: list[str], label: str) -> list[str]:
    if label not in columns:
        raise InvalidArgument(f"label: there is no column {label!r}")
    if len(set(columns)) < len(columns):
        raise InvalidArgument("batches: two columns have one name")
    return [name for name in columns if name != label]


class _Declared:
    """The part of an estimator that an encoding is made from."""

    def __init__(self, bounds: Any, fit_intercept: bool, intercept_scaling: float) -> None:
        self.bounds = bounds
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling


def _digest(file: Any) -> str:
    found = hashlib.sha256()
    while piece := file.read(1 << 20):
        found.update(piece)
    return found.hexdigest()


def _batches_of(source: Any) -> Iterator[Any]:
    import pyarrow as pa

    refuse_unread(source, "batches")
    for relation in ("to_arrow_reader", "fetch_record_batch"):  # DuckDB, its newer and its older name
        if hasattr(source, relation):
            yield from getattr(source, relation)(_BATCH_ROWS)
            return
    if hasattr(source, "__arrow_c_array__") and not hasattr(source, "__arrow_c_stream__"):
        yield pa.record_batch(source)
    elif hasattr(source, "__arrow_c_stream__"):
        yield from pa.RecordBatchReader.from_stream(source)
    else:
        yield from source


def _numbers(column: Any, name: str) -> Any:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise InvalidArgument(f"column {name!r} holds {kind}, a feature must be a number")
    # A missing value becomes NaN, and its row the zero row.
    # Rounded where it does not fit a double: the refusal of a safe cast quotes the value.
    return column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _labels(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.to_numpy(zero_copy_only=False)
