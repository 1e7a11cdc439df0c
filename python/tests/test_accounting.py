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


def test_parts_say_what_decides_them():
    fifty = [ac.gaussian(0.1)] * 50
    with pytest.raises(TypeError):
        ac.parallel(fifty)
    with pytest.raises(ValueError, match="by: got 'coin', must be position, key or value"):
        ac.parallel(fifty, "coin")
    by_position = ac.parallel(fifty, by="position")
    assert ac.epsilon(by_position, 1e-6) == pytest.approx(0.396857, abs=1e-5)
    with pytest.raises(ValueError, match="removing a row moves every later row"):
        ac.epsilon(by_position, 1e-6, relation="add_remove")
    for kind in ("sum", "zcdp", "rdp", "gdp"):
        with pytest.raises(ValueError):
            ac.filter(kind, 1.0, 1e-6, relation="add_remove").fits(by_position)
    for relation in ("replace_one", "add_remove"):
        assert ac.epsilon(ac.parallel(fifty, "key"), 1e-6, relation=relation) == pytest.approx(0.396857, abs=1e-5)
    by_value = ac.parallel([ac.gaussian(0.4), ac.gaussian(0.4)], "value")
    assert ac.epsilon(by_value, 1e-6) == pytest.approx(ac.epsilon(ac.gaussian(0.8), 1e-6), rel=1e-9)
    assert ac.epsilon(by_value, 1e-6, relation="add_remove") == pytest.approx(ac.epsilon(ac.gaussian(0.4), 1e-6), rel=1e-9)


def test_only_one_draw_with_replacement_has_a_proof():
    plan = {"sampling": "with_replacement", "rate": 0.1, "noise": 2.0}
    with pytest.raises(ValueError, match="draws: must be given"):
        ac.release_plan(**plan)
    with pytest.raises(ValueError, match="only one draw"):
        ac.release_plan(**plan, draws=100)
    with pytest.raises(ValueError, match="whole number of rows"):
        ac.release_plan(**{**plan, "rate": 0.15}, draws=1)
    assert ac.epsilon(ac.release_plan(**plan, draws=1), 1e-6) == pytest.approx(2.1817, abs=1e-4)
    assert ac.release_plan(**{**plan, "rate": 1 / 3}, draws=1).kind == "with_replacement_sampled"
    target = {"sampling": "with_replacement", "noise": 2.0, "steps": 16}
    for calibrate in (ac.calibrate_noise, ac.calibrate_rate, ac.calibrate_steps):
        with pytest.raises(ValueError, match="draws: must be given"):
            calibrate(1.0, 1e-6, **target)
    rate = ac.calibrate_rate(1.0, 1e-6, **target, draws=1)
    assert rate == 1 / round(1 / rate)
