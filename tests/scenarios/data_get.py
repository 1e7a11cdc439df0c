#!/usr/bin/env python3
"""Public data by name: right bytes or none. Usage: data_get.py <path of the program>"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
FILE = "banknote/data_banknote_authentication.txt.gz"
DATA = Path(os.environ.get("SOTTO_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


class DataGet(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.folder = Path(self.directory.name)

    def get(self, *arguments, code=0, data=None):
        environment = {k: v for k, v in os.environ.items() if k != "SOTTO_DATA"}
        if data:
            environment["SOTTO_DATA"] = str(data)
        done = subprocess.run([PROGRAM, "data", "get", *arguments], cwd=self.folder, env=environment, check=False, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def left_behind(self):
        return [p for p in (self.folder / "data").rglob("*") if p.is_file()]

    def mirror_of(self, content):
        path = self.folder / "mirror" / FILE
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return f"file://{self.folder}/mirror"

    def test_an_unknown_name_is_refused_with_those_there_are(self):
        message = self.get("iris", code=2)
        self.assertIn("banknote", message)
        self.assertIn("mnist", message)

    def test_a_source_that_cannot_be_reached_is_told_with_the_way_around(self):
        message = self.get("banknote", "--mirror", f"file://{self.folder}/nowhere", code=6)
        self.assertIn("SOTTO_DATA", message)
        self.assertIn("cannot fetch", message)
        self.assertEqual(self.left_behind(), [])

    def test_other_bytes_than_pinned_are_refused_and_not_kept(self):
        for content in (b"1,2,3,4,0\n", gzip.compress(b"1,2,3,4,0\n")):
            with self.subTest(packed=content[:2] == b"\x1f\x8b"):
                self.setUp()
                self.assertIn("checksum", self.get("banknote", "--mirror", self.mirror_of(content), code=3))
                self.assertEqual(self.left_behind(), [])

    def test_a_file_with_other_bytes_in_the_given_folder_is_not_taken_for_the_set(self):
        path = self.folder / "given" / FILE
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(b"1,2,3,4,0\n"))
        self.get("banknote", "--mirror", f"file://{self.folder}/nowhere", code=6, data=self.folder / "given")

    @unittest.skipUnless((DATA / FILE).exists(), "needs the data")
    def test_a_set_is_found_where_it_is_or_fetched_once(self):
        answer = json.loads(self.get("banknote", "--json", data=DATA))
        self.assertEqual([f["fetched"] for f in answer["files"]], [False])
        self.assertEqual(self.left_behind(), [])
        mirror = ("--mirror", f"file://{DATA}", "--json")
        self.assertTrue(json.loads(self.get("banknote", *mirror))["files"][0]["fetched"])
        self.assertEqual(gzip.open(self.folder / "data" / FILE).read(), gzip.open(DATA / FILE).read())
        self.assertFalse(json.loads(self.get("banknote", *mirror))["files"][0]["fetched"])
        self.assertEqual(len(self.left_behind()), 1)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
