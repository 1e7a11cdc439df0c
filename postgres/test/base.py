"""What every test case has: one installation a run, one server a class."""
import atexit
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import data
from server import Failed, Installation, Server  # noqa: F401

_installations = {}


def installation(library=None):
    """A tree with this library in it, or with the extension as it is."""
    library = library or os.environ["SOTTO_PG_LIBRARY"]
    if library not in _installations:
        folder = Path(tempfile.mkdtemp(prefix="sotto-pg-tree-"))
        os.chmod(folder, 0o755)
        # Not a module's cleanup: the next module goes on with the same tree.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _installations[library] = Installation(folder, library)
    return _installations[library]


class ServerCase(unittest.TestCase):
    rows = 3000
    settings = {}
    library = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(installation(cls.library), cls.settings, os.environ.get("SOTTO_PG_PRELOAD"))
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        cls.prepare()

    @classmethod
    def prepare(cls):
        cls.server.sql("CREATE EXTENSION sotto;" + data.CUSTOMERS.format(rows=cls.rows) + data.ROLES)

    def sql(self, text, user="admin", **more):
        return self.server.sql(text, user=user, **more)

    def refuse(self, text, *words, user="admin", **more):
        said = self.server.refusal(text, user=user, **more)
        for word in words:
            self.assertIn(word, said)
        return said

    def spent(self, name="shop"):
        return float(self.sql(f"SELECT spent FROM sotto.budget WHERE dataset = '{name}'"))

    def charged(self, name="shop"):
        return int(self.sql(f"SELECT charged FROM sotto.budget WHERE dataset = '{name}'"))
