"""The runner with the program, on its own synthetic rows. Usage: program_test.py <path of the program>"""
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "runner")]
PROGRAM = ""

try:
    import numpy  # noqa: F401

    import bases
    import stamp
    import train
    from datasets import DataSets
except ImportError:
    numpy = None


@unittest.skipIf(numpy is None, "needs numpy")
class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.datasets = DataSets(cls.scratch.name, "/nowhere", PROGRAM)
        cls.trainer = train.Trainer(PROGRAM, cls.datasets)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_job(self, method="scs13", seed=0, measure_lambda=None, **settings):
        return self.trainer(dict(data="sphere", method=method, measure_lambda=measure_lambda, settings=settings, seed=seed))

    def without_time(self, result):
        return {k: v for k, v in result.items() if k != "seconds"}

    def test_a_job_repeats_by_its_seed_and_differs_by_another(self):
        first, again, other = (self.run_job(seed=s, epsilon=1, batch_rows=5) for s in (0, 0, 1))
        self.assertEqual(self.without_time(first), self.without_time(again))
        self.assertNotEqual(first["objective"], other["objective"])
        self.assertTrue(first["valid"])

    def test_the_first_rows_alone_are_trained_on(self):
        few, all_rows = self.run_job(epsilon=1, batch_rows=5, rows=100), self.run_job(epsilon=1, batch_rows=5)
        self.assertGreater(few["objective"], all_rows["objective"])

    def test_a_published_calibration_is_not_valid(self):
        settings = dict(epsilon=1, batch_rows=50, passes=2, **{"lambda": 0.01})
        self.assertFalse(self.run_job("bolt_on", calibration="published", **settings)["valid"])
        self.assertTrue(self.run_job("bolt_on", **settings)["valid"])

    def test_a_refusal_is_a_result_and_a_wrong_flag_value_too(self):
        self.assertIn("error", self.run_job("bolt_on", epsilon=-1))

    def test_objective_and_accuracy_are_those_of_the_program(self):
        data, model = self.datasets.get("sphere"), os.path.join(self.scratch.name, "m.json")
        files = ["--data", data.stem + ".idx2", "--labels-file", data.stem + ".labels.idx1", "--data-norm", "1", "--intercept",
                 "0"]
        train.call(PROGRAM, ["train", *files, "--method", "noiseless", "--noise-seed", "1", "--out", model])
        said = train.call(PROGRAM, ["evaluate", "--model", model, *files[:4]])
        with open(model, encoding="utf-8") as file:
            weights = numpy.array(json.load(file)["weights"])
        spec = {"loss": "logistic", "width": 0.1, "lambda": 0.0}
        self.assertAlmostEqual(train.objective(data.rows, data.labels, weights, spec), said["loss"], places=9)
        self.assertAlmostEqual(train.accuracy(data.rows, data.labels, weights), said["accuracy"], places=12)
        self.assertAlmostEqual(train.auc(data.rows @ weights, data.labels), said["auc"], places=4)
        self.assertAlmostEqual(train.cross_entropy(data.rows, data.labels, weights, 0.0), said["loss"], places=9)

    def test_a_model_without_a_stamp_is_refused(self):
        data = self.datasets.get("sphere")
        files = ["--data", data.stem + ".idx2", "--labels-file", data.stem + ".labels.idx1", "--data-norm", "1", "--intercept",
                 "0"]
        card = train.call(PROGRAM, ["train", *files, "--method", "scs13", "--epsilon", "1", "--out", os.devnull])
        with self.assertRaises(stamp.Wrong):
            stamp.check_stamp(card)

    def test_a_set_that_is_not_at_hand_is_named(self):
        with self.assertRaises(bases.NotHere):
            self.datasets.get("banknote.norm")

    def test_transforms_keep_rows_in_the_unit_ball_except_the_loose_one(self):
        for name, loose in (("sphere.gauss3", False), ("sphere.norm", False), ("sphere.cols3", False), ("sphere.loose3", True)):
            norms = numpy.linalg.norm(self.datasets.get(name).rows.astype(float), axis=1)
            self.assertEqual(norms.max() > 1, loose, name)

    def test_folds_are_disjoint_and_cover_all_rows(self):
        rows = [self.datasets.get(f"sphere.fold{k}of5").test_rows for k in range(5)]
        self.assertEqual(sum(len(r) for r in rows), 12000)
        self.assertEqual(len(numpy.unique(numpy.vstack(rows), axis=0)), 12000)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
