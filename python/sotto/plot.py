"""Pictures of what privacy costs, by matplotlib. Every function draws on an axes and returns it."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from . import accounting


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def trade_off(event: Any, *, relation: str = "replace_one", ax: Any = None, label: str | None = None) -> Any:
    """The trade-off curve: whoever tells neighbours apart has errors on or above it."""
    ax = _axes(ax)
    alphas = np.linspace(0, 1, 101)
    betas = accounting.trade_off(event, alphas.tolist(), relation=relation)
    ax.plot(alphas, betas, label=label or repr(event))
    ax.plot([0, 1], [1, 0], linestyle=":", color="gray")
    ax.set_xlabel("false-positive rate")
    ax.set_ylabel("false-negative rate")
    ax.legend()
    return ax


def profile(event: Any, *, relation: str = "replace_one", most: float = 4.0, ax: Any = None) -> Any:
    """The privacy profile delta(epsilon), upper and lower bound."""
    ax = _axes(ax)
    points = np.array(accounting.profile(event, relation=relation, most=most))
    ax.fill_between(points[:, 0], np.maximum(points[:, 1], 1e-300), np.maximum(points[:, 2], 1e-300), alpha=0.4)
    ax.plot(points[:, 0], np.maximum(points[:, 2], 1e-300))
    ax.set_yscale("log")
    ax.set_xlabel("epsilon")
    ax.set_ylabel("delta")
    return ax


def accuracy(
    epsilons: Iterable[float], scores: Any, *, baseline: float | None = None, ax: Any = None, label: str | None = None
) -> Any:
    """Accuracy against epsilon with error bars; ``scores`` has a row of repeated scores for every epsilon."""
    ax = _axes(ax)
    table = np.atleast_2d(np.asarray(scores, dtype=float))
    at = np.asarray(list(epsilons), dtype=float)
    if len(table) != len(at):
        raise ValueError(f"scores: got {len(table)} rows for {len(at)} epsilons")
    ax.errorbar(at, table.mean(axis=1), yerr=table.std(axis=1), marker="o", capsize=3, label=label)
    if baseline is not None:
        ax.axhline(baseline, linestyle="--", color="gray", label="without privacy")
    ax.set_xscale("log")
    ax.set_xlabel("epsilon")
    ax.set_ylabel("accuracy")
    if label is not None or baseline is not None:
        ax.legend()
    return ax


#: Inches of the axis that one name takes.
_NAME_HEIGHT = 0.19


def coefficients(estimator: Any, *, ax: Any = None, most: int = 30, level: float = 0.95) -> Any:
    """The largest coefficients, at most ``most`` of them, with their intervals where these are known.

    Methods that add their noise to gradients or to the objective state no interval, unless they were asked for it:
    ``options={"intervals": 0.2}``. The intercept is always among those that are drawn.
    """
    summary = estimator.summary(level=level)
    ax, shown = _bars(summary, ax, most)
    ends = summary.interval()
    if ends is not None and len(summary.coefficients) == 1:
        reach = np.abs(np.nan_to_num(ends[1][0] - ends[0][0])) / 2
        places = np.arange(len(shown))
        label = f"{100 * level:g} % interval: {summary.covers}"
        ax.errorbar(np.abs(summary.coefficients[0])[shown], places, xerr=reach[shown], fmt="none", color="black", label=label)
        ax.legend()
    return ax


def noise_and_signal(estimator: Any, *, ax: Any = None, most: int = 30) -> Any:
    """The size of the largest coefficients beside the standard deviation of the noise on each.

    Only where the noise is added to the weights: methods that add it elsewhere have no noise of single coefficients to
    draw, and are refused. ``coefficients`` draws those.
    """
    summary = estimator.summary()
    if summary.noise_stddev is None:
        card = estimator.privacy_
        raise ValueError(
            f"estimator: the noise of {card['method']} is added to {card['noise']['added_to']}, so there is none of single "
            "coefficients to draw; use plot.coefficients, with options={'intervals': 0.2} at fit for intervals"
        )
    ax, shown = _bars(summary, ax, most)
    noise = np.asarray(summary.noise_stddev)[shown]
    ax.plot(noise, np.arange(len(shown)), color="black", marker="|", markersize=9, linestyle="", label="noise, one standard deviation")
    ax.legend()
    return ax


def _bars(summary: Any, ax: Any, most: int) -> tuple[Any, Any]:
    """Draws one bar for each coefficient that is shown, the largest at the top; tells which these are."""
    if most < 1:
        raise ValueError(f"most: got {most!r}, must be at least 1")
    sizes = np.abs(summary.coefficients).max(axis=0)
    if ax is None:
        import matplotlib.pyplot as plt

        height = max(2.4, 1.4 + _NAME_HEIGHT * min(most, len(sizes)))
        ax = plt.subplots(figsize=(6.4, height), layout="constrained")[1]
    else:
        inches = ax.get_position().height * ax.figure.get_size_inches()[1]
        most = max(1, min(most, int(inches / _NAME_HEIGHT)))
    shown = _largest(summary.names, sizes, most)
    places = np.arange(len(shown))
    ax.barh(places, sizes[shown], color="tab:blue", alpha=0.6, label="coefficient")
    ax.set_yticks(places, [_short(summary.names[i]) for i in shown])
    ax.invert_yaxis()
    ax.set_xlabel("size")
    if len(shown) < len(sizes):
        ax.set_title(f"{len(shown)} of {len(sizes)} coefficients, the largest first", fontsize="medium")
    return ax, shown


def _largest(names: list[str], sizes: Any, most: int) -> Any:
    """By size, the largest first; the intercept has a place among them, as the last one."""
    order = [i for i in np.argsort(-sizes, kind="stable") if names[i] != "intercept"]
    constants = [i for i, name in enumerate(names) if name == "intercept"]
    return np.array([*order[: max(0, most - len(constants))], *constants])


def _short(name: str) -> str:
    return name if len(name) <= 24 else name[:23] + "…"


def convergence(passes: Iterable[int], losses: Any, *, ax: Any = None, label: str | None = None) -> Any:
    """Loss against passes with error bars; ``losses`` has a row of repeated values for every number of passes."""
    ax = _axes(ax)
    table = np.atleast_2d(np.asarray(losses, dtype=float))
    at = np.asarray(list(passes), dtype=float)
    if len(table) != len(at):
        raise ValueError(f"losses: got {len(table)} rows for {len(at)} numbers of passes")
    ax.errorbar(at, table.mean(axis=1), yerr=table.std(axis=1), marker="o", capsize=3, label=label)
    ax.set_xlabel("passes")
    ax.set_ylabel("loss")
    if label is not None:
        ax.legend()
    return ax
