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
    ax = plot.noise_and_signal(model)
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

    for ax in (plot.noise_and_signal(model), plot.noise_and_signal(model, ax=plt.subplots()[1])):
        ax.figure.canvas.draw()
        shown = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert ax.get_xticklabels()[-1].get_text() == "intercept"
        assert all(left.x1 <= right.x0 for left, right in zip(shown, shown[1:]))
        plt.close(ax.figure)
    ax = plot.noise_and_signal(model)
    ax.figure.canvas.draw()
    assert all(label.get_window_extent().y0 >= 0 for label in ax.get_xticklabels())
    plt.close(ax.figure)


def test_where_no_noise_is_drawn_the_title_says_so(two):
    ax = plot.noise_and_signal(LogisticRegression(epsilon=1.0, data_norm=1.0, method="objective", alpha=0.1).fit(*two))
    assert len(ax.lines) == 0 and "coefficients only: the noise of objective" in ax.get_title()
    ax = plot.noise_and_signal(LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=0.1).fit(*two))
    assert len(ax.lines) == 1 and ax.get_title() == ""
