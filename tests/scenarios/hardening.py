"""The built program has the protections of cmake/Hardening.cmake, and tools/check_hardening.py notices where one is not.

Usage: hardening.py <program> <C++ compiler>
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from check_hardening import lacking  # noqa: E402

PROGRAM, COMPILER = sys.argv[1:3]
SOURCE = """#include <cstdio>
#include <string>
#include <vector>
int main(int count, char** words) {
  char text[40];
  std::vector<int> numbers(3);
  std::sprintf(text, "%s", words[0]);
  return numbers[count] + static_cast<int>(std::string(text).size());
}
"""


class Hardening(unittest.TestCase):
    def built(self, *flags):
        source, program = Path(self.folder.name) / "probe.cpp", Path(self.folder.name) / "probe"
        source.write_text(SOURCE)
        subprocess.run([COMPILER, "-O1", "-std=c++20", "-w", *flags, source, "-o", program], check=True)
        return str(program)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_the_program_has_all_of_it(self):
        self.assertEqual(lacking(PROGRAM), [])

    def test_what_has_none_of_it_is_told_by_name(self):
        bare = self.built("-no-pie", "-fno-pie", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wl,-z,norelro,-z,lazy,-z,execstack")
        self.assertEqual(lacking(bare), ["position-independent code", "read-only relocations", "immediate binding",
                                         "a stack without code", "stack protector", "FORTIFY", "assertions of the standard library"])
        done = subprocess.run([ROOT / "tools" / "check_hardening.py", bare], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lacks position-independent code", done.stdout)

    def test_lazy_binding_alone_is_noticed(self):
        partial = self.built("-fPIE", "-pie", "-O2", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
                             "-D_GLIBCXX_ASSERTIONS", "-Wl,-z,relro,-z,lazy")
        self.assertEqual(lacking(partial), ["immediate binding"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
