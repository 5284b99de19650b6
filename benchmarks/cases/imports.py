"""The time of an import and of a whole process, in a fresh interpreter with the files warm."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable

from case import Case, Work
from data import bif_file

PROGRAM = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def _import(statement: str) -> Callable[[float], Work]:
    def seconds() -> float:
        command = [sys.executable, "-c", PROGRAM.format(statement)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return lambda scale: Work(seconds, lambda answer: 0.0, own_times=True)


def _process(*arguments: str) -> Callable[[float], Work]:
    """A whole process: its processor time, from the start of the interpreter to its end."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return lambda scale: Work(seconds, lambda answer: 0.0, own_times=True)


def _command(scale: float) -> Work:
    question = ["query", str(bif_file("asia")), "lung | smoke=yes"]
    return _process("-m", "bayou", *question)(scale)


CASE = Case(
    "import",
    "`import bayou`",
    {
        "bayou": _import("import bayou"),
        "numpy": _import("import numpy"),
        "pyAgrum": _import("import pyagrum"),
        "sklearn.naive_bayes": _import("from sklearn import naive_bayes"),
        "pgmpy.models": _import("import pgmpy.models"),
    },
    within_ms={"numpy": 50},
    tolerance=None,
)
NETWORK = Case(
    "start-network",
    "start-up: a process that loads `bayou.Network`, processor time",
    {
        "bayou": _process("-c", "import bayou; bayou.Network"),
        "numpy": _process("-c", "import numpy"),
        "pyAgrum": _process("-c", "import pyagrum; pyagrum.BayesNet"),
        "pgmpy": _process("-c", "from pgmpy.models import DiscreteBayesianNetwork"),
        "bayou query (command line)": _command,
    },
    within_ms={"numpy": 80},
    tolerance=None,
    note="Names of bayou load on first use. The command line asks `lung | smoke=yes` of asia.bif.",
)
CLASSIFIER = Case(
    "start-classifier",
    "start-up: a process that makes a naive Bayes classifier, processor time",
    {
        "bayou": _process("-c", "import bayou; bayou.NaiveBayes()"),
        "scikit-learn": _process("-c", "from sklearn.naive_bayes import GaussianNB; GaussianNB()"),
    },
    within_ms={"scikit-learn": 150},
    tolerance=None,
)
