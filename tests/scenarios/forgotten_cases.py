"""A case that is forgotten does not compile: a growth of steps, a schedule, an averaging, a mechanism, a trait of a loss.

Usage: forgotten_cases.py COMPILE_COMMANDS [test ...]

Of a header a copy is changed and found first; the source that must treat the change is compiled, and nothing is kept.
"""
import json
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core/sotto"
SCHEDULE = """struct OtherStep {
  static constexpr std::string_view kName = "other";
  static constexpr std::string_view kSummary = "another";
  static constexpr auto fields() { return std::tuple{}; }
  StepRule rule(const StepContext&) const { return {1, 1, 1, StepRule::Growth::none}; }
};
using StepSchedule = std::variant<OtherStep, """
TRAITS = ["kProbabilities =", "kLogisticSlope =", "kTwiceDifferentiable =", "kStraightBelowZero =",
          "using Straightened =", "using Smoothed =", "gradient_at("]


def compiler():
    """How a source of the core is compiled, without what says which one."""
    entry = next(e for e in json.loads(Path(sys.argv[1]).read_text()) if "sotto_core.dir" in e["command"])
    words = shlex.split(entry["command"])
    for flag in ("-o", "-c"):
        at = words.index(flag)
        del words[at:at + 2]
    return words, entry["directory"]


def errors(source, header="", old="", new=""):
    """What the compiler says to a source of the core when `old` in a header is `new`."""
    words, directory = compiler()
    with tempfile.TemporaryDirectory() as changed:
        if header:
            text = (CORE / header).read_text()
            assert text.count(old) == 1, f"{header} must have {old!r} exactly once"
            copy = Path(changed) / "sotto" / header
            copy.parent.mkdir(parents=True)
            copy.write_text(text.replace(old, new))
        command = [words[0], f"-I{changed}", *words[1:], "-fsyntax-only", str(CORE / source)]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""


class ForgottenCases(unittest.TestCase):
    def test_the_tree_as_it_is_compiles(self):
        for source in ("optim/step_schedule.cpp", "methods/bolt_on.cpp", "losses/loss.cpp"):
            self.assertEqual(errors(source), "")

    def test_a_growth_of_steps(self):
        said = errors("optim/step_schedule.cpp", "optim/step_schedule.h", "{ none, linear, root }",
                      "{ none, linear, root, other }")
        self.assertEqual(said.count("not handled in switch"), 3, "its size, its bound and its words on the card: " + said)

    def test_a_schedule(self):
        said = errors("methods/bolt_on.cpp", "optim/step_schedule.h", "using StepSchedule = std::variant<", SCHEDULE)
        self.assertIn("OtherStep", said)

    def test_an_averaging(self):
        said = errors("optim/psgd.cpp", "optim/averaging.h", "last_log, weighted };", "last_log, weighted, other };")
        self.assertIn("not handled in switch", said)

    def test_a_mechanism(self):
        said = errors("privacy/mechanism.cpp", "privacy/mechanism.h", "discrete_laplace, discrete_gaussian };",
                      "discrete_laplace, discrete_gaussian, other };")
        self.assertIn("not handled in switch", said)

    def test_a_kind_of_probabilities(self):
        said = errors("model/prediction.cpp", "losses/traits.h", "{ none, sigmoid, shares }",
                      "{ none, sigmoid, shares, other }")
        self.assertIn("not handled in switch", said)

    def test_every_trait_of_a_loss(self):
        header = "losses/robust_logistic.h"
        lines = (CORE / header).read_text().splitlines(keepends=True)
        for trait in TRAITS:
            line, = [each for each in lines if trait in each]
            self.assertIn("does not answer all of losses/traits.h", errors("losses/loss.cpp", header, line, ""), trait)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
