"""Planted words of a front end in the library's texts are caught; other texts are left alone."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_messages  # noqa: E402


def found(source):
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "a.cpp").write_text(source, encoding="utf-8")
        return check_messages.check(root)


class Messages(unittest.TestCase):
    def test_flags_and_commands_are_caught(self):
        for text in ('"say --no-header"', '"run \'sotto ledger move\' again"', '"(`sotto data info` tells where)"',
                     '"as \'data bounds\' wrote it"', '"say so with "\n    "--former-is-gone"', 'R"(give --out)"'):
            self.assertEqual(len(found(f"throw Error({text});\n")), 1, text)

    def test_comments_and_other_texts_are_left_alone(self):
        for source in ("// --no-header\n", "/* 'sotto train' */\n", "int i = --n;\n", 'hash.add_text("sotto request 1");\n',
                       '"a range -- or none"\n', '"a --b"[0] == \'"\';\n'.replace("--b", "- b")):
            self.assertEqual(found(source), [], source)


if __name__ == "__main__":
    unittest.main()
