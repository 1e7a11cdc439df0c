#!/usr/bin/env python3
"""What others do with the rows of a block file of bench/scale: peers.py read|sgd_classifier|liblinear FILE."""

import functools
import json
import struct
import sys
import time

import numpy as np

PIECE = 1 << 23


def read(path):
    """A bare loop: every word of the file is added up once."""
    total = 0
    with open(path, "rb", buffering=0) as file:
        piece = np.empty(PIECE // 8, dtype=np.uint64)
        while count := file.readinto(piece):
            total = (total + int(piece[: count // 8].sum(dtype=np.uint64))) % (1 << 64)
    return {"sum": total}


def rows_of(path):
    """Features and labels of a dense block file (core/sotto/files/block_file/format.h)."""
    with open(path, "rb") as file:
        head = file.read(96)
    header_bytes = struct.unpack_from("<Q", head, 16)[0]
    rows, features, block_rows = struct.unpack_from("<QII", head, 32)
    block_bytes = (4 * (features + 1) * block_rows + 8 + 63) // 64 * 64
    blocks = np.memmap(path, dtype=np.float32, mode="r", offset=header_bytes).reshape(-1, block_bytes // 4)
    values = blocks[:, : block_rows * features].reshape(-1, features)[:rows]
    labels = blocks[:, block_rows * features : block_rows * (features + 1)].reshape(-1)[:rows]
    return np.ascontiguousarray(values), np.ascontiguousarray(labels)


def fit(model, path):
    values, labels = rows_of(path)
    return {"accuracy": float(model.fit(values, labels).score(values, labels))}


def main():
    name, path = sys.argv[1:]
    if name == "read":
        work = read
    elif name == "sgd_classifier":
        from sklearn.linear_model import SGDClassifier

        model = SGDClassifier(loss="log_loss", alpha=1e-4, max_iter=10, tol=None)
        work = functools.partial(fit, model)
    else:
        from sklearn.linear_model import LogisticRegression

        work = functools.partial(fit, LogisticRegression(solver="liblinear"))
    seconds, processor = time.monotonic(), time.process_time()  # the start of the interpreter is not theirs
    answer = work(path)
    answer |= {"seconds": time.monotonic() - seconds, "cpu_seconds": time.process_time() - processor}
    print(json.dumps(answer))


main()
