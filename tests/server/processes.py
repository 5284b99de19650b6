"""What the system tells of processes: children, processor time, memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.patience import until


def children(process: int) -> list[int]:
    """The processes that a process has started, and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and _facts(int(entry.name))[1:2] == [str(process)]:
            found.append(int(entry.name))
    return found


def processor_seconds(process: int) -> float:
    """The processor time that a process has used; infinite if it has ended."""
    facts = _facts(process)
    if not facts or facts[0] == "Z":
        return float("inf")
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_rest(processes: list[int]) -> None:
    """Wait until none of these processes works any more."""
    until(lambda: not _worked(processes), "a process goes on working")


def wait_for_work(process: int) -> None:
    """Wait until a process works; on a busy machine it may have to wait for its turn."""
    until(lambda: _worked([process]), "the process does nothing")


def _worked(processes: list[int]) -> bool:
    """Whether one of these processes worked in the moment that this takes."""
    before = [processor_seconds(process) for process in processes]
    time.sleep(0.3)
    return before != [processor_seconds(process) for process in processes]


def _facts(process: int) -> list[str]:
    """The fields of /proc/…/stat from the state on, which follows the name in brackets."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []
