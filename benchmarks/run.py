"""bayou beside its peers: ``python benchmarks/run.py`` runs all, writes ``docs/lookup/benchmarks.md``.

Makes its own environment first (``--here`` uses the current one). ``--quick`` takes a hundredth of the
rows, ``--only NAME`` some of the cases; neither touches the results page, unless ``--keep`` puts these cases
in the place of those of earlier runs. Exits with 1 if check values differ.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine import environment
from machine.neighbours import Watch, wait_for_quiet

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs/lookup/benchmarks.md"
TIME_LIMIT = 900
TRIES = 3
DISTURBED = 0.3
"""Cores used by others from which on a measurement is taken again."""


def main() -> int:
    """Run the cases one after another, print each as it comes, write the page when all were run."""
    options = parser().parse_args()
    if not options.here:
        environment.enter()
    import page
    from cases import CASES

    unknown = set(options.only) - set(CASES)
    if unknown:
        sys.exit(f"There is no case {unknown.pop()!r}; there are {', '.join(CASES)}.")
    chosen = [case for name, case in CASES.items() if name in (options.only or CASES)]
    results: dict[str, Any] = {"machine": page.machine(), "versions": page.versions(), "cases": {}}
    with alone():
        for case in chosen:
            results["cases"][case.name] = run_case(case, 0.01 if options.quick else 1.0)
    wrong = [problem for case in chosen for problem in disagreements(case, results["cases"][case.name])]
    for problem in wrong:
        print(f"WRONG  {problem}", file=sys.stderr)
    if not wrong and not options.quick and (options.keep or not options.only):
        results["dates"] = dict.fromkeys(results["cases"], results["machine"]["date"])
        if options.only:
            results = with_earlier(results, json.loads(RESULTS.read_text()), list(CASES))
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
        page.write(PAGE, results)
        print(f"Written: {PAGE.relative_to(HERE.parent)}")
    return 1 if wrong else 0


def with_earlier(results: dict[str, Any], earlier: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """These results, and those of earlier runs for the cases that were not run now."""
    dates = {**dict.fromkeys(earlier["cases"], earlier["machine"]["date"]), **earlier.get("dates", {})}
    dates.update(results["dates"])
    cases = {**earlier["cases"], **results["cases"]}
    kept = [name for name in order if name in cases]
    return {
        **results,
        "cases": {name: cases[name] for name in kept},
        "dates": {name: dates[name] for name in kept},
    }


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(description=__doc__)
    result.add_argument("--quick", action="store_true", help="a hundredth of the rows, to see that all works")
    result.add_argument("--only", metavar="NAME", action="append", default=[], help="one case of several")
    result.add_argument("--keep", action="store_true", help="write the results of --only into the page")
    result.add_argument("--here", action="store_true", help="use this interpreter, make no environment")
    return result


@contextmanager
def alone() -> Iterator[None]:
    """Refuse to run beside another run of this script."""
    (HERE / "cache").mkdir(exist_ok=True)
    with (HERE / "cache" / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("Another benchmark is running; two at once would slow each other down.")
        yield


def run_case(case: Any, scale: float) -> dict[str, Any]:
    """Every system on one case, each in a fresh process."""
    print(f"\n{case.name}: {case.title}", flush=True)
    rows = {}
    for system in case.systems:
        rows[system] = quietest(case.name, system, scale, TRIES if scale == 1 else 1)
        print(f"  {line(system, rows[system])}", flush=True)
    return rows


def quietest(case: str, system: str, scale: float, tries: int) -> dict[str, Any]:
    """Measure again while other processes disturb; the least disturbed measurement counts."""
    taken: list[dict[str, Any]] = []
    while len(taken) < tries and all(row["others"] > DISTURBED for row in taken):
        if tries > 1:
            wait_for_quiet()
        watch = Watch()
        row = run_system(case, system, scale)
        taken.append({**row, "others": watch.others()})
    return min(taken, key=lambda row: row["others"])


def run_system(case: str, system: str, scale: float) -> dict[str, Any]:
    """The measurement of one system, or the error that it ended with."""
    command = [sys.executable, str(HERE / "measure.py"), case, system, str(scale)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {TIME_LIMIT} s"}
    answers = [text[7:] for text in done.stdout.splitlines() if text.startswith("RESULT ")]
    if done.returncode or not answers:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return {"error": last[0]}
    result: dict[str, Any] = json.loads(answers[-1])
    return result


def line(system: str, row: dict[str, Any]) -> str:
    """One system's measurement for the terminal."""
    if "error" in row:
        return f"{system:26} {row['error']}"
    return (
        f"{system:26} best {row['best'] * 1e3:9.2f} ms   median {row['median'] * 1e3:9.2f} ms"
        f"   {row['runs']:2} runs   +{row['extra_memory'] / 1e6:7.1f} MB   check {row['check']:.12g}"
        f"   others {row['others']:.1f} cores"
    )


def disagreements(case: Any, rows: dict[str, Any]) -> list[str]:
    """Systems that failed, and check values that differ from bayou's."""
    problems = [f"{case.name}: {system}: {row['error']}" for system, row in rows.items() if "error" in row]
    if case.tolerance is None or "error" in rows["bayou"]:
        return problems
    ours = rows["bayou"]["check"]
    for system, row in rows.items():
        if "error" not in row and not math.isclose(row["check"], ours, rel_tol=case.tolerance):
            problems.append(f"{case.name}: {system} answers {row['check']!r}, bayou {ours!r}")
    return problems


if __name__ == "__main__":
    sys.exit(main())
