"""Peak memory of judging and predicting by large files: ``python judging.py [--quick] [rows …]``.

Prints a line for each job, which runs in a process of its own on a generated Parquet file of 20 columns of
small whole numbers, a class and the weights of the rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cases.parquet_files import NAMES, number_columns
from data import CACHE
from measure import status

ROWS = (10**6, 2 * 10**7)
_CHUNK = 1_000_000


def weighted_file(rows: int) -> Path:
    """The numbers of the other cases, and a column of small whole weights."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"weighted-{rows}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(exist_ok=True)
    chance, part = np.random.default_rng(14), path.with_suffix(".part")
    schema = pa.schema([(name, pa.int64()) for name in (*NAMES, "y", "times")])
    with pq.ParquetWriter(part, schema) as writer:
        for start in range(0, rows, _CHUNK):
            n = min(_CHUNK, rows - start)
            columns = {**number_columns(chance, n), "times": chance.integers(1, 5, n)}
            writer.write_table(pa.table(columns).cast(schema))
    part.rename(path)
    return path


def _features(path: str) -> Any:
    import bayou

    return bayou.from_file(path, ignore=["times"])


def _evaluate(path: str) -> float:
    import bayou

    return bayou.evaluate(["nb", "tan"], _features(path), "y", folds=3)["tan"].auc


def _evaluate_weighted(path: str) -> float:
    import bayou

    return bayou.evaluate("nb", path, "y", folds=3, weights="times")["nb"].auc


def _cross_validate(path: str) -> float:
    import bayou

    return bayou.cross_validate(bayou.TAN(), _features(path), "y", folds=3).loss


def _bayes_optimal(path: str) -> float:
    import bayou

    model = bayou.BayesOptimal(cv=3, evidence="cross-validation").fit(_features(path), "y")
    return max(model.log_evidence_.values())


def _score(path: str) -> float:
    import bayou

    return bayou.NaiveBayes().fit(_features(path), "y").score(_features(path), "y")


def _select(path: str) -> float:
    import bayou

    return float(bayou.FeatureSelector().fit(_features(path), "y").support_.sum())


def _predict(path: str) -> float:
    """``bayou predict --proba -o answers.parquet``, which also scores the answers."""
    import bayou
    from bayou.cli.main import cli  # inside: the command line

    with tempfile.TemporaryDirectory() as folder:
        model, answers = str(Path(folder, "nb.bayou")), str(Path(folder, "answers.parquet"))
        bayou.NaiveBayes().fit(_features(path), "y").save(model)
        cli(
            ["predict", model, path, "--proba", "--target", "y", "-o", answers, "--json"],
            standalone_mode=False,
        )
        return float(Path(answers).stat().st_size)


JOBS: dict[str, Callable[[str], float]] = {
    "evaluate": _evaluate,
    "evaluate, weighted": _evaluate_weighted,
    "cross_validate": _cross_validate,
    "BayesOptimal": _bayes_optimal,
    "score": _score,
    "FeatureSelector": _select,
    "predict to a file": _predict,
}


def measured(job: str, path: Path) -> dict[str, Any]:
    """Do a job in a process of its own; return its seconds, its peak memory in MB and what it found."""
    done = subprocess.run(
        [sys.executable, __file__, "--job", job, str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"error": done.stderr.strip().rpartition("\n")[2]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _do(job: str, path: str) -> None:
    started = time.perf_counter()
    found = JOBS[job](path)
    took = {"seconds": time.perf_counter() - started, "MB": status("VmHWM") / 2**20}
    print("\n" + json.dumps({**took, "found": found}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--job"]:
        _do(*sys.argv[2:])
    else:
        share = 100 if "--quick" in sys.argv else 1
        sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or list(ROWS)
        for rows in sizes:
            for job in JOBS:
                line = {"job": job, "rows": rows // share}
                print(json.dumps({**line, **measured(job, weighted_file(rows // share))}), flush=True)
