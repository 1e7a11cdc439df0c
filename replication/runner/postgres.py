"""Run time inside PostgreSQL: a server of its own with the extension, one table a data set.

The extension's test library times a training over the table's packed copy in the backend, also one without noise, which
no ledger would let through. Where PostgreSQL or the libraries are not there, the figure says so."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from bases import NotHere
from cache import digest, file_digest
from stamp import Wrong

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "postgres" / "test"))
LIBRARIES = [ROOT / "build" / "postgres" / "postgres" / name for name in ("sotto.so", "sotto_test.so")]
WARM_RUNS, ENOUGH_SECONDS = 10, 1  # the least of ten runs counts, of fewer where they are long

# Waits until whoever started it is gone, however that came, and then stops the server.
GUARD = """import os, shutil, signal, sys
sys.stdin.read()
try:
    os.kill(int(open(sys.argv[1] + "/data/postmaster.pid").readline()), signal.SIGQUIT)
except OSError:
    pass
for folder in sys.argv[1:]:
    shutil.rmtree(folder, ignore_errors=True)
"""


def identity():
    """Of what is measured; throws NotHere where it cannot be."""
    try:
        programs = subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotHere("PostgreSQL is not installed") from error
    if not os.path.exists(os.path.join(programs, "initdb")):
        raise NotHere("the server of PostgreSQL is not installed")
    if not all(path.exists() for path in LIBRARIES):
        raise NotHere("the PostgreSQL extension is not built")
    return digest([file_digest(path) for path in LIBRARIES])


class Database:
    """Started when it is first asked; `close` stops it."""

    def __init__(self):
        self.server, self.folder, self.guard, self.tables, self.lock = None, None, None, {}, threading.Lock()

    def seconds(self, what, data):
        """Least processor seconds of the backend over warm runs: reading the packed copy and the passes over it."""
        from server import Failed
        with self.lock:
            table = self._table(what["data"], data)
            settings = {k: v for k, v in what["settings"].items() if k not in ("engine", "timed")}
            request = json.dumps(dict(method=what["method"], **settings))
            took = []
            try:
                while len(took) < WARM_RUNS and sum(took) < ENOUGH_SECONDS:
                    said = self.server.sql(f"SELECT pass_time('{table}', '{request}')")
                    passes, _, reading = map(float, said.strip("{}").split(","))
                    took.append(passes + reading)
            except Failed as failed:
                if "feature_not_supported" in str(failed) or "0A000" in str(failed):
                    return dict(error=str(failed).split("\n")[0])
                raise Wrong(str(failed)) from failed
        return dict(seconds=min(took))

    def _table(self, name, data):
        self._start()
        if name not in self.tables:
            table = f"points{len(self.tables)}"
            labels = data.labels > 0 if data.classes == 2 else data.labels == 1
            lines = (f"{'yes' if y else 'no'}\t{{{','.join(map(repr, x))}}}" for y, x in
                     zip(labels, np.asarray(data.rows, np.float32).astype(float).round(6).tolist()))
            declared = json.dumps({"x": {"size": data.rows.shape[1], "min": -1, "max": 1}})
            options = json.dumps(dict(positive=["yes"], negative=["no"], data_norm=1, intercept=0, filter="sum"))
            self.server.sql(f"CREATE TABLE {table} (y text, x float4[]);\nALTER TABLE {table} ALTER x SET STORAGE PLAIN;\n"
                            f"COPY {table} FROM STDIN;\n" + "\n".join(lines) + "\n\\.\n")
            self.server.sql(f"SELECT sotto.register('{table}', '{table}', 'y', '{declared}', epsilon => 9000, "
                            f"delta => 1e-6, options => '{options}')")
            self.tables[name] = table
        return self.tables[name]

    def _start(self):
        if self.server:
            return
        from server import Installation, Server, pg_config
        self.folder = tempfile.mkdtemp(prefix="sotto-pg-tree-")
        os.chmod(self.folder, 0o755)
        installation = Installation(self.folder, LIBRARIES[0])
        shutil.copy2(LIBRARIES[1], installation.root / pg_config("pkglibdir").lstrip("/") / "sotto_test.so")
        self.server = Server(installation, {"shared_buffers": "'512MB'"})
        self.server.__enter__()
        self.guard = subprocess.Popen([sys.executable, "-c", GUARD, str(self.server.home), self.folder], stdin=subprocess.PIPE,
                                      start_new_session=True)
        self.server.sql("CREATE EXTENSION sotto")
        # In a session of its own: the test library is the extension once more, and a backend takes one of them.
        self.server.sql("CREATE FUNCTION pass_time(text, text) RETURNS float8[] LANGUAGE c AS 'sotto_test', 'sotto_pass_time'")

    def close(self):
        if self.server:
            self.server.__exit__()
        if self.guard:
            self.guard.communicate()  # removes the installation
