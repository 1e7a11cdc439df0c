"""The page of a fitted model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._inputs import as_table, encode_labels, matrix_of, rows_of
from ._pieces import checked_rows
from ._table import columns_of
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._fitted import FittedClassifier
    from .ledger import Ledger


def write_report(estimator: FittedClassifier, path: str | os.PathLike[str], ledger: Ledger | None, X: Any, y: Any) -> None:
    """Makes the page by the library and writes it."""
    rows = None if X is None else _labelled_rows(estimator, X, y)
    name = os.path.splitext(os.path.basename(os.fspath(path)))[0]
    page = _core.model_page(name, estimator.model_, "" if ledger is None else ledger.path, rows)
    _core.write_file(os.fspath(path), page.encode())


def _labelled_rows(estimator: FittedClassifier, X: Any, y: Any) -> _core.Rows:
    encoding = estimator.encoding_
    if encoding.raw:
        return _core.table_rows(encoding.cells(columns_of(X, y, encoding.label)), encoding.core, True)
    if y is None:
        raise InvalidArgument("y: must be given with X")
    rows: _core.Rows = rows_of(matrix_of(checked_rows(estimator, as_table(X))), encode_labels(np.asarray(y), estimator.classes_), encoding.core)
    return rows
