"""Reading BIF files."""

from __future__ import annotations

from collections.abc import Callable

from case import Case, Work
from data import bif_file
from peers import bayou_squares, pyagrum_squares


def _bayou(name: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import bayou

        path = bif_file(name)
        return Work(lambda: bayou.load(path), bayou_squares)

    return prepare


def _pyagrum(name: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import pyagrum

        path = str(bif_file(name))
        return Work(lambda: pyagrum.loadBN(path), pyagrum_squares)

    return prepare


def _case(name: str, title: str) -> Case:
    systems = {"bayou": _bayou(name), "pyAgrum": _pyagrum(name)}
    # pyAgrum rounds probabilities to float32 while reading, bayou normalises rows that are off by rounding.
    return Case(f"bif-{name}", title, systems, targets={"pyAgrum": 4}, tolerance=1e-5)


LINK = _case("link", "reading BIF: link (724 variables)")
DIABETES = _case("diabetes", "reading BIF: diabetes (413 variables)")
