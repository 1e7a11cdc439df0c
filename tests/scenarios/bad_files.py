#!/usr/bin/env python3
"""What is wrong with a file is told by an exit code and one message that quotes no cell; what is wrong with a value is
told by nobody but `evaluate` and `predict`, whose answers are not private. Usage: bad_files.py <path of the program>"""
import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
RECIPE = ["--loss", "logistic", "--lambda", "0.1", "--method", "bolt_on", "--epsilon", "1", "--passes", "1"]
NORM = ["--data-norm", "1"]
KEPT = ["--out", "m.json", "--json", "--no-check"]
TRAIN = ["train", "--label", "y", *RECIPE, *NORM, *KEPT]
NOT_ALLOWED, BAD_DATA, NO_FILE = 2, 3, 6  # exit codes by kind of error
# Cells nobody may quote. Every bad row and every first line without names has some of them.
# Long enough not to be among the digits of a weight.
SECRETS = ["0.4621726", "-0.73125381", "SECRET", "471100815"]
ROWS = "".join(f"{(i % 7) / 10},{(i % 5) / -10},{1 if i % 2 else -1}\n" for i in range(40))
NAMED = "x1,x2,y\n" + ROWS
BARE = "0.4621726,-0.73125381,1\n" + ROWS

# file, contents, command without --data, exit code, what the message says
STRUCTURE = [
    ("ragged.csv", NAMED + "0.4621726,SECRET\n", TRAIN, BAD_DATA, "a row has 2 cells where 3 are expected"),
    ("wide.csv", NAMED + "0.4621726,-0.73125381,SECRET,1\n", TRAIN, BAD_DATA, "more than the expected 3 cells"),
    ("cut.csv.gz", gzip.compress((NAMED * 50 + "SECRET").encode())[:-20], TRAIN, BAD_DATA, "is cut off"),
    ("nothing.csv", "", TRAIN, BAD_DATA, "is empty"),
    ("names.csv", "x1,x2,y\n", TRAIN, NOT_ALLOWED, "rows"),
    ("missing.csv", None, TRAIN, NO_FILE, "missing.csv"),
    ("bounds.csv", NAMED, ["train", "--label", "y", *RECIPE, *KEPT], NOT_ALLOWED, "no public bounds for x1, x2"),
    ("label.csv", NAMED, ["train", "--label", "z", *RECIPE, *NORM, *KEPT], NOT_ALLOWED, "the file has no column z"),
    ("position.csv", NAMED, ["train", "--label", "3", *RECIPE, *NORM, *KEPT], NOT_ALLOWED, "the file has no column 3"),
]
# A first line that may be a row: any cell that spells a number.
FIRST_LINES = [BARE, "SECRET,39,471100815\n" + ROWS, "a,b,471100815\n" + ROWS, "x1,x2,y,471100815\n" + ROWS.replace("\n", ",1\n"),
               '"471100815",x2,y\n' + ROWS]
READERS = [
    *[["train", "--label", label, *RECIPE, *NORM, *KEPT] for label in ("1", "3", "y", "471100815", "0.4621726", "-0.73125381")],
    ["train", "--label", "1", *RECIPE, *KEPT],
    ["train", "--label", "1", *RECIPE, "--assume-bounds-from-data", *KEPT],
    ["train", "--label", "1", *RECIPE, "--private-bounds", *KEPT],
    ["tune", "--label", "1", *RECIPE, *NORM, "--grid", "passes=1,2", "--tune-by", "parts", *KEPT],
    ["data", "bounds", "--label", "1", "--epsilon", "1", "--out", "s.json", "--json"],
    ["data", "pack", "--label", "1", *NORM, "--out", "x.blk", "--json"],
    ["data", "info", "--label", "1", "--json"],
    ["data", "info"],
    ["ledger", "create", "L", "--budget-epsilon", "1", "--json"],
    ["ledger", "create", "L", "--budget-epsilon", "1", "--label", "1"],
]
# A value that cannot be used, and the rows it stands among.
VALUES = {"a text": "SECRET,0.1,1\n", "nan": "nan,0.1,1\n", "infinite": "1e999,0.1,1\n", "nothing": ",0.1,1\n",
          "an unknown label": "0.4621726,0.1,471100815\n", "no label": "0.4621726,0.1,\n"}


class BadFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, contents):
        if contents is not None:
            (self.folder / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return name

    def sotto(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def answer(self, *arguments):
        done = self.sotto(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def expect_refused(self, arguments, code, words):
        done = self.sotto(*arguments)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        self.assertEqual(done.stdout, "", arguments)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        said = json.loads(done.stderr)["error"]["message"] if "--json" in arguments else done.stderr
        self.assertIn(words, said, arguments)
        given = " ".join(arguments)  # a message may say what was asked for
        for secret in SECRETS:
            if secret not in given:
                self.assertNotIn(secret, said, arguments)

    def test_what_is_no_table_is_refused_by_kind_without_a_cell(self):
        for name, contents, command, code, words in STRUCTURE:
            with self.subTest(name):
                self.expect_refused([*command, "--data", self.write(name, contents)], code, words)

    def test_under_add_remove_the_empty_table_is_one_of_the_neighbours(self):
        self.write("none.csv", "x1,x2,y\n")
        self.write("one.csv", "x1,x2,y\n0.4,0.5,1\n")
        self.write("none.libsvm", "")
        self.write("one.libsvm", "1 1:0.4 2:0.5\n")
        methods = ["objective", "output", "dpgd", "dpsgd", "bst14", "dp_agd", "priv_gene", "whitened_dpgd", "auto"]
        for method in methods:
            budget = ["--relation", "add_remove", "--declared-rows", "100", "--epsilon", "1", "--delta", "1e-6"]
            for name in ("none.csv", "one.csv", "none.libsvm", "one.libsvm"):
                with self.subTest(method=method, name=name):
                    shape = ["--label", "y"] if name.endswith(".csv") else ["--features", "2"]
                    card = json.loads(self.answer("train", "--data", name, *shape, "--method", method, "--lambda", "0.01",
                                                  *NORM, *budget, *KEPT))
                    self.assertIs(card["private"], True)
                    self.assertIn("tables of at most", " ".join(card["remarks"]))

    def test_a_first_line_that_may_be_a_row_is_nobodys_names(self):
        for i, contents in enumerate(FIRST_LINES):
            for command in READERS:
                with self.subTest(first=i, command=command):
                    name = self.write(f"{i}.csv", contents)
                    self.expect_refused([*command, "--data", name], NOT_ALLOWED, "the first line looks like a row")
        self.assertEqual({path.suffix for path in self.folder.iterdir()}, {".csv"}, "nothing was written")
        self.expect_refused([*TRAIN, "--data", self.write("t.tsv", BARE.replace(",", "\t"))], NOT_ALLOWED,
                            "the first line looks like a row")

    def test_whoever_says_what_the_first_line_is_gets_it_read_so(self):
        name = self.write("bare.csv", BARE)
        self.answer("train", "--data", name, "--no-header", "--label", "3", *RECIPE, *NORM, "--out", "m.json")
        model = (self.folder / "m.json").read_text()
        self.assertEqual([c["name"] for c in json.loads(model)["encoding"]["columns"]], ["1", "2"])
        for secret in SECRETS:
            self.assertNotIn(secret, model)
        found = json.loads(self.answer("evaluate", "--model", "m.json", "--data", name, "--json"))
        self.assertEqual((found["rows"], found["unusable"]), (41, 0))
        years = self.write("years.csv", "2020,2021,y\n" + ROWS)
        self.answer("train", "--data", years, "--header", "true", "--label", "y", *RECIPE, *NORM, "--out", "m.json")
        self.answer("evaluate", "--model", "m.json", "--data", years)
        self.answer("predict", "--model", "m.json", "--data", years)
        self.answer("ledger", "create", "years.ledger", "--budget-epsilon", "2", "--header", "true", "--data", years)
        self.answer("train", "--ledger", "years.ledger", "--data", years, "--label", "y", *RECIPE, *NORM, "--mechanism",
                    "discrete_laplace")

    def test_training_says_nothing_about_a_value(self):
        cards = set()
        for what, row in {"as it should be": "0.1,0.1,1\n", **VALUES}.items():
            with self.subTest(what):
                done = self.sotto(*TRAIN, "--data", self.write("values.csv", NAMED + row))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                cards.add(done.stdout)
        self.assertEqual(len(cards), 1)

    def test_figures_and_predictions_leave_out_what_cannot_be_used(self):
        self.answer(*TRAIN, "--data", self.write("named.csv", NAMED))
        clean = json.loads(self.answer("evaluate", "--model", "m.json", "--data", "named.csv", "--json"))
        self.assertEqual((clean["rows"], clean["unusable"]), (40, 0))
        lines = self.answer("predict", "--model", "m.json", "--data", "named.csv").splitlines()
        for what, row in VALUES.items():
            with self.subTest(what):
                name = self.write("values.csv", "x1,x2,y\n" + row + ROWS + row)
                found = json.loads(self.answer("evaluate", "--model", "m.json", "--data", name, "--json"))
                self.assertEqual(found, {**clean, "unusable": 2})
                self.assertIn("2 rows more", self.answer("evaluate", "--model", "m.json", "--data", name))
                predicted = self.answer("predict", "--model", "m.json", "--data", name).splitlines()
                self.assertEqual(predicted[2:-1], lines[1:])
                objects = self.answer("predict", "--model", "m.json", "--data", name, "--json").splitlines()
                self.assertEqual(len(objects), 42)
                if "label" not in what:  # predictions need none
                    self.assertEqual([predicted[1], predicted[-1]], [",,", ",,"])
                    self.assertEqual([json.loads(objects[0]), json.loads(objects[-1])], [{"prediction": None}] * 2)
                self.expect_refused(["evaluate", "--model", "m.json", "--json", "--data",
                                     self.write("none.csv", "x1,x2,y\n" + row)], BAD_DATA, "no row can be used")

    def test_a_block_file_has_no_raw_columns(self):
        self.answer(*TRAIN, "--data", self.write("named.csv", NAMED))
        self.answer("data", "pack", "--data", "named.csv", "--label", "y", *NORM, "--out", "x.blk")
        self.expect_refused(["predict", "--model", "m.json", "--data", "x.blk", "--json"], BAD_DATA,
                            "is a block file: it holds encoded rows")
        # Rows that were encoded as the model's were can be judged, others cannot.
        judged = [json.loads(self.answer("evaluate", "--model", "m.json", "--data", name, "--json"))
                  for name in ("named.csv", "x.blk")]
        losses = [figures.pop("loss") for figures in judged]  # packed rows are added in another order
        self.assertAlmostEqual(losses[0], losses[1], 12)
        self.assertEqual(judged[0], judged[1])
        self.answer("data", "pack", "--data", "named.csv", "--label", "y", "--data-norm", "0.5", "--out", "other.blk")
        self.expect_refused(["evaluate", "--model", "m.json", "--data", "other.blk", "--json"], BAD_DATA,
                            "was packed by other declarations")

    def test_bounds_from_the_rows_are_stamped(self):
        name = self.write("named.csv", NAMED)
        card = json.loads(self.answer("train", "--data", name, "--label", "y", *RECIPE, "--assume-bounds-from-data", *KEPT))
        self.assertIs(card["private"], False)
        self.assertIn("bounds were taken from the rows", " ".join(card["not_private_because"]))

    def test_a_projection_says_to_how_many_dimensions(self):
        name = self.write("named.csv", NAMED)
        for kind in ("gaussian", "choose_features"):
            self.expect_refused([*TRAIN, "--data", name, "--projection", kind], NOT_ALLOWED, "dimensions: declare how many")
        self.expect_refused([*TRAIN, "--data", name, "--dimensions", "2"], NOT_ALLOWED, "--projection")
        said = self.answer("train", "--data", name, "--label", "y", *RECIPE, *NORM, "--projection", "gaussian",
                           "--dimensions", "1", "--key", "7", "--out", "/dev/null")
        self.assertIn("gaussian to 1 dimensions, public key 7", said)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
