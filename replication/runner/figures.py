"""From declared figures to jobs, and from their results to figure files."""
import csv
import io
import json
import os
import statistics

import verdicts
from cache import digest, write_whole
from declare import choose
from pool import Task


class Extent:
    """How much is run: "quick" or "full", and at most so many runs a point."""

    def __init__(self, mode, runs=None):
        self.mode, self.runs = mode, runs


def _jobs_of(series, extent):
    """(x, run, job) of every training of a curve."""
    what, values, runs = series["job"], choose(series["values"], extent.mode), choose(series["runs"], extent.mode)
    runs = min(runs, extent.runs or runs)
    for value in values:
        for run in range(runs):
            settings = {name: choose(value_of, extent.mode) for name, value_of in what["settings"].items()}
            if series["sweep"] and series["sweep"] != "data":
                settings[series["sweep"]] = value
            # the value may be in the set's name; in cross-validation a run is a fold
            data = what["data"].format(x=value, fold=run % 5)
            yield value, run, dict(data=data, method=what["method"], measure_lambda=what["measure_lambda"],
                                   settings=settings, seed=run)


class Plan:
    """Every figure of an experiment with the keys of its trainings.
    identify: of an engine, what identifies the program that trains; throws where the engine is not at hand."""

    def __init__(self, experiments, extent, datasets, identify):
        self.extent, self.datasets, self.identify = extent, datasets, identify
        self.experiments, self.tasks, self.absent = experiments, [], {}
        self.points = {}
        for key, module in experiments.items():
            for figure in module.FIGURES:
                self._add(figure)

    def _add(self, figure):
        for i, panel in enumerate(figure["panels"]):
            for j, series in enumerate(panel["series"]):
                for x, run, what in _jobs_of(series, self.extent):
                    task = self._task(what)
                    if task:
                        self.tasks.append(task)
                        self.points.setdefault((figure["id"], i, j), {}).setdefault(x, []).append(task.key)

    def _task(self, what):
        name, engine = what["data"], what["settings"].get("engine")
        program = self._at_hand(engine or "the program", lambda: self.identify(engine))
        data = self._at_hand(name, lambda: self.datasets.get(name))
        if not program or not data:
            return None
        key = digest(dict(program=program, rows=data.digest, what=what))
        timed = bool(what["settings"].get("timed"))
        return Task(key, what, f"{name}/{what['method']}/{what['settings'].get('one_vs_rest', 0)}", timed)

    def _at_hand(self, name, get):
        """What is not at hand leaves a gap, not a broken run."""
        if name in self.absent:
            return None
        try:
            return get()
        except Exception as error:
            self.absent[name] = str(error)
            return None


def summarise(results, measure):
    """One point of a curve; None if a run was refused or does not have the measure."""
    values = [r[measure] for r in results if r and measure in r]
    if not values:
        return None
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    return dict(y=statistics.fmean(values), sd=sd, runs=len(values))


def _curve(plan, place, series, results):
    points, refused, complete = [], set(), True
    for x, keys in plan.points.get(place, {}).items():
        found = [results.get(key) for key in keys]
        refused |= {r["error"] for r in found if r and "error" in r}
        for r in found:
            if r and series["private"] and not r.get("valid", True):
                raise AssertionError(f"{place}: {series['name']} is declared private, its card says otherwise")
        point = summarise(found, series["measure"])
        complete = complete and any(found)
        if point:
            points.append(dict(x=x, **point))
    return dict(name=series["name"], private=series["private"], points=points), refused, complete


def build(plan, figure, paper, results):
    """(figure as JSON, its claims)."""
    panels, refused, incomplete = [], set(), set()
    for i, panel in enumerate(figure["panels"]):
        curves = []
        for j, series in enumerate(panel["series"]):
            curve, why, complete = _curve(plan, (figure["id"], i, j), series, results)
            refused |= why
            if not complete:
                incomplete.add((panel["title"], series["name"]))
            if curve["points"]:
                curves.append(curve)
        if curves:
            panels.append(dict(title=panel["title"], x=panel["x"], y=panel["y"], series=curves))
    points = verdicts.Points(panels, incomplete)
    kind, text, claims = verdicts.figure_verdict(figure["checks"], points, figure["variants"])
    if figure["not_run"]:
        kind, text = verdicts.NOT_RUN, figure["not_run"]
    caption = figure["caption"]
    if refused:
        caption += " Refused by the program and left out: " + "; ".join(sorted(refused)) + "."
    if incomplete:
        caption += " Not all of it has been run yet."
    lost = sorted({p for p in _needs(figure) if p in plan.absent})
    if lost:
        caption += " Not at hand: " + "; ".join(f"{name} ({plan.absent[name]})" for name in lost) + "."
    shown = dict(id=figure["id"], paper=paper, figure=figure["figure"], title=figure["title"], caption=caption.strip(),
                 alt=figure["alt"] or figure["title"], verdict=dict(kind=kind, text=text), panels=panels,
                 tables=[_table(t, points, plan.datasets) for t in figure["tables"]])
    return shown, [dict(paper=paper, figure=figure["id"], **claim) for claim in claims]


def _needs(figure):
    """Data sets and engines."""
    for panel in figure["panels"]:
        for series in panel["series"]:
            yield series["job"]["data"]
            yield series["job"]["settings"].get("engine")


def _table(table, points, datasets):
    names = dict(points.names(), shape=lambda name: "{rows:,} + {test_rows:,} x {features}".format(**datasets.get(name).meta))

    def cell(text):
        if not (isinstance(text, str) and text.startswith("=")):
            return text if isinstance(text, str) else verdicts.number(text)
        try:
            return verdicts.number(verdicts.evaluate(text[1:], names))
        except Exception:  # a set or a point that is missing
            return "not measured"

    return dict(title=table["title"], columns=table["columns"], rows=[[cell(c) for c in row] for row in table["rows"]])


def as_csv(figure):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["panel", "series", "private", "x", "y", "sd", "runs"])
    for panel in figure["panels"]:
        for series in panel["series"]:
            for p in series["points"]:
                writer.writerow([panel["title"], series["name"], int(series["private"]), repr(p["x"]), repr(p["y"]),
                                 repr(p["sd"]), p["runs"]])
    return out.getvalue()


def write_all(plan, results, folder, introduction):
    """Every figure, its table of points, and the report that names them. Returns the figures."""
    shown, claims = [], []
    for paper, module in plan.experiments.items():
        for figure in module.FIGURES:
            one, of_figure = build(plan, figure, paper, results)
            write_whole(os.path.join(folder, one["id"] + ".json"), json.dumps(one, indent=1))
            write_whole(os.path.join(folder, one["id"] + ".csv"), as_csv(one))
            shown.append(one)
            claims += of_figure
    report = dict(title="Replication: five papers on private gradient descent, rerun", introduction=introduction,
                  figures=[one["id"] + ".json" for one in shown], claims=claims)
    write_whole(os.path.join(folder, "report.json"), json.dumps(report, indent=1))
    return shown, claims
