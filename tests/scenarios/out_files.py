#!/usr/bin/env python3
"""Every file that is written is whole, and no other file is touched. Usage: out_files.py <path of the program>"""
import json
import os
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
RECIPE = ["--label", "y", "--loss", "logistic", "--lambda", "0.01", "--method", "bolt_on", "--passes", "2", "--batch-rows", "50",
          "--data-norm", "1", "--epsilon", "1"]


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


class InFolder(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.sotto("data", "synth", "sphere", "--rows", "500", "--features", "5", "--margin", "0.001", "--out", "s.csv")
        self.rows = (self.folder / "s.csv").read_bytes()

    def start(self, *arguments, **how):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **how)

    def sotto(self, *arguments, code=0, **how):
        process = self.start(*arguments, **how)
        out, err = process.communicate()
        self.assertEqual(process.returncode, code, (arguments, err))
        return out if code == 0 else err

    def train(self, out, *more, **how):
        return self.sotto("train", "--data", "s.csv", *RECIPE, "--out", out, *more, **how)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class OutFiles(InFolder):
    def setUp(self):
        super().setUp()
        self.train("model.json")
        self.sotto("ledger", "create", "L", "--budget-epsilon", "10", "--data", "s.csv")

    def writers(self):
        """Every verb that writes a file, without the flag for it."""
        verbs = {
            "train": ["train", "--data", "s.csv", *RECIPE],
            "tune": ["tune", "--data", "s.csv", *RECIPE[:-2], "--epsilon", "2", "--delta", "1e-6", "--grid", "passes=1,2",
                     "--tune-by", "parts"],
            "predict": ["predict", "--model", "model.json", "--data", "s.csv"],
            "report": ["report", "--model", "model.json"],
            "bounds": ["data", "bounds", "--data", "s.csv", "--label", "y", "--epsilon", "1"],
            "synth": ["data", "synth", "large", "--rows", "400", "--features", "30"],
            "pack": ["data", "pack", "--data", "s.csv", "--label", "y", "--data-norm", "1"],
            "export": ["ledger", "export", "L"],
            "profile": ["account", "--mechanism", "gaussian", "--noise", "2", "--steps", "1", "--delta", "1e-6"],
        }
        flags = {"profile": "--profile"}
        return {name: (words, flags.get(name, "--out")) for name, words in verbs.items()}

    def test_what_is_no_regular_file_is_never_replaced(self):
        node = self.folder / "node.csv"
        try:
            os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:  # only root makes devices
            node.symlink_to(os.devnull)
        for name, (words, flag) in self.writers().items():
            with self.subTest(name):
                self.sotto(*words, flag, "node.csv")
                self.assertTrue(stat.S_ISCHR(node.stat().st_mode))

    def test_a_prepared_name_beside_the_target_is_not_used(self):
        for name, (words, flag) in self.writers().items():
            with self.subTest(name):
                target = f"{name}.csv"
                for end in (".part", ".tmp", ".new", ".partial"):
                    (self.folder / (target + end)).symlink_to("s.csv")
                self.sotto(*words, flag, target)
                self.assertEqual((self.folder / "s.csv").read_bytes(), self.rows)
                self.assertFalse((self.folder / target).is_symlink())
                self.assertGreater((self.folder / target).stat().st_size, 0)

    def test_a_file_that_does_not_fit_leaves_the_old_one(self):
        for name, (words, flag) in self.writers().items():
            if name in ("train", "tune", "bounds", "export", "profile"):
                continue  # what they write here is small
            with self.subTest(name):
                target = self.folder / f"{name}.csv"
                target.write_text("old")
                before = self.names()
                self.sotto(*words, flag, target.name, code=6, preexec_fn=small_files, restore_signals=False)
                self.assertEqual(target.read_text(), "old")
                self.assertEqual(self.names(), before)

    def test_permissions_of_a_replaced_file_stay(self):
        for name, (words, flag) in self.writers().items():
            with self.subTest(name):
                target = self.folder / f"{name}.csv"
                target.write_text("old")
                target.chmod(0o640)
                self.sotto(*words, flag, target.name)
                self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
                self.assertNotEqual(target.read_bytes(), b"old")

    def test_a_link_is_written_through(self):
        (self.folder / "models").mkdir()
        (self.folder / "latest").symlink_to("models/today.json")
        self.train("latest")
        self.assertTrue((self.folder / "latest").is_symlink())
        self.assertIn("sotto_model", json.loads((self.folder / "models/today.json").read_text()))

    def test_a_link_to_an_input_is_refused(self):
        (self.folder / "linked").symlink_to("s.csv")
        self.assertIn("is a file that is read", self.train("linked", code=2))
        (self.folder / "wal").symlink_to("L-wal")
        self.assertIn("belongs to a ledger", self.train("wal", code=2))
        self.assertEqual((self.folder / "s.csv").read_bytes(), self.rows)

    def test_standard_output_takes_model_and_card_one_after_the_other(self):
        with open(self.folder / "both", "w", encoding="utf-8") as both:
            done = subprocess.run([PROGRAM, "train", "--data", "s.csv", *RECIPE, "--out", "/dev/stdout"], cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=both, check=False)
        self.assertEqual(done.returncode, 0)
        text = (self.folder / "both").read_text(encoding="utf-8")
        self.assertIn("sotto_model", text)
        self.assertIn("guarantee", text.split("\n}\n")[-1])

    def test_eight_runs_with_one_target_leave_one_whole_model(self):
        self.sotto("data", "synth", "large", "--rows", "60", "--features", "3000", "--out", "wide.csv")
        for _ in range(3):
            runs = [self.start("train", "--data", "wide.csv", *RECIPE, "--out", "one.json") for _ in range(8)]
            errors = [run.communicate()[1] for run in runs]
            self.assertEqual([run.returncode for run in runs], [0] * 8, errors)
            self.sotto("explain", "--model", "one.json")
        self.assertEqual([name for name in self.names() if name.startswith(".")], [])

    def test_an_interrupted_run_leaves_nothing(self):
        os.mkfifo(self.folder / "rows")
        process = self.start("predict", "--model", "model.json", "--data", "rows", "--out", "predicted.csv")
        before = self.names()
        with open(self.folder / "rows", "wb") as rows:
            rows.write(self.rows * 40)
            rows.flush()
            process.kill()
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.names(), before)


class NoOut(InFolder):
    def test_a_model_that_would_be_lost_is_refused_before_anything_is_read(self):
        for verb, more in (("train", []), ("tune", ["--grid", "passes=1,2"])):
            words = self.sotto(verb, "--data", "not-there.csv", *RECIPE, *more, code=2)
            self.assertIn("--out", words)
            self.assertIn("--ledger", words)
            self.assertNotIn("not-there", words)

    def test_a_ledger_keeps_the_model(self):
        self.sotto("ledger", "create", "L", "--budget-epsilon", "2", "--budget-delta", "1e-6", "--filter", "sum", "--data", "s.csv")
        self.sotto("train", "--ledger", "L", "--data", "s.csv", *RECIPE)
        again = json.loads(self.train("model.json", "--ledger", "L", "--json"))
        self.assertTrue(again["stored"])


class Labels(unittest.TestCase):
    """IDX files keep their labels in another file, which belongs to its items."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.write("train", [0] * 60 + [1] * 60)
        self.write("test", [1] * 60 + [0] * 60)
        self.common = ["--classes", "0,1", "--data-norm", "1", "--loss", "logistic", "--lambda", "0.01"]
        self.sotto("train", "--data", "train.idx2", "--labels-file", "train.labels", *self.common, "--method", "noiseless",
                   "--passes", "20", "--batch-rows", "10", "--epsilon", "1", "--out", "m.json")

    def write(self, name, labels):
        rows = [(200, 20) if label else (20, 200) for label in labels]
        (self.folder / f"{name}.idx2").write_bytes(struct.pack(">BBBBII", 0, 0, 8, 2, len(rows), 2) + bytes(sum(rows, ())))
        (self.folder / f"{name}.labels").write_bytes(struct.pack(">BBBBI", 0, 0, 8, 1, len(rows)) + bytes(labels))

    def sotto(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        return done.stdout if code == 0 else done.stderr

    def accuracy(self, *more):
        return json.loads(self.sotto("evaluate", "--model", "m.json", "--data", "test.idx2", "--json", *more))["accuracy"]

    def test_the_labels_of_the_rows_at_hand_count(self):
        self.assertEqual(self.accuracy("--labels-file", "test.labels"), 1.0)
        (self.folder / "test-images.idx2").write_bytes((self.folder / "test.idx2").read_bytes())
        (self.folder / "test-labels.idx2").write_bytes((self.folder / "test.labels").read_bytes())
        named = self.sotto("evaluate", "--model", "m.json", "--data", "test-images.idx2", "--json")
        self.assertEqual(json.loads(named)["accuracy"], 1.0)

    def test_without_labels_they_are_asked_for(self):
        words = self.sotto("evaluate", "--model", "m.json", "--data", "test.idx2", code=2)
        self.assertIn("labels_file", words)
        self.assertIn("test.idx2", words)
        words = self.sotto("report", "--model", "m.json", "--data", "test.idx2", "--out", "page.html", code=2)
        self.assertIn("labels_file", words)
        self.assertFalse((self.folder / "page.html").exists())

    def test_a_model_of_an_older_version_names_its_training_labels_in_vain(self):
        model = json.loads((self.folder / "m.json").read_text())
        self.assertNotIn("train.labels", json.dumps(model))
        model["encoding"]["labels_file"] = "train.labels"
        (self.folder / "m.json").write_text(json.dumps(model))
        self.assertIn("labels_file", self.sotto("evaluate", "--model", "m.json", "--data", "test.idx2", code=2))
        self.assertEqual(self.accuracy("--labels-file", "test.labels"), 1.0)

    def test_the_report_has_the_right_accuracy(self):
        page = json.loads(self.sotto("report", "--model", "m.json", "--data", "test.idx2", "--labels-file", "test.labels", "--out",
                                     "page.html", "--json"))
        self.assertEqual(page["held_out"]["accuracy"], 1.0)

    def test_predictions_need_no_labels(self):
        lines = self.sotto("predict", "--model", "m.json", "--data", "test.idx2").splitlines()[1:]
        self.assertEqual([int(line.split(",")[0]) for line in lines], [1] * 60 + [0] * 60)

    def test_public_rows_to_tune_on_have_labels_of_their_own(self):
        tune = ["tune", "--data", "train.idx2", "--labels-file", "train.labels", *self.common, "--method", "bolt_on",
                "--batch-rows", "10", "--epsilon", "1", "--grid", "passes=1,2", "--tune-by", "public", "--public-data",
                "test.idx2", "--out", "tuned.json"]
        self.assertIn("labels_file", self.sotto(*tune, code=2))
        self.sotto(*tune, "--public-labels-file", "test.labels")

    def test_labels_beside_the_items_are_not_written_over(self):
        items, labels = self.folder / "t-images-idx3", self.folder / "t-labels-idx1"
        items.write_bytes((self.folder / "train.idx2").read_bytes())
        labels.write_bytes((self.folder / "train.labels").read_bytes())
        before = labels.read_bytes()
        words = self.sotto("train", "--data", items.name, *self.common, "--epsilon", "1", "--out", labels.name, code=2)
        self.assertIn("is a file that is read", words)
        self.assertEqual(labels.read_bytes(), before)

    def test_labels_that_a_schema_or_a_format_names_are_not_written_over(self):
        (self.folder / "s.json").write_text(json.dumps({"labels_file": "train.labels"}))
        (self.folder / "foo-images.bin").write_bytes((self.folder / "train.idx2").read_bytes())
        (self.folder / "foo-labels.bin").write_bytes((self.folder / "train.labels").read_bytes())
        for named, out in ((["--data", "train.idx2", "--schema", "s.json"], "train.labels"),
                           (["--data", "foo-images.bin", "--format", "idx"], "foo-labels.bin")):
            before = (self.folder / out).read_bytes()
            words = self.sotto("train", *named, *self.common, "--epsilon", "1", "--out", out, code=2)
            self.assertIn("is a file that is read", words)
            self.assertEqual((self.folder / out).read_bytes(), before)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
