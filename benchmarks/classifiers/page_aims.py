"""Aims of speed of BayesEnsemble on ``docs/lookup/accuracy.md``: what was wanted, what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from classifiers.names import TITLES, title
from classifiers.page_costs import short

LARGE = """## Half a million rows

Shaped like covertype: ten columns of whole numbers, 44 of two states, seven classes, made at random
(`benchmarks/covertype_like.py`); {rows:,} rows to learn from, each fit in a process of its own with two
threads. Memory is the peak of the whole process; it had {before} MB, most of them the table, before the fit.

| classifier | seconds to fit | of processors | peak MB | log-loss on new rows |
|---|---:|---:|---:|---:|
"""
AIMS = """## Aims of speed

What was wanted of BayesEnsemble at its default size, and what came.

| aim | came | met |
|---|---:|---|
"""
TIMES_LIGHTGBM = 3.0
RIVALS = (("lightgbm", TIMES_LIGHTGBM), ("catboost", 1.0))


@dataclass(frozen=True)
class Aim:
    """One sentence, what was measured and the most that was wanted, in the same unit."""

    told: str
    came: float
    most: float
    unit: str

    @property
    def line(self) -> str:
        """A line of the table."""
        met = "yes" if self.came <= self.most else "**no**"
        return f"| {self.told} | {short(self.came)} {self.unit} | {met} |"


def aims(found: Mapping[str, Any]) -> str:
    """The sections, as far as they were measured."""
    parts = [_large(found["covertype"])] if "covertype" in found else []
    lines = [each.line for each in [*_absolute(found), *_beside(found)]]
    if lines:
        parts.append(AIMS + "\n".join([*lines, ""]))
    return "\n".join(parts)


def _large(measured: Mapping[str, Any]) -> str:
    lines = [
        f"| {title(name)} | {each['seconds']:.0f} | {each['processor']:.0f} | {each['MB']:,.0f} "
        f"| {each['log_loss']:.4f} |"
        for name in TITLES
        if (each := measured["models"].get(name)) is not None
    ]
    before = max(each["before_MB"] for each in measured["models"].values())
    return LARGE.format(rows=measured["rows"], before=f"{before:,.0f}") + "\n".join([*lines, ""])


def _absolute(found: Mapping[str, Any]) -> Iterator[Aim]:
    tables = found.get("seconds", {}).get("tables", {})
    adult = tables.get("adult", {}).get("ensemble")
    if adult is not None:
        yield Aim("adult (48,842 rows): fit under 3 s", adult["fit"], 3.0, "s")
        yield Aim("adult: 10,000 rows predicted under 0.1 s", adult["predict"], 0.1, "s")
        yield Aim("adult: file under 30 MB", adult["bytes"] / 1e6, 30.0, "MB")
    for name in ("titanic", "soybean"):
        if "ensemble" in tables.get(name, {}):
            yield Aim(
                f"{name} (below 1,000 rows): fit under 0.5 s", tables[name]["ensemble"]["fit"], 0.5, "s"
            )
    large = found.get("covertype", {}).get("models", {}).get("ensemble")
    if large is not None:
        yield Aim("shaped like covertype: fit under 60 s", large["seconds"], 60.0, "s")
        yield Aim("shaped like covertype: within 2 GB", large["MB"] / 1000, 2.0, "GB")


def _beside(found: Mapping[str, Any]) -> Iterator[Aim]:
    """How many times as long as the fit of LightGBM (at most three) and of CatBoost (at most one)."""
    for table, fits in _fits(found):
        for rival, most in RIVALS:
            if "ensemble" in fits and rival in fits:
                told = f"{table}: at most {most:g} × {TITLES[rival]}'s fit"
                yield Aim(told, fits["ensemble"] / fits[rival], most, "×")


def _fits(found: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    for table, costs in found.get("seconds", {}).get("tables", {}).items():
        yield table, {name: cost["fit"] for name, cost in costs.items()}
    if "covertype" in found:
        models = found["covertype"]["models"]
        yield "shaped like covertype", {name: each["seconds"] for name, each in models.items()}
