#!/usr/bin/env python3
"""The pages of `sotto report` in a real browser. Usage: pages.py <path of the program> [page.html ...]; exit code 77: no browser.
Pages that are named are looked at too, such as build/report/index.html.

SOTTO_SCREENSHOTS=<folder> keeps a picture of every page, width and colour scheme.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chromium
import sample

PROGRAM, NAMED = "", []
SKIPPED = 77
LOOKS = [(width, dark) for width in (1280, 390) for dark in (False, True)]

# Every text that can be seen against the ground it stands on: what has a contrast below 4.5.
CONTRAST = """(() => {
  const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (c) => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || e.closest("script,style") || !e.checkVisibility()) continue;
    const style = getComputedStyle(e), ink = parse(e.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) low.push(e.tagName + " " + contrast.toFixed(2) + " " + walk.currentNode.data.slice(0, 40));
  }
  for (const e of document.querySelectorAll("svg .line, svg .mark")) {
    const [a, b] = [light(parse(getComputedStyle(e).stroke)), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 3) low.push("stroke " + getComputedStyle(e).stroke);
  }
  return low;
})()"""

# Figures and charts that cannot be seen whole, and anything that makes the page scroll sideways.
# A telephone shows a page that is too wide smaller, so the width is the one that was asked for.
HIDDEN = """((width) => {
  const wrong = [];
  if (document.documentElement.scrollWidth > width) wrong.push("scrolls to " + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll(".figure, .panel svg.chart, .legend, .verdict, h1, h2, h3")) {
    const box = e.getBoundingClientRect(), chart = e.matches("svg.chart");
    const seen = e.checkVisibility({opacityProperty: true, visibilityProperty: true});
    if (!seen || box.width < (chart ? 250 : 1) || box.height < (chart ? 150 : 1) || box.left < 0 || box.right > width + 0.5)
      wrong.push(e.tagName + "." + e.getAttribute("class") + " " + [box.left, box.right, box.height].map(Math.round));
  }
  for (const text of document.querySelectorAll(".panel svg.chart text")) {
    const box = text.getBoundingClientRect(), frame = text.closest(".figure").getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1) wrong.push("text leaves its figure: " + text.textContent);
  }
  return wrong;
})(%d)"""


# Charts with a single point, and names below an axis that run into each other.
DOTS = """(() => {
  const wrong = [];
  for (const chart of document.querySelectorAll(".figure .panel")) {
    if (chart.querySelectorAll("table.values tbody tr").length < 2) wrong.push(chart.textContent.slice(0, 80));
    const names = [...chart.querySelectorAll('svg.chart text[text-anchor="middle"]:not(.name)')].map((t) => t.getBoundingClientRect());
    names.forEach((a, i) => names.slice(i + 1).forEach((b) => {
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push("names overlap");
    }));
  }
  return wrong;
})()"""

# The three answers: side by side on a screen, one below the other on a telephone, each with words.
ANSWERS = """[...document.querySelectorAll(".answers .answer")].map((a) => [
  a.querySelector("h2").textContent, a.querySelector(".lead").textContent, Math.round(a.getBoundingClientRect().top)])"""


def run(folder, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: {done.stderr}")


def write_people(folder, rows=400):
    """A table with columns of every kind, one of them with a long name and many categories."""
    jobs = [f"occupation number {i} of a long list" for i in range(30)]
    lines = ["age,gain,the highest education that was completed at any time,city,note,income"]
    for i in range(rows):
        old = i % 2
        lines.append(f"{18 + i % 50 + 10 * old},{i * 37 % 9000},{jobs[i % len(jobs)]},{'<b>Rome' if i % 3 else '?'},x{i},"
                     f"{'>50K' if old else '<=50K'}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = [{"name": "age", "min": 17, "max": 90}, {"name": "gain", "min": 0, "max": 100000, "scale": "log1p", "missing": ["?"]},
               {"name": "the highest education that was completed at any time", "kind": "category", "values": jobs},
               {"name": "city", "kind": "category", "values": ["<b>Rome", "Oslo"]}, {"name": "note", "kind": "ignore"}]
    schema = {"columns": columns, "label": {"column": "income", "positive": [">50K"], "negative": ["<=50K"]}, "data_norm": 1}
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")


def make_people_pages(folder):
    """Pages of the natural first command: a model with its ledger, and the ledger after 1 and after 30 entries."""
    write_people(folder)
    people = ["--data", "people.csv", "--schema", "schema.json"]
    run(folder, "ledger", "create", "people.ledger", "--budget-epsilon", "4", "--data", "people.csv")
    run(folder, "train", *people, "--ledger", "people.ledger", "--epsilon", "1", "--out", "people.json")
    run(folder, "report", "--ledger", "people.ledger", "--out", "one.html")
    run(folder, "report", "--model", "people.json", "--ledger", "people.ledger", "--out", "people.html")
    for i in range(29):
        run(folder, "train", *people, "--ledger", "people.ledger", "--epsilon", str((30 + i) / 100 if i % 7 == 0 else 0.02),
            "--lambda", f"0.{10 + i}", "--method", "objective" if i % 3 else "bolt_on", "--out", "other.json")
    run(folder, "report", "--ledger", "people.ledger", "--out", "thirty.html")
    run(folder, "train", *people, "--epsilon", "1", "--out", "alone.json")
    run(folder, "report", "--model", "alone.json", "--data", "people.csv", "--out", "alone.html")


def make_model_page(folder):
    run(folder, "data", "synth", "sphere", "--rows", "2000", "--features", "8", "--margin", "0.001", "--out", "rows.csv")
    run(folder, "ledger", "create", "rows.ledger", "--budget-epsilon", "4", "--budget-delta", "1e-6", "--data", "rows.csv")
    for epsilon, name in (("0.5", "first.json"), ("1", "model.json")):
        run(folder, "train", "--ledger", "rows.ledger", "--data", "rows.csv", "--label", "y", "--loss", "logistic", "--lambda",
            "0.01", "--method", "bolt_on", "--epsilon", epsilon, "--delta", "1e-7", "--data-norm", "1", "--out", name)
    run(folder, "report", "--model", "model.json", "--ledger", "rows.ledger", "--data", "rows.csv", "--out", "model.html")
    run(folder, "train", "--data", "rows.csv", "--label", "y", "--loss", "logistic", "--lambda", "0.01", "--method",
        "bolt_on", "--epsilon", "1", "--noise-seed", "1", "--data-norm", "1", "--out", "seeded.json")
    run(folder, "report", "--model", "seeded.json", "--out", "seeded.html")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.directory.name)
        sample.write(cls.folder / "figures")
        run(cls.folder, "report", "--figures", "figures", "--out", "replication.html")
        make_model_page(cls.folder)
        make_people_pages(cls.folder)
        cls.pages = [*NAMED, "replication.html", "model.html", "seeded.html", "people.html", "alone.html", "one.html", "thirty.html"]
        cls.browser = chromium.Chromium(chromium.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.directory.cleanup()

    def each_look(self):
        for page in self.pages:
            for width, dark in LOOKS:
                with self.subTest(page=page, width=width, dark=dark):
                    self.browser.look(width, dark)
                    self.assertEqual(self.browser.open(self.folder / page), [])
                    yield f"{Path(page).stem}-{width}-{'dark' if dark else 'light'}"

    def test_pages_open_without_errors_or_requests_and_everything_is_seen(self):
        for name in self.each_look():
            self.assertEqual(self.browser.evaluate(HIDDEN % int(name.split("-")[1])), [], name)
            self.assertEqual(self.browser.evaluate(CONTRAST), [], name)
            charts = self.browser.evaluate('document.querySelectorAll(".panel svg.chart").length')
            self.assertEqual(charts > 0, not name.startswith("one-"), "one entry is no curve")
            self.assertEqual(self.browser.evaluate(DOTS), [], name)
            if os.environ.get("SOTTO_SCREENSHOTS"):
                self.browser.screenshot(os.path.join(os.environ["SOTTO_SCREENSHOTS"], name + ".png"))

    def test_three_questions_are_answered_first(self):
        for page in ("model.html", "seeded.html", "people.html", "alone.html", "one.html", "thirty.html"):
            for width in (1280, 390):
                self.browser.look(width)
                self.browser.open(self.folder / page)
                answers = self.browser.evaluate(ANSWERS)
                self.assertEqual(len(answers), 3, page)
                tops = {top for _, _, top in answers}
                self.assertEqual(len(tops), 1 if width == 1280 else 3, page)
                self.assertLess(min(tops), 900, "on the first screen")
                self.assertEqual([words for _, words, _ in answers if not words.strip()], [], page)
        self.browser.look(1280)
        self.browser.open(self.folder / "people.html")
        said = " ".join(words for _, words, _ in self.browser.evaluate(ANSWERS))
        self.assertIn("guesses right at most 74 times in 100; a coin has 50.", said)
        self.assertIn("25 percent used; a model of epsilon ", said)
        self.assertIn("by at most a factor of 2.719", said)
        self.assertIn("<b>Rome, Oslo", self.browser.evaluate('document.querySelector("#data table").textContent'))
        self.browser.open(self.folder / "thirty.html")
        self.assertEqual(self.browser.evaluate('document.querySelectorAll("#entries table:not(.values) tbody tr").length'), 30)

    def test_texts_of_the_input_stay_text(self):
        self.browser.look(1280)
        self.browser.open(self.folder / "replication.html")
        self.assertIsNone(self.browser.evaluate("window.broken ?? null"))
        self.assertEqual(self.browser.evaluate("document.images.length"), 0)
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 1)
        self.assertIn(sample.HOSTILE, self.browser.evaluate('document.querySelector("#Wu17-3 figcaption").textContent'))

    def test_values_show_under_the_pointer_and_by_the_keyboard(self):
        for width in (1280, 390):
            self.browser.look(width)
            self.browser.open(self.folder / "replication.html")
            tip = 'document.querySelector("#Song13-2 .tip")'
            self.assertTrue(self.browser.evaluate(tip + ".hidden"))
            place = self.browser.evaluate("""(() => { const plot = document.querySelector("#Song13-2 .plot");
              plot.scrollIntoView({block: "center"}); const box = plot.getBoundingClientRect();
              return [box.left + 0.95 * box.width, box.top + box.height / 2]; })()""")
            self.browser.hover(*place)
            self.assertFalse(self.browser.evaluate(tip + ".hidden"))
            self.assertIn("batch size 50", self.browser.evaluate(tip + ".textContent"))
            self.browser.hover(1, 1)
            self.assertTrue(self.browser.evaluate(tip + ".hidden"))
            # From the anchor before it, as a reader without a mouse gets there.
            self.browser.evaluate('document.querySelector("#Song13-2 h3 a").focus({preventScroll: true})')
            self.browser.key("Tab")
            self.assertIn("batch size 50", self.browser.evaluate(tip + ".textContent"), "where the pointer was last")
            self.browser.key("Home")
            self.assertIn("batch size 1p", self.browser.evaluate(tip + ".textContent"))
            self.browser.key("ArrowRight")
            said = self.browser.evaluate(tip + ".textContent")
            self.assertIn("batch size 2", said)
            self.assertIn("private, as published not private: 2.3 ± 0.5 (20 runs)", said)
            self.assertEqual(self.browser.evaluate(HIDDEN % width), [])
            self.assertEqual(self.browser.evaluate(CONTRAST), [])
            self.browser.key("Escape")
            self.assertTrue(self.browser.evaluate(tip + ".hidden"))

    def test_every_anchor_and_link_has_a_target(self):
        self.browser.look(1280)
        for page in self.pages:
            self.browser.open(self.folder / page)
            dead = self.browser.evaluate("""[...document.querySelectorAll('a[href^="#"]')]
              .map((a) => a.getAttribute("href")).filter((h) => !document.getElementById(decodeURIComponent(h.slice(1))))""")
            self.assertEqual(dead, [], page)
        self.browser.open(self.folder / "replication.html")
        for link in self.browser.evaluate("""[...document.querySelectorAll(".sources a:not([download])")]
              .map((a) => a.getAttribute("href"))"""):
            self.assertTrue((self.folder / link).exists(), link)

    def test_pictures_have_words_and_curves_that_are_not_private_say_so(self):
        self.browser.look(1280)
        for page in self.pages:
            self.browser.open(self.folder / page)
            self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll('svg[role="img"]')]
              .filter((s) => !s.getAttribute("aria-label")).length"""), 0)
            self.assertEqual(self.browser.evaluate("""[...document.querySelectorAll(".legend li")]
              .filter((l) => !!l.querySelector(".open") !== !!l.querySelector(".tag")).length"""), 0)
        for page, tags in (("seeded.html", True), ("people.html", False)):
            self.browser.open(self.folder / page)
            self.assertEqual(self.browser.evaluate('document.querySelectorAll(".legend .tag").length') > 0, tags, page)

    def test_pages_print_in_light_colours(self):
        for page in self.pages:
            self.browser.look(1280, dark=True, media="print")
            self.browser.open(self.folder / page)
            self.assertEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            self.assertEqual(self.browser.evaluate(CONTRAST), [], page)
            self.assertTrue(self.browser.pdf().startswith(b"%PDF"))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    NAMED = [os.path.abspath(word) for word in sys.argv[1:] if word.endswith(".html")]
    sys.argv = [word for word in sys.argv if not word.endswith(".html")]
    if chromium.find() is None:
        print("skipped: there is no chromium; tools/install_packages browser")
        sys.exit(SKIPPED)
    unittest.main()
