"""Planted long sentences are caught wherever they stand; code, links and formulas are not taken for words."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_prose  # noqa: E402

LONG = "A " + "very " * 29 + "long sentence."  # 32 words
FITS = "A " + "very " * 27 + "long sentence."  # 30 words


def counts(text):
    return [count for _, count, _ in check_prose.sentences(text)]


def check(pages, held=(), not_yet=()):
    with tempfile.TemporaryDirectory() as root:
        for name, text in pages.items():
            path = Path(root) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_prose.check(root, held=list(held), not_yet=list(not_yet))


class Sentences(unittest.TestCase):
    def test_a_long_sentence_is_found_on_its_line(self):
        for text in (f"Short.\n{LONG}\n", f"Short. Short.\n{LONG} Short.\n", f"# Title\n- {LONG}\n", f"| a | b |\n| {LONG} | c |\n",
                     f"```sh\ncode\n```\n\n1. {LONG}\n", f"> one.\n> {LONG}\n", "Short.\n" + LONG.replace("very ", "very\n", 3)):
            found = [(line, count) for line, count, _ in check_prose.sentences(text) if count > check_prose.LONGEST]
            self.assertEqual(found, [(text[:text.index("A very")].count("\n") + 1, 32)], text)

    def test_thirty_words_fit(self):
        self.assertEqual(counts(FITS), [30])

    def test_where_a_sentence_ends(self):
        self.assertEqual(counts("One two. three four! (Five six.) Seven 0.5 e.g. eight?"), [2, 2, 2, 4])
        self.assertEqual(counts("What follows:\n- one item\n- another\n  item\n\nThe end"), [2, 2, 2, 2])
        self.assertEqual(counts("First; second, third: fourth."), [4])
        self.assertEqual(counts("**A title.** And text with `code. Of two` words."), [2, 5])

    def test_what_is_no_prose_is_not_counted(self):
        for text, expected in (("```\n" + LONG + "\n```\n", []), ("# " + LONG, []), ("Text:\n\n    " + LONG, [1]), ("| a short | cell |", []),
                               ("| 1 | 2 3 4 5 6 7 8 9 10 |", []), ("See `a b c d` and [the page](a b c d).", [5]),
                               ("It holds [Wu17, Theorem 8 and so on].", [2]), ("Then x = a + b / c - d <= e holds.", [3]),
                               ("<!-- " + LONG + " -->", []), ("![" + LONG + "](a.png)", [])):
            self.assertEqual(counts(text), expected, text)


class Pages(unittest.TestCase):
    def test_a_held_page_must_hold_and_others_are_measured(self):
        for text, holds in ((FITS + " Short. " * 9, True), (LONG + " Short. " * 9, False), (("word " * 17 + "end. ") * 3, False)):
            pages = {"README.md": text, "docs/a.md": LONG}
            self.assertEqual(check(pages, ["README.md"], ["docs/a.md"])[0], holds, text)
        self.assertIn("docs/a.md:1: 32 words: " + LONG, check({"docs/a.md": LONG}, ["docs/a.md"])[1])
        self.assertEqual(len(check({"docs/a.md": LONG}, [], ["docs/a.md"])[1]), 1)

    def test_every_page_is_in_a_list_and_there(self):
        self.assertFalse(check({"docs/a.md": "Short."})[0])
        self.assertFalse(check({}, ["docs/a.md"])[0])
        self.assertTrue(check({"docs/a.md": "Short.", "docs/notes/a.md": LONG}, ["docs/a.md"])[0])


if __name__ == "__main__":
    unittest.main()
