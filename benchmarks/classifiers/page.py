"""``docs/lookup/accuracy.md``: what wins, what loses, on what; then every number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from classifiers.first_screen import first_screen
from classifiers.how_measured import how_measured
from classifiers.names import BOOSTED, loss_text, title
from classifiers.page_aims import aims
from classifiers.page_costs import costs
from classifiers.page_tables import every_number, pyagrum_section
from classifiers.page_unseen import unseen
from classifiers.summary import Comparison, comparisons, real_tables, scored

MATRIX = ("ensemble", "fit", "nb", "logistic", "tempered-forest", *BOOSTED)
PAIRED = """## BayesEnsemble against the best of the others, row by row

Tables of 300 rows or more. In brackets: BayesEnsemble's log-loss minus the rival's (negative: bayou is
better) ± one standard error of the differences of the same rows. The aim: not worse than the better of
forest (raw or with one temperature) and HistGradientBoosting by more than 3 % of its log-loss or one
standard error, whichever is larger. The last column has the best of *all* others, picked after the fact.

| table | rows | BayesEnsemble | better of forest and boosting | aim met | best of all others |
|---|---:|---:|---|---|---|
"""
MATRIX_TOLD = """## Log-loss, table by table

Small tables first; bold: the smallest of the line. [Every number](#every-number) of every classifier is
below.

"""
CHOSEN = """## What bayou.fit chose

`bayou.fit(table, target)` takes the simplest classifier within one standard error of the best, if it costs at
most 5 % of log-loss; in brackets the number of folds.

| table | chosen | log-loss | BayesEnsemble's |
|---|---|---:|---:|
"""


def accuracy_page(found: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = [
        first_screen(found),
        _matrix(found),
        _paired(found),
        _chosen(found),
        unseen(found),
        costs(found),
        aims(found),
        pyagrum_section(found),
        how_measured(found),
        every_number(found),
    ]
    return "\n".join(part for part in parts if part)


def _matrix(found: Mapping[str, Any]) -> str:
    tables = real_tables(found)
    names = [name for name in MATRIX if any(name in scored(found["tables"][table]) for table in tables)]
    lines = [f"| table | {' | '.join(title(name) for name in names)} |", "|---|" + "---:|" * len(names)]
    for table in tables:
        models = scored(found["tables"][table])
        least = min((models[name]["log_loss"] for name in names if name in models), default=0.0)
        lines.append(f"| {table} | {' | '.join(_cell(models.get(name), least) for name in names)} |")
    return MATRIX_TOLD + "\n".join([*lines, ""])


def _cell(scores: Mapping[str, Any] | None, least: float) -> str:
    if scores is None:
        return "–"
    text = loss_text(scores["log_loss"])
    return f"**{text}**" if scores["log_loss"] == least else text


def _paired(found: Mapping[str, Any]) -> str:
    best = {each.table: each for each in comparisons(found, "ensemble", "best")}
    lines = []
    for each in comparisons(found, "ensemble", "bar"):
        rows, met = found["tables"][each.table]["rows"], "yes" if each.met else "**no**"
        beside = _rival(best[each.table]) if each.table in best else "–"
        cells = [each.table, f"{rows:,}", loss_text(each.own), _rival(each), met, beside]
        lines.append(f"| {' | '.join(cells)} |")
    return PAIRED + "\n".join([*lines, ""]) if lines else ""


def _rival(each: Comparison) -> str:
    signed = f"{each.difference:+.4f} ± {each.error:.4f}".replace("-", "−")
    return f"{title(each.rival)} {loss_text(each.theirs)} ({signed})"


def _chosen(found: Mapping[str, Any]) -> str:
    lines = []
    for table in real_tables(found):
        models = scored(found["tables"][table])
        if "fit" in models and "ensemble" in models:
            told = ", ".join(f"{name} ({count})" for name, count in models["fit"]["chosen"].items())
            losses = (loss_text(models[name]["log_loss"]) for name in ("fit", "ensemble"))
            lines.append(f"| {table} | {told} | {' | '.join(losses)} |")
    return CHOSEN + "\n".join([*lines, ""]) if lines else ""
