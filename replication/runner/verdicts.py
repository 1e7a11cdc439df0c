"""From points to verdicts, by rules that the experiments write down.

A rule's value is an expression over the figure's points:
  at(panel, series, x)   the mean at x          sd(panel, series, x)   its standard deviation over runs
  last(panel, series)    the mean at the largest x; first: at the smallest; last_sd: the deviation at the largest
  lowest(panel, series)  the least mean; highest: the largest; where_lowest, where_highest: their x
  all_of(panel, series)  the means, in the order of x;  panels: the titles
  ratios(a, b, word)     mean of a over mean of b wherever both were measured, in panels with the word in their title
  gaps(a, b, word)       the same of differences
  curve_ratios(a, b, word)  for each panel the mean of a over that of b along their common x: which curve is higher
  P                      the variant it is computed for
"""
import statistics

REPRODUCED, ONLY_INVALID, NOT_REPRODUCED, NOT_RUN = "reproduced", "only_invalid", "not_reproduced", "not_run"


class Missing(Exception):
    """A point the rule needs was not measured."""


class Points:
    """incomplete: (panel, series) of which points are still to be run; no rule is judged by a part of a curve."""

    def __init__(self, panels, incomplete=()):
        self.by = {(p["title"], s["name"]): sorted(s["points"], key=lambda q: q["x"]) for p in panels for s in p["series"]}
        self.incomplete = set(incomplete)

    def points(self, panel, series):
        found = self.by.get((panel, series))
        if not found or (panel, series) in self.incomplete:
            raise Missing(f"not all points of {series} in {panel}")
        return found

    def need(self, word, *names):
        """Throws if one of these curves is incomplete in a panel with the word in its title."""
        for panel, series in self.incomplete:
            if word in panel and series in names:
                raise Missing(f"not all points of {series} in {panel}")

    def find(self, panel, series, x):
        for point in self.points(panel, series):
            if abs(point["x"] - x) <= 1e-9 * max(1.0, abs(x)):
                return point
        raise Missing(f"no point of {series} in {panel} at {x}")

    def pairs(self, a, b, word=""):
        """(y of a, y of b) wherever both have a point."""
        self.need(word, a, b)
        found = []
        for (panel, series), points in self.by.items():
            if series == a and word in panel and (panel, b) in self.by:
                others = {q["x"]: q["y"] for q in self.by[panel, b]}
                found += [(q["y"], others[q["x"]]) for q in points if q["x"] in others]
        if not found:
            raise Missing(f"{a} and {b} were not measured together")
        return found

    def curve_ratios(self, a, b, word=""):
        self.need(word, a, b)
        found = []
        for panel in dict.fromkeys(p for p, _ in self.by):
            if word in panel and (panel, a) in self.by and (panel, b) in self.by:
                both = self.pairs(a, b, panel)
                found.append(sum(y for y, _ in both) / sum(z for _, z in both))
        return found

    def names(self):
        """What expressions may use."""
        means = lambda panel, series: [q["y"] for q in self.points(panel, series)]
        extreme = lambda choice, panel, series: choice(self.points(panel, series), key=lambda q: q["y"])
        return dict(
            at=lambda p, s, x: self.find(p, s, x)["y"], sd=lambda p, s, x: self.find(p, s, x)["sd"],
            last=lambda p, s: means(p, s)[-1], first=lambda p, s: means(p, s)[0],
            last_sd=lambda p, s: self.points(p, s)[-1]["sd"],
            lowest=lambda p, s: min(means(p, s)), highest=lambda p, s: max(means(p, s)),
            where_lowest=lambda p, s: extreme(min, p, s)["x"], where_highest=lambda p, s: extreme(max, p, s)["x"],
            ratios=lambda a, b, word="": [y / z for y, z in self.pairs(a, b, word)],
            curve_ratios=self.curve_ratios,
            gaps=lambda a, b, word="": [y - z for y, z in self.pairs(a, b, word)],
            all_of=means, panels=list(dict.fromkeys(p for p, _ in [*self.by, *sorted(self.incomplete)])), mean=statistics.fmean,
            min=min, max=max, abs=abs, sum=sum, zip=zip, len=len, range=range, round=round, sorted=sorted)


def evaluate(expression, names):
    # One namespace, so that comprehensions inside the expression see it.
    return eval(compile(expression, "<rule>", "eval"), {"__builtins__": {}, **names})


def judge(check, points, variants):
    """The check's value with each variant, and whether it holds there."""
    outcomes = []
    for variant in variants if "P" in _words(check["value"]) else variants[:1]:
        try:
            value = evaluate(check["value"], {**points.names(), "P": variant})
            outcomes.append((variant, value, bool(evaluate(check["holds"], {**points.names(), "x": value}))))
        except (Missing, ZeroDivisionError, ValueError):  # ValueError: the least of none
            outcomes.append((variant, None, None))
    return outcomes


def _words(expression):
    """Every name in it, those inside comprehensions too."""
    whole = compile(expression, "<rule>", "eval")
    return {name for code in (whole, *_inner(whole)) for name in code.co_names}


def _inner(code):
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield constant
            yield from _inner(constant)


def kind_of(outcomes):
    """reproduced: holds with the valid variant; only_invalid: not with it, but as published."""
    if outcomes[0][2] is None:
        return NOT_RUN
    if outcomes[0][2]:
        return REPRODUCED
    return ONLY_INVALID if len(outcomes) > 1 and outcomes[1][2] else NOT_REPRODUCED


def number(value):
    if value is None:
        return "not measured"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def measured_text(check, outcomes):
    if all(value is None for _, value, _ in outcomes):
        return number(None)
    parts = [number(value) + (f" ({variant})" if len(outcomes) > 1 else "") for variant, value, _ in outcomes]
    return ", ".join(parts) + check["unit"]


def figure_verdict(checks, points, variants):
    """(kind, text, claims) of a figure: the worst of its decisive checks."""
    claims, kinds = [], []
    for check in checks:
        outcomes = judge(check, points, variants)
        kind = kind_of(outcomes)
        if check["decisive"]:
            kinds.append(kind)
        claims.append(dict(claim=check["claim"], published=check["published"],
                           measured=measured_text(check, outcomes), verdict=kind))
    if not kinds:
        return NOT_RUN, "nothing is claimed that could be checked", claims
    worst = min(kinds, key=[NOT_REPRODUCED, ONLY_INVALID, NOT_RUN, REPRODUCED].index)
    return worst, _text(claims), claims


def _text(claims):
    """What fails is the reason of the verdict; what holds is counted, and listed among the claims."""
    words = {NOT_REPRODUCED: "Does not hold", ONLY_INVALID: "Holds only as published, without privacy",
             NOT_RUN: "Not measured"}
    held = sum(c["verdict"] == REPRODUCED for c in claims)
    if held == len(claims):
        return "All of its claims hold." if held > 1 else "Its claim holds."
    parts = [f"{held} of {len(claims)} claims hold."]
    for kind, word in words.items():
        of_kind = [f"{c['claim']} ({c['measured']})" for c in claims if c["verdict"] == kind]
        if of_kind:
            parts.append(f"{word}: {'; '.join(of_kind)}.")
    return " ".join(parts)
