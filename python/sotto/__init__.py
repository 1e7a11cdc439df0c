"""Private linear models with the interface of scikit-learn.

>>> from sotto import LogisticRegression
>>> LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import accounting, audit, errors
from ._card import PrivacyCard
from ._core import Model, __version__
from ._estimators import LinearSVC, LogisticRegression, SGDClassifier
from ._load import load
from ._parameters import catalog
from ._pipeline import PipelineCheck, check_pipeline
from ._summary import Summary
from ._tuning import PrivateSearchCV, tune
from ._verify import verify
from .errors import (
    BudgetExceeded,
    DataWarning,
    Error,
    InvalidArgument,
    InvalidData,
    NotPrivateWarning,
    PipelineWarning,
    PlanWarning,
    PrivacyWarning,
    PromiseWarning,
    ScoreWarning,
    Unsupported,
)
from .ledger import Ledger
from .preprocessing import OneHot, Scaler
from .schema import Schema
from .streaming import pack, pack_parquet

__all__ = [
    "BudgetExceeded",
    "DataWarning",
    "Error",
    "InvalidArgument",
    "InvalidData",
    "Ledger",
    "LinearSVC",
    "LogisticRegression",
    "Model",
    "NotPrivateWarning",
    "OneHot",
    "PipelineCheck",
    "PipelineWarning",
    "PlanWarning",
    "PrivacyCard",
    "PrivacyWarning",
    "PrivateSearchCV",
    "PromiseWarning",
    "SGDClassifier",
    "ScoreWarning",
    "Scaler",
    "Schema",
    "Summary",
    "Unsupported",
    "__version__",
    "accounting",
    "audit",
    "catalog",
    "check_pipeline",
    "errors",
    "export",
    "load",
    "pack",
    "pack_parquet",
    "plot",
    "tune",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in ("export", "plot"):  # imported when they are asked for
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
