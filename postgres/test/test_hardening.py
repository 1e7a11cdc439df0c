"""The extension as it is built has the protections of cmake/Hardening.cmake, by either build."""
import os
import subprocess
import sys
import unittest

from server import SOURCE, pg_config

sys.path.insert(0, str(SOURCE.parent / "tools"))
from check_hardening import lacking  # noqa: E402


class Hardening(unittest.TestCase):
    def test_the_library_has_all_of_it(self):
        self.assertEqual(lacking(os.environ["SOTTO_PG_LIBRARY"]), [])

    def test_the_makefile_asks_for_it_whatever_the_server_was_built_with(self):
        if not os.path.exists(pg_config("pgxs")):
            self.skipTest("this server brings no makefiles for extensions")
        program = os.environ.get("SOTTO_PG_CONFIG", "pg_config")
        # A dry run: what would be done, from the very start.
        done = subprocess.run(["make", "-n", "-B", "-C", SOURCE, f"PG_CONFIG={program}", "all"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        compiled = [line for line in done.stdout.splitlines() if " -c " in line and "src/train.c" in line]
        linked = [line for line in done.stdout.splitlines() if "-shared" in line and "sotto.so" in line]
        self.assertEqual((len(compiled), len(linked)), (1, 1), done.stdout)
        for flag in ("-fstack-protector-strong", "-fstack-clash-protection", "-D_FORTIFY_SOURCE=2"):
            self.assertIn(flag, compiled[0])
        self.assertIn("-z,relro,-z,now", linked[0])


if __name__ == "__main__":
    unittest.main()
