#!/usr/bin/env python3
"""Bounds found privately, from a file to predictions. Usage: bounds.py <path of the program>"""
import csv
import json
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
ROWS = 4000


class People(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        draw = random.Random(1)
        with open(self.path("people.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["age", "income", "job", "y"])
            for i in range(ROWS):
                good = i % 2
                job = "Jane Doe's own" if i == 5 else draw.choice(["clerk", "cook"] if good else ["cook", "smith"])
                writer.writerow([draw.randint(18, 50) + 25 * good, round(draw.lognormvariate(9 + good, 0.5)), job, good])

    def tearDown(self):
        self.directory.cleanup()

    def path(self, name):
        return str(Path(self.directory.name) / name)

    def sotto(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.directory.name, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def find(self, *more, code=0):
        text = self.sotto("data", "bounds", "--data", "people.csv", "--label", "y", "--text", "job", "--epsilon", "0.5",
                          "--delta", "1e-7", "--out", "schema.json", "--json", *more, code=code)
        return json.loads(text)

    def train(self, *more, epsilon="0.5", code=0):
        text = self.sotto("train", "--data", "people.csv", "--epsilon", epsilon, "--lambda", "0.01", "--method", "bolt_on",
                          "--passes", "5", "--batch-rows", "20", "--out", "model.json", "--json", *more, code=code)
        return json.loads(text)

    def accuracy(self):
        return json.loads(self.sotto("evaluate", "--model", "model.json", "--data", "people.csv", "--json"))["accuracy"]


class Bounds(People):
    def test_found_bounds_train_and_predict_and_the_card_adds_both(self):
        found = self.find()
        self.assertTrue(found["private"])
        columns = {column["name"]: column for column in found["schema"]["columns"]}
        self.assertEqual(columns["job"]["values"], ["clerk", "cook", "smith"])  # and not the one of a single row
        self.assertLess(columns["age"]["min"], 30)
        self.assertGreater(columns["age"]["max"], 60)
        self.assertNotIn("Jane", Path(self.path("schema.json")).read_text(encoding="utf-8"))
        card = self.train("--schema", "schema.json")
        self.assertTrue(card["private"])
        self.assertAlmostEqual(card["guarantee"]["epsilon"], 1.0)
        self.assertGreaterEqual(card["guarantee"]["delta"], found["cost"]["delta"])
        self.assertEqual([event["event"] for event in card["events"]][:2], ["exponential", "discrete_laplace"])
        lines = self.sotto("predict", "--model", "model.json", "--data", "people.csv").splitlines()
        self.assertEqual(len(lines), ROWS + 1)

    def test_a_packed_file_carries_the_cost(self):
        self.find()
        self.sotto("data", "pack", "--data", "people.csv", "--schema", "schema.json", "--out", "people.sotto")
        card = json.loads(self.sotto("train", "--data", "people.sotto", "--epsilon", "0.5", "--lambda", "0.01", "--out", "/dev/null", "--json"))
        self.assertAlmostEqual(card["guarantee"]["epsilon"], 1.0)

    def test_in_one_go_the_whole_budget_is_promised(self):
        card = self.train("--label", "y", "--text", "job", "--private-bounds", "--private-share", "0.4", "--data-norm",
                          "private", "--delta", "1e-6", epsilon="1")
        self.assertTrue(card["private"])
        self.assertAlmostEqual(card["guarantee"]["epsilon"], 1.0)
        self.assertLessEqual(card["guarantee"]["delta"], 1e-6)

    def test_the_norm_alone_can_be_found_purely(self):
        card = self.train("--label", "y", "--ignore", "job", "--data-norm", "private", epsilon="2")
        self.assertAlmostEqual(card["guarantee"]["epsilon"], 2.0)
        self.assertGreater(card["facts"]["data_norm"], 1000)
        self.assertEqual(card["events"][0], {"event": "exponential", "parameter": "epsilon",
                                             "value": card["events"][0]["value"], "times": 1, "parts": 1})
        self.assertAlmostEqual(card["events"][0]["value"], 0.2)

    def test_a_ledger_is_charged_once_for_each_and_refuses_before_reading(self):
        self.sotto("ledger", "create", "L", "--data", "people.csv", "--budget-epsilon", "1",
                   "--budget-delta", "1e-5", "--filter", "sum")
        found = self.find("--ledger", "L")
        self.assertTrue(self.find("--ledger", "L")["stored"])
        card = self.train("--schema", "schema.json", "--ledger", "L", epsilon="0.25")
        self.assertEqual(card["budget"]["cost"].split(",")[0], "0.25")
        self.assertEqual(card["budget"]["spent_after"].split(",")[0], "0.75")
        self.assertEqual(found["cost"]["ledger"], card["budget"]["ledger"])
        refusal = self.find("--ledger", "L", "--tail", "0.02", code=4)
        self.assertEqual(refusal["error"]["kind"], "budget exceeded")
        # In one go: the bounds alone would fit, bounds and training do not, and nothing is charged.
        self.train("--label", "y", "--text", "job", "--private-bounds", "--delta", "1e-7", "--ledger", "L", epsilon="0.3",
                   code=4)
        shown = json.loads(self.sotto("ledger", "show", "L", "--json"))
        self.assertIn("0.75", json.dumps(shown))
        self.find()  # bounds found outside it
        self.train("--schema", "schema.json", "--ledger", "L", epsilon="0.1", code=2)

    def test_a_row_is_never_shown_as_the_header(self):
        self.sotto("ledger", "create", "L", "--data", "people.csv", "--budget-epsilon", "1",
                   "--budget-delta", "1e-5", "--filter", "sum")
        taken = ["--label", "Jane Doe's own", "--skip-lines", "6"]  # the header is then the sixth row
        text = self.sotto("data", "bounds", "--data", "people.csv", *taken, "--epsilon", "0.5", "--ledger", "L", "--out",
                          "schema.json", code=2)
        self.assertIn("nothing was read", text)
        self.assertFalse(Path(self.path("schema.json")).exists())
        row = Path(self.path("people.csv")).read_text(encoding="utf-8").splitlines()[6].split(",")
        text += self.sotto("train", "--data", "people.csv", *taken, "--epsilon", "1", "--lambda", "0.01", "--out", "/dev/null",
                           code=2)
        self.assertIn("the first line looks like a row", text)
        text += self.sotto("train", "--data", "people.csv", *taken, "--header", "true", "--epsilon", "1", "--lambda", "0.01",
                           "--out", "/dev/null", code=2)
        self.assertIn("3 columns", text)
        self.assertNotIn(row[1], text)

    def test_what_is_not_private_says_so(self):
        found = self.find("--noise-seed", "1")
        self.assertFalse(found["private"])
        self.assertFalse(self.train("--schema", "schema.json")["private"])
        self.train("--schema", "schema.json", "--noise-seed", "1", "--order-seed", "1")
        self.assertGreater(self.accuracy(), 0.8)
        self.find("--assume-bounds-from-data", code=2)

    def test_errors_come_before_rows_and_quote_none(self):
        text = self.sotto("data", "bounds", "--data", "people.csv", "--label", "y", "--text", "job", "--epsilon", "1",
                          "--out", "schema.json", code=2)
        self.assertIn("delta", text)
        self.sotto("data", "pack", "--data", "people.csv", "--label", "y", "--data-norm", "private", "--out", "x", code=2)
        with open(self.path("people.csv"), "a", encoding="utf-8") as file:
            file.write("secret,values,here,too\n")
        self.assertNotIn("secret", json.dumps(self.find()))


class BeforeAnythingIsSpent(People):
    """A training that cannot be costs no bounds; one that can is not lost to the norm that was found."""

    def setUp(self):
        super().setUp()
        self.sotto("ledger", "create", "L", "--budget-epsilon", "9", "--budget-delta", "1e-5", "--filter", "sum", "--data",
                   "people.csv")
        self.ask = ["train", "--ledger", "L", "--data", "people.csv", "--label", "y", "--ignore", "job", "--epsilon", "1", "--json"]

    def spent(self):
        return json.loads(self.sotto("ledger", "show", "L", "--json"))["spent"]

    def test_a_refused_training_costs_nothing(self):
        for more in (["--lambda", "1e7"], ["--method", "bolt_on", "--passes", "0"], ["--epsilon", "2e6"]):
            for what in (["--data-norm", "private"], ["--private-bounds"]):
                self.sotto(*(word for word in self.ask if more[0] != "--epsilon" or word not in ("--epsilon", "1")), *what, *more,
                           code=2)
                self.assertEqual(self.spent(), 0, (what, more))

    def test_a_norm_is_made_one_that_the_training_takes(self):
        with open(self.path("raw.csv"), "w", encoding="utf-8") as file:
            file.write("amount,y\n" + "".join(f"{1e9 + i},{i % 2}\n" for i in range(60)))
        self.sotto("ledger", "create", "R", "--budget-epsilon", "9", "--budget-delta", "1e-5", "--filter", "sum", "--data",
                   "raw.csv")
        for ledger in (["--ledger", "R"], []):
            card = json.loads(self.sotto("train", *ledger, "--data", "raw.csv", "--label", "y", "--data-norm", "private", "--epsilon",
                                         "1", "--out", "raw.json", "--json"))
            self.assertAlmostEqual(card["guarantee"]["epsilon"], 1, places=9)
            self.assertLess(card["facts"]["data_norm"], 1e6)

    def test_another_promise_is_said_on_standard_error(self):
        words = ["train", "--no-check", "--data", "people.csv", "--label", "y", "--ignore", "job", "--data-norm", "1", "--out",
                 "m.json"]
        for epsilon, said in (("1", False), ("1e6", True)):
            ran = subprocess.run([PROGRAM, *words, "--epsilon", epsilon], cwd=self.directory.name, capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, check=True)
            self.assertEqual("not the one asked for" in ran.stderr, said, ran.stderr)

    def test_an_engine_that_cannot_train_is_refused_before_bounds_are_paid_for(self):
        self.sotto("ledger", "create", "E", "--budget-epsilon", "4", "--budget-delta", "1e-5", "--filter", "sum", "--data", "people.csv")
        before = self.sotto("ledger", "log", "E", "--json")
        for engine in ("out_of_core", "unknown"):
            said = self.sotto("train", "--ledger", "E", "--data", "people.csv", "--label", "y", "--ignore", "job", "--data-norm",
                              "private", "--epsilon", "1", "--engine", engine, "--out", "e.json", code=2)
            self.assertIn("engine", said)
        self.assertEqual(self.sotto("ledger", "log", "E", "--json"), before)

    def test_a_request_for_the_whole_budget_fits_with_its_bounds(self):
        self.sotto("ledger", "create", "W", "--budget-epsilon", "1", "--budget-delta", "1e-6", "--filter", "sum", "--data", "people.csv")
        self.sotto("train", "--ledger", "W", "--data", "people.csv", "--label", "y", "--ignore", "job", "--data-norm", "private",
                   "--epsilon", "1", "--out", "w.json")

    def test_a_filter_without_a_price_names_the_command(self):
        self.sotto("ledger", "create", "Z", "--budget-epsilon", "4", "--budget-delta", "1e-5", "--filter", "zcdp", "--data", "people.csv")
        said = self.sotto("tune", "--ledger", "Z", "--data", "people.csv", "--label", "y", "--ignore", "job", "--data-norm", "1",
                          "--epsilon", "1", "--delta", "1e-6", "--method", "bolt_on", "--lambda", "0.01", "--grid", "passes=1,2",
                          code=5)
        self.assertIn("'sotto ledger create --filter sum' makes one", said)

    def test_a_ledger_beside_its_anchor_is_told(self):
        made = json.loads(self.sotto("ledger", "create", "A", "--budget-epsilon", "1", "--data", "people.csv", "--json"))
        self.assertIn("on one file system", made["remark"])


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
