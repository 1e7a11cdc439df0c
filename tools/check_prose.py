#!/usr/bin/env python3
"""Fails when a page for users has a sentence over 30 words, or sentences of 18 words and more on average.

Usage: check_prose.py <root of the repository> [<page>...]
Without pages: all of them, those of NOT_YET by their figures only. A page that is named is held to the rule in any case.
Code, links, citations and formulas are no prose: a piece of code, or terms joined by operators, counts as one word.
An item of a list and a cell of a table end a sentence. Cells of fewer than 8 words are labels and are not counted.
"""
import re
import sys
from pathlib import Path

LONGEST, MEAN, CELL = 30, 18, 8
HELD = ["CONTRIBUTING.md", "README.md", "docs/accounting.md", "docs/architecture.md", "docs/audit.md", "docs/auto.md",
        "docs/command-line.md", "docs/files.md", "docs/findings.md", "docs/glossary.md", "docs/methods.md", "docs/postgres.md",
        "docs/preprocessing.md", "docs/python-reference.md", "docs/python.md", "docs/report.md", "docs/scale.md", "docs/schema.md",
        "docs/threat-model.md"]
NOT_YET = ["docs/spec.md"]

FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
MARKUP = [(re.compile(r"(`+)(?:(?!\1).)+?\1", re.S), "Code"), (re.compile(r"\$[^$\s][^$]*\$"), "Formula"),
          (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""), (re.compile(r"<!--.*?-->", re.S), ""), (re.compile(r"</?[a-z][^>]*>"), ""),
          (re.compile(r"\[[A-Z][A-Za-z]+\d\d[a-z]?(?:,[^\]]*)?\](?!\()"), ""), (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
          (re.compile(r"\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)"), "")]
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|et al|vs|cf)\.")
SENTENCE = re.compile(r"\S.*?(?:[.!?][\"')]*(?=\s)|\Z)", re.S)
OPERATOR = re.compile(r"\s+(?:[-+*/^=<>~±|]|<=|>=|->)\s+")


def blocks(text):
    """(line, text, is a cell) of every paragraph, item of a list and cell of a table."""
    found, open_block, fenced = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced, open_block = not fenced, False
        elif fenced or not line.strip() or line.startswith("#"):
            open_block = False
        elif line.lstrip().startswith("|"):
            cells = re.sub(r"\\\||`[^`]*`", "Code", line).strip().strip("|").split("|")
            found += [[number, cell, True] for cell in cells]
            open_block = False
        elif line.startswith("    ") and not open_block:
            continue  # a formula or code that stands by itself
        elif open_block and not ITEM.match(line):
            found[-1][1] += "\n" + line.lstrip(" >")
        else:
            found.append([number, ITEM.sub("", line, count=1).lstrip(" >"), False])
            open_block = True
    return found


def plain(text):
    """The text without markup; its line ends stay."""
    for pattern, instead in MARKUP:
        text = pattern.sub(lambda m: m.expand(instead) + "\n" * (m.group().count("\n") - m.expand(instead).count("\n")), text)
    return ABBREVIATION.sub(lambda m: m.group().replace(".", ""), text)


def words(sentence):
    return sum(any(c.isalnum() for c in token) for token in OPERATOR.sub("=", sentence).split())


def sentences(text):
    """(line, number of words, sentence) of every sentence of a page."""
    found = []
    for line, block, is_cell in blocks(text):
        block = plain(block)
        if is_cell and (words(block) < CELL or not re.search("[a-z]{2}", block)):
            continue
        for match in SENTENCE.finditer(block):
            count = words(match.group())
            if count:
                found.append((line + block.count("\n", 0, match.start()), count, " ".join(match.group().split())))
    return found


def measure(root, page):
    """(does it hold, lines to print) of one page."""
    found = sentences((Path(root) / page).read_text(encoding="utf-8"))
    long = [s for s in found if s[1] > LONGEST]
    mean = sum(s[1] for s in found) / len(found) if found else 0
    lines = [f"{page}: {len(found)} sentences, {mean:.1f} words on average, {len(long)} over {LONGEST}"]
    lines += [f"{page}:{line}: {count} words: {text}" for line, count, text in long]
    return not long and mean < MEAN, lines


def check(root, pages=(), held=HELD, not_yet=NOT_YET):
    """(does it hold, lines to print). A page that is in neither list does not hold, nor one that is gone."""
    there = [str(p.relative_to(root)) for where in (".", "docs") for p in Path(root, where).glob("*.md") if p.name != "CHANGELOG.md"]
    all_hold, lines = True, []
    for page in pages or sorted({*there, *held, *not_yet}):
        if not (Path(root) / page).is_file():
            all_hold, lines = False, lines + [f"{page}: is listed, but not there"]
            continue
        holds, told = measure(root, page)
        if page in not_yet and not pages:
            told = [told[0] + (" (could be held)" if holds else " (not yet held)")]
            holds = True
        elif page not in held and not pages:
            holds, told = False, told + [f"{page}: is in neither list of tools/check_prose.py"]
        all_hold, lines = all_hold and holds, lines + told
    return all_hold, lines


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    holds, lines = check(sys.argv[1], sys.argv[2:])
    print("\n".join(lines))
    print("prose: holds" if holds else "prose: too long, see above")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
