"""Ctrl-C stops what duckdb counts, and the connection can be used again."""

from __future__ import annotations

import os
import signal
import threading

import duckdb
import pytest

import bayou
from bayou.statistics import CountTable, Moments, Request

ENDLESS = "SELECT i % 7 AS a, i * 0.5 AS b FROM range(1000000000000) AS t(i)"


@pytest.mark.parametrize("request_", [CountTable(("a",)), Moments(("b",), ())])
def test_ctrl_c_stops_a_statement(request_: Request) -> None:
    connection = duckdb.connect()
    source = bayou.from_sql(ENDLESS, connection, transport="cells")
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - a busy machine may take long to start it, too
            timer.start()
            source.collect([request_])
    finally:
        timer.cancel()
    assert not source.driver.is_reading
    assert connection.execute("SELECT 2").fetchall() == [(2,)]
