"""Planted violations of the include order are caught; what the order allows is left alone."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_includes  # noqa: E402


def found(files):
    """The violations in a tree made of {path below sotto/: include line}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            target = Path(root) / "sotto" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text + "\n", encoding="utf-8")
        return check_includes.check(root)


class IncludeOrder(unittest.TestCase):
    def test_folders_above_and_the_same_folder_are_allowed(self):
        self.assertEqual(found({
            "optim/recipe.h": '#include "sotto/losses/loss.h"',
            "optim/recipe.cpp": '#include "sotto/optim/recipe.h"',
            "work/permutation.cpp": '#include "sotto/optim/recipe.h"\n#include "sotto/privacy/mechanism.h"',
            "methods/bolt_on.cpp": '#include "sotto/work/work.h"\n#include "sotto/privacy/mechanism.h"',
            "model/model.h": '#include "sotto/engines/in_memory.h"',
            "train.cpp": '#include "sotto/train.h"\n#include "sotto/model/model.h"',
            "sotto.h": '#include "sotto/train.h"',
            "linalg/kernels.cpp": '#include <vector>\n#include "hwy/highway.h"',
        }), [])

    def test_a_folder_below_is_refused(self):
        for source, line in [
            ("base/error.cpp", '#include "sotto/linalg/vector.h"'),
            ("losses/logistic.h", '#include "sotto/data/row_block.h"'),
            ("data/schema.cpp", '#include "sotto/files/csv_reader.h"'),
            ("engines/in_memory.cpp", '#include "sotto/model/model.h"'),
            ("model/model.cpp", '#include "sotto/train.h"'),
            ("work/work.h", '#include "sotto/methods/plan.h"'),
            ("methods/bolt_on.h", '  #  include <sotto/engines/in_memory.h>'),
            ("train.h", '#include "sotto/sotto.h"'),
        ]:
            with self.subTest(source=source):
                self.assertEqual(len(found({source: line})), 1)

    def test_optim_and_privacy_never_meet(self):
        self.assertEqual(len(found({"privacy/mechanism.h": '#include "sotto/optim/recipe.h"'})), 1)
        self.assertEqual(len(found({"optim/recipe.h": '#include "sotto/privacy/mechanism.h"'})), 1)

    def test_a_relative_include_is_no_way_round(self):
        self.assertEqual(len(found({"optim/recipe.h": '#include "../privacy/mechanism.h"'})), 1)
        self.assertEqual(len(found({"optim/recipe.h": "", "optim/recipe.cpp": '#include "recipe.h"'})), 1)

    def test_a_folder_without_a_place_is_refused(self):
        self.assertEqual(len(found({"helpers/x.h": '#include "sotto/base/error.h"'})), 1)
        self.assertEqual(len(found({"base/x.h": '#include "sotto/helpers/x.h"'})), 1)


if __name__ == "__main__":
    unittest.main()
