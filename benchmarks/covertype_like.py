"""Half a million rows shaped like covertype: ``covertype_like.py [--quick | NAMES]``.

Ten columns of whole numbers, 44 of two states, seven classes, made at random. Each fit runs in a process of
its own with two threads. The numbers go into ``accuracy.json`` and the page; with ``--quick`` a hundredth
of the rows is measured and kept nowhere.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from classifiers.findings import kept_findings, save_findings, write_page
from classifiers.own_process import measured, timed_fit
from classifiers.systems import systems

SYSTEMS = ("ensemble", "hist-boosting", "lightgbm", "catboost")
ROWS, NEW_ROWS = 500_000, 20_000
NUMBERS, FLAGS, CLASSES = 10, 44, 7
PATIENCE = 900


def made_up(rows: int) -> tuple[Any, np.ndarray]:
    """Numbers and flags; some of them, two products and chance make the class."""
    import pandas

    random = np.random.default_rng(29)
    numbers = (random.normal(size=(rows, NUMBERS)) * 300 + 1500).astype(np.int64)
    flags = (random.random((rows, FLAGS)) < random.uniform(0.02, 0.4, FLAGS)).astype(np.int8)
    scaled = (numbers - 1500) / 300
    score = scaled[:, :6] @ random.normal(size=(6, CLASSES)) * 0.6
    score += flags[:, :20] @ random.normal(size=(20, CLASSES))
    score += (scaled[:, :1] * scaled[:, 1:2]) @ random.normal(size=(1, CLASSES))
    score += (scaled[:, 2:3] * flags[:, :1]) @ random.normal(size=(1, CLASSES)) * 2
    target = (score + random.gumbel(size=score.shape)).argmax(axis=1).astype(str).astype(object)
    columns = {f"number{k}": numbers[:, k] for k in range(NUMBERS)}
    return pandas.DataFrame(columns | {f"flag{k}": flags[:, k] for k in range(FLAGS)}), target


def fit(name: str, rows: int) -> None:
    """Fit a classifier, judge it on new rows, and print what it took."""
    (system,) = systems([name])
    features, target = made_up(rows + NEW_ROWS)
    read = system.rows(features)
    model, took = timed_fit(system, read[:rows], target[:rows], few=1000)
    given = np.asarray(model.predict_proba(read[rows:]))
    place = np.searchsorted(list(model.classes_), target[rows:].astype(str))
    log_loss = -np.log(np.clip(given[np.arange(NEW_ROWS), place], 1e-15, None)).mean()
    print(json.dumps({**took, "log_loss": float(log_loss)}))


def main() -> None:
    """Measure all, keep what was measured, write the page again."""
    quick = "--quick" in sys.argv
    asked = sys.argv[1].split(",") if len(sys.argv) > 1 and not quick else list(SYSTEMS)
    made = {}
    for name in (each.name for each in systems(asked)):
        made[name] = measured(__file__, name, ROWS // 100 if quick else ROWS, PATIENCE)
        print(name, made[name], flush=True)
    if quick:
        return
    found = kept_findings()
    kept = found.setdefault("covertype", {"models": {}})
    kept.update(rows=ROWS, processors=os.cpu_count())
    kept["models"].update({name: each for name, each in made.items() if each is not None})
    save_findings(found)
    write_page(found)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fit(sys.argv[1], json.loads(sys.argv[2]))
    else:
        main()
