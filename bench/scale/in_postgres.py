#!/usr/bin/env python3
"""Training inside PostgreSQL at growing sizes: in_postgres.py SOTTO_SO OUT [--rows 100000,1000000,10000000].

Rows of 28 features lie in a table that is larger than shared_buffers from a million rows on. Each statement runs in a
session of its own: its processor time and its peak memory are those of that backend. The time of a training is compared
with one scan of the table by the server itself (`cpu_ratio`). What a model must predict is checked before it is timed.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "postgres" / "test"))
from server import Installation, Server  # noqa: E402

FEATURES = 28
WRONG_LABELS = 0.1
BUFFERS = "64MB"
SETTINGS = {"shared_buffers": f"'{BUFFERS}'", "max_wal_size": "'4GB'"}

# Of the backend itself: processor seconds since it began, and the most memory it ever had, in MB.
WATCH = r"""CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql AS $$
  SELECT (split_part(s, ' ', 12)::float8 + split_part(s, ' ', 13)::float8) / 100
  FROM (SELECT regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', '') AS s) t $$;
CREATE FUNCTION peak_mb() RETURNS float8 LANGUAGE sql AS $$
  SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::float8 / 1024 $$;"""


def load(server, name, rows):
    """Numbers in [0, 1]; the label is the sign of a weighted sum, wrong once in ten rows."""
    numbers = ", ".join(["random()"] * FEATURES)
    score = " ".join(f"{'+' if i % 2 else '-'} x[{i + 1}]" for i in range(FEATURES))
    server.sql(f"""CREATE TABLE {name} (y text, x float4[]); ALTER TABLE {name} ALTER x SET STORAGE PLAIN;
      INSERT INTO {name} SELECT CASE WHEN ({score} > 0) <> (random() < {WRONG_LABELS}) THEN 'yes' ELSE 'no' END, x
        FROM (SELECT ARRAY[{numbers}]::float4[] AS x FROM generate_series(1, {rows}) OFFSET 0) t;
      VACUUM ANALYZE {name}""")


def timed(server, statement):
    """Processor seconds, seconds and peak MB of one statement in a fresh session, and what it answered."""
    lines = server.sql(f"""SET client_min_messages = error; SET max_parallel_workers_per_gather = 0;
      SELECT cpu(), extract(epoch FROM clock_timestamp());
      {statement};
      SELECT cpu(), extract(epoch FROM clock_timestamp()), peak_mb()""").splitlines()
    before, after = ([float(word) for word in line.split("|")] for line in (lines[0], lines[-1]))
    return {"cpu_seconds": after[0] - before[0], "seconds": after[1] - before[1], "peak_mb": after[2], "answer": lines[1:-1]}


def train(name, fields):
    return f"SELECT sotto.train('{name}', epsilon => 1, delta => 1e-10, options => '{json.dumps(fields)}')"


def check_accuracy(server, name, model):
    accuracy = float(server.sql(f"SELECT accuracy FROM sotto.evaluate({model}, '{name}')").splitlines()[-1])
    if accuracy < 1 - WRONG_LABELS - 0.03:
        raise SystemExit(f"scale: the model of {name} has an accuracy of {accuracy}, the labels allow {1 - WRONG_LABELS}")


def size(server, rows, results):
    name = f"rows_{rows}"
    load(server, name, rows)
    declared = f'{{"x": {{"size": {FEATURES}, "min": 0, "max": 1}}}}'
    options = '{"positive": ["yes"], "negative": ["no"], "data_norm": 3, "intercept": 0}'
    statements = {
        "scan": f"SELECT sum(x[1]) FROM {name}",
        "register": f"""SELECT sotto.register('{name}', '{name}', 'y', '{declared}', epsilon => 1000, delta => 1e-6,
          options => '{options}')""",
        "auto": train(name, {"method": "auto"}),
        "bolt_on": train(name, {"method": "bolt_on", "lambda": 1e-4, "passes": 10, "batch_rows": 50}),
    }
    unit = None
    for what, statement in statements.items():
        took = timed(server, statement)
        answer = took.pop("answer")
        if what == "auto":
            check_accuracy(server, name, answer[-1])
        unit = unit or took
        took |= {"task": "scale", "contender": f"postgres_{what}_rows_{rows}", "rows": rows,
                 "ratio_to": f"postgres_scan_rows_{rows}", "ratio": took["seconds"] / unit["seconds"],
                 "cpu_ratio": took["cpu_seconds"] / max(unit["cpu_seconds"], 0.01),
                 "nanoseconds_per_row": 1e9 * took["seconds"] / rows, "note": f"shared_buffers {BUFFERS}"}  # fmt: skip
        results.append(took)
        print(f"scale {took['contender']:<32} {took['seconds']:8.2f} s {took['cpu_seconds']:8.2f} cpu s "
              f"{took['peak_mb']:8.0f} MB {took['cpu_ratio']:7.2f} (cpu) x {took['ratio_to']}", flush=True)  # fmt: skip
    server.sql(f"SELECT sotto.unregister('{name}'); DROP TABLE {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", default="100000,1000000,10000000", help="numbers of rows, separated by commas")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sotto-pg-tree-"))
    os.chmod(folder, 0o755)
    results = []
    try:
        with Server(Installation(folder, asked.library), SETTINGS) as server:
            server.sql("CREATE EXTENSION sotto; " + WATCH)
            for rows in asked.rows.split(","):
                size(server, int(rows), results)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    asked.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
