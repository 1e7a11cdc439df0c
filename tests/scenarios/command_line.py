#!/usr/bin/env python3
"""What holds for every verb of the command line. Usage: command_line.py <path of the program>"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def verbs():
    """Every verb that does something, as its words, with all that its help says."""
    listed = [tuple(words.split()) for words in re.findall(r"^  ([a-z]+(?: [a-z]+)*)  ", run("--help-all").stdout, re.MULTILINE)]
    groups = {words[:-1] for words in listed}
    return {words: run(*words, "--help-all").stdout for words in listed if words not in groups}


def flags_in(text):
    return set(re.findall(r"^ +(?:-\w,)?(--[a-z][a-z0-9-]*)", text, re.MULTILINE))


class EveryVerb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = verbs()

    def test_the_walk_finds_verbs_and_flags(self):
        for path in (("train",), ("data", "pack"), ("data", "synth", "sphere"), ("ledger", "show"), ("man",)):
            self.assertIn(path, self.verbs)
        self.assertGreaterEqual(len(self.verbs), 20)
        self.assertLessEqual({"--method", "--epsilon", "--memory-mb"}, flags_in(self.verbs["train",]))

    def test_every_verb_has_json(self):
        for path, text in self.verbs.items():
            self.assertIn("--json", flags_in(text), path)

    def test_the_help_says_how_much_memory_block_files_take(self):
        text = " ".join(self.verbs["train",].split())
        self.assertRegex(text, r"--memory-mb[^-]*all that is kept in memory; 0: half of the free memory")

    def test_text_that_a_program_reads_comes_as_an_object_too(self):
        for verb in ("man", "completion"):
            self.assertEqual(json.loads(run(verb, "--json").stdout)["text"], run(verb).stdout[:-1])

    def test_a_mistake_on_the_command_line_is_an_error_object_with_json(self):
        for path in self.verbs:
            for arguments in (("--json", "--no-such-flag"), ("--no-such-flag", "--json")):
                ran = run(*path, *arguments)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""), path)
                error = json.loads(ran.stderr)["error"]
                self.assertEqual(error["kind"], "invalid argument")
                self.assertTrue(error["message"])
        self.assertIn("--data", json.loads(run("train", "--json").stderr)["error"]["message"])
        self.assertIn("no verb", json.loads(run("no-such-verb", "--json").stderr)["error"]["message"])
        self.assertRaises(ValueError, json.loads, run("train", "--no-such-flag").stderr)

    def test_a_hint_speaks_of_flags_and_commands(self):
        plan = ("plan", "--rows", "100", "--features", "3", "--epsilon", "1")
        said = run(*plan, "--passes", "3").stderr
        self.assertRegex(said, "^sotto: passes: method auto chooses it; leave --passes out, or choose a --method that has it: bolt_on")
        error = json.loads(run(*plan, "--passes", "3", "--json").stderr)["error"]
        self.assertEqual((error["field"], error["message"]), ("passes", "passes: method auto chooses it"))
        self.assertRegex(error["hint"], "^leave --passes out")
        said = run(*plan, "--method", "bolt_on", "--step", "inverse", "--lambda", "0.1", "--step-size", "1").stderr
        self.assertEqual(said, "sotto: step_size: step inverse has none; leave --step-size out, or choose a --step that has it: constant\n")
        self.assertNotIn("hint", json.loads(run(*plan, "--epsilon", "2", "--json").stderr)["error"])


class Counts(unittest.TestCase):
    """A whole number with a sign, or too large, is refused and does not wrap around."""

    def test_signs_and_overflow_are_refused(self):
        plan = ["plan", "--lambda", "0.01", "--epsilon", "1"]
        for arguments in (
                plan + ["--features", "5", "--rows"],
                plan + ["--rows", "100", "--features"],
                ["train", "--data", "none.csv", "--memory-mb"],
                ["train", "--data", "none.csv", "--order-seed"],
                ["train", "--data", "none.csv", "--noise-seed"],
                ["tune", "--data", "none.csv", "--grid", "passes=1", "--mean-runs"],
                ["tune", "--data", "none.csv", "--grid", "passes=1", "--noise-seed"],
                ["data", "bounds", "--data", "none.csv", "--out", "none.json", "--noise-seed"],
                ["data", "pack", "--data", "none.csv", "--out", "none.sotto", "--memory-mb"],
                ["data", "synth", "sphere", "--out", os.devnull, "--seed"],
                ["data", "synth", "sphere", "--out", os.devnull, "--rows"],
                ["audit", "--all", "--seed"],
                ["audit", "--method", "bolt_on", "--epsilon", "1", "--rows"]):
            field = arguments[-1][2:].replace("-", "_")
            for value in ("-5", "-18446744073709541616", "18446744073709551616", "1.5"):
                ran = run(*arguments, value, "--json")
                self.assertEqual(ran.returncode, 2, (arguments, value, ran.stderr))
                self.assertEqual(json.loads(ran.stderr)["error"]["field"], field)
                self.assertIn(value, ran.stderr)
        self.assertEqual(run("audit", "--all", "--games", "-5").returncode, 2)

    def test_nothing_is_written_over_a_file_that_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for flag in ("--data", "--schema", "--labels-file"):
                file = f"{folder}/file"
                with open(file, "w", encoding="utf-8") as out:
                    out.write("kept")
                ran = run("train", *([] if flag == "--data" else ["--data", f"{folder}/none.csv"]), flag, file, "--out", file)
                self.assertEqual(ran.returncode, 2, flag)
                self.assertIn("is a file that is read", ran.stderr, flag)

    def test_a_count_of_personal_epsilons_has_no_sign(self):
        with tempfile.TemporaryDirectory() as folder:
            rows, epsilons = folder + "/rows.csv", folder + "/epsilons.txt"
            with open(rows, "w", encoding="utf-8") as file:
                file.write("x,y\n" + "0.5,1\n" * 10)
            train = ["train", "--data", rows, "--label", "y", "--data-norm", "1", "--range-all", "0:1", "--method",
                     "scs13", "--epsilon", "1", "--out", os.devnull, "--personal-epsilons", epsilons]
            for line, code in (("0.5 10", 0), ("0.5 -18446744073709551606", 2), ("0.5 ten", 2), ("0.5 10 10", 2)):
                with open(epsilons, "w", encoding="utf-8") as file:
                    file.write(line + "\n")
                self.assertEqual(run(*train).returncode, code, line)


class BlockFileInfo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.small = cls.packed("small", 10)
        cls.large = cls.packed("large", 15000)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def packed(cls, name, rows, *more):
        """Rows of 400 features: 1,600 bytes each in the block file."""
        table, out = f"{cls.folder.name}/{name}.csv", f"{cls.folder.name}/{name}.sotto"
        with open(table, "w", encoding="utf-8") as file:
            file.write(",".join(f"x{i}" for i in range(400)) + ",y\n" + ("1," + "0," * 399 + "1\n") * rows)
        ran = run("data", "pack", "--data", table, "--label", "y", "--out", out,
                  *(more or ("--range-all", "0:1", "--data-norm", "1")))
        assert ran.returncode == 0, ran.stderr
        return out

    @staticmethod
    def peak_kilobytes(*arguments):
        """Started by a small process: the peak of the one that starts counts for what it starts."""
        script = ("import os, sys; _, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0); "
                  "print(usage.ru_maxrss, file=sys.stderr); sys.exit(status != 0)")
        ran = subprocess.run([sys.executable, "-I", "-S", "-c", script, PROGRAM, *arguments], capture_output=True,
                             text=True, check=True)
        return int(ran.stderr)

    def test_a_file_is_checked_and_not_kept(self):
        self.assertGreater(os.path.getsize(self.large), 23 << 20)
        more = (self.peak_kilobytes("data", "info", "--data", self.large) -
                self.peak_kilobytes("data", "info", "--data", self.small))
        self.assertLess(more, 10 << 10)

    def test_a_flipped_bit_is_noticed(self):
        damaged = self.folder.name + "/damaged.sotto"
        with open(self.large, "rb") as file:
            content = bytearray(file.read())
        content[len(content) // 2] ^= 1
        with open(damaged, "wb") as file:
            file.write(content)
        self.assertEqual(run("data", "info", "--data", self.large).returncode, 0)
        ran = run("data", "info", "--data", damaged)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("checksum", ran.stderr)

    def test_it_says_where_the_bounds_are_from(self):
        self.assertIn("bounds were declared", run("data", "info", "--data", self.small).stdout)
        assumed = self.packed("assumed", 10, "--assume-bounds-from-data")
        self.assertIn("NOT PRIVATE", run("data", "info", "--data", assumed).stdout)
        self.assertEqual(json.loads(run("data", "info", "--data", assumed, "--json").stdout)["bounds"],
                         "assumed_from_data")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
