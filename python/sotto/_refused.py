"""What scikit-learn's estimators take and these do not: why not, and what instead."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any, Mapping

from .errors import Unsupported

if TYPE_CHECKING:
    from typing_extensions import Self

#: By keyword. Each has one sentence.
WHY: Mapping[str, str] = {
    "sample_weight": "a weight multiplies what one row can change, so the noise would have to grow with the largest; "
    "leave it out, or promise single rows more by fit(..., personal_epsilons=...)",
    "class_weight": "weights of classes multiply what one row can change, and balanced ones are counted from the rows; "
    "leave it out, and move the threshold of decision_function for rare classes",
    "warm_start": "another fit from the same rows spends the budget again, wherever it starts; fit once with the whole epsilon",
    "penalty": "the regularisation is always that of the L2 norm, which the proofs need; set its strength by C or alpha",
    "l1_ratio": "the regularisation is always that of the L2 norm, which the proofs need; set its strength by C or alpha",
    "solver": "a solver without noise in the right place is not private; choose one by method=, which sotto.catalog() lists",
    "multi_class": "more than two classes are softmax in LogisticRegression, and one against the rest in LinearSVC",
    "dual": "the proofs are about the primal problem; leave it out",
    "tol": "stopping when the loss stands still would tell about the rows; the number of passes is fixed before (max_iter)",
    "early_stopping": "stopping by a score would tell about the rows; the number of passes is fixed before (max_iter)",
    "n_jobs": "joblib has no part in a fit; leave it out",
}
#: Methods.
_METHODS: Mapping[str, str] = {
    "partial_fit": "every batch would be a release of its own; fit once on all rows, or pack a stream by sotto.pack and call fit_block_file",
}


class InKeywords:
    """An estimator whose parameters are all keywords, and which says why it lacks those that people expect."""

    def __new__(cls, *given: Any, **keywords: Any) -> Self:
        if given:
            raise TypeError(f"{cls.__name__} takes keywords only: write {cls.__name__}(epsilon={given[0]!r}, ...)")
        known = inspect.signature(cls).parameters if keywords else {}
        for name in keywords:
            if name not in known:
                raise TypeError(f"{cls.__name__} has no parameter {name}: {_instead(name, list(known))}")
        return super().__new__(cls)

    def set_params(self, **params: Any) -> Self:
        """Sets parameters, as in scikit-learn.

        Parameters
        ----------
        **params
            By their names.

        Returns
        -------
        self
        """
        for name in params:
            if name in WHY:
                raise Unsupported(f"{name}: {WHY[name]}")
        super().set_params(**params)  # type: ignore[misc]
        return self

    def __getattr__(self, name: str) -> Any:
        why = _METHODS.get(name)
        raise AttributeError(f"{name}: {why}" if why else f"{type(self).__name__!r} object has no attribute {name!r}")


def refuse_other_arguments(estimator: Any, given: Mapping[str, Any]) -> None:
    """What ``fit`` of scikit-learn's estimators takes beside rows and labels. None stands for nothing."""
    for name, value in given.items():
        if name not in WHY:
            raise TypeError(f"{type(estimator).__name__}.fit has no argument {name}")
        if value is not None:
            raise Unsupported(f"{name}: {WHY[name]}")


def _instead(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return WHY.get(name) or (f"did you mean {near[0]}?" if near else f"it has {', '.join(known)}")
