"""Fitting from a pandas frame of strings, by each system; loading and fitting are timed together."""

from __future__ import annotations

from collections.abc import Callable

from case import Work
from data import sample
from peers import (
    bayou_squares,
    pgmpy_fit,
    pgmpy_model,
    pgmpy_squares,
    pyagrum_fit,
    pyagrum_load,
    pyagrum_squares,
    pyagrum_template,
)

Prepare = Callable[[float], Work]


def bayou_str(name: str, rows: int) -> Prepare:
    """``Network.fit`` on pandas' own text type."""
    return lambda scale: _bayou(name, int(rows * scale), "str")


def bayou_object(name: str, rows: int) -> Prepare:
    """``Network.fit`` on columns of Python strings."""
    return lambda scale: _bayou(name, int(rows * scale), "object")


def _bayou(name: str, rows: int, kind: str) -> Work:
    import bayou

    data = sample(name, rows)
    frame = data.frame(kind)
    network = bayou.load(data.bif)
    return Work(lambda: network.fit(frame), bayou_squares)


def pgmpy_str(name: str, rows: int) -> Prepare:
    """pgmpy on pandas' own text type."""
    return lambda scale: _pgmpy(name, int(rows * scale), "str")


def pgmpy_categories(name: str, rows: int) -> Prepare:
    """pgmpy on a frame that is coded already: its fastest input."""
    return lambda scale: _pgmpy(name, int(rows * scale), "category")


def _pgmpy(name: str, rows: int, kind: str) -> Work:
    data = sample(name, rows)
    frame = data.frame("str")
    frame = frame if kind == "str" else frame.astype(kind)
    model = pgmpy_model(data)
    return Work(lambda: pgmpy_fit(model, frame, data.states), pgmpy_squares)


def pyagrum_str(name: str, rows: int) -> Prepare:
    """pyAgrum, loading included."""

    def prepare(scale: float) -> Work:
        data = sample(name, int(rows * scale))
        frame = data.frame("str")
        template = pyagrum_template(data)
        return Work(lambda: pyagrum_fit(pyagrum_load(frame, template), template), pyagrum_squares)

    return prepare
