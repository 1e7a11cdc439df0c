"""A fitted estimator from a model file."""

from __future__ import annotations

import os

from . import _core
from ._block_file import encoding_in
from ._estimators import LinearSVC, LogisticRegression, SGDClassifier
from ._linear import PrivateLinearClassifier
from ._prepared import Trained
from .errors import InvalidData

_INSTEAD = "predict by 'sotto predict --model FILE'"


def load(path: str | os.PathLike[str]) -> PrivateLinearClassifier:
    """The fitted estimator of a model file that ``save`` or the command line wrote.

    It predicts and has its card. Of its parameters only the loss is known, so that another ``fit`` asks for them. Classes that
    are all spelt as whole numbers are numbers.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    LogisticRegression, LinearSVC or SGDClassifier
        By the loss of the model.

    Examples
    --------
    >>> import tempfile, numpy as np, sotto
    >>> X = np.random.default_rng(0).normal(size=(4000, 3)) / 3
    >>> model = sotto.LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, (X[:, 0] > 0).astype(int))
    >>> folder = tempfile.TemporaryDirectory()
    >>> model.save(folder.name + "/model.json")
    >>> bool((sotto.load(folder.name + "/model.json").predict(X) == model.predict(X)).all())
    True
    """
    model = _core.Model.load(os.fspath(path))
    encoding = encoding_in(model.encoding, _INSTEAD)
    if model.weights().shape[1] != encoding.stored_features or len(model.class_texts()) != len(encoding.classes):
        raise InvalidData("model: its weights are not for the columns and classes it declares")
    estimator = _estimator_of(model)
    estimator._take(Trained(model), encoding, encoding.class_values())
    return estimator


def _estimator_of(model: _core.Model) -> PrivateLinearClassifier:
    if model.loss == "huber_svm":
        return LinearSVC()
    return LogisticRegression() if model.gives_probabilities() else SGDClassifier(loss=model.loss)
