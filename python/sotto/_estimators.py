"""The estimators people know, trained under differential privacy."""

from __future__ import annotations

from typing import Any

from ._linear import GivesProbabilities, PrivateLinearClassifier
from ._parameters import probabilities_of
from .ledger import Ledger
from .schema import Schema

_SHARED = """
    Parameters
    ----------
    epsilon, delta : float
        The privacy loss that may be spent; epsilon has no default, delta 0 asks for pure noise.
    data_norm : float or "private"
        Public bound on the L2 norm of a row; longer rows are clipped. Required unless ``bounds`` is given. "private" finds
        it in the rows with a tenth of epsilon, which the accountant is charged for too.
    bounds : (lower, upper), optional
        Public bounds of the features, numbers or one a feature. Values are moved into them and scaled to [0, 1].
    classes : list, optional
        The public list of classes. Without it 0 and 1 are assumed; if ``y`` has other labels the list is taken from
        ``y`` and the model is stamped *not private*.
    schema : Schema, optional
        Declares the columns of raw tables, which ``fit`` and ``predict`` take then, instead of ``data_norm``, ``bounds`` and
        ``classes``. ``y`` may be left out where the table has the label's column.
    max_iter, passes : int, optional
        How often a method that makes passes reads every row; one parameter by two names, give one. "auto" chooses it.
    batch_size : int, optional
        Rows a step, for a method that has steps.
    neighboring_relation : "replace_one" or "add_remove"
        The latter asks for about how many rows there are: ``options={"declared_rows": n}``.
    method : str
        A method of the library (``sotto.catalog()``), or "auto".
    random_state : int, optional
        Repeats the order of the rows. The noise is never seeded.
    accountant : Ledger or path, optional
        Charged before a row is used. Clones, pickles and joblib workers share it.
    options : dict, optional
        Any other parameter of the library in its own spelling, e.g. ``{"averaging": "uniform"}``.
"""


def _keep(estimator: PrivateLinearClassifier, given: dict[str, Any]) -> None:
    """Assigns every argument of an __init__ as it was given; scikit-learn reads them off the signature, so each has its own."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


class LogisticRegression(GivesProbabilities):
    __doc__ = f"""Private logistic regression; softmax for more than two classes.
{_SHARED}
    C : float, optional
        Inverse strength of the regularisation as in scikit-learn: lambda = 1 / (C * rows).
    alpha : float, optional
        The strength lambda itself; give one of the two. Without either the method decides.
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
        Half-width of the smoothed corner of the hinge.
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
        options: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        _keep(self, locals())


class SGDClassifier(GivesProbabilities):
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
        True, or which combination of the iterates is released.
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
        options: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        _keep(self, locals())
