#!/usr/bin/env python3
"""Refusals under a ledger are no answers about rows: two data sets that differ in one row give the same words, exit
codes and spendings to every request, however it says the file is to be read.

Usage: ledger_reading.py <path of sotto>
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOTTO = ""
ASK = ["--method", "bolt_on", "--loss", "logistic", "--lambda", "0.1", "--epsilon", "0.01", "--delta", "0",
       "--mechanism", "discrete_laplace", "--passes", "1"]
NORM = ["--data-norm", "1"]
# The row that differs: its cells may be the names someone asks for.
ROWS = [f"0.{i},{-0.1 * (i % 7):.1f},{1 if i % 2 else -1}" for i in range(40)]
WORLDS = {"one": "0.5,0.25,1", "other": "secret,y,-1", "odd": "x1,x1,x1"}
READINGS = [
    *[["--skip-lines", lines, "--label", label] for lines, label in (("6", "secret"), ("6", "y"), ("6", "x1"), ("5", "x1"), ("99", "y"))],
    ["--skip-lines", "6", "--no-header", "--label", "3"], ["--no-header", "--label", "3"], ["--no-header", "--label", "y"],
    ["--header", "false", "--label", "3"], ["--names", "a,b,c", "--label", "c"], ["--separator", "tab", "--label", "y"],
    ["--separator", ";", "--label", "1"], ["--separator", "blank", "--label", "y"], ["--separator", "blank", "--no-header", "--label", "1"],
    ["--format", "libsvm", "--features", "3"], ["--format", "libsvm"], ["--format", "idx", "--labels-file", "data.csv"],
    ["--label", "secret"], ["--label", "nosuch"], ["--label", "y", "--ignore", "secret"], ["--label", "y", "--range", "secret=0:1"],
    ["--label", "y", "--category", "secret=a,b"],
    ["--label", "y", "--assume-bounds-from-data"], ["--label", "y", "--personal-epsilon-column", "x1", "--ignore", "x1"],
]


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rooms = {}
        for world, row in WORLDS.items():
            room = Path(self.folder.name) / world
            room.mkdir()
            (room / "data.csv").write_text("x1,x2,y\n" + "\n".join([*ROWS[:5], row, *ROWS[5:]]) + "\n", encoding="utf-8")
            os.symlink("data.csv", room / "data.tsv")
            os.symlink("data.csv", room / "data.libsvm")
            self.rooms[world] = room

    def sotto(self, room, *arguments):
        return subprocess.run([SOTTO, *map(str, arguments)], cwd=room, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def create(self, *more):
        """A ledger that is not blind tells who makes a request about the rows before it is charged."""
        for room in self.rooms.values():
            done = self.sotto(room, "ledger", "create", "L", "--budget-epsilon", "5", "--blind", "--data", "data.csv", *more)
            self.assertEqual(done.returncode, 0, done.stderr)

    def answer(self, room, arguments):
        """What whoever asks can see."""
        done = self.sotto(room, *arguments)
        return (done.returncode, done.stderr.replace(str(room), ""))

    def expect_entries(self, states):
        """The same entries in all worlds; refusals made none."""
        for room in self.rooms.values():
            shown = json.loads(self.sotto(room, "ledger", "show", "L", "--json").stdout)
            self.assertEqual([entry["state"] for entry in shown["entries"]], states)
            self.assertEqual(shown["spent"] > 0, bool(states))

    def same_everywhere(self, arguments):
        answers = {world: self.answer(room, arguments) for world, room in self.rooms.items()}
        first = next(iter(answers.values()))
        for world, answer in answers.items():
            self.assertEqual(answer, first, (world, arguments))
        return first

    def expect_success(self, arguments):
        """What is said beside the answer is warnings from the plan, which is public."""
        code, words = self.same_everywhere(arguments)
        self.assertEqual(code, 0, words)
        for line in words.splitlines():
            self.assertTrue(line.startswith("sotto: warning: "), line)

    def test_training_says_the_same_whatever_the_rows(self):
        self.create()
        train = ["train", "--ledger", "L", "--data", "data.csv", *ASK, *NORM]
        for reading in READINGS:
            self.assertNotEqual(self.same_everywhere([*train, *reading])[0], 0, reading)
        for data in ("data.tsv", "data.libsvm"):
            self.assertNotEqual(self.same_everywhere(["train", "--ledger", "L", "--data", data, *ASK, *NORM, "--label", "y"])[0], 0)
        self.expect_entries([])
        # Any column may be the label: what its values are is nobody's business.
        for column in ("y", "x1"):
            self.expect_success([*train, "--label", column])
        self.expect_entries(["released", "released"])

    def test_bounds_and_tuning_say_the_same_whatever_the_rows(self):
        self.create()
        bounds = ["data", "bounds", "--ledger", "L", "--data", "data.csv", "--epsilon", "0.01", "--out", "s.json"]
        tune = ["tune", "--ledger", "L", "--data", "data.csv", *ASK, *NORM, "--grid", "passes=1,2", "--tune-by", "parts"]
        private = ["train", "--ledger", "L", "--data", "data.csv", *ASK, "--private-bounds"]
        for reading in READINGS[::4]:
            for command in (bounds, tune, private):
                self.assertNotEqual(self.same_everywhere([*command, *reading])[0], 0, reading)
        self.expect_entries([])
        for command in (bounds, tune, private):
            self.expect_success([*command, "--label", "y"])

    def test_overspending_and_other_readings_are_refused_before_any_read(self):
        """The data are gone: who reads nothing does not notice."""
        self.create()
        room = self.rooms["one"]
        (room / "data.csv").unlink()
        asked = ["train", "--ledger", "L", "--data", "data.csv", *NORM, "--label", "y"]
        over = [*ASK]
        over[over.index("--epsilon") + 1] = "7"
        done = self.sotto(room, *asked, *over)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("left", done.stderr)
        done = self.sotto(room, *asked, *ASK, "--skip-lines", "3")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("nothing was read", done.stderr)
        self.assertEqual(self.sotto(room, *asked, *ASK).returncode, 6, "now the file is missed")

    def test_what_the_holder_declared_is_what_is_read(self):
        self.create("--skip-lines", "1", "--no-header")
        plain = ["train", "--ledger", "L", "--data", "data.csv", *ASK, *NORM]
        code, words = self.same_everywhere([*plain, "--label", "y"])
        self.assertNotEqual(code, 0)
        self.assertIn("no header, 1 lines skipped", words)
        for names in ([], ["--names", "a,b,c"]):
            label = "c" if names else "3"
            code, words = self.same_everywhere([*plain, "--skip-lines", "1", "--no-header", *names, "--label", label])
            self.assertEqual(code, 0, words)
        code, words = self.same_everywhere([*plain, "--skip-lines", "1", "--names", "a,b", "--label", "b"])
        self.assertNotEqual(code, 0)
        self.assertIn("3 different names", words)

    def test_a_ledger_made_from_blocks_takes_blocks(self):
        for room in self.rooms.values():
            packed = self.sotto(room, "data", "pack", "--no-check", "--data", "data.csv", "--label", "y", *NORM, "--out", "data.blk")
            self.assertEqual(packed.returncode, 0, packed.stderr)
            done = self.sotto(room, "ledger", "create", "L", "--budget-epsilon", "5", "--data", "data.blk")
            self.assertEqual(done.returncode, 0, done.stderr)
        code, words = self.same_everywhere(["train", "--ledger", "L", "--data", "data.csv", *ASK, *NORM, "--label", "y"])
        self.assertNotEqual(code, 0)
        self.assertIn("does not say how text is read", words)
        self.expect_entries([])
        code, words = self.same_everywhere(["train", "--ledger", "L", "--data", "data.blk", *ASK])
        self.assertEqual(code, 0, words)


if __name__ == "__main__":
    SOTTO = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
