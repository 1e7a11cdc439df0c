from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sotto import accounting as ac


def test_pure_events_add():
    assert ac.epsilon(ac.repeat(ac.pure(0.25), 4), 0.0) == pytest.approx(1.0)
    assert ac.epsilon(ac.sequence([ac.pure(0.5), ac.l2_laplace(0.25)]), 0.0) == pytest.approx(0.75)


def test_a_gaussian_release_has_its_exact_profile():
    """delta(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2)."""

    def phi(x: float) -> float:
        return 0.5 * math.erfc(-x / math.sqrt(2))

    exact = phi(-1 / 0.5 + 0.25) - math.exp(1) * phi(-1 / 0.5 - 0.25)
    assert ac.delta(ac.gaussian(0.5), 1.0) == pytest.approx(exact, rel=1e-6)


def test_calibrated_noise_keeps_the_target():
    plan = {"mechanism": "gaussian", "sampling": "poisson", "rate": 0.01, "steps": 100}
    noise = ac.calibrate_noise(1.0, 1e-6, relation="add_remove", **plan)
    event = ac.release_plan("add_remove", noise=noise, **plan)
    assert ac.delta(event, 1.0, relation="add_remove") <= 1e-6
    less = ac.release_plan("add_remove", noise=noise * 0.99, **plan)
    assert ac.delta(less, 1.0, relation="add_remove") > 1e-6
    assert ac.calibrate_steps(1.0, 1e-6, relation="add_remove", **{**plan, "noise": noise}) >= 100


def test_a_filter_refuses_what_does_not_fit():
    budget = ac.filter("sum", 1.0)
    budget.spend(ac.pure(0.75))
    assert budget.remaining == "0.25" and not budget.fits(ac.pure(0.5))
    with pytest.raises(RuntimeError):
        budget.spend(ac.pure(0.5))
    assert budget.spent == "0.75"


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 2.0), st.integers(1, 20))
def test_more_releases_promise_less(mu, times):
    one = ac.epsilon(ac.gaussian(mu), 1e-6)
    many = ac.epsilon(ac.repeat(ac.gaussian(mu), times), 1e-6)
    assert many >= one * (1 - 1e-9)
    assert many <= ac.epsilon(ac.gaussian(mu * math.sqrt(times)), 1e-6) * (1 + 1e-3)


def test_the_trade_off_curve_lies_under_the_diagonal():
    betas = ac.trade_off(ac.gaussian(1.0), [0.0, 0.1, 0.5, 1.0])
    assert all(b <= 1 - a + 1e-9 for a, b in zip([0.0, 0.1, 0.5, 1.0], betas))
    assert betas == sorted(betas, reverse=True)


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="mu"):
        ac.gaussian(-1.0)
    with pytest.raises(ValueError, match="accountant"):
        ac.epsilon(ac.pure(1.0), 0.0, accountant="guess")
    with pytest.raises(ValueError, match="has no parameter"):
        ac.release_plan(nonsense=1)
