#!/usr/bin/env python3
"""A model file from a ledger is known by its bytes: by the public key alone, and by the ledger itself.

Usage: signatures.py <path of sotto>
"""
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOTTO = ""
TRAIN = ["train", "--data", "data.csv", "--label", "y", "--data-norm", "1", "--loss", "logistic", "--lambda", "0.1",
         "--method", "bolt_on", "--passes", "1"]


class Signatures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.room.cleanup)
        cls.folder = Path(cls.room.name)
        rows = [f"0.{i % 10},{-0.1 * (i % 7):.1f},{1 if i % 2 else -1}" for i in range(60)]
        (cls.folder / "data.csv").write_text("x1,x2,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
        for name in ("L", "other"):
            cls.sotto("ledger", "create", name, "--budget-epsilon", "2", "--budget-delta", "1e-6", "--data", "data.csv")
            cls.sotto("ledger", "key", name, "--out", f"{name}.pub")
        cls.sotto(*TRAIN, "--epsilon", "0.3", "--ledger", "L", "--out", "m.json")
        cls.sotto(*TRAIN, "--epsilon", "0.3", "--out", "free.json")

    @classmethod
    def run_sotto(cls, *arguments):
        return subprocess.run([SOTTO, *map(str, arguments)], cwd=cls.folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    @classmethod
    def sotto(cls, *arguments):
        done = cls.run_sotto(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: {done.stderr}")
        return done.stdout

    def verify(self, model="m.json", key="L.pub"):
        return self.run_sotto("verify", "--model", model, "--key", key)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def test_a_released_file_is_verified_without_the_ledger(self):
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verified", done.stdout)
        answer = json.loads(self.sotto("verify", "--model", "m.json", "--key", "L.pub", "--json"))
        self.assertIs(answer["verified"], True)
        self.assertEqual(answer["entry"], 2)
        self.assertEqual(answer["card"]["budget"]["signed_by"], answer["key"])

    def test_changed_bytes_another_key_and_no_signature_are_exit_code_one(self):
        whole = (self.folder / "m.json").read_bytes()
        places = [*range(0, len(whole), max(1, len(whole) // 40)), *range(len(whole) - 12, len(whole))]
        for place in places:  # every byte is for the unit tests
            changed = bytearray(whole)
            changed[place] ^= 1
            done = self.verify(self.write("changed.json", bytes(changed)))
            self.assertEqual(done.returncode, 1, f"byte {place}: {done.stdout}{done.stderr}")
            self.assertIn("NOT VERIFIED", done.stdout)
        parsed = json.loads(whole)
        for text in (json.dumps(parsed), json.dumps(parsed, indent=2), json.dumps(parsed, indent=2, sort_keys=True) + "\n"):
            self.assertEqual(self.verify(self.write("again.json", text.encode())).returncode, 1)
        self.assertEqual(self.verify(key="other.pub").returncode, 1)
        self.assertEqual(self.verify("free.json").returncode, 1)
        self.assertEqual(self.verify("data.csv").returncode, 1)
        done = self.run_sotto("verify", "--model", "free.json", "--key", "L.pub", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIs(json.loads(done.stdout)["verified"], False)

    def test_what_is_no_key_and_what_is_not_there_are_errors(self):
        self.assertEqual(self.verify(key="data.csv").returncode, 3)
        self.assertEqual(self.verify(key="nosuch").returncode, 6)
        self.assertEqual(self.verify("nosuch").returncode, 6)

    def test_cards_say_whether_the_file_is_signed(self):
        self.assertIn("by the ledger's key", self.sotto("explain", "--model", "m.json"))
        self.assertIn("without a ledger nobody vouches", self.sotto("explain", "--model", "free.json"))

    def test_the_same_request_gives_the_same_bytes(self):
        self.sotto(*TRAIN, "--epsilon", "0.3", "--ledger", "L", "--out", "replayed.json")
        self.assertEqual((self.folder / "replayed.json").read_bytes(), (self.folder / "m.json").read_bytes())

    def test_an_edited_file_is_refused_by_the_ledger_that_released_it(self):
        self.assertIn("entry 2", self.sotto("ledger", "verify", "L", "--model", "m.json"))
        page = ["report", "--model", "m.json", "--ledger", "L", "--out", "page.html"]
        self.sotto(*page)
        card = json.loads((self.folder / "m.json").read_bytes())
        card["weights"][0] += 1
        del card["signature"]
        card["card"]["budget"]["signed_by"] = None  # as one would who knows how
        self.write("edited.json", (json.dumps(card, indent=2) + "\n").encode())
        self.sotto("explain", "--model", "edited.json")
        done = self.run_sotto("report", "--model", "edited.json", "--ledger", "L", "--out", "edited.html")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("is not byte for byte what this ledger released", done.stderr)
        self.assertFalse((self.folder / "edited.html").exists())
        for model in ("edited.json", "free.json"):
            done = self.run_sotto("ledger", "verify", "L", "--model", model, "--json")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIs(json.loads(done.stdout)["verified"], False)

    def test_pages_tell_the_entry_the_signature_and_the_ledger(self):
        page = json.loads(self.sotto("report", "--model", "m.json", "--ledger", "L", "--out", "page.html", "--json"))
        self.assertEqual(page["released"]["entry"], 2)
        self.assertIs(page["released"]["signed"], True)
        epsilon, delta = page["card"]["guarantee"]["epsilon"], page["card"]["guarantee"]["delta"]
        most = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
        self.assertTrue(0.5 < page["best_guess"]["chance"] <= most * (1 + 1e-12))
        self.assertIn("someone who knows every other row guesses right at most", page["best_guess"]["words"])
        self.assertIn("signature verified", (self.folder / "page.html").read_text(encoding="utf-8"))
        page = json.loads(self.sotto("report", "--ledger", "L", "--out", "ledger.html", "--json"))
        self.assertIs(page["verified"], True)
        self.assertEqual(page["entries"][0]["state"], "released")
        self.assertIn("percent used", page["budget"]["words"])
        self.assertIn(page["ledger"][:12], (self.folder / "ledger.html").read_text(encoding="utf-8"))
        for more in (["--ledger", "L", "--data", "data.csv"], [], ["--ledger", "L", "--figures", "."]):
            done = self.run_sotto("report", *more, "--out", "none.html")
            self.assertEqual(done.returncode, 2, (more, done.stdout, done.stderr))
            self.assertFalse((self.folder / "none.html").exists())

    def test_a_card_that_contradicts_itself_is_refused_by_every_verb(self):
        self.sotto("train", "--data", "data.csv", "--label", "y", "--data-norm", "1", "--method", "noiseless", "--lambda",
                   "0.1", "--out", "bare.json")
        lies = []
        card = json.loads((self.folder / "bare.json").read_bytes())
        card["card"].update({"private": True, "not_private_because": [], "guarantee": card["card"]["claimed"]})
        lies.append(card)
        card = json.loads((self.folder / "free.json").read_bytes())
        card["card"]["guarantee"]["epsilon"] = 1e-9
        lies.append(card)
        for lie in lies:
            self.write("lie.json", json.dumps(lie).encode())
            for verb in (["explain"], ["predict", "--data", "data.csv"], ["evaluate", "--data", "data.csv"],
                         ["report", "--out", "lie.html"]):
                done = self.run_sotto(*verb, "--model", "lie.json")
                self.assertEqual(done.returncode, 3, (verb, done.stdout, done.stderr))
                self.assertIn("contradicts itself", done.stderr)

    def test_every_kind_of_card_that_is_written_is_read(self):
        (self.folder / "epsilons.txt").write_text("".join(f"{0.5 if i % 2 else 2}\n" for i in range(60)), encoding="utf-8")
        rows = ["--data", "data.csv", "--label", "y"]
        plain = [*rows, "--data-norm", "1"]
        made = 0
        for method in ("bolt_on", "objective", "dpgd", "auto"):
            for delta in ("0", "1e-5"):
                budget = ["--method", method, "--epsilon", "2", "--delta", delta]
                asked = [["train", *plain, "--lambda", "0.1", "--intervals", "0.3", *budget],
                         ["train", *plain, "--lambda", "0.1", "--personal-epsilons", "epsilons.txt", *budget],
                         ["train", *rows, "--lambda", "0.1", "--data-norm", "private", *budget],
                         ["train", *rows, "--lambda", "0.1", "--private-bounds", *budget],
                         ["train", *plain, "--lambda", "0.1", "--relation", "add_remove", "--declared-rows", "60", *budget],
                         ["tune", *plain, "--tune-by", "parts", "--grid", "lambda=0.1,1", *budget],
                         ["tune", *plain, "--tune-by", "random_stopping", "--mean-runs", "2", "--grid", "lambda=0.1,1", *budget]]
                for arguments in asked:
                    if self.run_sotto(*arguments, "--out", "some.json").returncode != 0:
                        continue  # the method does not take it
                    self.sotto("explain", "--model", "some.json")
                    made += 1
        self.assertGreater(made, 30)

    def test_no_verb_shows_the_private_key(self):
        told = "".join(self.sotto("ledger", verb, "L", *more) for verb, more in (
            ("show", ["--json", "--fingerprints"]), ("log", ["--json"]), ("export", ["--models"]), ("key", ["--json"])))
        self.assertNotIn("PRIVATE", told)
        read = __import__("sqlite3").connect(self.folder / "L")
        secret = read.execute("SELECT key FROM secret").fetchone()[0]
        read.close()
        self.assertNotIn(secret, told)

    def test_a_tiny_request_costs_the_smallest_price_and_says_so(self):
        self.sotto("ledger", "create", "small", "--budget-epsilon", "1", "--data", "data.csv")
        tiny = [*TRAIN, "--mechanism", "discrete_laplace", "--epsilon", "1e-9", "--ledger", "small"]
        card = json.loads(self.sotto(*tiny, "--out", "tiny.json", "--json"))
        self.assertEqual(card["budget"]["cost"], "0.0001")
        self.assertTrue(any("smallest price" in remark for remark in card["remarks"]))
        plan = ["plan", "--features", "2", "--data-norm", "1", "--lambda", "0.1", "--method", "bolt_on", "--passes", "1",
                "--mechanism", "discrete_laplace", "--epsilon", "1e-9", "--ledger", "small"]
        self.assertIn("smallest price", self.sotto(*plan))
        self.assertEqual(json.loads(self.sotto(*plan, "--json"))["budget"]["smallest_price"]["loss"], "0.0001")


if __name__ == "__main__":
    SOTTO = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
