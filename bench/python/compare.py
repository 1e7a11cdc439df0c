"""Fit time and test accuracy side by side: one machine, one run, the same rows and epsilon. Times are minima.

diffprivlib is pure (delta 0); sotto_pure is to be compared with it. sotto and Opacus have delta = 1 / rows^2.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time

import numpy as np
from contenders import ALL
from datasets import SETS


def available(name: str) -> bool:
    module = {"sotto_pure": "sotto", "scikit_learn": "sklearn"}.get(name, name)
    return importlib.util.find_spec(module) is not None


def binding_overhead(X, y, classes: int) -> float:
    """The share of a fit that is not the library's training: checks, encoding, attributes."""
    from sotto import LogisticRegression, _core

    model = LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False, classes=list(range(classes)))
    inside = 0.0
    train = _core.train

    def timed(*arguments):
        nonlocal inside
        start = time.perf_counter()
        try:
            return train(*arguments)
        finally:
            inside = time.perf_counter() - start

    shares = []
    _core.train = timed
    try:
        for _ in range(5):
            start = time.perf_counter()
            model.fit(X, y)
            shares.append(1 - inside / (time.perf_counter() - start))
    finally:
        _core.train = train
    return min(shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--contenders", default=",".join(ALL))
    parser.add_argument("--epsilons", default="0.1,0.5,1,4")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out")
    asked = parser.parse_args()
    lines = []
    for name in asked.sets.split(","):
        X, y, X_test, y_test = SETS[name]()
        classes = int(y.max()) + 1
        if "sotto" in asked.contenders:
            lines.append({"set": name, "contender": "sotto", "binding_overhead": binding_overhead(X, y, classes)})
            print(lines[-1], flush=True)
        for contender in (c for c in asked.contenders.split(",") if available(c)):
            for epsilon in [float(e) for e in asked.epsilons.split(",")]:
                if contender == "scikit_learn" and any(l.get("contender") == contender and l["set"] == name for l in lines):
                    continue
                seconds, accuracies = [], []
                for _ in range(asked.runs):
                    start = time.perf_counter()
                    model = ALL[contender](X, y, classes, epsilon, 1 / len(X) ** 2)
                    seconds.append(time.perf_counter() - start)
                    accuracies.append(float(np.mean(model.predict(X_test) == y_test)))
                lines.append({
                    "set": name, "rows": len(X), "features": X.shape[1], "contender": contender, "epsilon": epsilon,
                    "seconds": min(seconds), "accuracy": float(np.mean(accuracies)), "spread": float(np.std(accuracies)),
                })
                print(lines[-1], flush=True)
    if asked.out:
        with open(asked.out, "w", encoding="utf-8") as file:
            json.dump(lines, file, indent=1)


if __name__ == "__main__":
    main()
