"""The garbage collector passes over what stays, and what stayed before is still freed at the next time."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path

import bayou
from bayou.server.kept_objects import keep_what_is_there
from bayou.server.workers.pool import WorkerPool
from bayou.server.workers.worker import NICENESS


class Ring:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.own = self


def test_what_is_unused_is_freed_at_the_next_time() -> None:
    ring = Ring()
    watched = weakref.ref(ring)
    try:
        keep_what_is_there()
        del ring
        gc.collect()
        assert watched() is not None
        keep_what_is_there()
        assert watched() is None
    finally:
        gc.unfreeze()


def test_workers_leave_the_processor_to_the_server(tmp_path: Path) -> None:
    import asyncio

    bayou.examples.asia().save(tmp_path / "asia.bayou")

    async def work() -> int:
        async with WorkerPool(size=1) as pool:
            await pool.run("most-probable", str(tmp_path / "asia.bayou"), b"{}")
            (process,) = pool._idle
            return os.getpriority(os.PRIO_PROCESS, process.pid)

    assert asyncio.run(work()) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
