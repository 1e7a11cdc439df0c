#!/usr/bin/env python3
"""Reads built programs and libraries and says which protections of cmake/Hardening.cmake they lack.

Usage: tools/check_hardening.py FILE...     exit code 1 if one lacks any
"""
import re
import subprocess
import sys


def readelf(path, *flags):
    return subprocess.run(["readelf", "--wide", *flags, path], check=True, capture_output=True, text=True).stdout


def lacking(path):
    """The names of the protections that are not there."""
    header, segments, dynamic = readelf(path, "-h"), readelf(path, "-l"), readelf(path, "-d")
    wanted = [name.split("@")[0] for name in re.findall(r"UND (\S+)", readelf(path, "--dyn-syms"))]
    stack = re.search(r"GNU_STACK(?:\s+0x[0-9a-f]+){5}\s+([RWE ]+?)\s+0x", segments)
    found = {
        "position-independent code": re.search(r"Type:\s+DYN", header),
        "read-only relocations": "GNU_RELRO" in segments,
        "immediate binding": "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic),
        "a stack without code": stack and "E" not in stack.group(1),
        "stack protector": "__stack_chk_fail" in wanted,
        "FORTIFY": any(re.fullmatch(r"__\w+_chk", name) for name in wanted),
        "assertions of the standard library": any("__glibcxx_assert_fail" in name for name in wanted),
    }
    return [name for name, there in found.items() if not there]


def main(paths):
    if not paths:
        raise SystemExit(__doc__)
    code = 0
    for path in paths:
        missing = lacking(path)
        print(f"{path}: " + ("lacks " + ", ".join(missing) if missing else "hardened"))
        code = code or bool(missing)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
