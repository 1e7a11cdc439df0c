"""The module in the wheel has the protections of cmake/Hardening.cmake."""
import subprocess
import sys
from pathlib import Path

import sotto._core

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_hardening.py"


def test_the_module_has_all_of_it():
    done = subprocess.run([sys.executable, CHECK, sotto._core.__file__], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
