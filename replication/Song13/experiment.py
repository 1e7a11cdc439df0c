"""Song, Chaudhuri, Sarwate 2013: SGD with differentially private updates. Section IV, figures 1 to 3.

lambda 1e-4, alpha 1, weights kept in a ball of 1/lambda, one pass, 20 permutations with fresh noise, one standard
deviation. "1 vs. all" is read as digit 1 against the others. As published, rows are projected to the unit ball first
and to few dimensions afterwards, which makes some longer than 1 (up to about 2): noise for norm 1 is then too small.
The valid curve clips after the projection."""
from declare import check, figure
from sgd_panels import against_batch, against_rows

PUBLISHED = "as published"


def loose(base, size):
    """The published curve: longer rows than the noise is made for."""
    return [(PUBLISHED, f"{base}.loose{size}", False, dict(loose_norm=True))]


MNIST, KDD = "mnist1.norm", "kdd.unit"
M1, M10, K1, K5 = "MNIST, b = 1", "MNIST, b = 10", "KDDCup99, b = 1", "KDDCup99, b = 5"
MS, ML, KS, KL = "MNIST, 1/sqrt(t)", "MNIST, 10/sqrt(t)", "KDDCup99, 1/sqrt(t)", "KDDCup99, 10/sqrt(t)"
SLOW, FAST = "step 1/sqrt(t)", "step 1/(lambda t)"

FIGURES = [
    figure(
        "Song13-1", "Figure 1", "Objective against rows read, MNIST (d = 15) and KDDCup99 (d = 9)",
        [against_rows(M1, MNIST + ".gauss15", 60000, 1, loose(MNIST, 15)),
         against_rows(M10, MNIST + ".gauss15", 60000, 10, loose(MNIST, 15)),
         against_rows(K1, KDD + ".gauss9", 50000, 1, loose(KDD, 9)),
         against_rows(K5, KDD + ".gauss9", 50000, 5, loose(KDD, 9))],
        [check("MNIST, batch 1: private SGD is far from the non-private objective", "far",
               f"last('{M1}', P) / last('{M1}', 'non-private')", "x >= 1.5", " times the non-private objective"),
         check("MNIST, batch 10: private SGD matches non-private SGD", "matching",
               f"last('{M10}', P) / last('{M10}', 'non-private')", "x <= 1.1", " times the non-private objective"),
         check("MNIST: batch 10 reduces the spread", "reduces the variance",
               f"sd('{M1}', P, 60000) / sd('{M10}', P, 60000)", "x >= 3", " times smaller standard deviation"),
         check("KDDCup99, batch 5: nearly identical to non-private mini-batch SGD", "nearly identical",
               f"last('{K5}', P) / last('{K5}', 'non-private')", "x <= 1.1", " times the non-private objective"),
         check("KDDCup99: batch 5 reduces the spread", "reduces the variance",
               f"sd('{K1}', P, 50000) / sd('{K5}', P, 50000)", "x >= 2", " times smaller standard deviation")],
        ("private", PUBLISHED),
        caption="Logistic regression, lambda 1e-4, alpha 1, step 1/sqrt(t), one pass. Each point is a training of its "
                "own on the first rows. As published: rows are not clipped after the random projection, and the noise "
                "is that for norm 1.",
        alt="Four panels: with batch 1 the private objective stays far above the other one and scatters; with batch 10 "
            "or 5 it comes close."),
    figure(
        "Song13-2", "Figure 2", "Objective against batch size, MNIST (d = 15) and KDDCup99 (d = 9)",
        [against_batch(MS, MNIST + ".gauss15", 1, loose(MNIST, 15)), against_batch(ML, MNIST + ".gauss15", 10, loose(MNIST, 15)),
         against_batch(KS, KDD + ".gauss9", 1, loose(KDD, 9)), against_batch(KL, KDD + ".gauss9", 10, loose(KDD, 9))],
        [check("Larger batches than 1 improve private SGD in all cases", "all cases",
               "min(at(p, P, 1) / lowest(p, P) for p in panels)", "x > 1.05", " times lower objective at the best batch"),
         check("With 1/sqrt(t) much larger batches degrade it: the best batch on MNIST is below 50",
               "optimal batch between 5 and 20", f"where_lowest('{MS}', P)", "x < 50", " rows"),
         check("With 1/sqrt(t) the best batch on KDDCup99 is below 50", "optimal batch between 5 and 20",
               f"where_lowest('{KS}', P)", "x < 50", " rows"),
         check("With 10/sqrt(t) batch 50 degrades less (MNIST)", "does not degrade as much",
               f"(at('{MS}', P, 50) / lowest('{MS}', P)) / (at('{ML}', P, 50) / lowest('{ML}', P))", "x > 1",
               " times more degradation at 1/sqrt(t)"),
         check("With 10/sqrt(t) the end value at batch 50 is closer to the centralised one (MNIST)", "closer",
               f"(at('{ML}', P, 50) - last('{ML}', 'centralised')) / (at('{MS}', P, 50) - last('{MS}', 'centralised'))",
               "x < 1", " of the distance with 1/sqrt(t)"),
         check("The same on KDDCup99", "closer",
               f"(at('{KL}', P, 50) - last('{KL}', 'centralised')) / (at('{KS}', P, 50) - last('{KS}', 'centralised'))",
               "x < 1", " of the distance with 1/sqrt(t)")],
        ("private", PUBLISHED),
        caption="One pass; centralised is the minimiser by L-BFGS. As published: rows are not clipped after the "
                "random projection.",
        alt="Objective falls with the batch size up to a point; with the smaller step it rises again for large batches."),
    figure(
        "Song13-3", "Figure 3", "Objective against rows read, synthetic sphere (d = 5), b = 5, two step sizes",
        [against_rows(SLOW, "sphere", 10000, 5), against_rows(FAST, "sphere", 10000, 5, step="inverse", y_scale="log")],
        [check("1/(lambda t) dramatically increases the spread of private SGD", "dramatically",
               f"sd('{FAST}', 'private', 10000) / sd('{SLOW}', 'private', 10000)", "x >= 10",
               " times the standard deviation with 1/sqrt(t)"),
         check("With 1/(lambda t) private SGD is far from non-private SGD", "far",
               f"last('{FAST}', 'private') / last('{FAST}', 'non-private')", "x >= 2", " times the objective"),
         check("For low-dimensional problems private SGD is close to non-private SGD (introduction)", "close",
               f"last('{SLOW}', 'private') / last('{SLOW}', 'non-private')", "x <= 1.1", " times the objective",
               decisive=False)],
        caption="10,000 rows uniform on the sphere in 5 dimensions, separable with margin 0.001, by sotto data synth.",
        alt="With 1/sqrt(t) both curves fall together; with 1/(lambda t) the private one lies far above and scatters."),
]
