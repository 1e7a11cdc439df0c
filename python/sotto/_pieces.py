"""Large inputs are checked and converted piece by piece: between two pieces the interpreter looks at signals, so that Ctrl-C
is heard at once and not when all rows are through. What scikit-learn says about an input it says about a piece."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
import scipy.sparse
from sklearn.utils import assert_all_finite, check_array, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from .errors import InvalidArgument

#: Values that take some milliseconds, labels by number and labels that are objects or texts.
_VALUES = 1 << 20
_NUMBERS = 1 << 17
_TEXTS = 1 << 13
_FLOATS = (np.float64, np.float32)
#: Messages of scikit-learn up to where they show the array.
_UNQUOTED = (
    "Expected 2D array, got 1D array instead. Reshape your data either using array.reshape(-1, 1) or array.reshape(1, -1)",
    "Expected 2D array, got scalar array instead. Reshape your data",
    "Complex data not supported",
)

#: In place of scikit-learn's advice to fit an imputer.
_MISSING = (
    "Input X contains NaN. Declare the columns by a sotto.Schema with missing, which gives missing numbers a feature of their own. "
    "Or fill in a constant that you choose beforehand, without looking at the rows. An imputer that is fitted on the rows reads them "
    "outside the guarantee"
)
_TEXTS_INSTEAD = (
    "holds texts that are no numbers. Declare the columns by a sotto.Schema and pass schema=; sotto.Schema.draft writes a first "
    "one. Or put sotto.OneHot before the estimator, in a pipeline"
)


def spans(rows: int, size: int) -> Iterator[slice]:
    return (slice(first, first + size) for first in range(0, rows, size))


def label_spans(y: Any) -> Iterator[slice]:
    return spans(len(y), _NUMBERS if y.dtype.kind in "biuf" else _TEXTS)


def _own_words(message: str) -> str | None:
    """What is said in place of a message of scikit-learn that quotes a cell or gives advice that is wrong here."""
    if message.startswith("Input X contains NaN"):
        return _MISSING
    return next((text for text in _UNQUOTED if message.startswith(text.split(".")[0])), None)


def naming_columns(X: Any, convert: Callable[[], Any]) -> Any:
    """A conversion that fails quotes the cell at fault; this names the column only."""
    try:
        return convert()
    except ValueError as error:
        unquoted = _own_words(str(error))
        place = None if unquoted else _text_column(X)
        if unquoted is None and place is None:
            raise
    # Outside the handler: the message that quotes must not come along as context either.
    raise ValueError(unquoted) if unquoted else InvalidArgument(f"X: column {place} {_TEXTS_INSTEAD}")


def _text_column(X: Any) -> str | None:
    """The first column with a text that spells no number, by its name or its place."""
    if hasattr(X, "columns"):
        columns = [(repr(name), X[name]) for name in X.columns]
    else:
        array = np.asarray(X)
        columns = [(str(i), array[:, i]) for i in range(array.shape[1])] if array.ndim == 2 else []
    for name, column in columns:
        try:
            cells = np.asarray(column)
            if cells.dtype.kind in "OUST":
                np.array([cell for cell in cells if isinstance(cell, (str, bytes))], dtype=object).astype(np.float64)
        except ValueError:
            return name
    return None


def checked(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Rows and labels as scikit-learn's validate_data returns them, without its quotes."""
    return naming_columns(X, lambda: _checked(estimator, X, y))  # type: ignore[no-any-return]


def checked_rows(estimator: Any, X: Any) -> Any:
    """The same for rows to predict."""
    return naming_columns(X, lambda: _checked_rows(estimator, X))


def _checked(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    if y is None or not (_large(X) or _plain(X)):
        X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=list(_FLOATS), y_numeric=False)
        return X, column_or_1d(y, warn=True)
    validate_data(estimator, X, y, skip_check_array=True)
    check_consistent_length(X, y)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "fO":
        for part in label_spans(y):
            assert_all_finite(y[part], input_name="y")
    return _rows(estimator, X), y


def _checked_rows(estimator: Any, X: Any) -> Any:
    if not (_large(X) or _plain(X)):
        return validate_data(estimator, X, accept_sparse="csr", dtype=list(_FLOATS), reset=False)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return _rows(estimator, X)


def refuse_continuous(y: Any) -> None:
    # Whole numbers and truths are classes whatever they are; the question costs more than reading them.
    if y.dtype.kind in "biu":
        return
    for part in label_spans(y):
        check_classification_targets(y[part])


def unique(y: Any) -> Any:
    found = [np.unique(y[part]) for part in label_spans(y)]
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def in_pieces(y: Any, convert: Callable[[Any], Any], dtype: Any) -> Any:
    out = np.empty(len(y), dtype=dtype)
    for part in label_spans(y):
        out[part] = convert(y[part])
    return out


def _plain(X: Any) -> bool:
    """Floats in two dimensions: there is nothing to convert, and less to ask than check_array does."""
    return type(X) in (np.ndarray, np.memmap) and X.ndim == 2 and X.dtype in _FLOATS and min(X.shape) > 0


def _large(X: Any) -> bool:
    shape = getattr(X, "shape", None)
    if shape is None or len(shape) != 2:
        return False
    return int(X.nnz if scipy.sparse.issparse(X) else shape[0] * shape[1]) > _VALUES


def _rows(estimator: Any, X: Any) -> Any:
    if scipy.sparse.issparse(X):
        return _sparse_rows(estimator, X)
    one_float = not hasattr(X, "iloc") or len(set(X.dtypes)) == 1 and X.dtypes.iloc[0] in _FLOATS
    if hasattr(X, "__array__") and one_float and not hasattr(X, "to_arrow"):
        array = np.asarray(X)  # without a copy
        if array.dtype in _FLOATS:
            lines = array if array.flags.c_contiguous else array.T
            for part in spans(len(lines), max(1, _VALUES // max(1, lines.shape[1]))):
                assert_all_finite(lines[part], estimator_name=type(estimator).__name__, input_name="X")
            return array
    return _converted(estimator, X)


def _converted(estimator: Any, X: Any) -> Any:
    rows, features = X.shape
    out: Any = None
    for part in spans(rows, max(1, _VALUES // 4 // max(1, features))):  # a conversion takes longer than a check
        piece = X.iloc[part] if hasattr(X, "iloc") else X[part]
        piece = check_array(piece, dtype=list(_FLOATS), estimator=estimator, input_name="X")
        out = np.empty((rows, features), dtype=piece.dtype) if out is None else out
        out[part] = piece
    return out


def _sparse_rows(estimator: Any, X: Any) -> Any:
    matrix = X.tocsr()
    if matrix.dtype not in _FLOATS:
        return check_array(matrix, accept_sparse="csr", dtype=list(_FLOATS), estimator=estimator, input_name="X")
    for part in spans(matrix.nnz, _VALUES):
        assert_all_finite(matrix.data[part], estimator_name=type(estimator).__name__, input_name="X")
    return matrix
