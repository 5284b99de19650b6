"""What the page needs of the measurements, in ``benchmarks/accuracy.json``."""

from __future__ import annotations

import json
from typing import Any

from classifiers.jobs import gathered
from classifiers.names import FOREST_AND_BOOSTING
from classifiers.page import accuracy_page
from classifiers.page_tables import PYAGRUM
from classifiers.scores import paired, scores
from classifiers.systems import OURS, System, systems
from classifiers.tables import ROOT, Table, reference

KEPT = ROOT / "benchmarks" / "accuracy.json"
PAGE = ROOT / "docs" / "lookup" / "accuracy.md"


def kept_findings() -> dict[str, Any]:
    """All that was measured so far."""
    found: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return found


def save_findings(found: dict[str, Any]) -> None:
    """Write them in a stable order, the whole file at once."""
    part = KEPT.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    part.replace(KEPT)


def write_page(found: dict[str, Any]) -> None:
    """Write the page from what is kept."""
    PAGE.write_text(accuracy_page(found), encoding="utf-8")


def keep_findings(table: Table) -> None:
    """Keep the scores of all classifiers that have done a table; numbers of others stay as they are."""
    found = kept_findings()
    entry = found.setdefault("tables", {}).setdefault(table.name, {"models": {}})
    entry.update(table.facts)
    done = {system: gathered(system, table) for system in systems() if system.takes(table)}
    for system, rows in done.items():
        if rows is not None:
            found.setdefault("versions", {})[system.package] = system.version
            entry["models"][system.name] = _summary(system, rows)
    found.setdefault("pyagrum", {})[table.name] = _pyagrum(table.name)
    of_rows = {each.name: rows["loss"] for each, rows in done.items() if rows and "loss" in rows}
    entry["paired"] = {**entry.get("paired", {}), **_paired(of_rows, entry["models"])}
    save_findings(found)


def _summary(system: System, rows: dict[str, Any]) -> dict[str, Any]:
    if "refused" in rows:
        return {"refused": rows["refused"]}
    kept = {key: float(f"{value:.6g}") for key, value in scores(rows).items()}
    if system.name != "fit":
        return kept
    names = sorted(set(rows["chosen"]))
    return {**kept, "chosen": {name: rows["chosen"].count(name) for name in names}}


def _pyagrum(name: str) -> dict[str, dict[str, float]]:
    """pyAgrum's numbers on a table, which came with it."""
    methods = reference("classifiers")["results"].get(name, {}).get("methods", {})
    return {
        method: {key: methods[method][key] for key in ("log_loss", "accuracy")}
        for method in PYAGRUM
        if method in methods
    }


def _paired(losses: dict[str, Any], models: dict[str, Any]) -> dict[str, Any]:
    """Each of bayou's classifiers against the better of forest and boosting, and against the best of all.

    Only where the rows of all rivals that were measured are still in the cache.
    """
    others = [name for name, each in models.items() if name not in OURS and "log_loss" in each]
    found: dict[str, Any] = {}
    for ours in (name for name in losses if name in OURS):
        found[ours] = {}
        for word, known in (("bar", set(FOREST_AND_BOOSTING)), ("best", set(others))):
            rivals = [name for name in others if name in known]
            if rivals and all(name in losses for name in rivals):
                rival = min(rivals, key=lambda name: float(losses[name].mean()))
                found[ours][word] = {"rival": rival, **paired(losses[ours], losses[rival])}
    return found
