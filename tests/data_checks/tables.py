"""A healthy table, ways to make it ill, and to try a finding's cure."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import polars

import bayou
from bayou.data_checks import Finding, Report

N = 200
RANDOM = numpy.random.default_rng(8)
GOOD = RANDOM.normal(size=N).round(6)
SIDES = numpy.where(RANDOM.random(N) < 0.5, "left", "right")
CLASSES = numpy.where(RANDOM.random(N) < 0.4, "ja", "nein")


def healthy() -> dict[str, Any]:
    return {"Größe in m": GOOD.tolist(), "side": SIDES.tolist(), "klasse": CLASSES.tolist()}


def with_column(values: Any, name: str = "die Spalte") -> dict[str, Any]:
    return {name: list(values), **healthy()}


def found(report: Report, name: str) -> list[Finding]:
    return [finding for finding in report if finding.check == name]


def cured(data: Any, finding: Any) -> Any:
    """The table after the finding's line of code."""
    space = {"data": data, "pandas": pandas, "polars": polars, "numpy": numpy, "bayou": bayou}
    exec(finding.fix, space)
    return space["data"]
