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


def noise_and_signal(estimator: Any, *, ax: Any = None) -> Any:
    """The size of every coefficient beside the standard deviation of the noise on it."""
    ax = _axes(ax)
    summary = estimator.summary()
    sizes = np.abs(summary.coefficients).max(axis=0)
    places = np.arange(len(sizes))
    ax.bar(places, sizes, label="coefficient")
    if summary.noise_stddev is not None:
        ax.plot(places, summary.noise_stddev, color="black", marker="_", linestyle="", label="noise, one standard deviation")
    ax.set_xticks(places, summary.names, rotation=90)
    ax.set_ylabel("size")
    ax.legend()
    return ax


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
