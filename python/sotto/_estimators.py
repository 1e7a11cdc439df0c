"""The estimators people know, trained under differential privacy."""

from __future__ import annotations

from typing import Any

from ._fitted import GivesProbabilities
from ._linear import PrivateLinearClassifier
from ._parameters import probabilities_of
from .ledger import Ledger
from .schema import Schema

_SHARED = """
    Everything that describes the rows is declared, not taken from them: by a ``schema`` for raw tables, or by ``data_norm`` or
    ``bounds`` for numbers.

    Parameters
    ----------
    epsilon : float
        How much the model may tell about one row. It has no default. From 0.1 to 1 is strong, up to 3 usual, above 10 next to nothing.
    delta : float
        The probability beyond epsilon. 0 asks for pure noise; a small one, such as 1e-6, allows less noise. Keep it far below 1/rows.
    data_norm : float or "private"
        Public bound on the L2 norm of a row; longer rows are scaled down. Required unless ``bounds`` or ``schema`` is given.
        "private" finds it in the rows with a tenth of epsilon, which the accountant is charged for too.
    bounds : (lower, upper), optional
        Public bounds of the features, numbers or one for each. Values are moved into them and scaled to [0, 1].
    classes : list, optional
        The public list of classes. Without it 0 and 1 are assumed. If ``y`` has other
        labels the list is taken from ``y`` and the model is stamped *not private*.
    schema : Schema, optional
        Declares the columns of raw tables, which ``fit`` and ``predict`` take then. It replaces ``data_norm``, ``bounds`` and
        ``classes``. ``y`` may be left out where the table has the label's column.
    fit_intercept : bool
        Whether there is a constant term.
    intercept_scaling : float
        The constant feature's value. It counts towards the norm of a row.
    max_iter, passes : int, optional
        How often a method that makes passes reads every row; one parameter by two names, give one. "auto" chooses it.
    batch_size : int, optional
        Rows for each step, for a method that has steps.
    method : str
        A method of the library (``sotto.catalog()``), or "auto".
    neighboring_relation : "replace_one" or "add_remove"
        What "one row" means. The latter asks for about how many rows there are: ``options={"declared_rows": n}``.
    random_state : int, optional
        Repeats the order of the rows. The noise is never seeded.
    accountant : Ledger or path, optional
        Charged before a row is used. Clones, pickles and joblib workers share it.
    check : bool
        Look at the rows before anything is charged. Rows that nothing can be learned from are refused by an ``InvalidData``. What
        is strange about others is told by a ``DataWarning``, which is not for release. The model is the same either way.
    options : dict, optional
        Any other parameter of the library in its own spelling, e.g. ``{"averaging": "uniform"}``.
    verbose : int
        Above 0: a progress bar."""

_AFTER = """

    Attributes
    ----------
    privacy_ : PrivacyCard
        What was promised, in words and in detail.
    coef_ : array of shape (1 or classes, features)
        Weights of raw features; of encoded ones where a schema has categories.
    intercept_ : array
        The constant terms.
    classes_ : array
        The classes, sorted or as the schema lists them.
    n_features_in_ : int
        Columns seen by ``fit``.
    feature_names_in_ : array of str
        Their names, where they have any.
    n_iter_ : int
        Passes over the rows.
    model_ : Model
        The model of the library.
    stored_ : bool
        Whether the ledger had this model already, so that it was free."""

#: Rows of the examples.
_ROWS = """

    Examples
    --------
    >>> import numpy as np, sotto
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 1, size=(5000, 3))
    >>> y = (X[:, 0] + 0.1 * rng.normal(size=5000) > 0.5).astype(int)"""


def _keep(estimator: PrivateLinearClassifier, given: dict[str, Any]) -> None:
    """Assigns every argument of an __init__ as it was given; scikit-learn reads them off the signature, so each has its own."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


class LogisticRegression(GivesProbabilities, PrivateLinearClassifier):
    __doc__ = f"""Private logistic regression; softmax for more than two classes.
{_SHARED}
    C : float, optional
        Inverse strength of the regularisation as in scikit-learn: lambda = 1 / (C * rows).
    alpha : float, optional
        The strength lambda itself; give one of the two. Without either the method decides.{_AFTER}{_ROWS}
    >>> model = sotto.LogisticRegression(epsilon=1.0, bounds=(0, 1), data_norm=1.7).fit(X, y)
    >>> model.score(X, y) > 0.8  # not private
    True
    >>> model.privacy_.is_private, model.coef_.shape
    (True, (1, 3))
    """
    _binary_loss = "logistic"
    _several_loss = "softmax"
    C: float | None
    alpha: float | None

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        data_norm: float | str | None = None,
        bounds: Any = None,
        classes: Any = None,
        schema: Schema | None = None,
        C: float | None = None,
        alpha: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int | None = None,
        passes: int | None = None,
        batch_size: int | None = None,
        method: str = "auto",
        neighboring_relation: str = "replace_one",
        random_state: Any = None,
        accountant: Ledger | str | None = None,
        check: bool = True,
        options: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        _keep(self, locals())


class LinearSVC(PrivateLinearClassifier):
    __doc__ = f"""Private linear support vector machine with the Huber loss, one class against the rest.
{_SHARED}
    C, alpha : float, optional
        As in :class:`LogisticRegression`.
    huber_width : float, optional
        Half-width of the smoothed corner of the hinge.{_AFTER}{_ROWS}
    >>> model = sotto.LinearSVC(epsilon=1.0, bounds=(0, 1), data_norm=1.7).fit(X, y)
    >>> model.decision_function(X[:2]).shape
    (2,)
    """
    _binary_loss = "huber_svm"
    _several_loss = "huber_svm"
    C: float | None
    alpha: float | None
    huber_width: float | None

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float = 0.0,
        data_norm: float | str | None = None,
        bounds: Any = None,
        classes: Any = None,
        schema: Schema | None = None,
        C: float | None = None,
        alpha: float | None = None,
        huber_width: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int | None = None,
        passes: int | None = None,
        batch_size: int | None = None,
        method: str = "auto",
        neighboring_relation: str = "replace_one",
        random_state: Any = None,
        accountant: Ledger | str | None = None,
        check: bool = True,
        options: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        _keep(self, locals())


class SGDClassifier(GivesProbabilities, PrivateLinearClassifier):
    __doc__ = f"""Private stochastic gradient descent with the losses and steps people choose by name.
{_SHARED}
    loss : "log_loss", "huber" or "hinge"
        Or a loss of the library by its name. Probabilities need log_loss.
    alpha : float, optional
        Strength of the regularisation.
    learning_rate : str, optional
        The schedule of the steps in the library's spelling (``sotto.catalog()["steps"]``).
    eta0 : float, optional
        The step of ``learning_rate="constant"``.
    average : bool or str
        True, or which combination of the iterates is released.{_AFTER}{_ROWS}
    >>> model = sotto.SGDClassifier(epsilon=1.0, bounds=(0, 1), data_norm=1.7, loss="huber").fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    loss: str
    alpha: float
    learning_rate: str | None
    eta0: float | None
    average: bool | str

    def _has_probabilities(self) -> bool:
        return probabilities_of(self.loss) != "none"

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        epsilon: float | None = None,
        delta: float = 0.0,
        data_norm: float | str | None = None,
        bounds: Any = None,
        classes: Any = None,
        schema: Schema | None = None,
        alpha: float = 0.001,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        max_iter: int | None = None,
        passes: int | None = None,
        batch_size: int | None = None,
        learning_rate: str | None = None,
        eta0: float | None = None,
        average: bool | str = False,
        method: str = "bolt_on",
        neighboring_relation: str = "replace_one",
        random_state: Any = None,
        accountant: Ledger | str | None = None,
        check: bool = True,
        options: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        _keep(self, locals())
