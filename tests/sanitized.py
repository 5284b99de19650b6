"""Run the tests that reach the compiled core on a core built with the sanitizers.

python tests/sanitized.py build/sanitize
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = [
    "tests/native",
    "tests/formats",
    "tests/sources/files",
    "tests/sources/tables",
    "tests/inference/exact",
    "tests/inference/expectation/test_expected_counts.py",
    "tests/inference/expectation/test_proposals_of_noisy_nodes.py",
]
LEFT_OUT = ["tests/sources/files/test_ctrl_c.py", "tests/sources/files/test_faults_of_files.py"]
"""Tests of many processes or of messages, which reach no more of the core than the others."""


def main(build: Path) -> int:
    """Lay the package out beside the sanitized core and run the tests on it."""
    package = build / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        ROOT / "src" / "bayou", package / "bayou", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    for core in build.glob("_core*.so"):
        shutil.copy(core, package / "bayou" / "_native")
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        # Python itself is not sanitized: the run time must come first, and the C++ library before it throws.
        "LD_PRELOAD": " ".join(_library(name) for name in ("libasan.so", "libstdc++.so")),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "BAYOU_EXAMPLES": "15",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        str(os.cpu_count()),
        "--dist",
        "worksteal",
        "-p",
        "no:cacheprovider",
        *TESTS,
    ]
    command += [f"--ignore={test}" for test in LEFT_OUT]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _library(name: str) -> str:
    compiler = os.environ.get("CXX", "g++")
    return subprocess.run(
        [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
