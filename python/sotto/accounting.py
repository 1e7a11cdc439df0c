"""Privacy events, what they promise together, and the noise a promise needs. Every number is computed in C++."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._core import (
    Event,
    Filter,
    approximate,
    exponential,
    fixed_size_sampled,
    gaussian,
    l2_laplace,
    laplace,
    parallel,
    poisson_sampled,
    pure,
    repeat,
    sequence,
    zcdp,
)
from ._parameters import text_of

__all__ = [
    "Event",
    "Filter",
    "approximate",
    "calibrate_noise",
    "calibrate_rate",
    "calibrate_steps",
    "delta",
    "epsilon",
    "exponential",
    "filter",
    "fixed_size_sampled",
    "gaussian",
    "l2_laplace",
    "laplace",
    "parallel",
    "poisson_sampled",
    "profile",
    "pure",
    "release_plan",
    "repeat",
    "report",
    "sequence",
    "trade_off",
    "zcdp",
]


def report(
    event: Event,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    relation: str = "replace_one",
    accountant: str = "auto",
) -> dict[str, Any]:
    """Upper and lower bound of epsilon at delta (or of delta at epsilon), and what every accountant says."""
    if (delta is None) == (epsilon is None):
        raise ValueError("give delta for epsilon, or epsilon for delta")
    if delta is not None:
        return dict(json.loads(_core.account_epsilon(event, float(delta), relation, accountant)))
    assert epsilon is not None
    return dict(json.loads(_core.account_delta(event, float(epsilon), relation, accountant)))


def epsilon(event: Event, delta: float, *, relation: str = "replace_one", accountant: str = "auto") -> float:
    """The epsilon the event keeps at this delta, rounded up."""
    return float(report(event, delta=delta, relation=relation, accountant=accountant)["upper"])


def delta(event: Event, epsilon: float, *, relation: str = "replace_one", accountant: str = "auto") -> float:
    """The delta the event keeps at this epsilon, rounded up."""
    return float(report(event, epsilon=epsilon, relation=relation, accountant=accountant)["upper"])


def profile(
    event: Event, *, relation: str = "replace_one", most: float = 4.0, points: int = 41
) -> list[tuple[float, float, float]]:
    """(epsilon, lower delta, upper delta) at even epsilons from 0 to ``most``."""
    return list(_core.profile(event, relation, float(most), int(points)))


def trade_off(
    event: Event, alphas: list[float], *, relation: str = "replace_one", most: float = 8.0, points: int = 81
) -> list[float]:
    """The least false-negative rate of whoever tells neighbours apart with these false-positive rates."""
    known = profile(event, relation=relation, most=most, points=points)
    return list(_core.trade_off(known, [float(a) for a in alphas]))


def release_plan(relation: str = "replace_one", **plan: Any) -> Event:
    """The event of equal noisy releases: mechanism, sampling, rate, noise, steps as on the command line.

    ``sampling="with_replacement"`` draws one row of 1/rate rows a step and asks for ``draws``; only 1 has a proof.
    """
    return _core.release_event(_texts(plan), relation)


def calibrate_noise(epsilon: float, delta: float, *, relation: str = "replace_one", **plan: Any) -> float:
    """The smallest noise with which the plan keeps the target."""
    return float(_core.noise_for(_texts(plan), float(epsilon), float(delta), relation))


def calibrate_steps(epsilon: float, delta: float, *, relation: str = "replace_one", **plan: Any) -> int:
    """The largest number of steps that keeps the target."""
    return int(_core.steps_for(_texts(plan), float(epsilon), float(delta), relation))


def calibrate_rate(epsilon: float, delta: float, *, relation: str = "replace_one", **plan: Any) -> float:
    """The largest sampling rate that keeps the target."""
    return float(_core.rate_for(_texts(plan), float(epsilon), float(delta), relation))


def filter(kind: str, epsilon: float, delta: float = 0.0, relation: str = "replace_one") -> Filter:
    """A budget for spending that is decided as it goes: sum, zcdp, rdp or gdp."""
    return _core.open_filter(kind, float(epsilon), float(delta), relation)


def _texts(plan: dict[str, Any]) -> dict[str, str]:
    return {name: text_of(value) for name, value in plan.items()}
