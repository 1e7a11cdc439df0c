"""Adult, KDDCup99 and MNIST with public constants only: numbers to [0, 1] between fixed bounds, categories to one-hot over
fixed lists, a constant 1 appended, the row scaled to norm at most 1. Nothing is computed from the rows."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np

ROOT = Path(os.environ.get("SOTTO_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))

ADULT_LISTS = {
    1: "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked ?",
    3: "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th 10th "
    "Doctorate 5th-6th Preschool",
    5: "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
    6: "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners Machine-op-inspct "
    "Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces ?",
    7: "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    8: "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    9: "Female Male",
}
ADULT_NUMBERS = {0: 100.0, 4: 16.0, 12: 100.0}
ADULT_LOGS = {10: 1e5, 11: 1e4}
KDD_LOGS = {0: 1e5, 4: 2e9, 5: 2e9, 7: 10, 8: 10, 9: 1000, 10: 10, 12: 1e4, 14: 10, 15: 1e4, 16: 1000, 17: 10, 18: 10, 19: 10}
KDD_NUMBERS = {22: 511.0, 23: 511.0, 31: 255.0, 32: 255.0}
KDD_LISTS = {1: "tcp udp icmp", 3: "OTH REJ RSTO RSTOS0 RSTR S0 S1 S2 S3 SF SH"}


def _table(name: str) -> list[list[str]]:
    with gzip.open(ROOT / name, "rt") as file:
        return [[cell.strip() for cell in row] for row in csv.reader(file) if len(row) > 5]


def _log(values: np.ndarray, most: float) -> np.ndarray:
    return np.clip(np.log1p(np.maximum(values, 0)) / np.log1p(most), 0, 1)


def _one_hot(cells: list[str], values: str) -> np.ndarray:
    places = {value: i for i, value in enumerate(values.split())}
    out = np.zeros((len(cells), len(places)))
    for row, cell in enumerate(cells):
        if cell in places:
            out[row, places[cell]] = 1
    return out


def _encode(table: list[list[str]], lists: dict[int, str], numbers: dict[int, float], logs: dict[int, float]) -> np.ndarray:
    blocks = []
    for place in range(len(table[0]) - 1):
        cells = [row[place] for row in table]
        if place in lists:
            blocks.append(_one_hot(cells, lists[place]))
        elif place in logs:
            blocks.append(_log(np.array(cells, dtype=float), logs[place])[:, None])
        elif place in numbers:
            blocks.append(np.clip(np.array(cells, dtype=float) / numbers[place], 0, 1)[:, None])
    return _finish(np.hstack(blocks))


def _finish(X: np.ndarray) -> np.ndarray:
    X = np.hstack([X, np.ones((len(X), 1))])
    return (X * ((1 - 1e-6) / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1))).astype(np.float32)


def adult():
    def part(name: str):
        table = _table(name)
        return _encode(table, ADULT_LISTS, ADULT_NUMBERS, ADULT_LOGS), np.array([row[-1].startswith(">50K") for row in table], int)

    return *part("adult/adult.data.gz"), *part("adult/adult.test.gz")


def kddcup99():
    table = _table("kddcup99/kddcup.data_10_percent.gz")
    order = np.random.default_rng(0).permutation(len(table))[:70_000]
    table = [table[i] for i in order]
    rates = {place: 1.0 for place in range(41) if place not in KDD_LOGS and place not in KDD_LISTS and place != 2}
    X = _encode(table, KDD_LISTS, rates | KDD_NUMBERS, KDD_LOGS)
    y = np.array([row[-1] != "normal." for row in table], int)
    return X[:56_000], y[:56_000], X[56_000:], y[56_000:]


def mnist():
    def images(name: str) -> np.ndarray:
        with gzip.open(ROOT / "mnist" / name) as file:
            return _finish(np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) / 255.0)

    def labels(name: str) -> np.ndarray:
        with gzip.open(ROOT / "mnist" / name) as file:
            return np.frombuffer(file.read(), np.uint8, offset=8).astype(int)

    return (
        images("train-images-idx3-ubyte.gz"),
        labels("train-labels-idx1-ubyte.gz"),
        images("t10k-images-idx3-ubyte.gz"),
        labels("t10k-labels-idx1-ubyte.gz"),
    )


SETS = {"adult": adult, "kddcup99": kddcup99, "mnist": mnist}
