"""The time of an import, in a fresh interpreter with the files warm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from case import Case, Work

PROGRAM = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def _import(statement: str) -> Callable[[float], Work]:
    def seconds() -> float:
        command = [sys.executable, "-c", PROGRAM.format(statement)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return lambda scale: Work(seconds, lambda answer: 0.0, own_times=True)


CASE = Case(
    "import",
    "`import bayou`",
    {
        "bayou": _import("import bayou"),
        "bayou with Network": _import("import bayou; bayou.Network"),
        "numpy": _import("import numpy"),
        "pyAgrum": _import("import pyagrum"),
        "sklearn.naive_bayes": _import("from sklearn import naive_bayes"),
        "pgmpy.models": _import("import pgmpy.models"),
    },
    within_ms={"numpy": 50},
    tolerance=None,
    note="Names of bayou load on first use: ‘bayou with Network’ is what a user of networks waits for.",
)
