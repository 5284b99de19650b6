"""Readers share one database of duckdb; limits of their own and forked processes have another."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayou
from bayou.sources.files import duckdb_reading
from bayou.sources.files.duckdb_reading import connect

_TABLES = "select count(*) from duckdb_tables()"
_LIMIT = "select value from duckdb_settings() where name = 'memory_limit'"


def _is_shared(one: Any, other: Any) -> bool:
    """Whether a table that one connection makes is seen by the other."""
    one.execute("create table seen (a int)")
    try:
        return bool(other.execute(_TABLES).fetchone()[0])
    finally:
        one.execute("drop table seen")


def test_readers_share_a_database() -> None:
    assert _is_shared(connect(), connect())


def test_limits_of_a_block_hold_for_its_readers_only() -> None:
    before = connect()
    with bayou.limits(memory="500 MB"):
        inside = connect()
        assert not _is_shared(before, inside)
        assert inside.execute(_LIMIT).fetchone() != before.execute(_LIMIT).fetchone()
    assert connect().execute(_LIMIT).fetchone() == before.execute(_LIMIT).fetchone()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_reads_with_threads_of_its_own(tmp_path: Path) -> None:
    pl.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}).write_parquet(path := tmp_path / "t.parquet")
    assert bayou.from_file(path).names == ("a", "b")
    assert duckdb_reading._shared
    child = os.fork()
    if child == 0:
        os._exit(0 if not duckdb_reading._shared and bayou.from_file(path).names == ("a", "b") else 1)
    assert os.waitpid(child, 0)[1] == 0
