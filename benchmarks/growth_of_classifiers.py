"""How time and memory grow with rows, columns and classes: ``growth_of_classifiers.py [--quick | NAMES]``.

Each fit runs in a process of its own, which is ended when it takes more than five minutes. Prints a line for
each, keeps them in ``accuracy.json`` and draws the picture; with names of classifiers only these are measured
again, and with ``--quick`` a fiftieth of the rows, kept nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from classifiers.findings import kept_findings, save_findings, write_page
from classifiers.names import TITLES
from classifiers.own_process import measured, timed_fit
from classifiers.systems import systems
from classifiers.tables import ROOT

SYSTEMS = ("ensemble", "lightgbm", "catboost")
USUAL = {"rows": 10_000, "columns": 20, "classes": 2}
GROWING = {
    "rows": (1_000, 10_000, 100_000, 500_000),
    "columns": (5, 20, 50, 100, 200),
    "classes": (2, 5, 10, 20, 50),
}
PATIENCE = 300
LEAST_ROWS = 500
PICTURE = ROOT / "docs" / "pictures" / "classifier_growth.svg"


def made_up(rows: int, columns: int, classes: int) -> tuple[Any, np.ndarray]:
    """Half numbers, half states of eight kinds; some of them, a product and chance make the class."""
    import pandas

    random = np.random.default_rng(11)
    numbers = random.normal(size=(rows, columns - columns // 2))
    states = random.integers(0, 8, (rows, columns // 2))
    used = min(6, columns // 2)
    score = numbers[:, :used] @ random.normal(size=(used, classes))
    score += numbers[:, :1] * numbers[:, 1:2] * random.normal(size=classes)
    for place in range(used):
        score += random.normal(size=(8, classes))[states[:, place]]
    target = (score + random.gumbel(size=score.shape)).argmax(axis=1).astype(str).astype(object)
    names = np.array([f"s{k}" for k in range(8)], dtype=object)
    frame = {f"n{k}": numbers[:, k] for k in range(numbers.shape[1])}
    return pandas.DataFrame(frame | {f"c{k}": names[states[:, k]] for k in range(states.shape[1])}), target


def fit(name: str, shape: dict[str, int]) -> None:
    """Fit a classifier to made-up rows, and print what it took."""
    (system,) = systems([name])
    features, target = made_up(**shape)
    _, took = timed_fit(system, system.rows(features), target, few=200)
    del took["before_MB"]
    print(json.dumps(took))


def curves(names: list[str], share: int = 1) -> list[dict[str, Any]]:
    """Every size along each of the three directions, rows divided by ``share``."""
    found: list[dict[str, Any]] = []
    for by, sizes in GROWING.items():
        given_up: set[str] = set()
        for size in sizes:
            shape = {**USUAL, by: size}
            shape["rows"] = max(LEAST_ROWS, shape["rows"] // share)
            for name in (name for name in names if name not in given_up):
                took = measured(__file__, name, shape, PATIENCE)
                if took is None:
                    given_up.add(name)
                found.append({"system": name, "by": by, **shape, **(took or {"too long": True})})
                print(found[-1], flush=True)
    return found


def draw(found: list[dict[str, Any]], target: Path) -> None:
    """Seconds and memory, by rows, columns and classes."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(9.6, 5.6), sharey="row")
    for place, by in enumerate(GROWING):
        for name in SYSTEMS:
            kept = [one for one in found if (one["system"], one["by"]) == (name, by) and "seconds" in one]
            if kept:
                for line, key in enumerate(("seconds", "MB")):
                    axes[line, place].loglog(
                        [one[by] for one in kept], [one[key] for one in kept], "o-", ms=4, label=TITLES[name]
                    )
        sizes = sorted({one[by] for one in found if one["by"] == by})
        for axis in axes[:, place]:
            axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
            axis.minorticks_off()
        fixed = ", ".join(f"{number:,} {word}" for word, number in USUAL.items() if word != by)
        axes[1, place].set_xlabel(f"{by} ({fixed})")
    axes[0, 0].set_ylabel("seconds to fit")
    axes[1, 0].set_ylabel("peak resident MB")
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})
    pyplot.close(figure)


def told(found: list[dict[str, Any]]) -> str:
    """What took too long, in words."""
    late = [
        f"{TITLES[one['system']]} with {one[one['by']]:,} {one['by']}" for one in found if "too long" in one
    ]
    return f" Not drawn, because it took more than five minutes: {', '.join(late)}." if late else ""


def main() -> None:
    """Measure all sizes; the full ones are kept and drawn."""
    names = [each.name for each in systems(list(SYSTEMS))]
    if "--quick" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            draw(curves(names, share=50), Path(folder) / "growth.svg")
        return
    again = sys.argv[1].split(",") if len(sys.argv) > 1 else names
    found = kept_findings()
    kept = [one for one in found.get("growth", {}).get("measures", []) if one["system"] not in again]
    measures = kept + curves([name for name in names if name in again])
    found = kept_findings()
    found["growth"] = {"measures": measures, "late": told(measures), "processors": os.cpu_count()}
    save_findings(found)
    draw(measures, PICTURE)
    write_page(found)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fit(sys.argv[1], json.loads(sys.argv[2]))
    else:
        main()
