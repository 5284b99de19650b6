"""What else the machine does while we measure: cores used by processes that are not ours (Linux)."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

QUIET = 0.2
"""Cores; fewer in use by others is quiet."""
PATIENCE = 20
"""Seconds to wait for quiet before measuring anyway."""


def wait_for_quiet() -> bool:
    """Wait a little until others leave the cores alone; False if they do not."""
    for _ in range(PATIENCE):
        watch = Watch()
        time.sleep(1)
        if watch.others() < QUIET:
            return True
    return False


class Watch:
    """From its making on, the mean number of cores that others used."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._busy = _busy_seconds()
        self._own = _own_seconds()

    def others(self) -> float:
        """Busy time of all cores, less that of our (finished) child processes, by elapsed time."""
        elapsed = time.perf_counter() - self._start
        used = _busy_seconds() - self._busy - (_own_seconds() - self._own)
        return max(0.0, used / elapsed)


def _busy_seconds() -> float:
    user, nice, system, _idle, _wait, irq, softirq, stolen, *_ = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + irq + softirq + stolen) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    total = 0.0
    for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total
