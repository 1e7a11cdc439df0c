#!/usr/bin/env python3
"""A replication to draw: every kind of panel, table and verdict, with invented numbers. Usage: sample.py <folder>"""
import json
import math
import sys
from pathlib import Path

HOSTILE = "<script>window.broken=1</script><img src=x onerror=window.broken=1> \"quoted\" & 'apostrophe'"


def points(xs, value, deviation, runs=20):
    return [{"x": x, "y": value(x), "sd": deviation(x), "runs": runs} for x in xs]


def series(name, private, xs, value, deviation=lambda x: 0):
    return {"name": name, "private": private, "points": points(xs, value, deviation)}


def panel(title, x, y, lines):
    return {"title": title, "x": {"label": x[0], "scale": x[1]}, "y": {"label": y[0], "scale": y[1]}, "series": lines}


def convergence(batch):
    steps = [1 + 60 * i for i in range(100)]

    def value(level, noise):
        return lambda t: level + noise / math.sqrt(t) * (1 + 0.3 * math.sin(t / 170))

    return panel(f"MNIST, batch {batch}", ("iterations", "linear"), ("objective", "linear"), [
        series("noiseless", True, steps, value(0.21, 0.7)),
        series("SCS13 as published", False, steps, value(0.33, 2.4 / batch), lambda t: 0.5 / math.sqrt(t)),
        series("SCS13 corrected", True, steps, value(0.45, 5 / batch), lambda t: 1.1 / math.sqrt(t))])


def batches(rate):
    sizes = [1, 2, 5, 10, 20, 50]
    return panel(f"step {rate}/sqrt(t)", ("batch size", "log"), ("objective", "log"), [
        series("private, as published", False, sizes, lambda b: 0.3 + rate * 4 / b, lambda b: 1 / b),
        series("private, corrected", True, sizes, lambda b: 0.4 + rate * 9 / b, lambda b: 2 / b),
        series("not private", False, sizes, lambda b: 0.28),
        series("centralised optimum", False, sizes, lambda b: 0.2)])


def accuracy(name, best):
    budgets = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6]

    def curve(half):
        return lambda e: best - 0.35 / (1 + e / half)

    names = ["bolt-on", "SCS13", "BST14", "ObjPert", "OutPert", "PrivGene", "SGD-MA", "SGD-Adv", "noiseless", "Majority"]
    lines = [series(n, n != "noiseless", budgets, curve(0.05 * 1.6**k), lambda e: 0.012 / math.sqrt(e))
             for k, n in enumerate(names[:8])]
    lines.append(series("noiseless", False, budgets, lambda e: best))
    lines.append(series("Majority", True, budgets, lambda e: best - 0.33))
    return panel(name, ("epsilon", "log"), ("accuracy", "linear"), lines)


def figure(key, number, title, verdict, **more):
    base = {"id": f"{key}-{number}", "paper": key, "figure": f"Figure {number}", "title": title,
            "caption": "Mean of 20 runs, bars are one standard deviation. Invented numbers of a test.",
            "alt": title + ": curves fall towards a level.", "verdict": {"kind": verdict[0], "text": verdict[1]},
            "panels": [], "tables": []}
    return {**base, **more}


def figures():
    broken = panel("gaps", ("a long label of the horizontal axis", "linear"), ("value", "log"), [
        {"name": "with a gap", "private": True, "points": [
            {"x": 1, "y": 1e-7}, {"x": 2, "y": None}, {"x": 3, "y": 1e-3, "sd": 5e-4}, {"x": 4, "y": 0.5}]},
        {"name": HOSTILE, "private": False, "points": [{"x": 2.5, "y": 1e-5}]}])
    return [
        figure("Song13", 1, "Objective against iterations", ("only_invalid", "The published noise is too small by a "
               "factor of two; with the corrected noise batch 1 does not converge."),
               panels=[convergence(1), convergence(10)]),
        figure("Song13", 2, "Objective against batch size", ("reproduced", "Larger batches help, as published."),
               panels=[batches(1), batches(10)]),
        figure("Lee18", 2, "Accuracy against epsilon", ("not_reproduced", "The order of the methods differs below "
               "epsilon 0.2."), panels=[accuracy("Adult", 0.84), accuracy("KDDCup99", 0.99), accuracy("Bank", 0.9)]),
        figure("Wu17", 3, HOSTILE, ("reproduced", HOSTILE), panels=[broken], caption=HOSTILE, alt=HOSTILE),
        figure("Wu17", 9, "Run time inside PostgreSQL", ("not_run", "No server at hand."), tables=[
            {"title": "Seconds a pass", "columns": ["rows", "noiseless", "bolt-on", "SCS13", HOSTILE],
             "rows": [[10**k, 0.01 * 10**k, 0.0101 * 10**k, 0.024 * 10**k, None] for k in range(3, 8)]}]),
    ]


def write(folder):
    """Writes report.json, a JSON file and a CSV file a figure."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    every = figures()
    for one in every:
        (folder / (one["id"] + ".json")).write_text(json.dumps(one), encoding="utf-8")
        lines = ["panel,series,private,x,y,sd,runs"]
        for p in one["panels"]:
            lines += [f"{p['title']},{s['name']},{s['private']},{q['x']},{q['y']},{q.get('sd')},{q.get('runs')}"
                      for s in p["series"] for q in s["points"]]
        (folder / (one["id"] + ".csv")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    claims = [
        {"paper": "Song13", "claim": "Batch size 10 is almost identical to the noiseless run", "published": "identical",
         "measured": "0.45 against 0.21", "verdict": "not_reproduced"},
        {"paper": "Wu17", "claim": "Virtually no overhead over noiseless SGD", "published": "1.0X", "measured": "1.01X",
         "verdict": "reproduced"},
        {"paper": "Wu17", "claim": HOSTILE, "published": HOSTILE, "measured": 4.02, "verdict": HOSTILE}]
    (folder / "report.json").write_text(json.dumps({
        "title": "Private linear models, run again",
        "introduction": "Every figure of five papers on private gradient descent, run through the public interface. "
                        "Where a published method is not private, two curves stand side by side.",
        "figures": [one["id"] + ".json" for one in every], "claims": claims}), encoding="utf-8")
    return every


if __name__ == "__main__":
    write(sys.argv[1])
