#!/usr/bin/env python3
"""Probabilities of a model by `auto` on well-specified rows, from a CSV file to `predict --probabilities`.

Usage: calibration.py PROGRAM
"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
FEATURES = 20
NAMES = [f"x{k}" for k in range(FEATURES)]


def write_rows(path, rows, seed):
    """Normal columns, labels of a logistic model; returns the labels."""
    coins = random.Random(seed)
    labels = []
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([*NAMES, "y"])
        for _ in range(rows):
            x = [coins.gauss(0, 1) for _ in NAMES]
            log_odds = 3 / math.sqrt(FEATURES) * sum(v if k % 2 else -v for k, v in enumerate(x))
            labels.append(1 if coins.random() < 1 / (1 + math.exp(-log_odds)) else 0)
            table.writerow([*(f"{v:.4f}" for v in x), labels[-1]])
    return labels


def log_loss(labels, chances):
    return -sum(math.log(max(p if y == 1 else 1 - p, 1e-300)) for y, p in zip(labels, chances)) / len(labels)


class Calibration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        write_rows(cls.path("train.csv"), 20000, 1)
        cls.labels = write_rows(cls.path("test.csv"), 5000, 2)
        cls.sotto("train", "--data", cls.path("train.csv"), "--label", "y", "--range-all", "-4:4", "--epsilon", "1",
                  "--delta", "1e-9", "--out", cls.path("model.json"))
        with open(cls.path("model.json"), encoding="utf-8") as file:
            cls.model = json.load(file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def sotto(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout

    def predicted(self, model):
        with open(self.path("other.json"), "w", encoding="utf-8") as file:
            json.dump(model, file)
        lines = self.sotto("predict", "--model", self.path("other.json"), "--data", self.path("test.csv"),
                           "--probabilities").splitlines()
        return [row for row in csv.DictReader(lines)]

    def test_the_log_loss_is_far_below_that_of_the_class_shares(self):
        # Here the shares have 0.69, the fit without privacy 0.36, this model about 0.37.
        rows = self.predicted(self.model)
        self.assertLess(log_loss(self.labels, [float(row["probability"]) for row in rows]), 0.5)

    def test_a_link_changes_probabilities_and_nothing_else(self):
        self.assertLess(self.model["link"]["scale"], 1)
        linked = self.predicted(self.model)
        plain = self.predicted({key: value for key, value in self.model.items() if key != "link"})
        for one, other in zip(linked, plain):
            self.assertEqual((one["prediction"], one["margin"]), (other["prediction"], other["margin"]))
            log_odds = self.model["link"]["scale"] * float(one["margin"])
            self.assertAlmostEqual(float(one["probability"]), 1 / (1 + math.exp(-log_odds)), places=12)
            self.assertAlmostEqual(float(other["probability"]), 1 / (1 + math.exp(-float(one["margin"]))), places=12)
        self.assertGreater(log_loss(self.labels, [float(row["probability"]) for row in plain]),
                           log_loss(self.labels, [float(row["probability"]) for row in linked]) + 0.1)

    def test_evaluate_states_the_log_loss_of_the_probabilities(self):
        shown = json.loads(self.sotto("evaluate", "--model", self.path("model.json"), "--data", self.path("test.csv"),
                                      "--json"))
        rows = self.predicted(self.model)
        self.assertAlmostEqual(shown["loss"], log_loss(self.labels, [float(row["probability"]) for row in rows]),
                               places=6)


if __name__ == "__main__":
    unittest.main()
