#!/usr/bin/env python3
"""How well the probabilities of models by `auto` are calibrated, on real sets and on five synthetic shapes.

Usage: measure.py PROGRAM FOLDER OUT.csv [--runs N] [--sets NAME ...]

FOLDER holds the sets that bench/utility/prepare.py wrote. A line of OUT.csv is the mean over runs of one set at one
budget: the log-loss of `predict --probabilities` on test rows, that of the shares of the classes there, that of the
sigmoid of the margin, and the slope of a logistic fit of the label on the log odds (1: calibrated, below 1: too sure).
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "utility"))
from prepare import write_idx  # noqa: E402

REAL = ["adult", "a9a", "bank", "covertype", "kddcup99", "occupancy", "banknote"]
SHAPES = ["well_specified", "imbalanced", "low_signal", "dominant_column", "few_rows"]
FEATURES, TEST_ROWS = 20, 20000


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(x, np.float64)))


def log_loss(labels, log_odds):
    return float(np.mean(np.logaddexp(0, -np.where(labels > 0, 1, -1) * log_odds)))


def calibration_slope(labels, log_odds):
    """b of the logistic fit of the label on a + b log odds, by Newton's method."""
    columns = np.column_stack([np.ones_like(log_odds), log_odds])
    fit = np.array([0.0, 1.0])
    for _ in range(100):
        chance = sigmoid(columns @ fit)
        curvature = columns.T @ (columns * (chance * (1 - chance))[:, None]) + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, columns.T @ (labels - chance))
        length = float(np.max(np.abs(step)))
        fit += step * min(1.0, 0.5 / max(length, 1e-300))
        if length < 1e-9:
            break
    return float(fit[1])


def shape_rows(shape, run):
    """Rows of a normal law, labels by a logistic model; scaled with public bounds to [0, 1], a constant 1, norm 1."""
    coins = np.random.default_rng([SHAPES.index(shape), run])
    rows = 500 if shape == "few_rows" else 20000
    x = coins.normal(size=(rows + TEST_ROWS, FEATURES))
    bounds = np.full(FEATURES, 4.0)
    direction = coins.normal(size=FEATURES)
    direction /= np.linalg.norm(direction)
    if shape == "dominant_column":
        x[:, 0] *= 10
        bounds[0] = 40
        direction[0] = 0.05
    strength = {"imbalanced": 2.0, "low_signal": 0.3}.get(shape, 3.0)
    odds = strength * (x @ direction)
    if shape == "imbalanced":
        low, high = -20.0, 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if sigmoid(odds + middle).mean() < 1 / 101 else (low, middle)
        odds += low
    labels = (coins.random(len(x)) < sigmoid(odds)).astype("u1")
    unit = np.hstack([np.clip((x + bounds) / (2 * bounds), 0, 1), np.ones((len(x), 1))])
    unit *= (1 - 1e-6) / np.maximum(np.linalg.norm(unit, axis=1), 1)[:, None]
    return unit[:rows], labels[:rows], unit[rows:], labels[rows:]


def write_shape(shape, run, folder):
    stem = os.path.join(folder, f"{shape}.{run}")
    train, train_labels, test, test_labels = shape_rows(shape, run)
    for part, x, y in (("train", train, train_labels), ("test", test, test_labels)):
        write_idx(f"{stem}.{part}.idx2", x.astype(">f4"))
        write_idx(f"{stem}.{part}.labels.idx1", y)
    return stem


def read_labels(path):
    with open(path, "rb") as file:
        return np.frombuffer(file.read()[8:], "u1").astype(np.float64)


def trained(program, stem, epsilon, pure, work):
    """Labels, margins and log odds of the test rows of one training."""
    labels = f"{stem}.train.labels.idx1"
    rows = os.path.getsize(labels) - 8
    model, out = os.path.join(work, "model.json"), os.path.join(work, "out.csv")
    subprocess.run(
        [program, "train", "--no-check", "--data", f"{stem}.train.idx2", "--labels-file", labels, "--intercept", "0", "--data-norm",
         "1", "--epsilon", str(epsilon), "--delta", "0" if pure else repr(1 / rows**2), "--out", model],
        check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "predict", "--model", model, "--data", f"{stem}.test.idx2", "--probabilities", "--out",
                    out], check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))[1:]
    margins = np.array([float(line[1]) for line in lines])
    negative, positive = (np.maximum([float(line[k]) for line in lines], 1e-300) for k in (3, 4))
    return read_labels(f"{stem}.test.labels.idx1"), margins, np.log(positive) - np.log(negative)


def measure(program, stems, epsilon, pure):
    figures = []
    with tempfile.TemporaryDirectory() as work:
        for stem in stems:
            labels, margins, log_odds = trained(program, stem, epsilon, pure, work)
            share = labels.mean()
            figures.append((log_loss(labels, log_odds), log_loss(labels, np.log(share / (1 - share))),
                            log_loss(labels, margins), calibration_slope(labels, log_odds)))
    return [statistics.fmean(column) for column in zip(*figures)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", nargs="+", default=REAL + SHAPES, choices=REAL + SHAPES)
    options = parser.parse_args()
    with open(options.out, "w", newline="", encoding="utf-8") as file, tempfile.TemporaryDirectory() as shapes:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["set", "epsilon", "delta", "runs", "log_loss", "class_shares", "sigmoid", "slope"])
        for name in options.sets:
            runs = range(options.runs)
            if name in SHAPES:
                stems = [write_shape(name, run, shapes) for run in runs]
            else:
                stems = [os.path.join(options.folder, f"{name}.{run if name == 'banknote' else 0}") for run in runs]
            for epsilon in (1, 4):
                for pure in (False, True):
                    figures = measure(options.program, stems, epsilon, pure)
                    line = [name, epsilon, "0" if pure else "1/m^2", options.runs, *(f"{f:.4f}" for f in figures)]
                    table.writerow(line)
                    file.flush()
                    print(*line, flush=True)


if __name__ == "__main__":
    main()
