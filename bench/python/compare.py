"""Fit time and test accuracy side by side: one machine, one run, the same rows and epsilon. Times are minima over the runs, of
the clock and of the processor; the latter says the same on a busy machine.

diffprivlib is pure (delta 0); sotto_pure is to be compared with it. The others have delta = 1 / rows^2. Opacus accounts for
add_remove: sotto_add_remove is to be compared with it; sotto is replace_one, its default. The results are written after every
line, and with --resume lines that the file has are not measured again.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import time

import numpy as np
from contenders import ALL
from datasets import SETS

#: Contenders that take seconds or minutes a fit.
SLOW = ("diffprivlib", "opacus", "scikit_learn")


def available(name: str) -> bool:
    """Whether it is installed; then it is loaded, so that no fit is charged with that."""
    modules = {"scikit_learn": "sklearn.linear_model", "diffprivlib": "diffprivlib.models", "opacus": "opacus"}
    module = modules.get(name, "sotto")
    if importlib.util.find_spec(module.split(".")[0]) is None:
        return False
    importlib.import_module(module)
    return True


def binding_overhead(X, y, classes: int) -> float:
    """The share of a fit, in processor time, outside the compiled library, which reads the rows into its bounds and trains:
    the checks of scikit-learn, the codes of labels, the attributes."""
    from sotto import LogisticRegression, _core

    model = LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False, classes=list(range(classes)))
    inside = 0.0

    def timed(call):
        def measured(*arguments):
            nonlocal inside
            start = time.process_time()
            try:
                return call(*arguments)
            finally:
                inside += time.process_time() - start

        return measured

    shares = []
    compiled = {name: getattr(_core, name) for name in ("dense_rows", "train")}
    try:
        for name, call in compiled.items():
            setattr(_core, name, timed(call))
        for _ in range(5):
            inside, start = 0.0, time.process_time()
            model.fit(X, y)
            shares.append(1 - inside / (time.process_time() - start))
    finally:
        for name, call in compiled.items():
            setattr(_core, name, call)
    return min(shares)


class Lines:
    """What was measured, kept in a file."""

    def __init__(self, path: str | None, resume: bool) -> None:
        self.path = path
        self.lines: list[dict] = []
        if resume and path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.lines = json.load(file)

    def has(self, **keys) -> bool:
        return any(all(line.get(k) == v for k, v in keys.items()) for line in self.lines)

    def add(self, line: dict) -> None:
        self.lines.append(line)
        print(line, flush=True)
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.lines, file, indent=1)


def measure(fit, rows, classes: int, epsilon: float, runs: int) -> dict:
    X, y, X_test, y_test = rows
    clock, processor, accuracies = [], [], []
    for _ in range(runs):
        started, used = time.perf_counter(), time.process_time()
        model = fit(X, y, classes, epsilon, 1 / len(X) ** 2)
        clock.append(time.perf_counter() - started)
        processor.append(time.process_time() - used)
        accuracies.append(float(np.mean(model.predict(X_test) == y_test)))
    return {
        "rows": len(X), "features": X.shape[1], "runs": runs, "seconds": min(clock), "cpu_seconds": min(processor),
        "accuracy": float(np.mean(accuracies)), "spread": float(np.std(accuracies)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--contenders", default=",".join(ALL))
    parser.add_argument("--epsilons", default="0.1,0.5,1,4")
    parser.add_argument("--runs", type=int, default=5, help="of sotto")
    parser.add_argument("--slow-runs", type=int, default=3, help="of contenders that take seconds")
    parser.add_argument("--out")
    parser.add_argument("--resume", action="store_true")
    asked = parser.parse_args()
    lines = Lines(asked.out, asked.resume)
    contenders = [c for c in asked.contenders.split(",") if available(c)]
    for name in asked.sets.split(","):
        rows = SETS[name]()
        classes = int(rows[1].max()) + 1
        if "sotto" in contenders and not lines.has(set=name, quantity="binding overhead"):
            share = binding_overhead(rows[0], rows[1], classes)
            lines.add({"set": name, "contender": "sotto", "quantity": "binding overhead", "binding_overhead": share})
        for contender in contenders:
            for epsilon in [float(e) for e in asked.epsilons.split(",")]:
                keys = {"set": name, "contender": contender, "epsilon": epsilon}
                if contender == "scikit_learn":
                    keys["epsilon"] = None
                if lines.has(**keys):
                    continue
                runs = asked.slow_runs if contender in SLOW else asked.runs
                version = "sotto" if contender.startswith("sotto") else contender.replace("_", "-")
                found = measure(ALL[contender], rows, classes, epsilon, runs)
                lines.add({**keys, "version": importlib.metadata.version(version), **found})


if __name__ == "__main__":
    main()
