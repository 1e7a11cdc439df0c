"""What stands before an estimator: does each step turn a row into numbers by public constants, or does it look at all rows?

Every step is judged by its type and its parameters, before a row is seen. Steps that are not known are called unknown.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable

import numpy as np

from ._warn import warn
from .errors import PipelineWarning, ScoreWarning
from .preprocessing import OneHot, Scaler

ROW_BY_ROW, FITTED, UNKNOWN = "row by row", "fitted on rows", "unknown"


@dataclass(frozen=True)
class Step:
    """A step of a pipeline, and whether it looks at all rows."""

    name: str
    kind: str
    verdict: str
    why: str


class PipelineCheck(Sequence[Step]):
    """The steps before an estimator; a table in notebooks.

    Attributes
    ----------
    is_private : bool
        Whether every step is known to work row by row.
    fitted, unknown : list of Step
        Those that look at all rows, and those nobody here knows.
    """

    def __init__(self, steps: list[Step]) -> None:
        self._steps = steps

    @property
    def is_private(self) -> bool:
        return not self.fitted and not self.unknown

    @property
    def fitted(self) -> list[Step]:
        return [step for step in self if step.verdict == FITTED]

    @property
    def unknown(self) -> list[Step]:
        return [step for step in self if step.verdict == UNKNOWN]

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, place: Any) -> Any:
        return self._steps[place]

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def _words(self) -> str:
        if self.is_private:
            return "Every step works row by row: the card of the estimator covers the pipeline."
        if self.fitted:
            return "NOT PRIVATE: " + _names(self.fitted) + " computed from all rows what each row is turned into. No card covers that."
        return "Not known to be private: " + _names(self.unknown) + " may look at all rows."

    def __repr__(self) -> str:
        widths = [max((len(getattr(step, name)) for step in self), default=0) for name in ("name", "kind", "verdict")]
        lines = [
            "  ".join((step.name.ljust(widths[0]), step.kind.ljust(widths[1]), step.verdict.ljust(widths[2]), step.why)).rstrip()
            for step in self
        ]
        return "\n".join([*lines, self._words()])

    def _repr_html_(self) -> str:
        cells = [[step.name, step.kind, step.verdict, step.why] for step in self]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        head = "<tr><th>step</th><th>kind</th><th>verdict</th><th></th></tr>"
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p><strong>{html.escape(self._words())}</strong></p>"


def check_pipeline(pipeline: Any) -> PipelineCheck:
    """Whether what stands before the estimator of a pipeline looks at all rows. Reads no row.

    Imputers, scalers that take bounds from the rows, PCA, selections of features and target encoders do. What a row is turned
    into then depends on all others: the estimator's card does not cover that. Take a :class:`sotto.Schema`, or
    :class:`sotto.Scaler` and :class:`sotto.OneHot`.

    Parameters
    ----------
    pipeline : Pipeline, ColumnTransformer or transformer
        Fitted or not.

    Returns
    -------
    PipelineCheck
        A line for each step; ``is_private`` where all are known to work row by row.

    Examples
    --------
    >>> import sotto
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> found = sotto.check_pipeline(make_pipeline(StandardScaler(), sotto.LogisticRegression(epsilon=1.0, data_norm=1.0)))
    >>> found.is_private, found[0].verdict
    (False, 'fitted on rows')
    """
    return PipelineCheck(list(_steps("", pipeline)))


def _steps(name: str, step: Any) -> Iterator[Step]:
    if step is None or isinstance(step, str):
        return  # "passthrough", "drop"
    parts = _parts_of(step)
    if parts is None:
        if not hasattr(step, "predict") or hasattr(step, "transform"):
            yield _judged(name or type(step).__name__, step)
        return
    for inner, part in parts:
        yield from _steps(f"{name}.{inner}" if name else inner, part)


def _parts_of(step: Any) -> list[tuple[str, Any]] | None:
    """The named parts of what is made of others."""
    for attribute in ("steps", "transformers", "transformer_list"):  # Pipeline, ColumnTransformer, FeatureUnion
        held = getattr(step, attribute, None)
        if isinstance(held, (list, tuple)):
            found = [(str(part[0]), part[1]) for part in held]
            if attribute == "transformers":
                found.append(("remainder", getattr(step, "remainder", "drop")))
            return found
    return None


def _judged(name: str, step: Any) -> Step:
    verdict, why = _verdict(step)
    return Step(name, type(step).__name__, verdict, why)


def _verdict(step: Any) -> tuple[str, str]:
    if isinstance(step, (Scaler, OneHot)):
        return ROW_BY_ROW, "public declarations alone"
    kind = type(step)
    if kind.__name__ == "FrozenEstimator":
        return UNKNOWN, "was fitted before, on what is for you to know"
    if kind.__module__.split(".")[0] != "sklearn":
        return UNKNOWN, "is not of scikit-learn or sotto"
    for names, judge in _KNOWN:
        if kind.__name__ in names:
            return judge(step)
    if kind.__name__ == "FunctionTransformer":
        return UNKNOWN, "whether its function looks at one row at a time is for you to know"
    return FITTED, f"{kind.__name__} is fitted on all rows"


def _always(step: Any) -> tuple[str, str]:
    return ROW_BY_ROW, "computes from one row at a time"


def _with_lists(step: Any) -> tuple[str, str]:
    if isinstance(step.categories, str):
        return FITTED, "takes its categories from the rows; list them by categories="
    if getattr(step, "min_frequency", None) is not None or getattr(step, "max_categories", None) is not None:
        return FITTED, "counts how often a category occurs"
    if getattr(step, "drop", None) is not None and isinstance(step.drop, str):
        return ROW_BY_ROW, "declared categories"
    if step.handle_unknown == "error":
        return UNKNOWN, 'fails where a row has a value that is not listed; take handle_unknown="ignore"'
    return ROW_BY_ROW, "declared categories"


def _constant(step: Any) -> tuple[str, str]:
    if step.strategy != "constant":
        return FITTED, f"computes the {step.strategy} of a column; fill in a constant"
    if step.fill_value is None:
        return UNKNOWN, "takes the kind of its constant from the column; give fill_value"
    if step.add_indicator:
        return FITTED, "looks which columns have missing values; add a column of your own"
    return ROW_BY_ROW, "a declared constant"


def _unless_numbers(*names: str) -> Callable[[Any], tuple[str, str]]:
    """Row by row where these parameters are given as numbers, not left to the rows."""

    def judge(step: Any) -> tuple[str, str]:
        for name in names:
            if not isinstance(getattr(step, name), (int, float, np.ndarray, np.number)):
                return FITTED, f"takes {name} from the rows"
        return ROW_BY_ROW, "declared parameters, and coins that no row changes"

    return judge


_KNOWN: tuple[tuple[tuple[str, ...], Callable[[Any], tuple[str, str]]], ...] = (
    (("Normalizer", "Binarizer", "PolynomialFeatures", "HashingVectorizer", "FeatureHasher", "AdditiveChi2Sampler"), _always),
    (("OneHotEncoder", "OrdinalEncoder"), _with_lists),
    (("SimpleImputer",), _constant),
    (("GaussianRandomProjection", "SparseRandomProjection"), _unless_numbers("n_components")),
    (("RBFSampler",), _unless_numbers("gamma")),
)


def _names(steps: list[Step]) -> str:
    shown = [step.kind for step in steps]
    return ", ".join(dict.fromkeys(shown))


#: Calls to look back through, from the fit of an estimator to that of the pipelines around it.
_MOST_CALLS = 60
#: The function of scikit-learn in which every fold is fitted.
_SCORES = "_fit_and_score"


def before_this_fit() -> PipelineCheck:
    """The steps before the last one of every pipeline that is being fitted right now, as the calls that lead here show."""
    steps: list[Step] = []
    for frame in _callers():
        if frame.f_code.co_name.startswith("fit"):
            held = getattr(frame.f_locals.get("self"), "steps", None)
            if isinstance(held, list):
                steps += [step for name, part in held[:-1] for step in _steps(str(name), part)]
    return PipelineCheck(steps)


def warn_of_scores() -> None:
    """Warns where scikit-learn fits in order to score: in a cross-validation or a search, also in a worker of joblib."""
    if any(frame.f_code.co_name == _SCORES for frame in _callers()):
        warn(
            ScoreWarning(
                "Scores of a cross-validation or a search are computed from rows without noise. No guarantee covers them, or a choice "
                "made by them, unless the rows are public. sotto.tune and sotto.PrivateSearchCV choose privately"
            )
        )


def _callers() -> Iterator[FrameType]:
    """The calls that led here, the nearest first."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MOST_CALLS):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def reasons_against(check: PipelineCheck) -> list[str]:
    """Why a model behind these steps is not private; warns of steps that nobody here knows."""
    if check.unknown:
        warn(
            PipelineWarning(
                f"The pipeline has steps that are not known to work row by row: {_names(check.unknown)}. If one of them looks at all rows, "
                "the model is not private although its card says so. sotto.check_pipeline says why; sotto.audit.pipeline puts it to the test"
            )
        )
    return [f"a step of the pipeline was fitted on the rows: {_names(check.fitted)}"] if check.fitted else []
