"""One pass over rows in the database against the library's pass in memory, both measured in the same backend.

Usage: run.py <sotto.so> <sotto_test.so> [--rows 1000000] [--features 50] [--out file.json]
Processor time of the backend, the least of several runs; ratios are to the pass in memory of the same run, rows as
stored, batches of one row. The bars are those the project set itself; a bar that is missed is printed, not hidden.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "postgres" / "test"))
from server import Installation, Server, pg_config  # noqa: E402

CLOCK = """CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql AS $$
  SELECT (split_part(s, ' ', 12)::float8 + split_part(s, ' ', 13)::float8) / 100
  FROM (SELECT regexp_replace(pg_read_file('/proc/self/stat'), '^.*\\) ', '') AS s) t $$;"""


def load(server, rows, features):
    server.sql(f"""CREATE EXTENSION sotto;
      CREATE TABLE points (y text, x float4[]);
      ALTER TABLE points ALTER x SET STORAGE PLAIN;
      INSERT INTO points SELECT CASE WHEN x[1] + x[2] > 1 THEN 'yes' ELSE 'no' END, x FROM (SELECT
        (SELECT array_agg(random()) FROM generate_series(1, {features} + 0 * i))::float4[] AS x FROM generate_series(1, {rows}) i) t;
      VACUUM ANALYZE points; {CLOCK}""")
    # In a session of its own: the test library is the extension once more, and a backend takes one of them.
    server.sql("CREATE FUNCTION pass_time(text, text) RETURNS float8[] LANGUAGE c AS 'sotto_test', 'sotto_pass_time'")
    declared = f'{{"x": {{"size": {features}, "min": 0, "max": 1}}}}'
    server.sql(f"""SELECT sotto.register('points', 'points', 'y', '{declared}', epsilon => 9000, delta => 1e-6, options =>
      '{{"positive": ["yes"], "negative": ["no"], "data_norm": 3, "intercept": 0, "filter": "sum"}}')""")


def request(method, order, passes=1, batch=1):
    return json.dumps({"method": method, "epsilon": 1, "lambda": 0.001, "passes": passes, "batch_rows": batch, "order": order})


def measured(server, runs, requests):
    """For each request the least seconds over the packed copy, in memory, and of reading the copy; runs take turns."""
    least = [[float("inf")] * 3 for _ in requests]
    for _ in range(runs):
        for best, asked in zip(least, requests):
            took = server.sql(f"SELECT pass_time('points', '{asked}')").strip("{}").split(",")
            best[:] = [min(b, float(t)) for b, t in zip(best, took)]
    return least


def aggregate(server, passes, runs):
    """Least processor seconds of the whole query over the float4[] table."""
    # Batches of 50: more steps round by more than one draw of noise may hide. The rows are in random order already.
    asked = json.dumps({"method": "bolt_on", "epsilon": 1, "lambda": 0.001, "passes": passes, "batch_rows": 50, "order": "stored", "again": True})
    query = f"SELECT sotto.train_array('points', '{asked}', sotto.cell(y), x) FROM points"
    took = []
    for _ in range(runs):
        lines = server.sql(f"SELECT cpu();\n{query};\nSELECT cpu();").split()
        took.append(float(lines[-1]) - float(lines[0]))
    return min(took)


PLAIN = """CREATE FUNCTION plain_step(internal, bool, float4[]) RETURNS internal LANGUAGE c AS 'sotto_test', 'sotto_plain_step';
CREATE FUNCTION plain_final(internal) RETURNS float8 LANGUAGE c AS 'sotto_test', 'sotto_plain_final';
CREATE AGGREGATE plain_sgd(bool, float4[]) (SFUNC = plain_step, STYPE = internal, FINALFUNC = plain_final);"""


def plain(server, query, runs):
    """Least processor seconds of a query."""
    took = []
    for _ in range(runs):
        lines = server.sql(f"SET max_parallel_workers_per_gather = 0; SELECT cpu();\n{query};\nSELECT cpu();").split()
        took.append(float(lines[-1]) - float(lines[0]))
    return min(took)


def published(server, memory, runs, results, where):
    """Gradient descent as an ordinary aggregate, one query a pass, without privacy: Bismarck's and MADlib's shape."""
    server.sql(PLAIN)
    once = plain(server, "CREATE TEMP TABLE mixed AS SELECT * FROM points ORDER BY random()", 1)
    each = plain(server, "SELECT plain_sgd(y = 'yes', x) FROM points", runs)
    always = plain(server, "SELECT plain_sgd(y = 'yes', x) FROM (SELECT * FROM points ORDER BY random()) t", 2)
    report(results, "published shape, not private: a pass over float4[]" + where, each / memory, None)
    report(results, "published shape: shuffling once before, in passes in memory" + where, once / memory, None)
    report(results, "published shape: a pass shuffled by itself" + where, always / memory, None)


def by_queries(server, memory, runs, results, where):
    """What passes would cost as queries over the packed copy: the executor's share of one, and starting two parallel workers for one."""
    blocks = server.sql("SELECT oid::regclass FROM pg_class WHERE relname LIKE 'block\\_%'")
    scan = f"SELECT sum(octet_length(rows)) FROM {blocks} TABLESAMPLE sotto.keyed(0, 1) REPEATABLE (7)"
    report(results, "keyed pass as a query: its executor alone" + where, plain(server, ";\n".join([scan] * 10), runs) / 10 / memory, None)
    server.sql("CREATE TABLE few AS SELECT generate_series(1, 1000) AS i; ALTER TABLE few SET (parallel_workers = 2); ANALYZE few")
    took = []
    for workers in (0, 2):
        took.append(float(server.sql(f"""SET max_parallel_workers_per_gather = {workers}; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
          SET min_parallel_table_scan_size = 0; DO $$ DECLARE began timestamptz := clock_timestamp(); BEGIN
            FOR i IN 1..100 LOOP PERFORM count(*) FROM few; END LOOP;
            PERFORM set_config('my.took', (extract(epoch FROM clock_timestamp() - began) * 10)::text, false); END $$;
          SELECT current_setting('my.took')""")))
    report(results, "sum as a query: starting two parallel workers" + where, took[1] - took[0], None, "ms")


TRAINING = {"method": "bolt_on", "epsilon": 1, "lambda": 0.001, "passes": 100000, "batch_rows": 100000, "again": True}
PLANNING = {"method": "bolt_on", "epsilon": 1, "lambda": 0.001, "passes": 10000, "batch_rows": 1}  # of 2^34 steps at most


def cancel(server, request):
    """Seconds until what is cancelled has stopped: the worst of ten, and the median."""
    asked = json.dumps(request)
    took = []
    for _ in range(10):
        slow = server.start_sql(f"SELECT sotto_internal.train('points', '{asked}')")
        active = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%train_%' AND state = 'active' AND pid <> pg_backend_pid()"
        for _ in range(300):
            if server.sql(active):
                break
            time.sleep(0.02)
        time.sleep(1)
        took.append(float(server.sql(f"""
          DO $$ DECLARE it int; began timestamptz; BEGIN
            SELECT pid INTO it FROM ({active}) a;
            began := clock_timestamp(); PERFORM pg_cancel_backend(it);
            LOOP PERFORM pg_stat_clear_snapshot();
              EXIT WHEN NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = it AND state = 'active');
              PERFORM pg_sleep(0.001);
            END LOOP;
            PERFORM set_config('my.took', extract(epoch FROM clock_timestamp() - began)::text, false);
          END $$; SELECT current_setting('my.took')""")))
        slow.communicate()
    return max(took), sorted(took)[len(took) // 2]


def report(results, name, value, bar, unit="x"):
    verdict = "" if bar is None else ("  within" if value <= bar else "  ABOVE") + f" {bar}"
    print(f"{name:66} {value:9.3f} {unit}{verdict}", flush=True)
    results.append({"name": name, "value": value, "bar": bar, "unit": unit})


def run(installation, test_library, options, buffers, results):
    with Server(installation, {"shared_buffers": f"'{buffers}'", "max_wal_size": "'4GB'"}) as server:
        shutil.copy2(test_library, installation.root / pg_config("pkglibdir").lstrip("/") / "sotto_test.so")
        load(server, options.rows, options.features)
        size = server.sql("SELECT pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'block\\_%'")
        print(f"-- {options.rows} rows of {options.features} features, packed {size}, shared_buffers {buffers}", flush=True)
        # Ten passes: planning and the one draw of noise are not part of a pass.
        (stored, memory, reading), (keyed, shuffled, _), (stored10, _, _), (keyed10, _, _), (plain50, _, _), (private50, _, _) = measured(
            server, options.runs, [request("noiseless", "stored"), request("noiseless", "fixed"), request("noiseless", "stored", 10),
                                   request("noiseless", "fixed", 10), request("noiseless", "stored", 10, 50),
                                   request("bolt_on", "stored", 10, 50)])
        nanoseconds = 1e9 * memory / options.rows
        where = f" (shared_buffers {buffers})"
        report(results, "pass in memory" + where, nanoseconds, None, "ns/row")
        report(results, "packed pass" + where, stored / memory, 1.6)
        report(results, "packed pass, keyed order and buffer" + where, keyed / memory, 2.8)
        report(results, "packed pass of ten, with reading and checking the copy" + where, (stored10 + reading) / 10 / memory, 1.6)
        report(results, "the same in keyed order with buffer" + where, (keyed10 + reading) / 10 / memory, 2.8)
        report(results, "packed training of one pass, with reading and checking the copy" + where, (stored + reading) / memory, None)
        report(results, "keyed order and buffer in memory" + where, shuffled / memory, None)
        report(results, "private pass to noiseless pass, packed, batch 50" + where, private50 / plain50, 1.02)
        once, ten = aggregate(server, 1, options.runs), aggregate(server, 11, options.runs)
        # Reading is hashing every row, for the ledger takes no others, encoding it and shuffling them all.
        report(results, "aggregate over float4[], one pass and all its reading" + where, once / memory, None)
        report(results, "aggregate over float4[], a pass of eleven with all its reading" + where, ten / 11 / memory, 3.5)
        report(results, "aggregate over float4[], a further pass" + where, (ten - once) / 10 / memory, 3.5)
        published(server, memory, options.runs, results, where)
        by_queries(server, memory, options.runs, results, where)
        for name, asked in (("a training", TRAINING), ("a plan of very many steps", PLANNING)):
            worst, middle = cancel(server, asked)
            report(results, f"cancel {name}: worst of ten" + where, 1000 * worst, 100, "ms")
            report(results, f"cancel {name}: median of ten" + where, 1000 * middle, 100, "ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("test_library")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--buffers", nargs="*", default=["512MB", "32MB"])
    parser.add_argument("--out")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sotto-pg-tree-"))
    os.chmod(folder, 0o755)
    results = []
    try:
        installation = Installation(folder, options.library)
        for buffers in options.buffers:
            run(installation, options.test_library, options, buffers, results)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.out:
        Path(options.out).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
