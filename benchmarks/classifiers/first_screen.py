"""The first screen of the page of accuracy: what wins, what loses, on what, in words and in one table."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from classifiers.names import BOOSTED, OURS, TITLES, loss_text, title
from classifiers.summary import (
    NEARLY_SOLVED,
    Mean,
    common,
    comparisons,
    geometric,
    lacking,
    means,
    real_tables,
    scored,
)

HEAD = """# Accuracy

<!-- Written by `python benchmarks/accuracy.py`; do not edit it by hand. -->

How well bayou's classifiers predict rows that they have not seen, beside forests, boosted trees and logistic
regression: {tables} tables, the same ten folds for all, everything at default settings.
"""
COLUMNS = ("log-loss", "without wine", "share of entropy", "accuracy", "rank", "best on", "ECE", "Brier")
HALF_A_POINT = 0.005


def first_screen(found: Mapping[str, Any]) -> str:
    """The sentences and the table of means."""
    made, shared = means(found), common(found)[1]
    told = [_wins(found, made), _losses(found), _plain(made), _choice(found)]
    lines = [HEAD.format(tables=len(shared)), *(_point(each) for each in told if each), ""]
    fewer = [f"{TITLES[name]} ({count} of {len(shared)})" for name, count in lacking(found).items()]
    if fewer:
        lines += [f"Not measured on all tables, and so in no mean: {', '.join(fewer)}.", ""]
    lines += [
        f"| classifier | {' | '.join(COLUMNS)} |",
        "|---|" + "---:|" * len(COLUMNS),
        *(_line(each) for each in made),
        "",
        f"Log-loss: geometric means without `mushroom`; all else: means over {len(shared)} tables;",
        "‘best on’: on how many of them it has the smallest log-loss of all listed. Bold: bayou.",
        "[How it was measured](#how-it-was-measured).",
        "",
    ]
    return "\n".join(lines)


def _point(told: str) -> str:
    return textwrap.fill(f"- {told}", 110, subsequent_indent="  ", break_on_hyphens=False)


def _line(each: Mean) -> str:
    cells = [
        title(each.name),
        loss_text(each.log_loss),
        loss_text(each.without_wine),
        f"{each.share_of_entropy:.3f}",
        f"{each.accuracy:.4f}",
        f"{each.rank:.1f}",
        str(each.best),
        f"{each.ece:.3f}",
        f"{each.brier:.3f}",
    ]
    return f"| {' | '.join(cells)} |"


def _wins(found: Mapping[str, Any], made: list[Mean]) -> str:
    """BayesEnsemble beside the best of the others in the mean."""
    pool = next((each for each in made if each.name == "ensemble"), None)
    others = [each for each in made if each.name not in OURS]
    if pool is None or not others:
        return ""
    second = min(others, key=lambda each: each.log_loss)
    most = max(others, key=lambda each: each.accuracy)
    behind, wrong = pool.log_loss > second.log_loss, pool.accuracy <= most.accuracy
    verb = "has not the smallest log-loss" if behind else "has the smallest log-loss"
    right = "is not right most often" if wrong else "is right most often"
    return (
        f"**BayesEnsemble {verb} in the mean {'and' if behind == wrong else 'but'} {right}**: "
        f"{loss_text(pool.log_loss)} and {pool.accuracy:.1%}. The best of the others in log-loss is "
        f"{TITLES[second.name]} with {loss_text(second.log_loss)}, in accuracy {TITLES[most.name]} with "
        f"{most.accuracy:.1%}. Of all classifiers it has the smallest log-loss on "
        f"{listed(_best_tables(found, 'ensemble'))}."
    )


def _best_tables(found: Mapping[str, Any], name: str) -> list[str]:
    kept = []
    for table in real_tables(found):
        models = scored(found["tables"][table])
        least = min((each["log_loss"] for each in models.values()), default=None)
        if name in models and models[name]["log_loss"] == least:
            kept.append(table)
    return kept


def _losses(found: Mapping[str, Any]) -> str:
    """Where another library is surely better, right more often, or the aim is missed."""
    against_bar = comparisons(found, "ensemble", "bar")
    if not against_bar:
        return ""
    worse = [each for each in comparisons(found, "ensemble", "best") if each.difference > each.error]
    where = [
        f"{TITLES[each.rival]} on `{each.table}` ({loss_text(each.own)} against {loss_text(each.theirs)})"
        for each in worse
    ]
    told = "; ".join(where) or "nobody on a table of 300 rows or more"
    told = f"**It loses** by more than one standard error of log-loss to {told}."
    accuracy = _less_often_right(found)
    if accuracy:
        told += f" Some other library is right more often by half a point or more on {listed(accuracy)}."
    missed = [each.table for each in against_bar if not each.met]
    return (
        f"{told} Worse than the better of forest and scikit-learn's boosting, by more than 3 % and more than "
        f"one standard error: on {listed(missed) if missed else 'no table'}."
    )


def _less_often_right(found: Mapping[str, Any]) -> list[str]:
    kept = []
    for table in real_tables(found):
        models = scored(found["tables"][table])
        others = [each["accuracy"] for name, each in models.items() if name not in OURS]
        if "ensemble" in models and max(others, default=0) >= models["ensemble"]["accuracy"] + HALF_A_POINT:
            kept.append(table)
    return kept


def _plain(made: list[Mean]) -> str:
    """How far the plain models carry."""
    boosted = [each for each in made if each.name in BOOSTED]
    plain = [each for each in made if each.name in OURS and each.name not in ("ensemble", "fit")]
    if not boosted or not plain:
        return ""
    best, right = plain[0], max(plain, key=lambda each: each.accuracy)
    behind = [TITLES[each.name] for each in boosted if each.log_loss > best.log_loss]
    ahead = [TITLES[each.name] for each in boosted if each.log_loss <= best.log_loss]
    most = max(boosted, key=lambda each: each.accuracy)
    told = f"**The plain models**: in log-loss the best is {TITLES[best.name]} ({loss_text(best.log_loss)}"
    if behind:
        told += f", in the mean ahead of {listed(behind, plain=True)}"
    if ahead:
        told += f", in the mean behind {listed(ahead, plain=True)}"
    return (
        f"{told}); {TITLES[right.name]} is right most often ({right.accuracy:.1%}; "
        f"{TITLES[most.name]} {most.accuracy:.1%})."
    )


def _choice(found: Mapping[str, Any]) -> str:
    """What preferring simple models costs."""
    names, shared = common(found)
    if "fit" not in names or "ensemble" not in names:
        return ""
    kept = [table for table in shared if table not in NEARLY_SOLVED]
    ratio = geometric(found, "fit", kept) / geometric(found, "ensemble", kept) - 1
    return (
        f"**`bayou.fit`** takes the simplest model within one standard error and 5 % of the best: "
        f"{100 * abs(ratio):.1f} % {'more' if ratio > 0 else 'less'} log-loss than BayesEnsemble in the mean."
    )


def listed(names: list[str], plain: bool = False) -> str:
    """Names with commas and ‘and’."""
    quoted = names if plain else [f"`{name}`" for name in names]
    if len(quoted) < 2:
        return "".join(quoted) or "none"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
