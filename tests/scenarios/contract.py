#!/usr/bin/env python3
"""The commands and JSON fields others rely on. Usage: contract.py <path of the program>"""
import csv
import hashlib
import json
import re
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

    def refused(self, *arguments):
        ran = subprocess.run([PROGRAM, *arguments], cwd=self.directory.name, stdin=subprocess.DEVNULL, capture_output=True,
                             check=False, text=True)
        self.assertNotEqual(ran.returncode, 0)
        return ran.stderr

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

    def test_noise_has_one_path(self):
        plan = ["plan", "--method", "scs13", "--rows", "1000", "--features", "5", "--data-norm", "1", "--epsilon", "1"]
        self.assertTrue(json.loads(self.run_sotto(*plan, "--json"))["private"])
        self.assertIn("--noise-path", self.refused(*plan, "--noise-path", "fast"))

    def test_a_budget_beyond_reach_buys_what_is_within(self):
        for method in ("bolt_on", "scs13", "objective", "output", "dpgd"):
            plan = json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "5", "--lambda", "0.01", "--method",
                                             method, "--epsilon", "1e6", "--delta", "1e-6", "--json"))
            self.assertTrue(plan["private"])
            self.assertLessEqual(plan["guarantee"]["epsilon"], 1e4)

    def test_plan_prints_the_same_fields_without_rows(self):
        plan = json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "6", *RECIPE, "--json"))
        trained = self.train()
        self.assertLessEqual(FIELDS, plan.keys())
        for field in ("method", "private", "relation", "guarantee"):
            self.assertEqual(plan[field], trained[field])

    def test_intervals_travel_with_the_model(self):
        recipe = ["--data", "sphere.csv", "--label", "y", "--loss", "logistic", "--lambda", "0.01", "--data-norm", "1",
                  "--method", "output", "--epsilon", "1", "--delta", "1e-6", "--out", "sure.json", "--json"]
        card = json.loads(self.run_sotto("train", *recipe, "--intervals", "0.2"))
        self.assertLessEqual(card["guarantee"]["epsilon"], 1)
        self.assertEqual(len(card["events"]), 2)
        told = json.loads(self.run_sotto("explain", "--model", "sure.json", "--intervals", "0.95", "--json"))
        self.assertEqual([one["feature"] for one in told["coefficients"]], ["x1", "x2", "x3", "x4", "x5", "intercept"])
        for one in told["coefficients"]:
            self.assertLess(one["lower"], one["weight"])
            self.assertLess(one["weight"], one["upper"])
        lines = self.run_sotto("predict", "--model", "sure.json", "--data", "sphere.csv", "--intervals", "0.95", "--json")
        first = json.loads(lines.splitlines()[0])
        self.assertLess(first["margin_interval"][0], first["margin"])
        self.assertLess(first["probability"], first["probability_interval"][1])

    def test_personal_epsilons_are_on_the_card(self):
        directory = Path(self.directory.name)
        (directory / "epsilons.txt").write_text("0.2 4000\n1 6000\n", encoding="utf-8")
        classes = self.train("--personal-epsilons", "epsilons.txt")["personal_epsilons"]
        self.assertEqual([(one["epsilon"], one["positions"]) for one in classes], [(1, 6000), (0.2, 4000)])
        self.assertEqual(classes[0]["weight"], 1)
        self.assertLess(classes[1]["weight"], 0.2)
        rows = (directory / "sphere.csv").read_text(encoding="utf-8").splitlines()
        more = [rows[0] + ",consent"] + [f"{row},{0.5 if i % 4 == 0 else 1}" for i, row in enumerate(rows[1:])]
        (directory / "consent.csv").write_text("\n".join(more) + "\n", encoding="utf-8")
        card = json.loads(self.run_sotto("train", "--data", "consent.csv", "--label", "y", *RECIPE, "--ignore", "consent",
                                         "--personal-epsilon-column", "consent", "--out", "/dev/null", "--json"))
        self.assertEqual([one["positions"] for one in card["personal_epsilons"]], [7500, 2500])
        self.packed_personal_epsilons()

    def packed_personal_epsilons(self):
        """Packing shuffles, and writes the epsilons in the order of the file."""
        told = self.run_sotto("data", "pack", "--data", "consent.csv", "--label", "y", "--ignore", "consent", "--data-norm", "1",
                              "--personal-epsilon-column", "consent", "--out", "consent.sotto")
        self.assertIn("consent.sotto.epsilons", told)
        blocks = ["train", "--data", "consent.sotto", *RECIPE[:-2], "--json", "--out", "/dev/null", "--personal-epsilons"]
        card = json.loads(self.run_sotto(*blocks, "consent.sotto.epsilons"))
        self.assertEqual([one["positions"] for one in card["personal_epsilons"]], [7500, 2500])
        planned = json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "10", *RECIPE, "--json",
                                            "--personal-epsilons", "epsilons.txt"))
        self.assertEqual([one["positions"] for one in planned["personal_epsilons"]], [6000, 4000])
        planned = json.loads(self.run_sotto("plan", "--rows", "10000", "--features", "10", *RECIPE, "--json",
                                            "--personal-epsilons", "consent.sotto.epsilons"))
        self.assertEqual([one["positions"] for one in planned["personal_epsilons"]], [7500, 2500])
        # In another order they would promise the wrong rows less.
        self.assertIn("order of a text file", self.refused(*blocks, "epsilons.txt"))
        text = ["train", "--data", "sphere.csv", "--label", "y", *RECIPE, "--out", "/dev/null", "--personal-epsilons"]
        self.assertIn("order of a block file", self.refused(*text, "consent.sotto.epsilons"))
        self.run_sotto("data", "pack", "--data", "sphere.csv", "--label", "y", "--data-norm", "1", "--out", "other.sotto",
                       "--personal-epsilons", "epsilons.txt")
        self.assertIn("another block file", self.refused(*blocks, "other.sotto.epsilons"))
        (Path(self.directory.name) / "mine.epsilons").write_text("1 10000\n", encoding="utf-8")
        self.assertIn("has other content", self.refused("data", "pack", "--data", "sphere.csv", "--label", "y", "--data-norm", "1",
                                                        "--out", "mine", "--personal-epsilons", "mine.epsilons"))

    def test_two_runs_draw_different_noise(self):
        models = []
        for _ in range(2):
            self.train()
            models.append((Path(self.directory.name) / "m.json").read_text(encoding="utf-8"))
        self.assertNotEqual(*models)

    def test_account_brackets_epsilon_or_delta(self):
        plan = ["account", "--rate", "0.01", "--noise", "1", "--steps", "1000", "--json"]
        for relation, published in (("add_remove", 1.828), ("replace_one", 2.843)):
            told = json.loads(self.run_sotto(*plan, "--delta", "1e-5", "--relation", relation))
            self.assertIsInstance(told["accountant"], str)
            self.assertLessEqual(told["epsilon"]["lower"], told["epsilon"]["upper"])
            self.assertAlmostEqual(told["epsilon"]["upper"], published, delta=0.002)
        told = json.loads(self.run_sotto(*plan, "--epsilon", "1.828", "--relation", "add_remove"))
        self.assertLessEqual(told["delta"]["lower"], told["delta"]["upper"])
        self.assertAlmostEqual(told["delta"]["upper"], 1e-5, delta=1e-7)

    def test_calibrate_finds_noise_that_keeps_the_target(self):
        noise = json.loads(self.run_sotto("calibrate", "--rate", "0.01", "--steps", "1000", "--epsilon", "1", "--delta",
                                          "1e-5", "--json"))["noise"]
        told = json.loads(self.run_sotto("account", "--rate", "0.01", "--noise", repr(noise), "--steps", "1000",
                                         "--delta", "1e-5", "--json"))
        self.assertLessEqual(told["epsilon"]["upper"], 1)
        self.assertGreater(told["epsilon"]["upper"], 0.99)

    def test_draws_with_replacement_are_asked_for_and_only_one_has_a_proof(self):
        plan = ["--sampling", "with_replacement", "--rate", "0.1", "--noise", "2", "--steps", "1", "--delta", "1e-6"]
        self.assertIn("draws: must be given", self.refused("account", *plan))
        for draws in ("2", "100"):
            self.assertIn("only one draw with replacement has a proof", self.refused("account", *plan, "--draws", draws))
        text = self.run_sotto("account", *plan, "--draws", "1")
        self.assertIn("epsilon at most 2.1817", text)
        self.assertIn("with_replacement_sampled(noise=2, rate=0.1, draws=1): one row of 10 rows a step", text)
        report = json.loads(self.run_sotto("account", *plan, "--draws", "1", "--json"))
        self.assertEqual(report["event"], "with_replacement_sampled(noise=2, rate=0.1, draws=1)")
        uneven = [word if word != "0.1" else "0.15" for word in plan]
        self.assertIn("1 over a whole number of rows", self.refused("account", *uneven, "--draws", "1"))
        target = ["--sampling", "with_replacement", "--rate", "0.1", "--steps", "100", "--epsilon", "1", "--delta", "1e-6"]
        self.assertIn("draws: must be given", self.refused("calibrate", *target))
        self.assertIn("only one draw", self.refused("calibrate", *target, "--draws", "100"))
        found = self.run_sotto("calibrate", *target, "--draws", "1")
        self.assertIn("one row of 10 rows a step", found)
        self.assertIn("draws", self.refused("account", "--rate", "0.1", "--noise", "2", "--delta", "1e-6", "--draws", "1"))
        self.assertIn("one row of 1/rate rows", " ".join(self.run_sotto("account", "--help").split()))

    def test_no_printed_guarantee_is_below_what_holds(self):
        asked = ["--epsilon", "1.0000004", "--delta", "1.2349e-6"]
        output = ["--method", "output", "--lambda", "0.1", "--data-norm", "1", *asked]
        self.at_least(self.run_sotto("plan", "--rows", "1000", "--features", "10", *output), 1.0000004, 1.2349e-6)
        card = self.run_sotto("train", "--data", "sphere.csv", "--label", "y", *output, "--out", "up.json")
        self.at_least(card, 1.0000004, 1.2349e-6)
        self.run_sotto("report", "--model", "up.json", "--out", "up.html")
        page = (Path(self.directory.name) / "up.html").read_text(encoding="utf-8")
        numbers = [float(text) for text in re.findall(r'<span class="number">([^<]*)</span>', page)]
        self.assertGreaterEqual(numbers[0], 1.0000004)
        self.assertGreaterEqual(numbers[1], 1.2349e-6)
        self.assertLess(numbers[0], 1.01)
        self.assertLess(numbers[1], 1.25e-6)
        for text in re.findall(r"up to a probability of ([^.]*\.[^.]*)\.", page) + re.findall(r"δ ([0-9.e-]+)", page):
            self.assertGreaterEqual(float(text), 1.2349e-6)
        # e^epsilon
        self.assertGreaterEqual(float(re.search(r"a\s+factor of ([0-9.]+[0-9])", page).group(1)), 2.71828291577)

    def at_least(self, text, epsilon, delta):
        """Every line that states a guarantee, and there is one."""
        found = re.findall(r"epsilon ([0-9.e+-]+), delta ([0-9.e+-]+),", text)
        self.assertTrue(found, text)
        for told, also in found:
            self.assertGreaterEqual(float(told), epsilon, text)
            self.assertLess(float(told), epsilon * 1.001, text)
            self.assertGreaterEqual(float(also), delta, text)
            self.assertLess(float(also), delta * 1.01, text)

    def test_a_ledger_prints_what_was_granted(self):
        made = ["--data", "sphere.csv", "--label", "y"]
        self.run_sotto("ledger", "create", "sum.ledger", *made, "--budget-epsilon", "2", "--budget-delta", "1e-6",
                       "--filter", "sum")
        self.run_sotto("ledger", "create", "zcdp.ledger", *made, "--budget-epsilon", "1.0000004", "--budget-delta",
                       "1.2349e-6", "--filter", "zcdp")
        self.at_least(self.run_sotto("ledger", "show", "zcdp.ledger"), 1.0000004, 1.2349e-6)
        for ledger in ("sum.ledger", "zcdp.ledger"):
            for shown in (self.run_sotto("ledger", "show", ledger), self.run_sotto("ledger", "show", ledger, "--json")):
                self.assertIsNone(re.search(r"\d\.\d{12,}e-", shown), shown)
        self.assertIn("[epsilon and delta: 0 and 0 of 2 and 1e-06 used, 2 and 1e-06 left]",
                      self.run_sotto("ledger", "show", "sum.ledger"))
        limit = json.loads(self.run_sotto("ledger", "show", "sum.ledger", "--json"))["exact"]["limit"]
        self.assertEqual((limit["loss"], limit["delta"]), ("2", 1e-6))

    def test_numbers_are_decimal_and_zero_has_no_sign(self):
        made = ["--data", "sphere.csv", "--label", "y"]
        self.assertIn("budget_epsilon: got '0x10', must be a number",
                      self.refused("ledger", "create", "hex.ledger", *made, "--budget-epsilon", "0x10"))
        shown = self.run_sotto("ledger", "create", "zero.ledger", *made, "--budget-epsilon", "1", "--budget-delta=-0.0")
        self.assertIn("epsilon 1, delta 0,", shown)
        plan = {"--rows": "1000", "--features": "5", "--lambda": "0.1", "--epsilon": "1", "--delta": "0", "--data-norm": "1"}
        for flag in plan:
            words = [word for name, value in {**plan, flag: "0x10"}.items() for word in (name, value)]
            self.assertIn("number", self.refused("plan", *words), flag)

    def test_calibrate_without_sampling_says_so(self):
        plan = ["calibrate", "--noise", "2", "--delta", "1e-5"]
        self.assertEqual(json.loads(self.run_sotto(*plan, "--json"))["sampling"], "none")
        self.assertIn(": none gaussian, rate 1, 1 steps", self.run_sotto(*plan))
        self.assertEqual(json.loads(self.run_sotto(*plan, "--rate", "0.1", "--json"))["sampling"], "poisson")

    def test_account_refuses_delta_zero_where_no_epsilon_holds(self):
        told = subprocess.run([PROGRAM, "account", "--noise", "1", "--delta", "0"], capture_output=True, text=True)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("no accountant gives this plan a finite epsilon", told.stderr)

    def test_a_ledger_is_charged_and_shown(self):
        self.run_sotto("ledger", "create", "L", "--budget-epsilon", "1", "--budget-delta", "1e-6", "--filter", "zcdp", "--data",
                       "sphere.csv")
        before = json.loads(self.run_sotto("ledger", "show", "L", "--json"))
        self.assertEqual((before["spent"], before["entries"]), (0, []))
        half = [*RECIPE[:6], "--epsilon", "0.5", "--delta", "1e-7", *RECIPE[8:]]
        train = ["train", "--ledger", "L", "--data", "sphere.csv", "--label", "y", *half, "--json"]
        card = json.loads(self.run_sotto(*train, "--out", "first.json"))
        self.assertIs(card["budget"]["enforced"], True)
        self.assertIs(card["stored"], False)
        after = json.loads(self.run_sotto("ledger", "show", "L", "--json"))
        self.assertGreater(after["spent"], 0)
        self.assertLess(after["remaining"], before["remaining"])
        self.assertEqual([entry["state"] for entry in after["entries"]], ["released"])
        self.assertEqual(after["guarantee"], {"epsilon": 1, "delta": 1e-6})
        fits = {fit["event"]: fit["largest"] for fit in after["would_fit"]}
        self.assertEqual(set(fits), {"gaussian", "discrete_gaussian", "pure", "exponential", "request"})
        self.assertTrue(all(largest > 0 for largest in fits.values()))
        self.assertRegex(self.run_sotto("ledger", "show", "L"),
                         r"left +[0-9.]+ percent used; a model of epsilon [0-9.]+ at delta 1e-06 still fits\n +\[rho")
        self.assertEqual(after["budget"]["words"].split(";")[0], f'{after["budget"]["percent_used"]:g} percent used')
        self.assertIs(json.loads(self.run_sotto(*train, "--out", "second.json"))["stored"], True)
        folder = Path(self.directory.name)
        self.assertEqual((folder / "first.json").read_bytes(), (folder / "second.json").read_bytes())
        self.assertEqual(json.loads(self.run_sotto("ledger", "show", "L", "--json"))["spent"], after["spent"])
        plan = json.loads(self.run_sotto("plan", "--ledger", "L", "--features", "6", *half, "--json"))
        self.assertIs(plan["budget"]["fits"], True)
        refused = subprocess.run([PROGRAM, *train, "--again", "--epsilon", "0.5"], cwd=self.directory.name,
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))  # a flag given twice
        too_much = [argument.replace("0.5", "0.95") for argument in train]
        refused = subprocess.run([PROGRAM, *too_much], cwd=self.directory.name, stderr=subprocess.PIPE,
                                 stdout=subprocess.PIPE, check=False, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (4, ""))
        self.assertEqual(json.loads(refused.stderr)["error"]["kind"], "budget exceeded")

    def test_the_default_method_has_a_price_under_the_default_filter(self):
        self.run_sotto("ledger", "create", "D", "--budget-epsilon", "1", "--budget-delta", "1e-6", "--data", "sphere.csv")
        ask = ["--epsilon", "0.3", "--delta", "1e-7", "--json"]
        plan = json.loads(self.run_sotto("plan", "--ledger", "D", "--features", "6", *ask))
        self.assertIs(plan["budget"]["fits"], True)
        card = json.loads(self.run_sotto("train", "--ledger", "D", "--data", "sphere.csv", "--label", "y", "--data-norm", "1", *ask))
        self.assertIs(card["budget"]["enforced"], True)
        self.assertEqual(card["method"], plan["method"])
        spent = json.loads(self.run_sotto("ledger", "show", "D", "--json"))["spent"]
        self.assertAlmostEqual(spent, 0.3, places=3)  # what was asked for

    def test_an_exported_ledger_can_be_replayed_by_others(self):
        self.run_sotto("ledger", "create", "R", "--budget-epsilon", "1", "--budget-delta", "1e-6", "--data", "sphere.csv")
        for epsilon in ("0.2", "0.3"):
            self.run_sotto("train", "--ledger", "R", "--data", "sphere.csv", "--label", "y", *RECIPE[:6], "--epsilon",
                           epsilon, "--delta", "1e-7", *RECIPE[8:])
        records = [json.loads(line) for line in self.run_sotto("ledger", "export", "R", "--models").splitlines()]
        previous, spent, limit = "0" * 64, 0, json.loads(records[0]["detail"])["limit_loss"]

        def number(value):
            return (value % 2**64).to_bytes(8, "little")

        def text(value):
            return number(len(value.encode())) + value.encode()

        for sequence, record in enumerate(records):
            spent += record["cost_loss"] if record["kind"] == "reserved" else 0
            self.assertEqual((record["sequence"], record["previous"], record["spent_loss"]),
                             (sequence, previous, spent))
            self.assertLessEqual(spent, limit)
            content = text("sotto ledger record 2") + text(previous) + number(sequence) + text(record["kind"])
            for field in ("entry", "time", "cost_loss", "cost_delta", "spent_loss", "spent_delta"):
                content += number(record[field])
            content += text(record["request"]) + text(record["detail"]) + text(record["token"])
            self.assertEqual(hashlib.sha256(content).hexdigest(), record["hash"])
            if record["kind"] == "released":
                reserved = records[record["entry"]]
                self.assertEqual(hashlib.sha256(record["token"].encode()).hexdigest(), reserved["token"])
                self.assertEqual(hashlib.sha256(record["model"].encode()).hexdigest(), record["detail"])
            previous = record["hash"]
        self.assertEqual([record["kind"] for record in records],
                         ["opened", "placed", "reserved", "released", "reserved", "released"])

    def test_what_a_ledger_prints_does_not_tell_the_data(self):
        self.run_sotto("ledger", "create", "P", "--budget-epsilon", "1", "--budget-delta", "1e-6", "--data", "sphere.csv")
        self.run_sotto("train", "--ledger", "P", "--data", "sphere.csv", "--label", "y", *RECIPE[:6], "--epsilon", "0.2",
                       "--delta", "1e-7", *RECIPE[8:])
        fingerprint = hashlib.sha256((Path(self.directory.name) / "sphere.csv").read_bytes()).hexdigest()
        for verb in (["show"], ["show", "--json"], ["show", "--fingerprints"], ["log"], ["log", "--json"], ["export"]):
            printed = self.run_sotto("ledger", verb[0], "P", *verb[1:])
            self.assertNotIn(fingerprint[:12], printed)
            self.assertEqual("not for release" in printed, "--fingerprints" in verb)
        tag = json.loads(self.run_sotto("ledger", "show", "P", "--json", "--fingerprints"))["data_tag"]["tag"]
        self.assertNotIn("data_tag", json.loads(self.run_sotto("ledger", "show", "P", "--json")))
        self.assertEqual(len(tag), 64)

    def test_private_tuning_is_charged_to_a_ledger(self):
        self.run_sotto("ledger", "create", "T", "--budget-epsilon", "2", "--budget-delta", "1e-5", "--data", "sphere.csv",
                       "--filter", "sum")
        tune = ["tune", "--ledger", "T", "--data", "sphere.csv", "--label", "y", "--data-norm", "1", "--loss", "logistic",
                "--method", "bolt_on", "--grid", "lambda=0.01,0.1", "--mean-runs", "2", "--delta", "1e-6", "--json"]
        for by, spent in (("parts", 0.5), ("random_stopping", 1.0)):
            card = json.loads(self.run_sotto(*tune, "--tune-by", by, "--epsilon", "0.5"))
            self.assertIs(card["budget"]["enforced"], True)
            self.assertIs(card["stored"], False)
            self.assertAlmostEqual(json.loads(self.run_sotto("ledger", "show", "T", "--json"))["spent"], spent)
            self.assertIs(json.loads(self.run_sotto(*tune, "--tune-by", by, "--epsilon", "0.5"))["stored"], True)
        public = [*tune, "--tune-by", "public", "--epsilon", "0.25", "--public-data"]
        refused = subprocess.run([PROGRAM, *public, "sphere.csv"], cwd=self.directory.name, capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""), "its own rows are no public ones")
        alone = [word for word in public if word not in ("--ledger", "T")]
        refused = subprocess.run([PROGRAM, *alone, "sphere.csv"], cwd=self.directory.name, capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""), "nor without a ledger")
        for ending in ("-wal", "-journal", "-shm"):  # SQLite removes what has these names
            refused = subprocess.run([PROGRAM, *tune, "--tune-by", "parts", "--epsilon", "0.01", "--out", "T" + ending],
                                     cwd=self.directory.name, capture_output=True, text=True)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("belongs to a ledger", refused.stderr)
        self.run_sotto("data", "synth", "sphere", "--rows", "2000", "--features", "5", "--out", "public.csv")
        card = json.loads(self.run_sotto(*public, "public.csv"))
        self.assertAlmostEqual(json.loads(self.run_sotto("ledger", "show", "T", "--json"))["spent"], 1.25)
        refused = subprocess.run([PROGRAM, *tune, "--tune-by", "parts", "--epsilon", "0.8"], cwd=self.directory.name,
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False, text=True)
        self.assertEqual((refused.returncode, refused.stdout), (4, ""))

    def test_the_museum_prints_what_each_exhibit_claims_and_costs(self):
        shown = json.loads(self.run_sotto("audit", "--museum", "--quick", "--check", "divided_by_batch", "--json"))
        self.assertEqual(len(shown), 1)
        self.assertEqual(shown[0]["exhibit"], "divided_by_batch")
        self.assertIs(shown[0]["caught"], True)
        self.assertGreater(shown[0]["lower_bound"], shown[0]["claim"])
        self.assertIs(shown[0]["control"]["flagged"], False)

    def test_an_audit_of_one_training_draws_and_ends_with_0(self):
        shown = json.loads(self.run_sotto("audit", "--method", "bolt_on", "--epsilon", "1", "--lambda", "0.05", "--rows",
                                          "50", "--features", "3", "--quick", "--games", "200", "--svg", "curve.svg",
                                          "--json"))
        self.assertEqual(shown["fallen"], 0)
        self.assertGreater(shown["claims"], 3)
        for field in ("check", "subject", "quantity", "claim", "found", "holds", "has_power", "tested", "evidence"):
            self.assertIn(field, shown["findings"][0])
        drawing = (Path(self.directory.name) / "curve.svg").read_text(encoding="utf-8")
        self.assertIn("<svg", drawing)
        # 200 games cannot prove an epsilon of 8, and say so.
        shown = json.loads(self.run_sotto("audit", "--method", "bolt_on", "--epsilon", "8", "--lambda", "0.05", "--rows",
                                          "50", "--features", "3", "--quick", "--games", "200", "--json"))
        games = [f for f in shown["findings"] if f["check"] == "game"]
        self.assertTrue(games)
        self.assertFalse(any(f["has_power"] for f in games))

    def test_an_audit_of_a_file_reads_no_row_of_it(self):
        folder = Path(self.directory.name)
        printed = []
        for name, rows in (("none", ""), ("few", "1,2,1\n3,4,-1\n"), ("broken", "x,y\n")):
            (folder / "audited.csv").write_text("a,b,y\n" + rows, encoding="utf-8")
            printed.append(self.run_sotto("audit", "--data", "audited.csv", "--label", "y", "--data-norm", "1", "--rows", "50", "--method", "bolt_on",
                                          "--epsilon", "1", "--lambda", "0.05", "--quick", "--games", "200", "--json"))
            self.assertEqual(printed[0], printed[-1], name)

    def test_without_a_ledger_the_card_says_so(self):
        self.assertEqual(self.train()["budget"]["enforced"], False)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
