"""What the functions say, word for word: pg_regress on a server of our own."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from base import ServerCase
from server import pg_config

HERE = Path(__file__).resolve().parent / "regress"
ORDER = ("setup", "train", "aggregate", "roles")


class Regress(ServerCase):
    @classmethod
    def prepare(cls):
        cls.server.sql("CREATE DATABASE regress")

    def test_every_answer_is_the_expected_one(self):
        program = Path(pg_config("pkglibdir")) / "pgxs" / "src" / "test" / "regress" / "pg_regress"
        if not program.exists():
            self.skipTest("pg_regress comes with the server's headers")
        with tempfile.TemporaryDirectory(prefix="sotto-regress-") as output:
            done = subprocess.run([str(program), "--use-existing", f"--bindir={pg_config('bindir')}", "--host=127.0.0.1",
                                   f"--port={self.server.port}", "--user=admin", "--dbname=regress", f"--inputdir={HERE}",
                                   f"--outputdir={output}", *ORDER], capture_output=True, text=True)
            if os.environ.get("SOTTO_PG_ACCEPT"):
                for name in ORDER:
                    (HERE / "expected" / f"{name}.out").write_text((Path(output) / "results" / f"{name}.out").read_text())
            differences = Path(output) / "regression.diffs"
            self.assertEqual(done.returncode, 0, done.stdout + (differences.read_text() if differences.exists() else ""))


if __name__ == "__main__":
    unittest.main()
