"""A fitted estimator from a model file."""

from __future__ import annotations

import os

from . import _core
from ._block_file import encoding_in
from ._estimators import LinearSVC, LogisticRegression, SGDClassifier
from ._linear import PrivateLinearClassifier
from .errors import InvalidData

_INSTEAD = "predict by 'sotto predict --model FILE'"


def load(path: str | os.PathLike[str]) -> PrivateLinearClassifier:
    """The fitted estimator of a model file that ``save`` or the command line wrote.

    A :class:`LogisticRegression`, :class:`LinearSVC` or :class:`SGDClassifier` by the model's loss. It predicts and has its
    card; of its parameters only the loss is known, so that another ``fit`` asks for them. Classes that are all spelt as
    whole numbers are numbers.
    """
    model = _core.Model.load(os.fspath(path))
    encoding = encoding_in(model.encoding, _INSTEAD)
    if model.weights().shape[1] != encoding.stored_features or len(model.class_texts()) != len(encoding.classes):
        raise InvalidData("model: its weights are not for the columns and classes it declares")
    estimator = _estimator_of(model)
    estimator._take((model, False), encoding, encoding.class_values())
    return estimator


def _estimator_of(model: _core.Model) -> PrivateLinearClassifier:
    if model.loss == "huber_svm":
        return LinearSVC()
    return LogisticRegression() if model.gives_probabilities() else SGDClassifier(loss=model.loss)
