from __future__ import annotations

import numpy as np
import pytest
from sotto import LogisticRegression, accounting

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from sotto import plot  # noqa: E402


def test_every_picture_is_drawn_on_the_axes_it_returns(two):
    ax = plot.trade_off(accounting.gaussian(1.0))
    assert len(ax.lines) == 2 and ax.lines[0].get_ydata()[0] <= 1.0
    ax = plot.profile(accounting.gaussian(1.0), most=2.0)
    assert ax.get_yscale() == "log"
    ax = plot.accuracy([0.1, 1.0], [[0.6, 0.7], [0.8, 0.9]], baseline=0.95)
    assert plot.accuracy([0.1, 1.0], [[0.6, 0.7], [0.8, 0.9]], ax=ax) is ax
    ax = plot.convergence([1, 10], [[0.6, 0.5], [0.3, 0.2]], label="bolt_on")
    assert ax.get_xlabel() == "passes"
    model = LogisticRegression(epsilon=1.0, data_norm=1.0).fit(*two)
    ax = plot.coefficients(model)
    assert len(ax.patches) == 6
    with pytest.raises(ValueError, match="for 1 epsilons"):
        plot.accuracy([1.0], [[0.5], [0.6]])


@pytest.mark.parametrize("features", [5, 64, 300])
def test_names_of_coefficients_do_not_overlap_and_the_intercept_is_there(features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, features))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=0.1).fit(X, (X[:, 0] > 0).astype(int))
    import matplotlib.pyplot as plt

    for draw in (plot.noise_and_signal, plot.coefficients):
        for ax in (draw(model), draw(model, ax=plt.subplots(layout="constrained")[1])):
            ax.figure.canvas.draw()
            labels = ax.get_yticklabels()
            shown = [label.get_window_extent() for label in labels]
            assert labels[-1].get_text() == "intercept"
            assert all(upper.y0 >= lower.y1 for upper, lower in zip(shown, shown[1:]))
            assert all(box.x0 >= 0 for box in shown), "a name is cut off"
            assert max(ax.figure.get_size_inches()) < 10
            plt.close(ax.figure)


def test_the_largest_coefficients_are_drawn_in_their_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 40))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=0.1).fit(X, (X[:, 0] > 0).astype(int))
    ax = plot.noise_and_signal(model, most=10)
    widths = [patch.get_width() for patch in ax.patches]
    assert len(widths) == 10 and widths[:9] == sorted(np.abs(model.coef_[0]), reverse=True)[:9]
    assert ax.get_title() == "10 of 41 coefficients, the largest first"
    assert len(ax.lines) == 1 and len(ax.lines[0].get_xdata()) == 10
    with pytest.raises(ValueError, match="most"):
        plot.noise_and_signal(model, most=0)


def test_noise_is_drawn_or_refused(two):
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, method="objective", alpha=0.1).fit(*two)
    with pytest.raises(ValueError, match="the noise of objective is added to the objective"):
        plot.noise_and_signal(model)
    assert len(plot.coefficients(model).containers) == 1, "bars alone"
    model = LogisticRegression(
        epsilon=1.0, data_norm=1.0, method="objective", alpha=0.1, options={"intervals": 0.2}).fit(*two)
    ax = plot.coefficients(model)
    assert len(ax.containers) == 2 and "95 % interval: sampling and noise" in ax.get_legend_handles_labels()[1]
    ax = plot.noise_and_signal(LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=0.1).fit(*two))
    assert len(ax.lines) == 1
