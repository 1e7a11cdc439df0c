"""scikit-learn's own suite, with every expected failure and the reason that privacy forces."""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sotto import LinearSVC, LogisticRegression, OneHot, Scaler, SGDClassifier

EXPECTED: dict[str, str] = {}


def expected(estimator):
    return EXPECTED


# Little noise, so that what is checked about accuracy is about the protocol and not about luck.
CHECKED = [kind(epsilon=1e4, delta=1e-3, data_norm=10.0, alpha=1e-3) for kind in (LogisticRegression, LinearSVC, SGDClassifier)]


@parametrize_with_checks([*CHECKED, Scaler((-10.0, 10.0))], expected_failed_checks=expected)
def test_the_suite_of_scikit_learn_passes(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
