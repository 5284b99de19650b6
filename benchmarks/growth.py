"""How processor time and memory grow with the rows and columns of a file: ``python growth.py [--quick]``.

Prints a line for each fit, which runs in a process of its own, and writes ``growth.json`` and the picture of
docs/do/data/scale.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from cases import parquet_files
from data import CACHE, HERE
from measure import status

ROWS = (10**5, 10**6, 10**7, 10**8)
COLUMNS = (10, 100, 1000)
WIDE_ROWS = 10**6
PICTURE = HERE.parent / "docs" / "pictures" / "growth.svg"


def wide_file(columns: int, rows: int) -> Path:
    """A Parquet file of small whole numbers with this many columns, the last of which is the class."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"columns-{columns}-{rows}.parquet"
    if path.exists():
        return path
    names = [*(f"x{k}" for k in range(columns - 1)), "y"]
    step = min(rows, 50_000)
    block = np.random.default_rng(3).integers(0, 8, (step, columns))
    block[:, -1] %= 2
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, pa.schema([(name, pa.int64()) for name in names])) as writer:
        for start in range(0, rows, step):
            moved = np.roll(block[:, :-1], start // step, axis=1)
            cells = [*(moved[:, k] for k in range(columns - 1)), block[:, -1]]
            writer.write_table(pa.table(cells, names=names))
    part.rename(path)
    return path


def measured(model: str, path: Path) -> dict[str, float]:
    """Fit a classifier in a process of its own; return its seconds and its peak memory in MB."""
    done = subprocess.run(
        [sys.executable, __file__, model, str(path)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit(model: str, path: str) -> None:
    """Fit a classifier to a file, and print what it took."""
    import bayou

    estimator = {"naive": bayou.NaiveBayes, "tan": bayou.TAN}[model]()
    started, processor = time.perf_counter(), time.process_time()
    estimator.fit(path, "y")
    took = {"seconds": time.perf_counter() - started, "processor": time.process_time() - processor}
    print(json.dumps({**took, "MB": status("VmHWM") / 2**20}))


def curves(share: int) -> list[dict[str, object]]:
    """Measure all sizes, divided by ``share``."""
    found: list[dict[str, object]] = []
    for rows in ROWS:
        path = parquet_files._file(rows / share / parquet_files.ROWS)
        for model in ("naive", "tan"):
            found.append({"model": model, "rows": rows // share, "columns": 20, **measured(model, path)})
            print(found[-1], flush=True)
    for columns in COLUMNS:
        path = wide_file(columns, WIDE_ROWS // share)
        found.append(
            {"model": "naive", "rows": WIDE_ROWS // share, "columns": columns, **measured("naive", path)}
        )
        print(found[-1], flush=True)
    return found


def main() -> None:
    """Measure all sizes; the full ones are kept and drawn."""
    share = 100 if "--quick" in sys.argv else 1
    found = curves(share)
    if share == 1:
        (HERE / "growth.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        draw(found, PICTURE)


def draw(found: list[dict[str, object]], target: Path, wide_rows: int = WIDE_ROWS) -> None:
    """Draw processor time and memory by rows and by columns."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(8.4, 5.6), sharey="row")
    for column, (by, fixed) in enumerate((("rows", ("columns", 20)), ("columns", ("rows", wide_rows)))):
        for model in ("naive", "tan"):
            kept = [one for one in found if one["model"] == model and one[fixed[0]] == fixed[1]]
            kept = kept if by == "rows" else [one for one in kept if one["columns"] != 20]
            if kept:
                axes[0, column].loglog(
                    [o[by] for o in kept], [o["processor"] for o in kept], "o-", label=model
                )
                axes[1, column].semilogx([o[by] for o in kept], [o["MB"] for o in kept], "o-", label=model)
        axes[1, column].axhline(1000, color="grey", linestyle=":")
        axes[1, column].set_xlabel(f"{by} ({fixed[1]:,} {fixed[0]})")
    axes[0, 0].set_ylabel("processor seconds")
    axes[1, 0].set_ylabel("peak resident MB")
    axes[1, 0].set_ylim(0, 1100)
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(target)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fit(sys.argv[1], sys.argv[2])
    else:
        main()
