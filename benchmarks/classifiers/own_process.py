"""A fit in a process of its own: what it took alone, ended when it takes too long."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

from classifiers.systems import System
from measure import status


def timed_fit(system: System, rows: Any, target: Any, few: int) -> tuple[Any, dict[str, float]]:
    """Fit a classifier after one on a few rows: the model, and what it took.

    ``before_MB`` is what the process had before, ``MB`` the most that it had.
    """
    system.make().fit(rows[:few], target[:few])
    before = status("VmRSS")
    started, processor = time.perf_counter(), time.process_time()
    model = system.make().fit(rows, target)
    took = {"seconds": time.perf_counter() - started, "processor": time.process_time() - processor}
    return model, {**took, "before_MB": before / 1e6, "MB": status("VmHWM") / 1e6}


def measured(script: str, name: str, given: object, patience: float) -> dict[str, float] | None:
    """Run ``script`` for a classifier and what else is given, as JSON; what it printed, None if too late."""
    command = [sys.executable, script, name, json.dumps(given)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
