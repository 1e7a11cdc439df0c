#!/usr/bin/env python3
"""The commands and JSON fields others rely on. Usage: contract.py <path of the program>"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
RECIPE = ["--loss", "logistic", "--lambda", "0.01", "--method", "bolt_on", "--epsilon", "1", "--passes", "10",
          "--batch-rows", "50", "--data-norm", "1"]
FIELDS = {"method", "private", "relation", "guarantee", "l2_sensitivity", "noise"}


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.run_sotto("data", "synth", "sphere", "--rows", "10000", "--features", "5", "--margin", "0.001",
                      "--out", "sphere.csv")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def run_sotto(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=cls.directory.name, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=True, text=True).stdout

    def train(self, *more):
        return json.loads(self.run_sotto("train", "--data", "sphere.csv", "--label", "y", *RECIPE, "--out", "m.json",
                                         "--json", *more))

    def test_synth_writes_named_columns_and_signed_labels(self):
        with open(Path(self.directory.name) / "sphere.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["x1", "x2", "x3", "x4", "x5", "y"])
        self.assertEqual(len(rows), 10001)
        self.assertEqual({int(float(row[5])) for row in rows[1:]}, {-1, 1})

    def test_train_states_its_guarantee_and_sensitivity(self):
        card = self.train()
        self.assertLessEqual(FIELDS, card.keys())
        self.assertEqual((card["method"], card["private"], card["relation"]), ("bolt_on", True, "replace_one"))
        # D / (lambda m) = 2 / (0.01 * 10000), rounded outward.
        self.assertGreaterEqual(card["l2_sensitivity"], 0.02)
        self.assertLess(card["l2_sensitivity"], 0.02 * 1.01)
        self.assertEqual(card["guarantee"]["epsilon"], 1)
        self.assertLess(card["guarantee"]["delta"], 1e-15)

    def test_the_published_calibration_is_not_private(self):
        self.assertIs(self.train("--calibration", "published")["private"], False)

    def test_plan_prints_the_same_fields_without_rows(self):
        plan = json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "5", *RECIPE, "--json"))
        trained = self.train()
        self.assertLessEqual(FIELDS, plan.keys())
        for field in ("method", "private", "relation", "guarantee"):
            self.assertEqual(plan[field], trained[field])

    def test_two_runs_draw_different_noise(self):
        models = []
        for _ in range(2):
            self.train()
            models.append((Path(self.directory.name) / "m.json").read_text(encoding="utf-8"))
        self.assertNotEqual(*models)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
