"""What a fitted estimator does: predict, explain itself, and leave."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._card import PrivacyCard
from ._encoding import Encoding
from ._inputs import as_table, matrix_of, rows_of
from ._pieces import checked_rows
from ._refused import InKeywords
from ._table import columns_of, is_table
from .errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._summary import Summary
    from .ledger import Ledger


class FittedClassifier(InKeywords, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What every estimator has after ``fit``."""

    model_: _core.Model
    stored_: bool
    privacy_: PrivacyCard
    encoding_: Encoding
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    n_iter_: int

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of rows, clipped as in training.

        Parameters
        ----------
        X : table or array
            Rows like those of ``fit``.

        Returns
        -------
        array
            Of two classes one number for each row, above 0 for ``classes_[1]``; otherwise a column for each class.
        """
        rows = self._rows(X)
        scores: NDArray[np.float64] = self.model_.scores(rows)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : table or array
            Rows like those of ``fit``.

        Returns
        -------
        array
            Members of ``classes_``.
        """
        rows = self._rows(X)
        found: NDArray[Any] = self.classes_[self.model_.predicted(rows)]
        return found

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of rows that are predicted right. **Not private**: it is computed from these rows without noise.

        On private rows the number is not for release, and no choice may be made by it: :func:`sotto.tune` chooses privately.

        Parameters
        ----------
        X : table or array
            Rows like those of ``fit``.
        y : array, optional
            Their labels. May be left out where a schema names a column of ``X``.
        sample_weight : array, optional
            How much each row counts.

        Returns
        -------
        float
        """
        if y is None:
            y = self._labels_in(X)
        return float(super().score(X, y, sample_weight))

    def _labels_in(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        label = self.encoding_.label
        table = columns_of(X, None, label) if self.encoding_.raw and is_table(X) else {}
        if label not in table:
            raise InvalidArgument("y: must be given, as X has no column of labels that a schema names")
        return np.asarray(table[label])

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficients by name, with intervals where they are known.

        Parameters
        ----------
        level : float
            The chance that an interval covers its coefficient.

        Returns
        -------
        Summary
        """
        from ._summary import Summary

        check_is_fitted(self, "model_")
        return Summary(self, level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file. :func:`sotto.load` and the command line read it; with a schema it is complete.

        Parameters
        ----------
        path : str or path
        """
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))

    def report(self, path: str | os.PathLike[str], *, ledger: Ledger | None = None, X: Any = None, y: Any = None) -> None:
        """Writes a page about the model for people: what was promised, what is left, and how it was made. One HTML file.

        Parameters
        ----------
        path : str or path
            Where the page is written.
        ledger : Ledger, optional
            The one that was charged: the page then shows its budget and entries.
        X, y : optional
            Rows that were held out, to measure on. What they say is marked *not private*.
        """
        from ._report import write_report

        check_is_fitted(self, "model_")
        write_report(self, path, ledger, X, y)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        if self.encoding_.raw:
            columns = columns_of(X, None, self.encoding_.label)
            return _core.table_rows(self.encoding_.cells(columns), self.encoding_.core, False)
        X = checked_rows(self, as_table(X))
        return rows_of(matrix_of(X), None, self.encoding_.core)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # The noise is never seeded: two fits differ.
        tags.non_deterministic = True
        return tags

    # The card under scikit-learn's own display. Notebooks ask for the bundle and pass by _repr_html_ where there is one.

    def _repr_html_(self) -> str:
        return str(super()._repr_html_()) + self._card_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        shown = dict(super()._repr_mimebundle_(**kwargs))
        return {kind: text + self._card_html() if kind == "text/html" else text for kind, text in shown.items()}

    def _card_html(self) -> str:
        return self.privacy_._repr_html_() if hasattr(self, "privacy_") else ""


F = TypeVar("F", bound=Callable[..., Any])


def only_where(check: Callable[[Any], bool]) -> Callable[[F], F]:
    """A method that is there only where the check holds, with the types it was written with."""
    return cast(Callable[[F], F], available_if(check))


class GivesProbabilities(FittedClassifier):
    """An estimator whose loss stands for probabilities."""

    def _has_probabilities(self) -> bool:
        return True

    @only_where(lambda estimator: bool(estimator._has_probabilities()))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class.

        Of two classes it is the sigmoid of the score times the model's link; of more the share of exp(score), or sigmoids over
        their sum.

        Parameters
        ----------
        X : table or array
            Rows like those of ``fit``.

        Returns
        -------
        array
            A column for each of ``classes_``.
        """
        rows = self._rows(X)
        found: NDArray[np.float64] = self.model_.probabilities(rows)
        return found

    @only_where(lambda estimator: bool(estimator._has_probabilities()))
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : table or array
            Rows like those of ``fit``.

        Returns
        -------
        array
        """
        found: NDArray[np.float64] = np.log(self.predict_proba(X))
        return found
