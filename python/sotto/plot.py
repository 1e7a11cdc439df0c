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
_NAME_WIDTH = 0.17


def noise_and_signal(estimator: Any, *, ax: Any = None) -> Any:
    """The size of every coefficient beside the standard deviation of the noise on it.

    Methods that add their noise elsewhere, to gradients or to the objective, have no noise of single coefficients to draw. The
    title says so then. A wide figure is made for many coefficients; on given axes some names are left out.
    """
    summary = estimator.summary()
    sizes = np.abs(summary.coefficients).max(axis=0)
    if ax is None:
        import matplotlib.pyplot as plt

        width = min(60.0, max(6.4, 1.5 + _NAME_WIDTH * len(sizes)))
        ax = plt.subplots(figsize=(width, 4.8), layout="constrained")[1]
    places = np.arange(len(sizes))
    ax.bar(places, sizes, label="coefficient")
    if summary.noise_stddev is not None:
        ax.plot(places, summary.noise_stddev, color="black", marker="_", linestyle="", label="noise, one standard deviation")
    else:
        where = estimator.privacy_["noise"]["added_to"]
        ax.set_title(f"coefficients only: the noise of {estimator.privacy_['method']} is added to {where}", fontsize="medium")
    shown = _shown_places(len(sizes), ax)
    ax.set_xticks(shown, [summary.names[i] for i in shown], rotation=90)
    ax.set_ylabel("size")
    ax.legend()
    return ax


def _shown_places(count: int, ax: Any) -> list[int]:
    """Every place whose name fits, counted from the last one, which is the intercept."""
    inches = ax.get_position().width * ax.figure.get_size_inches()[0]
    fitting = max(1, int(inches / _NAME_WIDTH))
    return sorted(range(count - 1, -1, -max(1, -(-count // fitting))))


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
