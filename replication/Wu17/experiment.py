"""Wu, Li, Kumar, Chaudhuri, Jha, Naughton 2017: bolt-on differential privacy. Figures 2 to 10, tables 3 and 4.

Tests: 1 convex, pure; 2 convex, (epsilon, delta); 3 strongly convex, pure; 4 strongly convex, (epsilon, delta).
b = 50, k = 10, lambda 1e-4, R = 1/lambda, delta = 1/m^2. Step sizes by its table 4: 1/sqrt(m) convex,
min(1/beta, 1/(lambda t)) strongly convex, 1/sqrt(t) for SCS13; beta is 1 + lambda, 1/(2 h) + lambda for the Huber SVM.
MNIST is ten models, one digit against the others, each with a tenth of epsilon and delta. As published, the bound of the strongly convex case is
divided by b, which is false (docs/notes/sensitivity.md), and BST14 keeps the noise of single draws for batches.
The convex BST14 needs a radius, which the paper does not state: 10 here. Protein and HIGGS are not at hand."""
from declare import check, figure, job, panel, series, table

LAMBDA = {"lambda": 1e-4}
PUBLISHED = "bolt-on as published"
SETS = {  # title -> data, rows, epsilons, models
    "MNIST": ("mnist.norm.loose50.norm", 60000, {"quick": [0.1, 1, 4], "full": [0.1, 0.2, 0.5, 1, 2, 4]}, 10),
    "Protein": ("proteinlike.norm", 72876, {"quick": [0.01, 0.05, 0.1, 0.4], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}, 0),
    "Covertype": ("forest.norm", 79682, {"quick": [0.01, 0.05, 0.1, 0.4], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}, 0),
    "HIGGS": ("higgslike.norm", 525000, {"quick": [0.01, 0.4], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}, 0),
    "KDDCup99": ("kddlarge.norm", 350000, {"quick": [0.01, 0.4], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}, 0)}
NAMES = {1: "test 1: convex, pure", 2: "test 2: convex, (epsilon, delta)", 3: "test 3: strongly convex, pure",
         4: "test 4: strongly convex, (epsilon, delta)"}


def title(set_name, number):
    return f"{set_name}, {NAMES[number]}"


def fixed(number):
    """Public tuning: ten passes, lambda 1e-4."""
    return dict(passes=10, **(LAMBDA if number > 2 else {}))


def tuned(number):
    """Algorithm 3: each candidate on its own part of the rows, the choice by the exponential mechanism."""
    grid = "lambda=1e-4,1e-3,1e-2;passes=5,10" if number > 2 else "passes=5,10"
    return dict(grid=grid, tune_by="parts")


def curves(set_name, number, how, loss, runs, values=None, sweep="epsilon", batch=50, **more):
    data, rows, epsilons, models = SETS[set_name]
    values = values or epsilons
    common = dict(one_vs_rest=models, **loss, **more)
    if batch:
        common["batch_rows"] = batch
    if number % 2 == 0:
        common["delta"] = rows ** -2.0
    strong = number > 2
    smooth = 1 / (2 * loss["huber_width"]) + 1e-2 if loss else 1 + 1e-4  # beta; of the Huber SVM for the largest lambda
    step = dict(step="capped_inverse", step_cap=1 / smooth) if strong else dict(step="constant")
    level = dict(step="inverse" if strong else "constant", batch_rows=50, one_vs_rest=models, **loss, **fixed(number))

    def curve(name, method, private=True, **settings):
        return series(name, job(data, method, **settings, **how(number), **common), sweep, values, "accuracy", runs,
                      private)

    found = [series("noiseless", job(data, "noiseless", **level), None, values, "accuracy", 1, False),
             curve("bolt-on", "bolt_on", **step), curve("SCS13", "scs13")]
    as_printed = how is fixed  # the program tunes private methods only
    if strong and as_printed:
        found.append(curve(PUBLISHED, "bolt_on", False, calibration="published", **step))
    if number % 2 == 0:
        ball = {} if strong else dict(radius=10)
        found.append(curve("BST14", "bst14", **ball))
        if as_printed:
            found.append(curve("BST14 as published", "bst14", False, calibration="published", **ball))
    return found


def tests(set_names, how, runs, loss=None, values=None):
    return [panel(title(s, n), "epsilon", "test accuracy", curves(s, n, how, loss or {}, runs, values), x_scale="log")
            for s in set_names for n in (1, 2, 3, 4)]


RIVAL = "('BST14' if P == 'bolt-on' else 'BST14 as published')"


def accuracy_checks(times_scs, times_bst, sets):
    """The claims that the figures of accuracy share."""
    found = [
        check(f"Strongly convex: up to {times_scs}X better accuracy than SCS13", f"up to {times_scs}X",
              "max(ratios(P, 'SCS13', 'strongly'))", f"x >= {0.85 * times_scs}", " times"),
        check(f"Strongly convex: up to {times_bst}X better accuracy than BST14", f"up to {times_bst}X",
              f"max(ratios(P, {RIVAL}, 'strongly'))", f"x >= {0.85 * times_bst}", " times"),
        check("Strongly convex: better than SCS13 in all tests", "all tests",
              "min(curve_ratios(P, 'SCS13', 'strongly'))", "x >= 1", " times in the worst test"),
        check("Strongly convex: better than BST14 in all tests", "all tests",
              f"min(curve_ratios(P, {RIVAL}, 'strongly'))", "x >= 1", " times in the worst test"),
        check("Convex: better than SCS13 in all tests", "all tests",
              "min(curve_ratios('bolt-on', 'SCS13', ': convex'))", "x >= 1", " times in the worst test"),
        check("Convex: better than BST14 in all tests", "all tests",
              "min(curve_ratios('bolt-on', 'BST14', ': convex'))", "x >= 1", " times in the worst test")]
    for name in sets:
        found.append(check(
            f"{name}, strongly convex: at the largest epsilon close to the noiseless accuracy", "close",
            f"min(last(p, P) - last(p, 'noiseless') for p in panels if '{name}' in p and 'strongly' in p)", "x >= -0.02",
            " difference in accuracy at the worst test"))
    return found


NOTE = ("Protein is synthetic rows of the same shape (72,876 x 74, 2 percent of labels wrong); Covertype is the 16 percent "
        "subset, so the noise is 6 times that of the full set. ")
HOW = ("Noiseless and SCS13 are as the paper sets them; BST14 is accounted by privacy-loss distribution, and as published "
       "beside it. Convex bolt-on is the same as published and corrected.")
TUNED = (" Every curve but noiseless is tuned by Algorithm 3; the program refuses to do that with a method that is not private, "
         "so nothing is shown as published.")
FEW, MORE = {"quick": 1, "full": 10}, {"quick": 3, "full": 20}
TUNED_AT = {"MNIST": {"quick": [4], "full": SETS["MNIST"][2]["full"]}}
LARGE = {"quick": [1, 4], "full": [0.1, 0.2, 0.5, 1, 2, 4]}
LARGE_SETS = {"quick": [0.05], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}
SMALL = {"quick": [0.05, 0.4], "full": [0.01, 0.02, 0.05, 0.1, 0.2, 0.4]}


def passes_panel(name, number, batch, variants):
    data, _, _, models = SETS["MNIST"]
    strong = number > 2
    step = dict(step="capped_inverse", step_cap=1 / (1 + 1e-4), **LAMBDA) if strong else dict(step="constant")
    return panel(name, "epsilon", "test accuracy", [
        series(f"{k} pass{'es' if k > 1 else ''}, {word}",
               job(data, "bolt_on", passes=k, batch_rows=batch, one_vs_rest=models, **step,
                   **(dict(calibration="published") if word == "as published" else {})),
               "epsilon", LARGE, "accuracy", FEW, word != "as published")
        for word in variants for k in (1, 10, 20)], x_scale="log")


PA, PB, PC = "(a) convex, pure, b = 1", "(b) strongly convex, pure, b = 50", "(c) convex, pure, 20 passes"
BATCHES = {"quick": [50, 200], "full": [50, 100, 150, 200]}
B3, B4 = "MNIST, " + NAMES[3] + ", epsilon 1", "MNIST, " + NAMES[4] + ", epsilon 1"

TIMED = dict(timed=True, epsilon=0.1, delta=1e-10, **LAMBDA)
# The steps of BST14 are those of the paper; its own calibration saves the search for the noise, which is no part of a step.
CONTENDERS = (("noiseless", "noiseless", {}, False), ("bolt-on", "bolt_on", {}, True), ("SCS13", "scs13", {}, True),
              ("BST14 as published", "bst14", dict(calibration="published"), False))


def timed(method, **more):
    settings = dict(TIMED, **more)
    if method == "noiseless":
        del settings["epsilon"], settings["delta"]
    return settings


def time_panel(name, data, sweep, values, **more):
    return panel(name, {"passes": "passes", "batch_rows": "batch size"}[sweep], "processor seconds", [
        series(word, job(data, method, **timed(method, **extra, **more)), sweep, values, "seconds", 1, private)
        for word, method, extra, private in CONTENDERS], x_scale="log" if sweep == "batch_rows" else "linear", y_scale="log")


def size_panel(name, rows, **more):
    """A training a size; the set's name carries the size."""
    found = []
    for word, method, extra, private in CONTENDERS:
        if "engine" in more and method == "bst14":
            continue  # random draws from a file: not offered
        found.append(series(word, job("large{x}.norm", method, **timed(method, passes=1, batch_rows=1, **extra, **more)),
                            "data", FEW_SIZES if method == "bst14" else rows, "seconds", 1, private))
    return panel(name, "rows", "processor seconds", found, y_scale="log")


def time_panels(**more):
    """Row 1 against passes, row 2 against the batch."""
    found = [time_panel(f"{s}, b = 10", TIME_SETS[s], "passes", PASSES, batch_rows=10, **more) for s in TIME_SETS]
    return found + [time_panel(f"{s}, one pass", TIME_SETS[s], "batch_rows", TIME_BATCHES, passes=1, **more) for s in TIME_SETS]


def time_checks(slow):
    ratio = lambda choice, s, word, x, other="bolt-on": (
        f"{choice}([at(p, '{s}', {x}) / at(p, '{other}', {x}) for p in panels if '{word}' in p])")
    found = [check("bolt-on has virtually no overhead over noiseless (20 passes, b = 10)", "virtually no overhead",
                   ratio("max", "bolt-on", "b = 10", 20, "noiseless"), "x <= 1.1", " times in the worst set")]
    for s in slow:
        found += [check(f"20 passes, b = 10: {s} is 2X to 3X slower than bolt-on", "2X to 3X",
                        ratio("mean", s, "b = 10", 20), "1.8 <= x <= 3.3", " times, mean of the sets"),
                  check(f"One pass, b = 1: {s} is up to 6X slower", "up to 6X", ratio("max", s, "one pass", 1), "4 <= x <= 8", " times"),
                  check(f"With b = 500 the gap practically disappears ({s})", "practically disappears",
                        ratio("max", s, "one pass", 500), "x <= 1.15", " times in the worst set")]
    return found


FEW_SIZES = {"quick": [50000, 100000], "full": [50000, 100000, 200000]}  # BST14 takes minutes for more
SIZES = {"quick": [50000, 100000, 200000, 400000], "full": [50000, 100000, 200000, 400000, 800000]}
MEM, DISK = "(a) in memory", "(b) from a file, with a tenth of its size as memory"
TIME_SETS = {"MNIST": "mnist1.norm.loose50.norm", "Protein": SETS["Protein"][0], "Covertype": SETS["Covertype"][0]}
PASSES, TIME_BATCHES = {"quick": [1, 20], "full": [1, 5, 10, 20]}, {"quick": [1, 10, 500], "full": [1, 10, 100, 500]}

FIGURES = [
    figure("Wu17-T3", "Table 3", "Data sets: as published and as used here", tables=[table(
        "Rows to train, rows to test, dimensions", ["set", "published", "here", "remark"],
        [["MNIST", "60,000 + 10,000 x 50", f"=shape('{SETS['MNIST'][0]}')", "projected, then scaled to norm 1"],
         ["Protein", "72,876 + 72,875 x 74", f"=shape('{SETS['Protein'][0]}')", "synthetic, same shape"],
         ["Forest Covertype", "498,010 + 83,002 x 54", f"=shape('{SETS['Covertype'][0]}')", "16 percent subset"],
         ["HIGGS", "10,500,000 + 500,000 x 28", f"=shape('{SETS['HIGGS'][0]}')", "synthetic, a twentieth of the rows"],
         ["KDDCup-99", "not stated", f"=shape('{SETS['KDDCup99'][0]}')", "the 10 percent set, numeric columns"]])],
        not_run="A description of data, nothing to measure."),
    figure("Wu17-T4", "Table 4", "Step sizes: as published and as used here", tables=[table(
        "m rows, step t, gamma = lambda, beta = 1 + lambda", ["case", "noiseless", "bolt-on", "SCS13", "BST14"],
        [["convex, pure", "1/sqrt(m)", "1/sqrt(m)", "1/sqrt(t)", "not offered"],
         ["convex, (epsilon, delta)", "1/sqrt(m)", "1/sqrt(m)", "1/sqrt(t)", "Algorithm 4"],
         ["strongly convex, pure", "1/(gamma t)", "min(1/beta, 1/(gamma t))", "1/sqrt(t)", "not offered"],
         ["strongly convex, (epsilon, delta)", "1/(gamma t)", "min(1/beta, 1/(gamma t))", "1/sqrt(t)", "Algorithm 5"],
         ["here", "the same", "the same", "the same", "the same, radius 10 where lambda is 0"]])],
        not_run="A description of parameters, nothing to measure; tables 1 and 2 are notation and theory."),
    figure(
        "Wu17-2", "Figure 2", "Run time against rows, one pass, b = 1, d = 50 (sizes that fit this machine)",
        [size_panel(MEM, SIZES), size_panel(DISK, SIZES, engine="out_of_core", memory_mb=8)],
        [check("Run time grows linearly with the rows", "linear",
               f"max(abs(at('{MEM}', s, 400000) / at('{MEM}', s, 200000) - 2) for s in ('noiseless', 'bolt-on', 'SCS13'))",
               "x <= 0.6", " away from a factor 2 for twice the rows"),
         check("In memory SCS13 is much slower than bolt-on", "much slower",
               f"last('{MEM}', 'SCS13') / last('{MEM}', 'bolt-on')", "x >= 1.5", " times"),
         check("In memory BST14 is much slower than bolt-on", "much slower",
               f"at('{MEM}', 'BST14 as published', 100000) / at('{MEM}', 'bolt-on', 100000)", "x >= 1.5", " times"),
         check("bolt-on has virtually no overhead over noiseless", "virtually no overhead",
               f"last('{MEM}', 'bolt-on') / last('{MEM}', 'noiseless')", "x <= 1.1", " times"),
         check("From disk input dominates, and all take the same time", "dominate",
               f"last('{DISK}', 'SCS13') / last('{DISK}', 'bolt-on')", "x <= 1.2", " times")],
        caption="Processor time of the whole program, reading included, fastest of three. (b) reads a block file of up to 80 MB with 8 MB "
                "for the shuffle; BST14 draws rows at random and is not offered there."),
    figure(
        "Wu17-3", "Figure 3", "Accuracy against epsilon, tuned on public data; Protein synthetic, Covertype a 16 percent "
        "subset", tests(["MNIST"], fixed, FEW) + tests(["Protein", "Covertype"], fixed, MORE),
        accuracy_checks(4, 4, ["MNIST", "Protein", "Covertype"]), ("bolt-on", PUBLISHED), caption=NOTE + HOW),
    figure(
        "Wu17-4", "Figure 4", "Passes and batch size, MNIST",
        [passes_panel(PA, 1, 1, ["corrected"]), passes_panel(PB, 3, 50, ["corrected", "as published"]),
         panel(PC, "epsilon", "test accuracy", [
             series(f"b = {b}", job(SETS["MNIST"][0], "bolt_on", passes=20, batch_rows=b, one_vs_rest=10, step="constant"),
                    "epsilon", LARGE, "accuracy", FEW) for b in (1, 10, 50)], x_scale="log")],
        [check("Convex, b = 1: accuracy at epsilon 4 drops from 1 pass to 20", "0.71 to 0.45",
               f"at('{PA}', '1 pass, corrected', 4) - at('{PA}', '20 passes, corrected', 4)", "x >= 0.1", " lower"),
         check("Strongly convex: more passes improve accuracy at epsilon 4", "improves",
               f"at('{PB}', '20 passes, ' + P, 4) - at('{PB}', '1 pass, ' + P, 4)", "x > 0", " higher"),
         check("Convex, 20 passes, epsilon 4: batch 10 instead of 1 improves accuracy", "0.45 to 0.71",
               f"at('{PC}', 'b = 10', 4) - at('{PC}', 'b = 1', 4)", "x >= 0.1", " higher")],
        ("corrected", "as published"), caption="Ten models, one digit against the others."),
    figure(
        "Wu17-5", "Figure 5", "Run time inside PostgreSQL against passes and batch size; Protein synthetic, Covertype a 16 "
        "percent subset", time_panels(engine="postgres"), time_checks(("SCS13", "BST14 as published")), ("bolt-on",),
        caption="Strongly convex, (epsilon, delta), epsilon 0.1. Processor time of the backend for reading the packed copy of "
                "the table and the passes over it, least of ten warm runs (fewer where they are long); MNIST is one of its ten models."),
    figure(
        "Wu17-5P", "Figure 5", "The same in the program, outside the database", time_panels(),
        time_checks(("SCS13", "BST14 as published")), ("bolt-on",),
        caption="As before, processor time of the whole program, reading the file included, fastest of three."),
    figure(
        "Wu17-6", "Figure 6", "Accuracy against epsilon, tuned privately by Algorithm 3; Protein synthetic, Covertype a 16 "
        "percent subset", tests(["MNIST"], tuned, FEW, values=TUNED_AT["MNIST"]) +
        tests(["Protein", "Covertype"], tuned, FEW, values=SMALL),
        accuracy_checks(3, 3.5, ["MNIST", "Protein", "Covertype"]) + [
            check("Covertype, strongly convex: close to the baseline at about epsilon 0.05", "around 0.05",
                  "min(at(p, P, 0.05) - at(p, 'noiseless', 0.05) for p in panels if 'Covertype' in p and 'strongly' in p)",
                  "x >= -0.03", " difference in the worst test"),
            check("Covertype: BST14 approaches the baseline only after epsilon 0.4", "only after 0.4",
                  "max(at(p, 'BST14', 0.05) - at(p, 'noiseless', 0.05) for p in panels if 'Covertype' in p and 'delta' in p)",
                  "x <= -0.03", " difference at 0.05 in the best test"),
            check("Protein: BST14 has very close accuracy, bolt-on is consistently above", "very close",
                  "min(gaps(P, 'BST14', 'Protein'))", "0 <= x <= 0.05", " over BST14 at the worst point"),
            check("Protein: the accuracy of SCS13 decreases significantly with smaller epsilon", "significantly",
                  "max(last(p, 'SCS13') - first(p, 'SCS13') for p in panels if 'Protein' in p)", "x >= 0.05",
                  " less at 0.05 than at 0.4")], ("bolt-on",), caption=NOTE + TUNED),
    figure(
        "Wu17-7", "Figure 7", "The same with the Huber SVM (h = 0.1)",
        tests(["MNIST"], tuned, FEW, dict(loss="huber_svm", huber_width=0.1), TUNED_AT["MNIST"]) +
        tests(["Protein", "Covertype"], tuned, FEW, dict(loss="huber_svm", huber_width=0.1), SMALL),
        [check("MNIST, strongly convex: up to 2.5X better than SCS13", "up to 2.5X",
               "max(ratios(P, 'SCS13', 'MNIST, test 3') + ratios(P, 'SCS13', 'MNIST, test 4'))", "x >= 2.1", " times"),
         check("MNIST, strongly convex: up to 6X better than BST14", "up to 6X",
               f"max(ratios(P, {RIVAL}, 'MNIST, test 4'))", "x >= 5", " times"),
         check("Strongly convex: better than SCS13 and BST14 in all tests", "all tests",
               f"min(curve_ratios(P, 'SCS13', 'strongly') + curve_ratios(P, {RIVAL}, 'strongly'))", "x >= 1",
               " times in the worst test")],
        ("bolt-on",), caption=NOTE + TUNED),
    figure(
        "Wu17-8", "Figure 8", "Public tuning, HIGGS (synthetic, a twentieth of the rows) and KDDCup99",
        tests(["HIGGS", "KDDCup99"], fixed, FEW),
        [check("HIGGS: almost the noiseless accuracy at every epsilon (strongly convex)", "almost the same",
               "min(gaps(P, 'noiseless', 'HIGGS, test 3') + gaps(P, 'noiseless', 'HIGGS, test 4'))", "x >= -0.02",
               " difference at the worst point"),
         check("SCS13 and BST14 are notably worse for small epsilon (HIGGS, strongly convex)", "notably worse",
               "max(first(p, 'SCS13') - first(p, P) for p in panels if 'HIGGS' in p and 'strongly' in p)", "x <= -0.02",
               " difference at epsilon 0.01"),
         check("Strongly convex: better than SCS13 and BST14 in all tests", "all tests",
               f"min(curve_ratios(P, 'SCS13', 'strongly') + curve_ratios(P, {RIVAL}, 'strongly'))", "x >= 1",
               " times in the worst test")],
        ("bolt-on", PUBLISHED), caption="HIGGS is synthetic: 525,000 rows, 30 percent of labels wrong; the noise is 20 times "
        "that for 10,500,000 rows. " + HOW),
    figure(
        "Wu17-9", "Figure 9", "Private tuning, HIGGS (synthetic, a twentieth of the rows) and KDDCup99",
        tests(["HIGGS", "KDDCup99"], tuned, FEW, values=LARGE_SETS),
        [check("Strongly convex: better than SCS13 and BST14 in all tests", "all tests",
               f"min(curve_ratios(P, 'SCS13', 'strongly') + curve_ratios(P, {RIVAL}, 'strongly'))", "x >= 1",
               " times in the worst test")],
        ("bolt-on",), caption=TUNED.strip()),
    figure(
        "Wu17-10", "Figure 10", "Accuracy against batch size, MNIST, strongly convex",
        [panel(B3, "batch size", "test accuracy", curves("MNIST", 3, fixed, {}, FEW, BATCHES, "batch_rows", 0, epsilon=1)),
         panel(B4, "batch size", "test accuracy", curves("MNIST", 4, fixed, {}, FEW, BATCHES, "batch_rows", 0, epsilon=1))],
        [check("Almost the noiseless accuracy with larger batches", "almost native",
               "max(last(p, P) - last(p, 'noiseless') for p in panels)", "x >= -0.03", " difference at b = 200, best test"),
         check("A larger batch improves bolt-on", "increases", f"last('{B3}', P) - first('{B3}', P)", "x > 0.01",
               " higher at 200 than at 50"),
         check("SCS13 stays significantly worse", "significantly worse",
               "max(last(p, 'SCS13') - last(p, P) for p in panels)", "x <= -0.05", " difference at b = 200"),
         check("BST14 stays significantly worse", "significantly worse",
               f"last('{B4}', {RIVAL}) - last('{B4}', P)", "x <= -0.05", " difference at b = 200")],
        ("bolt-on", PUBLISHED), caption=HOW),
]
