"""How long a fit goes on after Ctrl-C, and what the ledger says then: milliseconds from the signal to the exception, the worst of
the tries, for several methods once they are charged, and for the reading of large inputs of several kinds before that."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import tempfile
import threading
import time
from typing import Any

import numpy as np

from sotto import Ledger, LogisticRegression


def late(work, ledger: Ledger, after: float) -> float | None:
    """Seconds from a signal sent `after` seconds past the charge to the exception, or None if the work was done first."""
    sent = [0.0]
    before = len(ledger.entries)

    def interrupt() -> None:
        for _ in range(2000):
            if len(ledger.entries) > before:
                break
            time.sleep(0.01)
        time.sleep(after)
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        work()
        sender.join()
        time.sleep(0.01)
        return None
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0] if sent[0] else None
    finally:
        try:
            sender.join()
        except KeyboardInterrupt:
            pass


def inputs(rows: int) -> dict:
    """Large rows as people hold them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    kinds = {"float32": (X, y), "float64": (X.astype(float), y), "fortran": (np.asfortranarray(X), y),
             "integers": ((10 * X).astype(np.int32), y), "texts": (X, np.where(y == 1, "yes", "no"))}  # fmt: skip
    if importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        kinds["pandas"] = (pd.DataFrame(X), pd.Series(y))
        kinds["nullable"] = (pd.DataFrame(X).convert_dtypes(dtype_backend="numpy_nullable"), pd.Series(y))
    return kinds


class HasRead(Exception):
    """The rows are read; nothing is trained."""


def reading(X, y, at: float) -> tuple[float | None, float]:
    """Seconds from a signal `at` seconds into a fit to the exception (None: it came after the reading), and of the reading."""
    done, sent = [0.0], [0.0]
    model = LogisticRegression(epsilon=1.0, data_norm=10.0, alpha=1e-3, method="bolt_on", classes=sorted(set(y.tolist())))

    def stop(*_: Any) -> None:
        done[0] = time.perf_counter()
        raise HasRead

    model._train = stop  # type: ignore[method-assign]

    def interrupt() -> None:
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Timer(at, interrupt)
    start = time.perf_counter()
    wait = None
    try:
        sender.start()
        try:
            model.fit(X, y)
        except HasRead:
            sender.cancel()
            sender.join()
            time.sleep(0.01)
    except KeyboardInterrupt:
        wait = time.perf_counter() - sent[0] if not done[0] else None
    return wait, done[0] - start


def measure_reading(rows: int, tries: int) -> list[dict]:
    lines = []
    for kind, (X, y) in inputs(rows).items():
        whole = min(reading(X, y, 3600.0)[1] for _ in range(2))
        waits = [reading(X, y, whole * (turn + 0.5) / tries)[0] for turn in range(tries)]
        heard = [1000 * wait for wait in waits if wait is not None]
        lines.append({"reading": kind, "rows": rows, "reading_ms": 1000 * whole, "interrupted": len(heard),
                      "worst_ms": max(heard, default=None)})  # fmt: skip
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--out")
    asked = parser.parse_args()
    # A shell that starts this in the background has its children ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(asked.rows, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    folder = tempfile.TemporaryDirectory()
    lines = measure_reading(asked.rows, 4 * asked.tries)
    methods = {"bolt_on": {"max_iter": 50}, "scs13": {"max_iter": 300}, "dpgd": {}, "dpsgd": {}, "objective": {}, "auto": {}}
    for number, (method, more) in enumerate(methods.items()):
        # Sampled gradients and perturbed objectives have no rho.
        kind = "sum" if method in ("dpsgd", "objective") else None
        ledger = Ledger.create(f"{folder.name}/{number}", epsilon=10.0, delta=1e-3, name=method, filter=kind)
        model = LogisticRegression(epsilon=1.0, delta=1e-8, data_norm=10.0, alpha=1e-3, method=method, accountant=ledger, **more)
        waits = []
        for turn in range(asked.tries):
            wait = late(lambda: model.fit(X, y), ledger, 0.01 * turn)
            if wait is not None:
                waits.append(1000 * wait)
        lines.append({
            "method": method, "interrupted": len(waits), "worst_ms": max(waits, default=None),
            "charged": len(ledger.entries), "spent": ledger.spent,
        })  # fmt: skip
        print(lines[-1], flush=True)
    if asked.out:
        with open(asked.out, "w", encoding="utf-8") as file:
            json.dump(lines, file, indent=1)


if __name__ == "__main__":
    main()
