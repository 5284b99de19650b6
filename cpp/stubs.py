"""Write the types of the compiled core, as the built module states them, to src/bayou/_native/_core.pyi.

python cpp/stubs.py    (or: make stubs)
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

STUB = Path(__file__).resolve().parents[1] / "src" / "bayou" / "_native" / "_core.pyi"
HEAD = '''"""The compiled kernels. Generated from the built core by cpp/stubs.py: do not edit."""

from __future__ import annotations

from bayou.typing import CodeArray, CountArray, FloatArray, IntArray
'''
SHORTER = [
    # What nanobind knows of an array beyond its dtype (shape, order) is more than type checkers use.
    (r"Annotated\[(NDArray\[numpy\.\w+\]), dict\(.*?\)\]", r"\1"),
    (r"numpy\.typing\.NDArray", "NDArray"),
    (r"NDArray\[numpy\.float64\]", "FloatArray"),
    (r"NDArray\[numpy\.int64\]", "IntArray"),
    (r"import (bayou|numpy)\.typing\n", ""),
    (r"bayou\.typing\.", ""),
]


def stub_text(core: ModuleType) -> str:
    """The stub of a built core, not formatted."""
    from nanobind.stubgen import StubGen

    generator = StubGen(core)
    generator.put(core)
    text = generator.get()
    for pattern, shorter in SHORTER:
        text = re.sub(pattern, shorter, text)
    return HEAD + text[text.index("from collections.abc") :]


def write(path: Path, core: ModuleType) -> None:
    """Write the formatted stub of a built core."""
    path.write_text(stub_text(core), encoding="utf-8")
    for command in (["check", "--fix", "--select=I,F401"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", str(path)], check=True)


if __name__ == "__main__":
    from bayou._native import _core

    write(STUB, _core)
