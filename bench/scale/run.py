#!/usr/bin/env python3
"""Training at full size, by the program from outside: run.py PROGRAM OUT [--rows 100000,1000000,...] [--full].

Rows of 28 features, the shape of HIGGS, are drawn into a block file. Every command is a process of its own, so that its
processor time and its peak memory are what the system says about it; of the peers the start of the interpreter is left out. What an answer must be is checked before anything
is timed: the same weights from memory and from disk, an accuracy near the share of right labels. The machine may be busy:
compare processor times (`cpu_ratio`), of one run only.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

FEATURES = 28
RIGHT_LABELS = 0.9
PEERS = Path(__file__).with_name("peers.py")
PEER_BYTES = 4 * FEATURES  # of a row; scikit-learn works on a copy in double precision besides
DEFAULT = "100000,1000000,10000000"
FULL = "100000,1000000,10000000,11000000,100000000"


class Scale:
    def __init__(self, program, folder):
        self.program, self.folder, self.rows_of_table = program, folder, []
        self.model = folder / "model.json"

    def run(self, command):
        """Output, elapsed seconds, processor seconds and peak MB of one process."""
        begin = time.monotonic()
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE)
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"scale: {' '.join(map(str, command))} failed with {child.returncode}")
        return output, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def peer(self, name, file):
        """The same of a peer, which tells the time of its work itself: without the start of its interpreter."""
        output, _, _, peak = self.run([sys.executable, PEERS, name, file])
        told = json.loads(output)
        return told, told["seconds"], told["cpu_seconds"], peak

    def sotto(self, *words):
        return self.run([self.program, *words, "--json"])

    def note(self, name, rows, measured, unit=None, note=""):
        _, seconds, processor, peak = measured
        self.rows_of_table.append({
            "task": "scale", "contender": f"{name}_rows_{rows}", "rows": rows,
            "ratio_to": f"{unit[0]}_rows_{rows}" if unit else f"{name}_rows_{rows}",
            "ratio": seconds / unit[1][1] if unit else 1.0, "cpu_ratio": processor / unit[1][2] if unit else 1.0,
            "seconds": seconds, "cpu_seconds": processor, "peak_mb": peak,
            "nanoseconds_per_row": 1e9 * seconds / rows, "note": note or f"peak {peak:.0f} MB",
        })  # fmt: skip
        last = self.rows_of_table[-1]
        print(f"scale {last['contender']:<28} {seconds:8.2f} s {processor:8.2f} cpu s {peak:8.0f} MB "
              f"{last['cpu_ratio']:7.2f} (cpu) x {last['ratio_to']}", flush=True)  # fmt: skip

    def train(self, file, method, *words):
        return self.sotto("train", "--no-check", "--data", file, "--out", self.model, "--method", method, "--epsilon", "1",
                          "--delta", "1e-10", *words)  # fmt: skip

    def check(self, file, rows):
        """The engines agree to the last bit, and the model predicts as well as labels with wrong ones allow."""
        weights = []
        for engine in ("in_memory", "out_of_core"):
            self.train(file, "bolt_on", "--lambda", "1e-4", "--passes", "1", "--batch-rows", "50", "--order-seed", "1",
                       "--noise-seed", "1", "--engine", engine, "--memory-mb", "64")  # fmt: skip
            weights.append(json.loads(self.model.read_text())["weights"])
        if weights[0] != weights[1]:
            raise SystemExit(f"scale: memory and disk give other weights at {rows} rows")
        self.train(file, "auto")
        self.check_accuracy("auto", json.loads(self.sotto("evaluate", "--model", self.model, "--data", file)[0])["accuracy"])

    @staticmethod
    def check_accuracy(name, accuracy):
        if accuracy < RIGHT_LABELS - 0.03:
            raise SystemExit(f"scale: {name} has an accuracy of {accuracy}, the labels allow {RIGHT_LABELS}")

    def size(self, rows, with_text):
        file = self.folder / f"rows-{rows}.sotto"
        draw = ["data", "synth", "large", "--rows", rows, "--features", FEATURES, "--noise", 1 - RIGHT_LABELS, "--seed", "1"]
        drawn = self.sotto(*draw, "--out", file)
        self.check(file, rows)
        read = self.peer("read", file)
        unit = ("read_file", read)
        self.note("read_file", rows, read)
        self.note("synth", rows, drawn, unit)
        if with_text:
            text = self.folder / "rows.csv"
            self.sotto(*draw, "--out", text)
            packed = self.folder / "packed.sotto"
            self.note("pack", rows, self.sotto("data", "pack", "--data", text, "--out", packed, "--label", "y",
                                               "--data-norm", "1", "--intercept", "0"), unit)  # fmt: skip
            text.unlink()
            packed.unlink()
        self.note("auto", rows, self.train(file, "auto"), unit)
        self.note("evaluate", rows, self.sotto("evaluate", "--model", self.model, "--data", file), unit)
        self.note("dpgd", rows, self.train(file, "dpgd"), unit)
        bolt_on = self.train(file, "bolt_on", "--lambda", "1e-4", "--passes", "10", "--batch-rows", "50")
        self.note("bolt_on", rows, bolt_on, unit, f"10 passes, batches of 50; peak {bolt_on[3]:.0f} MB")
        self.peers(file, rows, unit)
        file.unlink()

    def peers(self, file, rows, unit):
        for name in ("sgd_classifier", "liblinear"):
            if rows * PEER_BYTES * 4 > free_bytes():
                print(f"scale {name}_rows_{rows} is left out: it does not fit in memory")
                continue
            if subprocess.run([sys.executable, "-c", "import sklearn"], stderr=subprocess.DEVNULL).returncode != 0:
                print(f"scale {name}_rows_{rows} is left out: scikit-learn is not installed")
                continue
            measured = self.peer(name, file)
            self.check_accuracy(name, measured[0]["accuracy"])
            self.note(name, rows, measured, unit)


def free_bytes():
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def write(out, rows):
    """Into the file, in the place of what an earlier run wrote."""
    kept = [row for row in json.loads(out.read_text()) if row["task"] != "scale"] if out.exists() else []
    out.write_text(json.dumps(kept + rows, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", help="numbers of rows, separated by commas")
    parser.add_argument("--full", action="store_true", help="up to 100 million rows: 12 GB of disk, an hour")
    asked = parser.parse_args()
    folder = asked.out.parent / "scale"
    folder.mkdir(parents=True, exist_ok=True)
    scale = Scale(asked.program.resolve(), folder)
    for rows in [int(word) for word in (asked.rows or (FULL if asked.full else DEFAULT)).split(",")]:
        scale.size(rows, with_text=rows <= 1_000_000 or asked.full and rows <= 11_000_000)
        write(asked.out, scale.rows_of_table)


if __name__ == "__main__":
    main()
