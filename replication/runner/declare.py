"""Words an experiment is written in. An experiment is data: figures of panels of series of points, and checks.

A value may be {"quick": ..., "full": ...}; `choose` takes the one that is asked for.
"""


def choose(value, mode):
    if isinstance(value, dict) and set(value) == {"quick", "full"}:
        return value[mode]
    return value


def job(data, method, measure_lambda=None, **settings):
    """One training. `settings` are flags of `sotto train` (or `sotto tune` where `grid` is among them) with
    underscores, and these words of the runner's own:
      rows         train on the first rows only
      one_vs_rest  so many binary models, each with its share of epsilon and delta [Wu17]
      epsilon_per_pass  epsilon is this times the passes
      loose_norm   rows longer than 1 are kept and noise is that of norm 1: epsilon is multiplied by the largest norm
      timed        nothing else runs meanwhile, the fastest of three counts
      engine       "postgres": inside the database; any other is the program's flag
    """
    return dict(data=data, method=method, measure_lambda=measure_lambda, settings=settings)


def series(name, what, sweep=None, values=(), measure="objective", runs=20, private=True):
    """One curve: `what` trained at every value of the flag `sweep`; without one a level line at the values.
    private: whether noise is calibrated so that the guarantee holds; the runner compares with the model's card."""
    return dict(name=name, job=what, sweep=sweep, values=values, measure=measure, runs=runs, private=private)


def panel(title, x, y, curves, x_scale="linear", y_scale="linear"):
    return dict(title=title, x=dict(label=x, scale=x_scale), y=dict(label=y, scale=y_scale), series=curves)


def check(claim, published, value, holds, unit="", decisive=True):
    """A claim of the paper. `value` is computed from the figure's points (see verdicts.py); `holds` judges it as `x`.
    Where `value` names P it is computed with each of the figure's variants. A claim that is not decisive is listed,
    but the figure's verdict does not depend on it."""
    return dict(claim=claim, published=published, value=value, holds=holds, unit=unit, decisive=decisive)


def table(title, columns, rows):
    """Cells that begin with "=" are computed like the value of a check."""
    return dict(title=title, columns=columns, rows=rows)


def figure(id, name, title, panels=(), checks=(), variants=("private",), **more):
    """variants: the name of the valid curve, then that of the published one if it is not private.
    more: caption, alt, tables, not_run (the reason)."""
    return dict(id=id, figure=name, title=title, panels=list(panels), checks=list(checks), variants=variants,
                caption=more.get("caption", ""), alt=more.get("alt", ""), tables=list(more.get("tables", ())),
                not_run=more.get("not_run"))
