"""The tables of numbers of ``docs/lookup/accuracy.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from classifiers.names import OURS, TITLES, loss_text, title
from classifiers.summary import real_tables, scored
from classifiers.tables import TOYS

PYAGRUM = {"pyagrum_naive_bayes": "nb", "pyagrum_tan": "tan", "pyagrum_chow_liu": "chow-liu"}


def pyagrum_section(found: Mapping[str, Any]) -> str:
    """pyAgrum's classifiers on numbers cut at deciles: these numbers came with the tables."""
    lines = []
    for table in real_tables(found):
        given = found.get("pyagrum", {}).get(table, {})
        models = scored(found["tables"][table])
        if given:
            cells = [_pair(models.get(ours), given.get(theirs)) for theirs, ours in PYAGRUM.items()]
            lines.append(f"| {table} | {' | '.join(cells)} |")
    if not lines:
        return ""
    return "\n".join(
        [
            "## pyAgrum",
            "",
            "Log-loss and accuracy on the same folds. pyAgrum's numbers came with the tables, these only:",
            "its BNClassifier with smoothing 1, numbers cut at deciles, gaps as one more state.",
            "",
            "| table | NaiveBayes | pyAgrum's | TAN | pyAgrum's | ChowLiuClassifier | pyAgrum's |",
            "|---|---:|---:|---:|---:|---:|---:|",
            *lines,
            "",
        ]
    )


def _pair(ours: Mapping[str, Any] | None, theirs: Mapping[str, Any] | None) -> str:
    return " | ".join(
        f"{loss_text(each['log_loss'])}, {each['accuracy']:.3f}" if each else "–" for each in (ours, theirs)
    )


def every_number(found: Mapping[str, Any]) -> str:
    """One section for each table."""
    tables = [*real_tables(found), *(name for name in TOYS if name in found["tables"])]
    sections = [_section(name, found["tables"][name]) for name in tables]
    return "\n".join(
        ["## Every number", "", "By log-loss; bold numbers: the best of the table.", "", *sections]
    )


def _section(name: str, entry: Mapping[str, Any]) -> str:
    toy = " A toy: every row but one is learned from, and one row decides much." if name in TOYS else ""
    facts = (
        f"{entry['rows']:,} rows, {entry['columns']} columns, {entry['classes']} classes (the largest "
        f"{entry['largest']:.1%}; log-loss of their shares {entry['entropy']:.3f}).{toy}"
    )
    head = "| classifier | log-loss | accuracy | ECE | Brier |\n|---|---:|---:|---:|---:|"
    return "\n".join([f"### {name}", "", facts, "", head, *_lines(entry), ""])


def _lines(entry: Mapping[str, Any]) -> Iterator[str]:
    models = scored(entry)
    best = {key: min(each[key] for each in models.values()) for key in ("log_loss", "ece", "brier")}
    best["accuracy"] = max(each["accuracy"] for each in models.values())
    texts = {
        "log_loss": loss_text,
        "accuracy": "{:.4f}".format,
        "ece": "{:.3f}".format,
        "brier": "{:.3f}".format,
    }
    for name in sorted(models, key=lambda name: (models[name]["log_loss"], name)):
        cells = []
        for key, text in texts.items():
            value = models[name][key]
            cells.append(f"**{text(value)}**" if value == best[key] else text(value))
        yield f"| {title(name)} | {' | '.join(cells)} |"
    for name, each in entry["models"].items():
        if "refused" in each and name in OURS:
            yield f"| {TITLES[name]} | refused: {each['refused']} | | | |"
