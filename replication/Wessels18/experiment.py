"""Wessels 2018, bachelor thesis: Song13 again, with NSL-KDD, Internet Advertisements and cross-entropy. Figures 1 to 9,
and what it leaves to future work: the dimension, and more than two classes.

Columns are drawn as in the thesis (9 of KDDCup99 and NSL-KDD, 15 of MNIST, 100 of the advertisements), after rows were
scaled to norm 1. The thesis starts from a vector of ones, the program from zero. Its cross-entropy on labels 0 and 1 is
the logistic loss under another name: figures 8 and 9 are measured by its formula (4) all the same."""
from declare import check, figure, job, panel, series
from sgd_panels import PLAIN, RUNS, against_batch, against_rows

KDD, MNIST, NSL, ADS = "kddcont.norm.cols9", "mnist1.norm.cols15", "nslkdd.norm.cols9", "ads.norm.cols100"
FEW_BATCHES = (1, 5, 10, 20, 50)


def two(word, data, rows, batches, **more):
    return [against_rows(f"{word}, b = {b}", data, rows, b, **more) for b in batches]


def pair_checks(word, large, bound=1.1):
    small_panel, large_panel = f"{word}, b = 1", f"{word}, b = {large}"
    return [
        check(f"{word}, batch 1: far above non-private SGD", "far above",
              f"last('{small_panel}', 'private') / last('{small_panel}', 'non-private')", "x >= 1.5", " times the objective"),
        check(f"{word}, batch {large}: almost no difference to non-private SGD", "almost none",
              f"last('{large_panel}', 'private') / last('{large_panel}', 'non-private')", f"x <= {bound}",
              " times the objective"),
        check(f"{word}: with batch {large} the spread is way lower", "way lower",
              f"last_sd('{small_panel}', 'private') / last_sd('{large_panel}', 'private')", "x >= 2", " times lower"),
        check(f"{word}, batch 1: with more iterations it comes closer to non-private SGD", "closer",
              f"(first('{small_panel}', 'private') - first('{small_panel}', 'non-private')) / "
              f"(last('{small_panel}', 'private') - last('{small_panel}', 'non-private'))", "x > 1",
              " times the last distance at the start")]


def rates(word, data):
    return [against_batch(f"{word}, 1/sqrt(t)", data, 1, batches=FEW_BATCHES),
            against_batch(f"{word}, 10/sqrt(t)", data, 10, batches=FEW_BATCHES)]


def rate_checks(word):
    slow, fast = f"{word}, 1/sqrt(t)", f"{word}, 10/sqrt(t)"
    return [
        check(f"{word}: batch 5 instead of 1 lowers the objective", "lower",
              f"at('{slow}', 'private', 1) / at('{slow}', 'private', 5)", "x > 1.05", " times"),
        check(f"{word}: from batch 5 on there is almost no difference", "almost none",
              f"max(at('{slow}', 'private', b) for b in (5, 10, 20, 50)) / min(at('{slow}', 'private', b) for b in "
              "(5, 10, 20, 50))", "x <= 1.25", " times between the worst and the best of them"),
        check(f"{word}: at batch 1 the larger step gives very high values", "very high",
              f"at('{fast}', 'private', 1) / at('{slow}', 'private', 1)", "x >= 3", " times"),
        check(f"{word}: from batch 5 on both steps give more or less the same", "same",
              f"max(max(at('{fast}', 'private', b) / at('{slow}', 'private', b), at('{slow}', 'private', b) / "
              f"at('{fast}', 'private', b)) for b in (5, 10, 20, 50))", "x <= 1.25", " times apart at the worst")]


DIMENSIONS = {"quick": [5, 15, 50, 200], "full": [5, 10, 15, 30, 50, 100, 200, 400]}
CLASS_BATCHES = (1, 10, 50, 200)
BY_D, CLASSES, RIGHT = "MNIST, 1 against the rest", "MNIST, 10 classes, d = 15: objective", "MNIST, 10 classes, d = 15: accuracy"
SOFTMAX = dict(loss="softmax", step="inverse_sqrt", **PLAIN)


def softmax_panel(title, measure, y):
    data = "mnist.norm.gauss15"
    return panel(title, "batch size", y, [
        series("non-private", job(data, "noiseless", passes=1, **SOFTMAX), "batch_rows", CLASS_BATCHES, measure, RUNS, False),
        series("private", job(data, "scs13", epsilon=1, **SOFTMAX), "batch_rows", CLASS_BATCHES, measure, RUNS)],
        x_scale="log", y_scale="log" if measure == "objective" else "linear")


def dimension_panel():
    found = []
    for b in (10, 50):
        common = dict(batch_rows=b, step="inverse_sqrt", **PLAIN)
        found += [series(f"non-private, b = {b}", job("mnist1.norm.gauss{x}", "noiseless", passes=1, **common), "data", DIMENSIONS,
                         runs=RUNS, private=False),
                  series(f"private, b = {b}", job("mnist1.norm.gauss{x}", "scs13", epsilon=1, **common), "data", DIMENSIONS,
                         runs=RUNS)]
    return panel(BY_D, "dimensions", "objective", found, x_scale="log", y_scale="log")


CAPTION = "lambda 1e-4, alpha 1, one pass, 1/sqrt(t); each point is a training of its own on the first rows."
ENTROPY = CAPTION + " Objective by the thesis' cross-entropy."

FIGURES = [
    figure("Wessels18-1", "Figure 1", "Objective against rows read, KDDCup99 (d = 9)", two("KDDCup99", KDD, 50000, (1, 5)),
           pair_checks("KDDCup99", 5), caption=CAPTION),
    figure("Wessels18-2", "Figure 2", "Objective against batch size, KDDCup99 (d = 9)", rates("KDDCup99", KDD),
           rate_checks("KDDCup99"), caption=CAPTION),
    figure("Wessels18-3", "Figure 3", "Objective against rows read, MNIST (d = 15)", two("MNIST", MNIST, 60000, (1, 10)),
           pair_checks("MNIST", 10), caption=CAPTION),
    figure("Wessels18-4", "Figure 4", "Objective against batch size, MNIST (d = 15)", rates("MNIST", MNIST),
           rate_checks("MNIST"), caption=CAPTION),
    figure("Wessels18-5", "Figure 5", "Objective against rows read, synthetic sphere (d = 5), b = 5",
           [against_rows("sphere, b = 5", "sphere", 10000, 5)],
           [check("Almost no difference to non-private SGD", "almost none",
                  "last('sphere, b = 5', 'private') / last('sphere, b = 5', 'non-private')", "x <= 1.1",
                  " times the objective")], caption=CAPTION),
    figure("Wessels18-6", "Figure 6", "Objective against rows read, NSL-KDD (d = 9)",
           two("NSL-KDD", NSL, 125973, (1, 5)), pair_checks("NSL-KDD", 5), caption=CAPTION),
    figure("Wessels18-7", "Figure 7", "Objective against rows read, Internet Advertisements (d = 100)",
           two("Advertisements", ADS, 2623, (1, 5)),
           pair_checks("Advertisements", 5, 1.5) +
           [check("Batch 1: the objective is really high", "about 15", "last('Advertisements, b = 1', 'private')",
                  "x >= 10", "")], caption=CAPTION),
    figure("Wessels18-8", "Figure 8", "Cross-entropy against rows read, KDDCup99 (d = 9)",
           two("KDDCup99", KDD, 50000, (1, 5), measure="cross_entropy"), pair_checks("KDDCup99", 5), caption=ENTROPY),
    figure("Wessels18-9", "Figure 9", "Cross-entropy against rows read, MNIST (d = 15)",
           two("MNIST", MNIST, 60000, (1, 10), measure="cross_entropy"), pair_checks("MNIST", 10), caption=ENTROPY),
    figure("Wessels18-A", "Future work", "Objective against the dimension of the projection, MNIST", [dimension_panel()],
           [check("The price of privacy grows with the dimension (b = 10)", "left to future work",
                  f"(at('{BY_D}', 'private, b = 10', 200) / at('{BY_D}', 'non-private, b = 10', 200)) / "
                  f"(at('{BY_D}', 'private, b = 10', 15) / at('{BY_D}', 'non-private, b = 10', 15))", "x > 1",
                  " times the ratio at d = 15"),
            check("Batch 50 keeps d = 200 within 1.5 times the non-private objective", "left to future work",
                  f"at('{BY_D}', 'private, b = 50', 200) / at('{BY_D}', 'non-private, b = 50', 200)", "x <= 1.5", " times")],
           caption="One pass, 1/sqrt(t), rows clipped to norm 1 after the random projection."),
    figure("Wessels18-B", "Future work", "More than two classes: softmax on MNIST, ten digits",
           [softmax_panel(CLASSES, "objective", "objective"), softmax_panel(RIGHT, "accuracy", "test accuracy")],
           [check("Batch 1 is far above non-private SGD also with ten classes", "left to future work",
                  f"at('{CLASSES}', 'private', 1) / at('{CLASSES}', 'non-private', 1)", "x >= 1.5", " times the objective"),
            check("A batch of 200 brings accuracy within 5 points", "left to future work",
                  f"at('{RIGHT}', 'private', 200) - at('{RIGHT}', 'non-private', 200)", "x >= -0.05", " difference",
                  decisive=False)],
           caption="One joint softmax model; noise on 150 weights, sensitivity 2 sqrt(2)."),
]
