from __future__ import annotations

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
