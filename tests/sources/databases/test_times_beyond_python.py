"""Times that PostgreSQL has and Python has not: the error names the column and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from tests.postgres_server import server

import bayou
from bayou.errors import BadData
from bayou.statistics import CountTable


@pytest.mark.parametrize("transport", ["rows", "cells"])
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("timestamp", "infinity"),
        ("timestamptz", "-infinity"),
        ("date", "0044-03-15 BC"),
        ("date", "12024-01-01"),
        ("timestamp", "12024-01-01"),
    ],
)
def test_the_column_is_named(kind: str, value: str, transport: Any) -> None:
    name = server().make_table({"fine": "date", "when": kind}, [])
    server().run(f"INSERT INTO {name} VALUES ('2024-01-01', '{value}')")
    source = bayou.from_sql(name, server().url(), transport=transport)
    with pytest.raises(BadData, match=r"the column 'when' has times .*Make them NULL"):
        source.collect([CountTable(("when",))])
    assert source.collect([CountTable(("fine",))]).rows == 1
