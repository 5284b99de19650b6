"""The accuracy of bayou's classifiers beside other libraries', all at default settings, on the same folds.

``python benchmarks/accuracy.py`` measures what is not measured yet (tables and folds: ``../shared/data``
beside the repository; each classifier × table × fold is a job whose result stays in ``benchmarks/cache``),
keeps the numbers of the page in ``benchmarks/accuracy.json`` and writes ``docs/lookup/accuracy.md``.

    accuracy.py --only bayou           only bayou's classifiers (again, where its code has changed)
    accuracy.py --only lightgbm,fit    only these; ``peers`` are all others
    accuracy.py --tables iris,wine     only these tables
    accuracy.py --quick                two folds of three small tables, printed only
    accuracy.py --seconds              seconds and sizes, one classifier after the other, on a quiet machine
    accuracy.py --curves               log-loss from 20 to 2,000 rows, and its picture
    accuracy.py --threads 1            how many threads every classifier may use (2 unless told)
    accuracy.py --page                 only write the page again
"""

from __future__ import annotations

import argparse
import os
import time

from threadpoolctl import threadpool_limits

import bayou
from classifiers import peers
from classifiers.findings import keep_findings, kept_findings, write_page
from classifiers.jobs import gathered, judged, run_job
from classifiers.scores import scores
from classifiers.systems import System, systems
from classifiers.tables import Table, read_table, table_names

QUICK = ("iris", "house_votes", "titanic")


def measure(names: list[str], chosen: list[System]) -> None:
    """Every job of these tables and classifiers, small tables first."""
    for name in names:
        table = read_table(name)
        for system in chosen:
            if system.takes(table):
                measure_one(system, table)
        keep_findings(table)


def measure_one(system: System, table: Table) -> None:
    """All folds of a table by one classifier."""
    started = time.perf_counter()
    for fold in table.folds:
        run_job(system, table, fold)
    print(told(system, table, gathered(system, table), time.perf_counter() - started), flush=True)


def told(system: System, table: Table, rows: dict[str, object] | None, seconds: float) -> str:
    """A line for the terminal."""
    if rows is None or "refused" in rows:
        return f"{table.name:20} {system.name:16} refused"
    found = scores(rows)
    return (
        f"{table.name:20} {system.name:16} {found['log_loss']:.4f} {found['accuracy']:.4f} {seconds:7.1f} s"
    )


def quick(chosen: list[System], names: tuple[str, ...] = QUICK) -> None:
    """Does everything work? Two folds of small tables, kept nowhere."""
    for name in names:
        table = read_table(name)
        for system in (each for each in chosen if each.takes(table)):
            for fold in table.folds[:2]:
                started = time.perf_counter()
                print(told(system, table, judged(system, table, fold), time.perf_counter() - started))


def set_threads(threads: int) -> None:
    """So many for all: for what is loaded already, and for what reads the environment later."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    threadpool_limits(threads)
    peers.THREADS = threads
    bayou.threads(threads)


def main() -> None:
    """Measure, keep, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--tables", default="")
    parser.add_argument("--threads", type=int, default=2)
    for word in ("quick", "seconds", "curves", "page"):
        parser.add_argument(f"--{word}", action="store_true")
    asked = parser.parse_args()
    set_threads(asked.threads)
    chosen = systems([word for word in asked.only.split(",") if word])
    if asked.quick:
        quick(chosen)
        return
    if asked.seconds:
        from classifiers.seconds import measure_seconds

        measure_seconds(chosen)
    elif asked.curves:
        from classifiers.curves import measure_curves

        measure_curves()
    elif not asked.page:
        measure(asked.tables.split(",") if asked.tables else table_names(), chosen)
    write_page(kept_findings())


if __name__ == "__main__":
    main()
