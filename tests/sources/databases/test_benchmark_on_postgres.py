"""The benchmarks beside PostgreSQL at a hundredth of their size: all ways find the same."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.postgres_server import server

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SCALE = 0.01
"""Of their ten million rows."""


def _database(name: str, fill: Callable[[Any], None]) -> str:
    """The table of the benchmarks in the server of the tests, made anew for each of the systems."""
    url = server().url(server().user).replace("/postgres?", "/benchmark?")
    server().run("DROP DATABASE IF EXISTS benchmark", "CREATE DATABASE benchmark")
    with psycopg.connect(url, autocommit=True) as connection:
        fill(connection)
    return url


@pytest.mark.parametrize("case", ["postgres-naive", "postgres-tan"])
def test_all_ways_find_the_same(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    databases = importlib.import_module("cases.databases")
    monkeypatch.setattr(databases, "database", _database)
    (chosen,) = (each for each in databases.CASES if each.name == case)
    checks = {}
    for name, prepare in chosen.systems.items():
        work = prepare(SCALE)
        checks[name] = work.check(work.run())
    assert len(checks) == 4
    expected = pytest.approx(checks["bayou"], rel=chosen.tolerance)
    assert checks == dict.fromkeys(checks, expected)
