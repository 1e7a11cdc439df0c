"""The runner on made-up numbers: no data, no program, no numpy."""
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(HERE, "..", "runner")
sys.path[:0] = [RUNNER]

import cache  # noqa: E402
import declare  # noqa: E402
import figures  # noqa: E402
import pool  # noqa: E402
import stamp  # noqa: E402
import verdicts  # noqa: E402


class Scratch(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = self.scratch.name

    def files(self):
        return [os.path.join(at, f) for at, _, names in os.walk(self.folder) for f in names]


class CacheTest(Scratch):
    def test_a_result_is_found_again_by_its_key(self):
        store = cache.Cache(self.folder)
        store.put("abcd", {"objective": 0.5})
        self.assertEqual(store.get("abcd"), {"objective": 0.5})
        self.assertIsNone(store.get("abce"))

    def test_half_a_file_counts_as_no_result(self):
        store = cache.Cache(self.folder)
        store.put("abcd", {"objective": 0.5})
        with open(store.path("abcd"), "w") as file:
            file.write('{"objective": 0.')
        self.assertIsNone(store.get("abcd"))

    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self):
        path = os.path.join(self.folder, "x.json")
        cache.write_whole(path, "old")
        with self.assertRaises(TypeError):
            cache.write_whole(path, 5)
        with open(path) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(self.files(), [path])

    def test_the_key_depends_on_program_data_and_every_parameter(self):
        job = declare.job("set", "scs13", epsilon=1, batch_rows=10)
        keys = set()
        for program, rows, change in (("a", "d", {}), ("b", "d", {}), ("a", "e", {}), ("a", "d", {"epsilon": 2}),
                                      ("a", "d", {"batch_rows": 5})):
            what = dict(job, settings={**job["settings"], **change}, seed=0)
            keys.add(cache.digest(dict(program=program, rows=rows, what=what)))
        self.assertEqual(len(keys), 5)


class PoolTest(Scratch):
    def tasks(self, count):
        return [pool.Task(cache.digest(i), i, "kind", exclusive=i == 3) for i in range(count)]

    def test_what_is_cached_is_not_run_and_doubles_run_once(self):
        store, ran = cache.Cache(self.folder), []
        work = lambda i: ran.append(i) or {"value": i}
        pool.run_missing(self.tasks(4), store, work, out=io.StringIO())
        results, errors = pool.run_missing(self.tasks(6) + self.tasks(6), store, work, out=io.StringIO())
        self.assertEqual(sorted(ran), [0, 1, 2, 3, 4, 5])
        self.assertEqual([results[t.key]["value"] for t in self.tasks(6)], [0, 1, 2, 3, 4, 5])
        self.assertEqual(errors, [])

    def test_a_failure_is_told_and_not_cached_and_the_others_go_on(self):
        def work(i):
            if i == 2:
                raise ValueError("broken")
            return {"value": i}

        results, errors = pool.run_missing(self.tasks(5), cache.Cache(self.folder), work, out=io.StringIO())
        self.assertEqual(len(results), 4)
        self.assertEqual([task.what for task, _ in errors], [2])
        self.assertIsNone(cache.Cache(self.folder).get(self.tasks(5)[2].key))

    def test_progress_says_how_far_it_is_and_how_long_it_takes(self):
        out = io.StringIO()
        pool.run_missing(self.tasks(3), cache.Cache(self.folder), lambda i: {}, out=out)
        self.assertIn("3/3 trainings", out.getvalue())
        self.assertIn("left", out.getvalue())

    def test_after_kill_9_the_work_done_is_there_and_the_rest_is_run(self):
        program = textwrap.dedent(f"""
            import sys, time
            sys.path[:0] = [{RUNNER!r}]
            import cache, pool
            def work(i):
                time.sleep(0.02)
                return dict(value=i, filling="x" * 20000)
            tasks = [pool.Task(cache.digest(i), i) for i in range(500)]
            pool.run_missing(tasks, cache.Cache({self.folder!r}), work)
        """)
        child = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while sum(f.endswith(".json") for f in self.files()) < 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        finished = [f for f in self.files() if f.endswith(".json")]
        self.assertGreaterEqual(len(finished), 5)
        for path in finished:
            with open(path) as file:
                self.assertEqual(len(json.load(file)["filling"]), 20000)
        ran = []
        tasks = [pool.Task(cache.digest(i), i) for i in range(len(finished) + 5)]
        results, _ = pool.run_missing(tasks, cache.Cache(self.folder), lambda i: ran.append(i) or {"value": i},
                                      out=io.StringIO())
        self.assertEqual(len(results), len(tasks))
        self.assertLess(len(ran), len(tasks))


def panels(**curves):
    return [dict(title="A", series=[dict(name=name, points=[dict(x=x, y=y, sd=0.1, runs=2) for x, y in points])
                                    for name, points in curves.items()])]


class VerdictTest(unittest.TestCase):
    RULE = declare.check("close to the others", "close", "last('A', P) / last('A', 'plain')", "x <= 1.1", " times")

    def verdict(self, own, published=None, rule=None):
        curves = dict(plain=[(1, 2.0), (10, 1.0)], private=own)
        if published:
            curves["as published"] = published
        variants = ("private", "as published") if published else ("private",)
        return verdicts.figure_verdict([rule or self.RULE], verdicts.Points(panels(**curves)), variants)

    def test_a_claim_that_holds_is_reproduced_whatever_the_invalid_curve_does(self):
        kind, text, claims = self.verdict([(1, 5.0), (10, 1.05)], [(1, 5.0), (10, 3.0)])
        self.assertEqual(kind, "reproduced")
        self.assertEqual(claims[0]["measured"], "1.05 (private), 3 (as published) times")
        self.assertEqual(text, "Its claim holds.")

    def test_a_claim_that_holds_as_published_alone_is_reproduced_only_with_the_invalid_calibration(self):
        self.assertEqual(self.verdict([(10, 3.0)], [(10, 1.0)])[0], "only_invalid")

    def test_a_claim_that_holds_nowhere_is_not_reproduced(self):
        self.assertEqual(self.verdict([(10, 3.0)], [(10, 2.0)])[0], "not_reproduced")
        self.assertEqual(self.verdict([(10, 3.0)])[0], "not_reproduced")

    def test_a_claim_without_points_is_not_run(self):
        kind, _, claims = self.verdict([])
        self.assertEqual((kind, claims[0]["measured"]), ("not_run", "not measured"))

    def test_the_worst_decisive_claim_decides(self):
        points = verdicts.Points(panels(plain=[(1, 1.0)], private=[(1, 3.0)]))
        good = declare.check("c", "", "first('A', 'plain')", "x == 1")
        self.assertEqual(verdicts.figure_verdict([good, self.RULE], points, ("private",))[0], "not_reproduced")
        aside = dict(self.RULE, decisive=False)
        self.assertEqual(verdicts.figure_verdict([good, aside], points, ("private",))[0], "reproduced")

    def test_points_are_found_by_their_x_and_in_its_order(self):
        names = verdicts.Points(panels(private=[(10, 1.0), (1, 3.0), (5, 0.5)])).names()
        for expression, expected in (("at('A', 'private', 5)", 0.5), ("first('A', 'private')", 3.0),
                                     ("last('A', 'private')", 1.0), ("lowest('A', 'private')", 0.5),
                                     ("where_lowest('A', 'private')", 5), ("where_highest('A', 'private')", 1),
                                     ("[at(p, 'private', 1) for p in panels]", [3.0])):
            self.assertEqual(verdicts.evaluate(expression, names), expected, expression)


    def test_curves_are_compared_panel_by_panel_where_both_were_measured(self):
        shown = panels(a=[(1, 1.0), (2, 5.0), (3, 9.0)], b=[(1, 2.0), (2, 2.0)]) + \
            [dict(title="B", series=[dict(name="a", points=[dict(x=1, y=1.0)])])]
        names = verdicts.Points(shown).names()
        self.assertEqual(verdicts.evaluate("curve_ratios('a', 'b')", names), [1.5])
        self.assertEqual(verdicts.evaluate("ratios('a', 'b')", names), [0.5, 2.5])
        self.assertEqual(verdicts.evaluate("gaps('a', 'b', 'A')", names), [-1.0, 3.0])

    def test_the_least_of_nothing_is_not_measured(self):
        points = verdicts.Points(panels(private=[(1, 1.0)]))
        rule = declare.check("c", "", "min(at(p, P, 1) for p in panels if 'Z' in p)", "x > 0")
        self.assertEqual(verdicts.judge(rule, points, ("private",)), [("private", None, None)])


    def test_no_rule_is_judged_by_a_part_of_a_curve(self):
        points = verdicts.Points(panels(a=[(1, 1.0)], b=[(1, 2.0)]), {("A", "a")})
        for value in ("last('A', 'a')", "ratios('a', 'b')", "curve_ratios('a', 'b')", "min(at(p, 'a', 1) for p in panels)"):
            self.assertEqual(verdicts.judge(declare.check("c", "", value, "x"), points, ("",))[0][2], None, value)
        self.assertEqual(verdicts.judge(declare.check("c", "", "last('A', 'b')", "x == 2"), points, ("",))[0][2], True)


class StampTest(unittest.TestCase):
    SEED = "the noise came from a seeded source, so anyone with the seed can subtract it"

    def test_a_seeded_model_must_be_stamped(self):
        for card in (dict(private=True), dict(private=True, not_private_because=[self.SEED]),
                     dict(private=False, not_private_because=["another reason"]), {}):
            with self.assertRaises(stamp.Wrong):
                stamp.check_stamp(card)

    def test_another_reason_beside_the_seed_makes_the_curve_not_private(self):
        self.assertTrue(stamp.check_stamp(dict(private=False, not_private_because=[self.SEED])))
        self.assertFalse(stamp.check_stamp(dict(private=False, not_private_because=[self.SEED, "published"])))


class Memory:
    """Data sets that exist by name alone."""

    def get(self, name):
        if name == "absent":
            raise OSError("not here")
        return type("Set", (), dict(digest=name, meta=dict(rows=1, test_rows=2, features=3)))


def identity(engine):
    if engine == "postgres":
        raise OSError("no server")
    return "program"


class FigureTest(Scratch):
    def experiment(self, private=True):
        curve = declare.series("private", declare.job("set", "scs13"), "batch_rows", {"quick": [1, 2], "full": [1]},
                               runs={"quick": 3, "full": 1}, private=private)
        gap = declare.series("gap", declare.job("absent", "scs13"), "batch_rows", [1], runs=1)
        rule = declare.check("falls", "falls", "first('A', P) / last('A', P)", "x > 1")
        one = declare.figure("T-1", "Figure 1", "A title", [declare.panel("A", "b", "objective", [curve, gap])], [rule],
                             tables=[declare.table("t", ["a", "b"], [["rows", "=shape('set')"]])])
        return {"T": type("Experiment", (), dict(FIGURES=[one]))}

    def run_it(self, private=True, valid=True, runs=None):
        plan = figures.Plan(self.experiment(private), figures.Extent("quick", runs), Memory(), identity)
        results = {t.key: dict(objective=4.0 / t.what["settings"]["batch_rows"] + t.what["seed"], valid=valid)
                   for t in plan.tasks}
        return figures.write_all(plan, results, self.folder, "")

    def test_points_are_means_over_runs_and_files_agree(self):
        shown, claims = self.run_it()
        self.assertEqual(shown[0]["panels"][0]["series"][0]["points"],
                         [dict(x=1, y=5.0, sd=1.0, runs=3), dict(x=2, y=3.0, sd=1.0, runs=3)])
        self.assertEqual(claims[0]["verdict"], "reproduced")
        with open(os.path.join(self.folder, "T-1.csv")) as file:
            self.assertEqual(file.read().split("\n")[1], "A,private,1,1,5.0,1.0,3")
        with open(os.path.join(self.folder, "report.json")) as file:
            self.assertEqual(json.load(file)["figures"], ["T-1.json"])

    def test_runs_can_be_cut(self):
        shown, _ = self.run_it(runs=2)
        self.assertEqual(shown[0]["panels"][0]["series"][0]["points"][0]["runs"], 2)

    def test_a_set_that_is_not_at_hand_leaves_a_gap_that_is_told(self):
        shown, _ = self.run_it()
        self.assertIn("Not at hand: absent (not here)", shown[0]["caption"])
        self.assertEqual([s["name"] for s in shown[0]["panels"][0]["series"]], ["private"])

    def test_an_engine_that_is_not_at_hand_leaves_a_figure_that_says_so(self):
        curve = declare.series("private", declare.job("set", "scs13", engine="postgres"), "batch_rows", [1], runs=1)
        one = declare.figure("T-1", "Figure 1", "A title", [declare.panel("A", "b", "seconds", [curve])],
                             [declare.check("c", "", "first('A', 'private')", "x > 1")])
        plan = figures.Plan({"T": type("Experiment", (), dict(FIGURES=[one]))}, figures.Extent("quick"), Memory(), identity)
        shown, claims = figures.write_all(plan, {}, self.folder, "")
        self.assertEqual((plan.tasks, claims[0]["verdict"]), ([], "not_run"))
        self.assertIn("Not at hand: postgres (no server)", shown[0]["caption"])

    def test_a_figure_of_which_points_are_missing_is_not_judged_by_the_others(self):
        plan = figures.Plan(self.experiment(), figures.Extent("quick"), Memory(), identity)
        results = {t.key: dict(objective=1.0, valid=True) for t in plan.tasks if t.what["settings"]["batch_rows"] == 1}
        shown, claims = figures.write_all(plan, results, self.folder, "")
        self.assertEqual(claims[0]["verdict"], "not_run")
        self.assertIn("Not all of it", shown[0]["caption"])

    def test_a_curve_declared_private_whose_card_says_otherwise_stops_the_run(self):
        with self.assertRaises(AssertionError):
            self.run_it(valid=False)
        self.run_it(private=False, valid=False)


if __name__ == "__main__":
    unittest.main()
