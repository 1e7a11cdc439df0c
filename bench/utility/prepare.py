#!/usr/bin/env python3
"""Writes the real data sets as float32 IDX files, preprocessed with public constants only.

Usage: prepare.py OUT [SET ...]

The preprocessing is preprocess.py in the folder `baselines` beside the data (SOTTO_DATA), so that figures compare
with those measured there. A set and split is written as SET.SPLIT.{train,test}.{idx2,labels.idx1}; what is there
already is kept. Sets with an official split have split 0 alone, banknote has ten.
"""
import importlib.util
import os
import struct
import sys

SPLITS = {"banknote": 10}


def load_preprocess():
    data = os.environ.get("SOTTO_DATA", os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "data"))
    os.environ["SOTTO_DATA"] = os.path.abspath(data)
    path = os.path.join(os.environ["SOTTO_DATA"], "..", "baselines", "preprocess.py")
    spec = importlib.util.spec_from_file_location("preprocess", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_idx(path, array):
    """Complete or not there: written beside and renamed."""
    kind = {">f4": 0x0D, "|u1": 0x08}[array.dtype.str]
    with open(path + ".part", "wb") as out:
        out.write(struct.pack(">BBBB", 0, 0, kind, array.ndim))
        out.write(struct.pack(f">{array.ndim}I", *array.shape))
        out.write(array.tobytes())
    os.replace(path + ".part", path)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: prepare.py OUT [SET ...]")
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    preprocess = load_preprocess()
    for name in sys.argv[2:] or preprocess.NAMES:
        for split in range(SPLITS.get(name, 1)):
            stem = os.path.join(out, f"{name}.{split}")
            if os.path.exists(stem + ".test.labels.idx1"):
                continue
            rows, labels, test_rows, test_labels = preprocess.load(name, split)
            for part, x, y in (("train", rows, labels), ("test", test_rows, test_labels)):
                write_idx(f"{stem}.{part}.idx2", x.astype(">f4"))
                write_idx(f"{stem}.{part}.labels.idx1", y.astype("u1"))
            print(f"{name}, split {split}: {rows.shape[0]} rows to train, {test_rows.shape[0]} to test", flush=True)


if __name__ == "__main__":
    main()
