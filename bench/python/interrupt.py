"""How long a fit goes on after Ctrl-C, and what the ledger says then: milliseconds from the signal to the exception, the worst of
the tries, for several methods and for the reading of a large array."""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import threading
import time

import numpy as np

from sotto import Ledger, LogisticRegression


def late(work, after: float) -> float | None:
    """Seconds from a signal sent `after` seconds into the work to its exception, or None if the work was done first."""
    sent = [0.0]

    def interrupt() -> None:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=5)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--out")
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(asked.rows, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    folder = tempfile.TemporaryDirectory()
    lines = []
    methods = {"bolt_on": {"max_iter": 500}, "scs13": {"max_iter": 500}, "dpgd": {}, "dpsgd": {}, "objective": {}, "auto": {}}
    for number, (method, more) in enumerate(methods.items()):
        ledger = Ledger.create(f"{folder.name}/{number}", epsilon=1e4, delta=1e-2, name=method)
        model = LogisticRegression(epsilon=1.0, delta=1e-8, data_norm=10.0, alpha=1e-3, method=method, accountant=ledger, **more)
        waits = []
        for turn in range(asked.tries):
            wait = late(lambda: model.fit(X, y), 0.15 + 0.07 * turn)
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
