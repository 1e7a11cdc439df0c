#!/usr/bin/env python3
"""Ledgers and real processes: kill -9, concurrency, full disks, read-only files, interrupts.

Usage: ledger_processes.py <path of sotto> <path of ledger_spender> [test]
SOTTO_KILLS sets the number of kills (default 100, and a new ledger after each 100); SOTTO_KILL_SEED repeats their moments.
Invariant: acknowledged releases <= recorded spends <= budget.
"""
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOTTO = SPENDER = ""
RECIPE = ["--label", "y", "--loss", "logistic", "--lambda", "0.01", "--method", "bolt_on", "--passes", "2",
          "--batch-rows", "50", "--data-norm", "1"]


class Processes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.data = Path(cls.keep.name) / "sphere.csv"
        cls.few = Path(cls.keep.name) / "few.csv"
        cls.few.write_text("x1,y\n0.5,1\n-0.5,-1\n0.25,1\n-0.25,-1\n", encoding="utf-8")
        subprocess.run([SOTTO, "data", "synth", "sphere", "--rows", "2000", "--features", "5", "--margin", "0.001",
                        "--out", cls.data], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ledger = Path(self.folder.name) / "L"

    def sotto(self, *arguments, **options):
        return subprocess.run([SOTTO, *map(str, arguments)], cwd=self.folder.name, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)

    def create(self, epsilon, delta=0, data=None, *more):
        done = self.sotto("ledger", "create", self.ledger, "--budget-epsilon", epsilon, "--budget-delta", delta,
                          "--data", data or self.few, *more)
        self.assertEqual(done.returncode, 0, done.stderr)

    def show(self):
        done = self.sotto("ledger", "show", self.ledger, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def train(self, *more, **options):
        return self.sotto("train", "--ledger", self.ledger, "--data", self.data, *RECIPE, "--json", *more, **options)

    def spender(self, name, epsilon):
        return subprocess.Popen([SPENDER, str(self.ledger), name, str(epsilon)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)

    @staticmethod
    def await_moment(worker, moments):
        """Waits for a random moment: in a fifth of the cases while it starts and opens, otherwise within an entry, as
        long as the one before it took. Returns what was read from it."""
        if moments.random() < 0.2:
            time.sleep(moments.uniform(0, 0.03))
            return b""
        lines = moments.randrange(1, 5)
        heard, last, before = b"", time.monotonic(), time.monotonic()
        while heard.count(b"\n") < lines:
            piece = os.read(worker.stdout.fileno(), 4096)
            if not piece:
                break
            heard += piece
            before, last = last, time.monotonic()
        time.sleep(moments.uniform(0, min(0.05, last - before)))
        return heard

    def check_invariant(self, acknowledged, each):
        """Every acknowledged entry is a recorded release; every record is paid for; the total fits."""
        self.assertEqual(self.sotto("ledger", "verify", self.ledger).returncode, 0)
        shown = self.show()
        entries = {entry["entry"]: entry["state"] for entry in shown["entries"]}
        for entry in acknowledged:
            self.assertEqual(entries[entry], "released")
        self.assertEqual(len(acknowledged), len(set(acknowledged)))
        self.assertLessEqual(len(acknowledged), len(entries))
        self.assertEqual(shown["exact"]["spent"]["loss_units"], len(entries) * each)
        self.assertLessEqual(shown["exact"]["spent"]["loss_units"], shown["exact"]["limit"]["loss_units"])
        return entries

    def test_kill_at_random_points_neither_refunds_nor_locks_out(self):
        kills = int(os.environ.get("SOTTO_KILLS", "100"))
        seed = int(os.environ.get("SOTTO_KILL_SEED", "0")) or random.randrange(1, 1 << 32)
        print(f"{kills} kills, SOTTO_KILL_SEED={seed}", flush=True)
        moments = random.Random(seed)
        for first in range(0, kills, 100):  # opening replays every entry
            self.ledger = Path(self.folder.name) / f"L{first}"
            self.create(100)
            self.kill_one_by_one(range(first, min(first + 100, kills)), moments)

    def kill_one_by_one(self, numbers, moments):
        acknowledged, unfinished = [], 0
        for number in numbers:
            workers = [self.spender(f"{number}-{i}", 0.01) for i in range(moments.choice([1, 1, 2, 3]))]
            heard = self.await_moment(workers[0], moments)
            for worker in workers:
                worker.send_signal(signal.SIGKILL)
            for worker in workers:
                said = (heard + worker.communicate()[0]).decode().split("\n")
                heard = b""
                self.assertEqual(worker.returncode, -signal.SIGKILL, "the budget is too small for this many kills")
                unfinished += 1 if len(said) <= 1 else 0
                acknowledged += [int(line) for line in said[1:-1]]
            if number % 50 == 0:
                self.check_invariant(acknowledged, 10**10)
        states = list(self.check_invariant(acknowledged, 10**10).values())
        print(f"{len(acknowledged)} acknowledged, {len(states)} recorded, {states.count('reserved')} spent without a "
              f"release, {unfinished} killed while opening", flush=True)
        self.assertGreater(len(acknowledged), len(numbers))

    def test_eight_trainers_spend_exactly_what_fits(self):
        self.create(3.7)
        workers = [self.spender(str(i), 0.1) for i in range(8)]
        acknowledged = []
        for worker in workers:
            said = worker.communicate()[0].decode().split()
            self.assertEqual(worker.returncode, 4)
            acknowledged += [int(line) for line in said[1:]]
        self.assertEqual(len(acknowledged), 37)
        self.check_invariant(acknowledged, 10**11)
        self.assertEqual(self.show()["remaining"], 0)

    def test_an_interrupted_training_stays_spent(self):
        big = Path(self.keep.name) / "big.csv"
        if not big.exists():
            subprocess.run([SOTTO, "data", "synth", "sphere", "--rows", "200000", "--features", "5", "--out", big],
                           check=True, stdout=subprocess.DEVNULL)
        self.create(1, 1e-6, big)
        command = [SOTTO, "train", "--ledger", self.ledger, "--data", big, *RECIPE[:6], "--method", "scs13", "--epsilon",
                   "0.3", "--delta", "1e-7", "--passes", "100", "--batch-rows", "1", "--data-norm", "1", "--out", "m.json"]
        worker = subprocess.Popen(command, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not self.show()["entries"]:
            self.assertIsNone(worker.poll())
            time.sleep(0.02)
        worker.send_signal(signal.SIGINT)
        out, _ = worker.communicate()
        self.assertNotEqual(worker.returncode, 0)
        self.assertEqual(out, b"")
        self.assertFalse((Path(self.folder.name) / "m.json").exists())
        shown = self.show()
        self.assertEqual([entry["state"] for entry in shown["entries"]], ["reserved"])
        self.assertGreater(shown["spent"], 0)

    def test_a_full_disk_is_an_error_and_nothing_is_trained(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        self.create(1, 1e-6, self.data)
        for limit in (0, 100, 4096, 20000):
            done = self.train("--epsilon", "0.2", "--delta", "1e-8", "--out", "m.json", preexec_fn=small_files)
            self.assertEqual(done.returncode, 6, (limit, done.stdout, done.stderr))
            self.assertIn("ledger", done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertFalse((Path(self.folder.name) / "m.json").exists())
        self.assertEqual(self.sotto("ledger", "verify", self.ledger).returncode, 0)
        self.assertEqual([e for e in self.show()["entries"] if e["state"] == "released"], [])
        self.assertEqual(self.train("--epsilon", "0.2", "--delta", "1e-8").returncode, 0)

    def test_a_full_file_system(self):
        mount = Path(self.folder.name) / "small"
        mount.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            self.skipTest("mounting a small file system is not permitted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(mount)], check=False)
        self.ledger = mount / "L"
        self.create(1, 1e-6, self.data)
        filler = os.open(mount / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(filler, b"x" * 4096)
        except OSError:
            os.close(filler)
        done = self.train("--epsilon", "0.2", "--delta", "1e-8")
        self.assertEqual(done.returncode, 6, done.stderr)
        (mount / "filler").unlink()
        self.assertEqual(self.show()["spent"], 0)
        self.assertEqual(self.train("--epsilon", "0.2", "--delta", "1e-8").returncode, 0)

    def test_read_only_files_are_an_error_and_nothing_is_trained(self):
        self.create(1, 1e-6, self.data)
        options = {}
        folder = Path(self.folder.name)
        if os.geteuid() == 0:  # root may write anything
            options = {"user": 65534, "group": 65534, "extra_groups": []}
            folder.chmod(0o755)
            Path(self.keep.name).chmod(0o755)
            try:
                if self.sotto("--version", **options).returncode != 0:
                    self.skipTest("the program cannot be run by another user here")
            except OSError:
                self.skipTest("the program cannot be run by another user here")
        for name in ("L", "L.anchor"):
            (folder / name).chmod(0o444)
        folder.chmod(0o555)
        done = self.train("--epsilon", "0.2", "--delta", "1e-8", **options)
        folder.chmod(0o755)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(done.stdout, "")
        for name in ("L", "L.anchor"):
            (folder / name).chmod(0o644)
        self.assertEqual(self.show()["spent"], 0)

    def test_data_swapped_between_fingerprint_and_rows_are_not_released_from(self):
        """The trainer identifies the file, then waits for the anchor's lock to reserve; that is when the file is swapped
        for another of the same size and time."""
        big = Path(self.keep.name) / "swapped.csv"
        rows = [f"0.{i % 10}{i % 7},{1 if i % 2 else -1}\n" for i in range(1500000)]
        for attempt in range(5):
            big.write_text("x1,y\n" + "".join(rows), encoding="utf-8")
            before = big.stat()
            self.ledger = Path(self.folder.name) / f"L{attempt}"
            self.create(1, 1e-6, big)
            # A check reads the rows before the charge, and then those are trained on.
            command = [SOTTO, "train", "--no-check", "--ledger", self.ledger, "--data", big, *RECIPE, "--epsilon", "0.3", "--delta", "1e-7"]
            worker = subprocess.Popen(command, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            with open(str(self.ledger) + ".anchor", "rb") as anchor:
                caught = self.lock_while_identifying(worker, big, anchor)
                if caught:
                    other = Path(self.folder.name) / "other.csv"
                    other.write_text("x1,y\n" + "".join(["0.99,-1\n", *rows[1:]]), encoding="utf-8")
                    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
                    os.replace(other, big)
                    self.assertEqual((big.stat().st_size, big.stat().st_mtime_ns), (before.st_size, before.st_mtime_ns))
                fcntl.flock(anchor, fcntl.LOCK_UN)
            out, error = worker.communicate()
            if caught:
                break
        else:
            self.skipTest("the moment was missed five times")
        self.assertEqual((worker.returncode, out), (3, ""), error)
        self.assertIn("changed after it was identified", error)
        shown = self.show()
        self.assertEqual([entry["state"] for entry in shown["entries"]], ["reserved"])
        self.assertGreater(shown["spent"], 0)

    @staticmethod
    def lock_while_identifying(worker, data, anchor):
        """Takes the anchor's lock while the worker, which has the ledger open, reads the data for their fingerprint, and
        waits until it has read them. False if that moment was missed."""
        def open_files():
            names = set()  # a path that was replaced is shown with a remark
            for link in Path(f"/proc/{worker.pid}/fd").glob("*"):
                try:
                    names.add(os.readlink(link))
                except OSError:
                    pass
            return names

        ledger = anchor.name.removesuffix(".anchor")
        while worker.poll() is None:
            files = open_files()
            if str(data) in files and ledger in files:
                break
        else:
            return False
        fcntl.flock(anchor, fcntl.LOCK_EX)
        with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as records:
            reserved = records.execute("SELECT count(*) FROM record WHERE kind = 'reserved'").fetchone()[0]
        if reserved > 0 or str(data) not in open_files():
            return False
        while str(data) in open_files():
            time.sleep(0.001)
        return worker.poll() is None

    def test_a_copied_folder_cannot_spend_a_second_time(self):
        first = Path(self.folder.name) / "first"
        first.mkdir()
        self.ledger = first / "L"
        self.create(1, 1e-6, self.data)
        second = Path(self.folder.name) / "second"
        shutil.copytree(first, second)
        self.assertEqual(self.train("--epsilon", "0.5", "--delta", "1e-7").returncode, 0)
        self.ledger = second / "L"
        done = self.train("--epsilon", "0.5", "--delta", "1e-7")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("copy of a ledger", done.stderr)
        done = self.sotto("ledger", "move", self.ledger)
        self.assertEqual(done.returncode, 3, "the original has gone on since it was copied")

    def test_no_result_replaces_a_ledger_or_what_it_is_made_of(self):
        self.create(1, 1e-6, self.data)
        anchor = Path(str(self.ledger) + ".anchor")
        before = anchor.read_bytes()
        for out in (self.ledger, anchor, self.data, Path(self.folder.name) / "missing" / "m.json"):
            done = self.train("--epsilon", "0.1", "--delta", "1e-7", "--out", out)
            self.assertIn(done.returncode, (2, 6), f"{out}: {done.stderr}")
        for out in (self.ledger, anchor):
            self.assertEqual(self.sotto("ledger", "export", self.ledger, "--out", out).returncode, 2)
            self.assertEqual(self.sotto("data", "synth", "sphere", "--rows", "9", "--out", out).returncode, 2)
            self.assertEqual(self.sotto("account", "--noise", "1", "--delta", "1e-5", "--profile", out).returncode, 2)
        self.assertEqual(self.show()["entries"], [], "nothing was charged")
        self.assertEqual(anchor.read_bytes(), before)

    def test_one_budget_for_a_file_whatever_its_name_form_and_schema(self):
        self.create(2, 1e-6, self.data)
        ask = ["--epsilon", "0.5", "--delta", "1e-7"]
        self.assertEqual(self.train(*ask).returncode, 0)
        spent = self.show()["spent"]
        folder = Path(self.folder.name)
        shutil.copy(self.data, folder / "renamed.csv")
        subprocess.run(["gzip", "-k", folder / "renamed.csv"], check=True)
        self.assertEqual(self.sotto("data", "pack", "--data", "renamed.csv", "--label", "y", "--data-norm", "1", "--out",
                                    "packed.blk").returncode, 0)
        for name in ("renamed.csv", "renamed.csv.gz"):
            done = self.sotto("train", "--ledger", self.ledger, "--data", name, *RECIPE, *ask, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIs(json.loads(done.stdout)["stored"], True)
        packed = self.sotto("train", "--ledger", self.ledger, "--data", "packed.blk", *RECIPE[2:-2], *ask, "--json")
        self.assertEqual(packed.returncode, 0, packed.stderr)
        self.assertIs(json.loads(packed.stdout)["stored"], True)
        self.assertEqual(self.show()["spent"], spent)
        # Another schema over the same bytes is another request on the same budget.
        other = self.sotto("train", "--ledger", self.ledger, "--data", "renamed.csv", *RECIPE, "--ignore", "x1", *ask)
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertGreater(self.show()["spent"], spent)
        with open(folder / "renamed.csv", "a", encoding="utf-8") as file:
            file.write("0,0,0,0,0,1\n")
        done = self.sotto("train", "--ledger", self.ledger, "--data", "renamed.csv", *RECIPE, "--epsilon", "0.1")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("nothing was charged", done.stderr)


if __name__ == "__main__":
    SOTTO, SPENDER = (str(Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main()
