"""The lines of compare.py as a table with ratios, and every bar that is missed. Like is compared with like: pure with
diffprivlib, delta above 0 under add_remove with Opacus. Ratios are of processor time."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

#: Contender, its counterpart here, and how many times faster that must be.
BARS = (("diffprivlib", "sotto_pure", 10), ("opacus", "sotto_add_remove", 50))


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = json.load(file)
    found = {(l["set"], l["contender"], l["epsilon"]): l for l in lines if "accuracy" in l}
    places = sorted({(s, e) for s, _, e in found if e is not None})
    missed = []
    print("| set | epsilon | sotto pure | diffprivlib | times | sotto add_remove | Opacus | times |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, epsilon in places:
        cells = [name, f"{epsilon:g}"]
        for contender, ours, bar in BARS:
            mine, other = found.get((name, ours, epsilon)), found.get((name, contender, epsilon))
            ratio = other["cpu_seconds"] / mine["cpu_seconds"] if mine and other else None
            cells += [cell(mine), cell(other), "-" if ratio is None else f"{ratio:.1f}"]
            if ratio is None:
                missed.append(f"{name}, epsilon {epsilon:g}, {contender}: not measured")
                continue
            if ratio < bar:
                missed.append(f"{name}, epsilon {epsilon:g}: {ratio:.1f} times faster than {contender}, {bar} are asked for")
            if mine["accuracy"] <= other["accuracy"]:
                missed.append(f"{name}, epsilon {epsilon:g}: accuracy {mine['accuracy']:.4f}, {contender} has {other['accuracy']:.4f}, {doubt(mine, other)}")
        print("| " + " | ".join(cells) + " |")
    for line in lines:
        if line["contender"] == "scikit_learn":
            print(f"\n{line['set']} without privacy (scikit-learn): {cell(line)}")
        if "binding_overhead" in line:
            print(f"\n{line['set']}: the binding takes {100 * line['binding_overhead']:.1f} percent of a fit")
            if line["binding_overhead"] >= 0.05:
                missed.append(f"{line['set']}: the binding takes {100 * line['binding_overhead']:.1f} percent of a fit, 5 are allowed")
    print("\nBars missed:" if missed else "\nNo bar is missed.")
    for line in missed:
        print(f"- {line}")


def doubt(mine: dict[str, Any], other: dict[str, Any]) -> str:
    """Whether a difference of means is more than chance: two standard errors."""
    error = math.hypot(*(line["spread"] / math.sqrt(max(1, line["runs"] - 1)) for line in (mine, other)))
    return "beyond chance" if other["accuracy"] - mine["accuracy"] > 2 * error else "within chance"


def cell(line: dict[str, Any] | None) -> str:
    return "-" if line is None else f"{100 * line['accuracy']:.1f}, {line['cpu_seconds']:.2g} s"


if __name__ == "__main__":
    main()
