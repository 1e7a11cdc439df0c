#!/usr/bin/env python3
"""Reruns the experiments of the papers and writes their figures, verdicts and claims.

  run.py [--full] [--only Song13 Wu17-3 ...] [--cached] [--program build/sotto] [--out build/replication] [--jobs 2]

What was computed is kept in OUT/cache and not computed again: interrupt it as you like. Data come from SOTTO_DATA
(default ../shared/data); a set that is not there leaves its figures out. Figures are written to OUT/figures.
"""
import argparse
import importlib.util
import os
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the jobs are what runs in parallel
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "runner")]

import cache  # noqa: E402
import figures  # noqa: E402
import pool  # noqa: E402
import postgres  # noqa: E402
from datasets import DataSets  # noqa: E402
from train import Trainer  # noqa: E402

PAPERS = ("Song13", "Hardwarsing18", "Wessels18", "Wu17", "Lee18")
INTRODUCTION = (
    "Every figure of five papers on private stochastic gradient descent, rerun by one runner through the command line of "
    "sotto. Curves marked as published use the noise that the paper states where that noise does not give the privacy "
    "it claims. Noise is seeded so that runs can be repeated: every model behind these figures is stamped not private, "
    "and 'private' here says that the same training with fresh noise keeps its guarantee. Preprocessing uses public "
    "constants. A private interface releases one model a run, so an objective against iterations is a training a point: "
    "on the first rows of the set, in an order of its own, measured on all rows. ")


def chosen(names):
    """Experiments by paper, with the figures that were asked for."""
    found = {}
    for paper in PAPERS:
        module = load_experiment(paper)
        module.FIGURES = [f for f in module.FIGURES if paper in names or f["id"] in names]
        if module.FIGURES:
            found[paper] = module
    known = set(PAPERS) | {f["id"] for module in found.values() for f in module.FIGURES}
    if unknown := set(names) - known:
        sys.exit(f"--only: got {', '.join(sorted(unknown))}, must be a paper ({', '.join(PAPERS)}) or a figure of one")
    return found


def load_experiment(paper):
    spec = importlib.util.spec_from_file_location(paper, os.path.join(HERE, paper, "experiment.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program_identity(program, by_version):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return version if by_version else f"{version} {cache.file_digest(program)}"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="the papers' numbers of runs and whole grids")
    parser.add_argument("--only", nargs="+", default=PAPERS, metavar="NAME", help="papers and figures, by their keys")
    parser.add_argument("--runs", type=int, help="at most so many runs a point")
    parser.add_argument("--cached", action="store_true", help="train nothing, show what is in the cache")
    parser.add_argument("--program", default=os.path.join(HERE, "..", "build", "sotto"))
    parser.add_argument("--out", default=os.path.join(HERE, "..", "build", "replication"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--by-version", action="store_true",
                        help="accept cached results of any build of this version, not of this very program only")
    return parser.parse_args()


def main():
    given = arguments()
    program, out = os.path.abspath(given.program), os.path.abspath(given.out)
    source = os.path.abspath(os.environ.get("SOTTO_DATA", os.path.join(HERE, "..", "..", "shared", "data")))
    datasets = DataSets(os.path.join(out, "data"), source, program)
    experiments = chosen(given.only)
    print("Reading the data sets", file=sys.stderr, flush=True)
    mode = "full" if given.full else "quick"
    own = program_identity(program, given.by_version)
    plan = figures.Plan(experiments, figures.Extent(mode, given.runs), datasets,
                        lambda engine: postgres.identity() if engine == "postgres" else own)
    store = cache.Cache(os.path.join(out, "cache"))
    if given.cached:
        results, errors = {task.key: store.get(task.key) for task in plan.tasks}, []
    else:
        database = postgres.Database()
        try:
            results, errors = pool.run_missing(plan.tasks, store, Trainer(program, datasets, database), given.jobs)
        finally:
            database.close()
    note = "All runs and grids of the papers." if given.full else "Quick: fewer runs and smaller grids than the papers'."
    shown, claims = figures.write_all(plan, results, os.path.join(out, "figures"), INTRODUCTION + note)
    for one in shown:
        print(f"{one['id']:18} {one['verdict']['kind']:15} {one['title']}")
    kinds = [claim["verdict"] for claim in claims]
    print(f"{len(shown)} figures, {len(claims)} claims: " + ", ".join(f"{kinds.count(k)} {k}" for k in sorted(set(kinds))))
    for name, why in plan.absent.items():
        print(f"not at hand: {name}: {why}", file=sys.stderr)
    for task, error in errors[:10]:
        print(f"failed: {task.what}: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
