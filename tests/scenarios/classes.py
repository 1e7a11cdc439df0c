#!/usr/bin/env python3
"""A label of several classes from file to prediction. Usage: classes.py <path of the program>"""
import csv
import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
CENTRES = {"red": (1, 0), "gr\"een": (-0.5, 0.8), "blue": (-0.5, -0.8)}
CLASSES = "blue,red,gr\"een"  # in another order than the rows have them


class Classes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        draw = random.Random(1)
        with open(cls.path("colours.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "b", "colour"])
            for i in range(600):
                colour = list(CENTRES)[i % 3]
                writer.writerow([x + draw.gauss(0, 0.2) for x in CENTRES[colour]] + [colour])
            writer.writerow([0, 1, "violet"])  # not declared: a zero row in training, and nobody is told

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def path(cls, name):
        return str(Path(cls.directory.name) / name)

    @classmethod
    def run_sotto(cls, *arguments, ok=True):
        done = subprocess.run([PROGRAM, *arguments], cwd=cls.directory.name, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        assert (done.returncode == 0) == ok, done.stderr
        return done.stdout

    def train(self, loss, *more, data="colours.csv", method="noiseless"):
        declared = [] if data.endswith(".sotto") else ["--label", "colour", "--classes", CLASSES, "--data-norm", "1"]
        return json.loads(self.run_sotto("train", "--data", data, *declared, "--loss", loss, "--lambda", "0.001",
                                         "--method", method, "--passes", "5", "--batch-rows", "10", "--out",
                                         f"{loss}.json", "--json", *more))

    def test_predictions_are_the_texts_of_the_right_classes(self):
        for loss in ("softmax", "logistic", "huber_svm"):
            self.train(loss)
            with open(self.path("colours.csv"), newline="", encoding="utf-8") as file:
                actual = [row["colour"] for row in csv.DictReader(file)]
            lines = self.run_sotto("predict", "--model", f"{loss}.json", "--data", "colours.csv").splitlines()
            predicted = [row["prediction"] for row in csv.DictReader(lines)]
            self.assertEqual(len(predicted), 601)
            right = sum(a == p for a, p in zip(actual, predicted))
            self.assertGreater(right, 570, loss)
            evaluated = json.loads(self.run_sotto("evaluate", "--model", f"{loss}.json", "--data", "colours.csv",
                                                  "--json"))
            self.assertEqual(evaluated["confusion"]["classes"], CLASSES.split(","))
            counts = evaluated["confusion"]["counts"]
            self.assertEqual((evaluated["rows"], evaluated["unusable"], sum(map(sum, counts))), (600, 1, 600))
            self.assertEqual(counts[1][1], sum(a == p == "red" for a, p in zip(actual, predicted)))
            self.assertGreater(evaluated["accuracy"], 0.95)
            self.assertGreater(evaluated["auc"], 0.95)

    def test_probabilities_add_up_to_one_and_agree_with_the_prediction(self):
        for loss in ("softmax", "logistic"):
            self.train(loss)
            for line in self.run_sotto("predict", "--model", f"{loss}.json", "--data", "colours.csv", "--json",
                                       "--probabilities").splitlines():
                row = json.loads(line)
                self.assertEqual(list(row["probabilities"]), CLASSES.split(","))
                self.assertAlmostEqual(sum(row["probabilities"].values()), 1)
                self.assertEqual(max(row["probabilities"].values()), row["probabilities"][row["prediction"]])
        self.train("huber_svm")
        self.run_sotto("predict", "--model", "huber_svm.json", "--data", "colours.csv", "--probabilities", ok=False)

    def test_a_packed_file_keeps_its_classes(self):
        packed = json.loads(self.run_sotto("data", "pack", "--data", "colours.csv", "--out", "colours.sotto", "--label",
                                           "colour", "--classes", CLASSES, "--data-norm", "1", "--json"))
        self.assertEqual(packed["check"]["classes"], {"blue": 200, "red": 200, "gr\"een": 200})
        self.assertEqual(packed["check"]["zero_rows"], 1)
        self.assertIn("NOT FOR RELEASE", packed["remark"])
        self.assertEqual(json.loads(self.run_sotto("data", "info", "--data", "colours.sotto", "--json"))["classes"], 3)
        card = self.train("softmax", data="colours.sotto")
        self.assertEqual(card["facts"]["classes"], 3)
        evaluated = json.loads(self.run_sotto("evaluate", "--model", "softmax.json", "--data", "colours.csv", "--json"))
        self.assertGreater(evaluated["accuracy"], 0.95)

    def test_classes_taken_from_the_rows_are_stamped(self):
        card = json.loads(self.run_sotto("train", "--data", "colours.csv", "--label", "colour", "--loss", "softmax",
                                         "--lambda", "0.01", "--epsilon", "1", "--assume-bounds-from-data", "--out", "/dev/null",
                                         "--json"))
        self.assertEqual(card["facts"]["classes"], 4)
        self.assertIs(card["private"], False)

    def test_a_plan_counts_classes_given_by_number_or_list(self):
        def sensitivity(*more):
            return json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "2", "--lambda", "0.01",
                                             "--method", "bolt_on", "--epsilon", "1", "--json", *more))["l2_sensitivity"]
        two = sensitivity()
        self.assertAlmostEqual(sensitivity("--classes", "9") / two, 3, places=5)
        self.assertEqual(sensitivity("--classes", "a,b,c"), sensitivity("--classes", "3"))
        self.assertAlmostEqual(sensitivity("--classes", "9", "--loss", "softmax") / two, 2 ** 0.5, places=3)
        self.run_sotto("plan", "--rows", "600", "--features", "2", "--epsilon", "1", "--classes", "1", ok=False)

    def test_generated_classes_are_learnt(self):
        self.run_sotto("data", "synth", "large", "--rows", "4000", "--features", "10", "--classes", "4", "--noise", "0",
                       "--seed", "1", "--out", "large.csv")
        self.run_sotto("train", "--data", "large.csv", "--label", "y", "--classes", "0,1,2,3", "--loss", "softmax",
                       "--lambda", "0.0001", "--data-norm", "1", "--method", "noiseless", "--out", "large.json")
        evaluated = json.loads(self.run_sotto("evaluate", "--model", "large.json", "--data", "large.csv", "--json"))
        self.assertGreater(evaluated["accuracy"], 0.9)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
