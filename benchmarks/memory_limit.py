"""Classifiers from a Parquet file under limits of the system: ``python memory_limit.py [--quick]``.

Each fit runs in a process of its own: with 1.5 GB of address space (as ``ulimit -v`` sets it), and in a
control group (cgroup v2) of 1.5 GB of memory without swap, where this user may make one. Prints peak memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cases import parquet_files

LIMIT = 1_500_000_000
GROUPS = Path("/sys/fs/cgroup")


@contextmanager
def control_group() -> Iterator[Path | None]:
    """A control group with the limit; None where none can be made."""
    group = GROUPS / f"bayou-{os.getpid()}"
    try:
        if "memory" not in (GROUPS / "cgroup.subtree_control").read_text().split():
            raise OSError("groups of this machine do not limit memory")
        group.mkdir()
        (group / "memory.max").write_text(str(LIMIT))
        (group / "memory.swap.max").write_text("0")
    except OSError:
        if group.exists():
            group.rmdir()
        yield None
        return
    try:
        yield group
    finally:
        group.rmdir()


def fitted(model: str, path: Path, limit: str, group: Path | None = None) -> dict[str, object]:
    """Fit in a process under a limit; what it took, or the error it ended with."""
    done = subprocess.run(
        [sys.executable, __file__, model, str(path), limit, str(group or "")], capture_output=True, text=True
    )
    if done.returncode:
        return {"error": done.stderr.strip().rpartition("\n")[2] or f"ended with {done.returncode}"}
    found: dict[str, object] = json.loads(done.stdout)
    return found


def fit(model: str, path: str, limit: str, group: str) -> None:
    """Fit under a limit, and print the peaks in MB."""
    if limit == "address space":
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    elif group:
        Path(group, "cgroup.procs").write_text(str(os.getpid()))
    import bayou

    {"naive": bayou.NaiveBayes, "tan": bayou.TAN}[model]().fit(path, "y")
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    peaks = {"resident MB": status["VmHWM"], "address space MB": status["VmPeak"]}
    print(json.dumps({name: int(text.split()[0]) // 1024 for name, text in peaks.items()}))


def measured(path: Path) -> list[dict[str, object]]:
    """All fits; one whose limit cannot be set here is told as such."""
    found = []
    with control_group() as group:
        for model in ("naive", "tan"):
            found.append({"model": model, "limit": "address space", **fitted(model, path, "address space")})
            memory = (
                {"not run": "no control group can be made here"}
                if group is None
                else fitted(model, path, "memory", group)
            )
            found.append({"model": model, "limit": "memory", **memory})
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:
        fit(*sys.argv[1:])
    else:
        for line in measured(parquet_files._file(0.01 if "--quick" in sys.argv else 5.0)):
            print(line, flush=True)
