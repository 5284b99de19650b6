"""Log-loss against the number of rows learned from, on five tables: measured and drawn."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from classifiers.findings import kept_findings, save_findings
from classifiers.jobs import CACHE
from classifiers.names import TITLES
from classifiers.scores import judged_rows
from classifiers.systems import System, code_of_bayou, systems
from classifiers.tables import ROOT, Table, read_table

TABLES = ("titanic", "car", "digits", "mushroom", "adult")
SYSTEMS = ("ensemble", "nb", "tempered-forest", "lightgbm")
SIZES = (20, 50, 100, 200, 500, 1000, 2000)
DRAWS = 3
MOST_JUDGED = 2000
PICTURE = ROOT / "docs" / "pictures" / "learning_curves.svg"


def measure_curves(
    names: tuple[str, ...] = TABLES, sizes: tuple[int, ...] = SIZES, draws: int = DRAWS
) -> dict[str, Any]:
    """Measure all curves (what was measured with the same code is kept), and draw them."""
    curves: dict[str, Any] = {}
    for name in names:
        table = read_table(name)
        judged, pool = _split(table)
        for size in (size for size in sizes if size <= len(pool)):
            for system in systems(list(SYSTEMS)):
                losses = [_loss(system, table, judged, drawn(table, pool, size, k), k) for k in range(draws)]
                curves.setdefault(name, {}).setdefault(system.name, {})[str(size)] = float(np.mean(losses))
                print(f"{name:10} {size:5} {system.name:16} {np.mean(losses):.4f}", flush=True)
    found = kept_findings()
    found["curves"] = {"draws": draws, "judged": MOST_JUDGED, "tables": curves}
    save_findings(found)
    draw(curves, PICTURE)
    return curves


def _split(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are judged (a quarter, at most so many), and rows to draw from."""
    order = np.random.default_rng(7).permutation(len(table.target))
    judged = min(MOST_JUDGED, len(order) // 4)
    return order[:judged], order[judged:]


def drawn(table: Table, pool: np.ndarray, size: int, draw: int) -> np.ndarray:
    """So many random rows, among them one of each class: no classifier knows a class that it never saw."""
    order = np.random.default_rng([size, draw]).permutation(pool)
    firsts = np.unique(table.target[order].astype(str), return_index=True)[1]
    others = np.setdiff1d(np.arange(len(order)), firsts)
    found: np.ndarray = order[np.concatenate([firsts, others])[:size]]
    return found


def _loss(system: System, table: Table, judged: np.ndarray, learned: np.ndarray, draw: int) -> float:
    version = code_of_bayou() if system.ours else f"{system.package}-{system.version}"
    path = CACHE / system.name / version / f"curve-{table.name}-{len(learned)}-{draw}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = system.rows(table.features)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = system.make().fit(rows.iloc[learned], table.target[learned])
            proba = np.asarray(model.predict_proba(rows.iloc[judged]))
        found = judged_rows(table.target[judged], proba, list(model.classes_))
        path.write_text(json.dumps(float(found["loss"].mean())), encoding="utf-8")
    kept: float = json.loads(path.read_text("utf-8"))
    return kept


def draw(curves: dict[str, Any], target: Path) -> None:
    """One panel a table, one line a classifier."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator

    figure, axes = pyplot.subplots(1, len(curves), figsize=(2.4 * len(curves), 3.2), squeeze=False)
    for axis, (name, lines) in zip(axes[0], curves.items(), strict=True):
        for system in (each for each in SYSTEMS if each in lines):
            sizes = [int(size) for size in lines[system]]
            axis.loglog(sizes, list(lines[system].values()), "o-", ms=3, label=TITLES[system])
        axis.set_xticks([20, 200, 2000], ["20", "200", "2,000"])
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(lambda loss, _: f"{loss:g}")
        axis.minorticks_off()
        axis.set_title(name)
        axis.set_xlabel("rows learned from")
    axes[0, 0].set_ylabel("log-loss on rows left out")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(target, metadata={"Date": None})
    pyplot.close(figure)
