"""Seconds, sizes, growth and learning curves on ``docs/lookup/accuracy.md``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from classifiers.names import TITLES, title

CURVES = """## From 20 to 2,000 rows

![Log-loss by the number of rows learned from, on five tables](../pictures/learning_curves.svg)

Means of {draws} random draws of so many rows (at least one of each class), all judged on the same rows left
out (a quarter of the table, at most {judged:,}). Below 50 rows BayesEnsemble is naive Bayes, exactly. The
forest has its one temperature: raw votes of few rows are often exactly 0, which costs 34.5 when it comes
true.
"""
GROWTH = """## How time and memory grow

![Seconds to fit and peak memory, by rows, columns and classes](../pictures/classifier_growth.svg)

Made-up tables, half numbers, half states: 10,000 rows, 20 columns and 2 classes where nothing else is said.
Each fit ran in a process of its own with two threads (`benchmarks/growth_of_classifiers.py`). Memory is the
peak of the whole process, of which Python and its packages have 100 to 200 MB.{late}
"""
SECONDS = """## Seconds and sizes

From one run, {when}{again}, on a machine with {processors} processors,
{threads} threads for each classifier, one after the other: the best of up to three runs, after a first fit
that loads the library. Seconds by the clock, sizes in MB (bayou's own file; for the others a pickle).

"""


def costs(found: Mapping[str, Any]) -> str:
    """The sections that were measured."""
    parts = [_seconds(found["seconds"])] if "seconds" in found else []
    if "curves" in found:
        parts.append(CURVES.format(draws=found["curves"]["draws"], judged=found["curves"]["judged"]))
    if "growth" in found:
        parts.append(GROWTH.format(late=found["growth"]["late"]))
    return "\n".join(parts)


def _seconds(measured: Mapping[str, Any]) -> str:
    tables = list(measured["tables"])
    heads = " | ".join(f"{table}: fit | predict | size" for table in tables)
    lines = [f"- {table}: {measured['told'][table]}." for table in tables]
    lines += ["", f"| classifier | {heads} |", "|---|" + "---:|---:|---:|" * len(tables)]
    for name in (name for name in TITLES if any(name in measured["tables"][table] for table in tables)):
        cells = (_cell(measured["tables"][table].get(name)) for table in tables)
        lines.append(f"| {title(name)} | {' | '.join(cells)} |")
    return SECONDS.format(**{**measured, "again": _again(measured.get("again"))}) + "\n".join([*lines, ""])


def _again(later: Mapping[str, Any] | None) -> str:
    """Which classifiers were measured again, and when."""
    if later is None:
        return ""
    return f" ({' and '.join(TITLES[name] for name in later['systems'])} again on {later['when']})"


def _cell(cost: Mapping[str, float] | None) -> str:
    if cost is None:
        return "– | – | –"
    return f"{short(cost['fit'])} | {short(cost['predict'])} | {short(cost['bytes'] / 1e6)}"


def short(value: float) -> str:
    """A positive number with two or three digits."""
    for least, digits in ((99.5, 0), (9.95, 1), (0.095, 2)):
        if value >= least:
            return f"{value:.{digits}f}"
    return f"{value:.3f}"
