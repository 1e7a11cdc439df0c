"""Panels that Song13 and the theses after it share: SCS13 beside plain SGD, lambda 1e-4, weights in a ball of 1/lambda."""
from declare import job, panel, series

PLAIN = dict(radius=10000, **{"lambda": 1e-4})
RUNS = {"quick": 5, "full": 20}
BATCHES = (1, 2, 5, 10, 20, 50)


def prefixes(rows):
    """Numbers of first rows: a training each."""
    quick = [rows // 50, rows // 10, rows // 4, rows // 2, rows]
    return {"quick": quick, "full": sorted({*quick, rows // 20, rows // 6, rows // 3, rows * 2 // 3, rows * 5 // 6})}


def ball_epsilon(dimensions):
    """Noise uniform in the ball instead of on the sphere has d/(d + 2) of the variance; here it is that of this epsilon
    on the sphere, for alpha 1. Its law is another: it is not private for any epsilon."""
    return ((dimensions + 2) / dimensions) ** 0.5


def against_rows(title, data, rows, batch, extra=(), step="inverse_sqrt", measure="objective", **log):
    """extra: (name, data, private, settings) of further private curves."""
    at, common = prefixes(rows), dict(batch_rows=batch, step=step, **PLAIN)
    curves = [series("non-private", job(data, "noiseless", passes=1, **common), "rows", at, measure, RUNS, False),
              series("private", job(data, "scs13", epsilon=1, **common), "rows", at, measure, RUNS)]
    curves += [series(name, job(other, "scs13", **{"epsilon": 1, **common, **settings}), "rows", at, measure, RUNS, private)
               for name, other, private, settings in extra]
    return panel(title, "rows read", "objective", curves, **log)


def against_batch(title, data, numerator, extra=(), batches=BATCHES):
    step = dict(step="inverse_sqrt", step_numerator=numerator, **PLAIN)
    curves = [series("centralised", job(data, "lbfgs", **{"lambda": 1e-4}), None, (batches[0], batches[-1]), runs=1,
                     private=False),
              series("non-private", job(data, "noiseless", passes=1, **step), "batch_rows", batches, runs=RUNS, private=False),
              series("private", job(data, "scs13", epsilon=1, **step), "batch_rows", batches, runs=RUNS)]
    curves += [series(name, job(other, "scs13", **{"epsilon": 1, **step, **settings}), "batch_rows", batches, runs=RUNS,
                      private=private) for name, other, private, settings in extra]
    return panel(title, "batch size", "objective", curves, x_scale="log", y_scale="log")
