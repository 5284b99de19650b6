"""Measure one system on one case, in a process of its own: ``python measure.py CASE SYSTEM SCALE``."""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from pathlib import Path

from case import Work
from cases import CASES

SECONDS = 6.0
MOST_RUNS = 40
LEAST_RUNS = 3
TOO_SLOW = 15.0


def main() -> None:
    """Print one line of JSON with the times, the memory and the check value."""
    name, system, scale = sys.argv[1:]
    work = CASES[name].systems[system](float(scale))
    print("RESULT " + json.dumps(measured(work)))


def measured(work: Work) -> dict[str, object]:
    """The first run tells the memory; then runs follow until the time is up, the best one counts."""
    gc.collect()
    before = resident()
    first, answer = timed(work)
    peak = high_water()
    seconds = [first]
    while wants_more(seconds):
        again, answer = timed(work)
        seconds.append(again)
    return {
        "best": min(seconds),
        "median": statistics.median(seconds),
        "first": first,
        "runs": len(seconds),
        "extra_memory": max(0, peak - before),
        "input_bytes": work.input_bytes,
        "check": work.check(answer),
        "facts": work.facts(answer) if work.facts else {},
    }


def wants_more(seconds: list[float]) -> bool:
    """At least three runs unless one is very slow, then as many as fit."""
    if len(seconds) < LEAST_RUNS:
        return sum(seconds) < TOO_SLOW
    return sum(seconds) < SECONDS and len(seconds) < MOST_RUNS


def timed(work: Work) -> tuple[float, object]:
    """One run with the collector off: seconds and answer."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        answer = work.run()
        seconds = time.perf_counter() - start
    finally:
        gc.enable()
    return (answer, answer) if work.own_times else (seconds, answer)


def resident() -> int:
    """Bytes in memory now; the high-water mark starts again from here (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def high_water() -> int:
    """The most bytes in memory since ``resident`` was called."""
    return status("VmHWM")


def status(field: str) -> int:
    """A size from the process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    main()
