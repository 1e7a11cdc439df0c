"""Private choice of parameters: every candidate and the choice itself are paid for by one charge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, TypeVar

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._card import PrivacyCard
from ._fitted import F, only_where
from ._linear import PrivateLinearClassifier
from ._parameters import TABLE
from ._prepared import Trained, checking
from ._progress import Progress
from .errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

E = TypeVar("E", bound=PrivateLinearClassifier)
Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

#: What the whole search promises, and what kind of model it makes, is the same for every candidate.
_SAME_FOR_ALL = ("epsilon", "delta", "neighboring_relation", "method", "loss")
TUNABLE = tuple(row.keyword for row in TABLE if row.keyword not in _SAME_FOR_ALL)
#: Candidates that a search may have.
MOST = 1000


def tune(estimator: E, X: Any, y: Any = None, *, grid: Grid, by: str | None = None, mean_runs: int = 10) -> E:
    """Tries several settings, chooses one privately and returns its model. All of it together costs the estimator's epsilon.

    One charge covers every candidate and the choice. Scores of candidates are never shown: they would be further releases.

    Parameters
    ----------
    estimator : LogisticRegression, LinearSVC or SGDClassifier
        Its ``epsilon`` and ``delta`` are the budget of tuning and training together. It is not changed.
    X, y
        As for its ``fit``.
    grid : dict or list of dicts
        What is tried, as for scikit-learn's ``GridSearchCV``: ``{"alpha": [1e-4, 1e-3, 1e-2]}``.
    by : "random_stopping" or "parts", optional
        "random_stopping" trains a secret random number of candidates on all rows and needs a delta above 0. "parts" trains
        each on a part of its own and chooses on another. Without it "random_stopping" is taken where delta is above 0.
    mean_runs : int
        random_stopping: the mean of the number of runs.

    Returns
    -------
    estimator
        A fitted copy with the chosen parameters. Its card lists what was tried and promises what all of it cost.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> X = np.random.default_rng(0).normal(size=(4000, 3)) / 3
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = sotto.tune(sotto.LogisticRegression(epsilon=1.0, data_norm=1.0), X, y, grid={"alpha": [0.001, 0.01]})
    >>> bool(model.privacy_.epsilon < 1.001), model.alpha in (0.001, 0.01)
    (True, True)
    """
    return search(estimator, X, y, candidates_of(grid), by, mean_runs)[0]


def candidates_of(grid: Grid) -> list[dict[str, Any]]:
    """Every combination of the grid. Refuses what a private search cannot vary."""
    try:
        found = list(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"grid: {error}") from None
    if not 0 < len(found) <= MOST:
        raise InvalidArgument(f"grid: has {len(found)} combinations, must have 1 to {MOST}")
    for name in sorted({name for one in found for name in one}):
        if name not in TUNABLE:
            raise InvalidArgument(f"grid: {name} cannot be tuned privately, only parameters of the training ({', '.join(TUNABLE)})")
    return found


def search(
    estimator: E, X: Any, y: Any, candidates: list[dict[str, Any]], by: str | None, mean_runs: int
) -> tuple[E, int]:
    """The fitted estimator of the candidate that was chosen, and its place among them."""
    if not isinstance(estimator, PrivateLinearClassifier):
        raise InvalidArgument("estimator: must be one of this package, without a pipeline around it; a schema encodes raw columns")
    tried = [clone(estimator).set_params(**one) for one in candidates]
    made = tried[0]
    with made._fitting():
        for one in tried:
            one._asked()
        if made.data_norm == "private":
            raise InvalidArgument("data_norm: must be a number for a search")
        prepared = made._prepared(X, y)
        base, settings = _settings([one._fields(prepared.rows.rows, prepared.rows.classes) for one in tried])
        how = (by or ("random_stopping" if made.delta > 0 else "parts"), mean_runs)
        with Progress(made.verbose) as progress, checking(prepared.options):
            model, _, stored, warned = _core.tune(prepared.rows, base, prepared.options, settings, how, progress.tell)
        place = _core.chosen_setting(model, settings)
        made.set_params(**candidates[place])
        made._take_run(Trained(model, stored, warned), prepared)
    return made, place


def _settings(fields: list[dict[str, str]]) -> tuple[dict[str, str], list[list[tuple[str, str]]]]:
    """What all requests have alike, and what each has beside that."""
    first = fields[0]
    base = {name: text for name, text in first.items() if all(other.get(name) == text for other in fields)}
    return base, [[(name, text) for name, text in one.items() if name not in base] for one in fields]


def _of_best(name: str) -> Callable[[F], F]:
    return only_where(lambda search: hasattr(getattr(search, "best_estimator_", search.estimator), name))


class PrivateSearchCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A grid search in the manner of scikit-learn that chooses privately: one charge for all candidates and the choice.

    There are no folds and no scores. ``GridSearchCV`` compares scores of rows without noise, which no guarantee covers. Here
    candidates are compared under the budget, and only the chosen model leaves; it is not trained again.

    Parameters
    ----------
    estimator : LogisticRegression, LinearSVC or SGDClassifier
        Its ``epsilon`` and ``delta`` are the budget of the whole search, charged to its ``accountant``.
    param_grid : dict or list of dicts
        What is tried.
    by, mean_runs : optional
        As for :func:`sotto.tune`.

    Attributes
    ----------
    best_estimator_ : estimator
        The chosen model.
    best_params_ : dict
        Its parameters of the grid. Part of what was paid for.
    best_index_ : int
        Their place in ``cv_results_["params"]``.
    cv_results_ : dict
        ``{"params": [...]}``: what was tried. It has no scores.
    privacy_ : PrivacyCard
        What the search promises.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> X = np.random.default_rng(0).normal(size=(4000, 3)) / 3
    >>> y = (X[:, 0] > 0).astype(int)
    >>> search = sotto.PrivateSearchCV(sotto.LogisticRegression(epsilon=1.0, data_norm=1.0), {"alpha": [0.001, 0.01]})
    >>> search.fit(X, y).predict(X[:2]).shape
    (2,)
    """

    def __init__(self, estimator: Any, param_grid: Any, *, by: str | None = None, mean_runs: int = 10) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.by = by
        self.mean_runs = mean_runs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Tries the grid and keeps the model that was chosen.

        Parameters
        ----------
        X, y
            As for the estimator's ``fit``.

        Returns
        -------
        self
        """
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        candidates = candidates_of(self.param_grid)
        best, place = search(self.estimator, X, y, candidates, self.by, self.mean_runs)
        self.best_estimator_, self.best_index_, self.best_params_ = best, place, candidates[place]
        self.cv_results_ = {"params": candidates}
        self.classes_, self.n_features_in_ = best.classes_, best.n_features_in_
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_
        return self

    @property
    def privacy_(self) -> PrivacyCard:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.privacy_  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name == "best_score_":
            raise AttributeError("best_score_: there is none. The score of the chosen model would be a further release that was not paid for")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def predict(self, X: Any) -> NDArray[Any]:
        """The classes that the chosen model gives the rows."""
        check_is_fitted(self, "best_estimator_")
        found: NDArray[Any] = self.best_estimator_.predict(X)
        return found

    def decision_function(self, X: Any) -> Any:
        """The scores of the rows by the chosen model."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    @_of_best("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class by the chosen model."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    @_of_best("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Any:
        """Their logarithms."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_log_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.non_deterministic = True
        return tags
