"""Exported code is run where it is meant to run: a bare Python, node, and databases."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow
import pytest

from tests.postgres_server import server

NODE = shutil.which("node") or shutil.which("nodejs")
needs_node = pytest.mark.skipif(NODE is None, reason="exported JavaScript is run by node")
Row = Mapping[Any, Any]
_PYTHON = """
import json, sys
sys.path.insert(0, sys.argv[1])
import exported
with open(sys.argv[2], encoding="utf-8") as file:
    rows = [dict(row) for row in json.load(file)]
if sys.argv[3] == "each":
    answer = [exported.predict_proba(row) for row in rows]
else:
    answer = exported.predict_proba(rows)
print(json.dumps([answer, sorted(set(sys.modules) & {"numpy", "bayou", "site"})]))
"""
_NODE = """
import fs from "node:fs";
import { pathToFileURL } from "node:url";
const { predictProba } = await import(pathToFileURL(process.argv[2]).href);
const rows = JSON.parse(fs.readFileSync(process.argv[3])).map((row) => new Map(row));
const answer = process.argv[4] === "each" ? rows.map(predictProba) : predictProba(rows);
console.log(JSON.stringify(answer));
"""


def plain_rows(columns: Mapping[Any, Sequence[Any]]) -> list[dict[Any, Any]]:
    """The rows of columns, with None for what is missing."""
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return [{name: None if _is_gap(cell) else _plain(cell) for name, cell in row.items()} for row in rows]


def _plain(cell: Any) -> Any:
    return cell.item() if hasattr(cell, "item") else cell


def _is_gap(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def in_python(text: str, rows: Sequence[Row], folder: Path, how: str = "each") -> Any:
    """What the file answers in a Python that has no installed packages."""
    (folder / "exported.py").write_text(text, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps([list(row.items()) for row in rows]), encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", _PYTHON]
    run = subprocess.run(
        [*command, str(folder), str(folder / "rows.json"), how], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    answer, others = json.loads(run.stdout)
    assert others == []
    return answer


def in_node(text: str, rows: Sequence[Row], folder: Path, how: str = "each") -> Any:
    """What the module answers in node."""
    (folder / "exported.mjs").write_text(text, encoding="utf-8")
    (folder / "run.mjs").write_text(_NODE, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps([list(row.items()) for row in rows]), encoding="utf-8")
    parts = [NODE, folder / "run.mjs", folder / "exported.mjs", folder / "rows.json", how]
    run = subprocess.run(list(map(str, parts)), capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def in_sql(text: str, rows: Sequence[Row], dialect: str) -> list[list[Any]]:
    """What the statement answers about a table ``rows``: the probabilities, in the order of the column id."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    kinds = [_kind([row.get(name) for row in rows], dialect) for name in names]
    columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in zip(names, kinds, strict=True))
    table = [(k, *[row.get(name) for name in names]) for k, row in enumerate(rows)]
    found = _RUN[dialect](columns, table, text)
    return [list(row[2:]) for row in sorted(found)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(cells: Sequence[Any], dialect: str) -> str:
    kind = {type(cell) for cell in cells if cell is not None}
    if kind <= {str}:
        return "text"
    if kind == {bool}:
        return "boolean"
    if kind == {int}:
        return "integer"
    return {"postgres": "float8", "duckdb": "double", "sqlite": "real"}[dialect]


def _in_memory(connection: Any, columns: str, table: list[tuple[Any, ...]], text: str) -> list[Any]:
    connection.execute(f"CREATE TABLE rows (id integer{', ' + columns if columns else ''})")
    marks = ", ".join("?" * len(table[0]))
    connection.executemany(f"INSERT INTO rows VALUES ({marks})", table)
    rows: list[Any] = connection.execute(text).fetchall()
    return rows


def _in_duckdb(columns: str, table: list[tuple[Any, ...]], text: str) -> list[Any]:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(f"CREATE TABLE rows (id integer{', ' + columns if columns else ''})")
    given = pyarrow.table({f"c{k}": list(cells) for k, cells in enumerate(zip(*table, strict=True))})
    connection.register("given", given)
    connection.execute("INSERT INTO rows SELECT * FROM given")
    return connection.execute(text).fetchall()


def _in_postgres(columns: str, table: list[tuple[Any, ...]], text: str) -> list[Any]:
    with psycopg.connect(server().url(server().user)) as connection:
        create = f"CREATE TEMPORARY TABLE rows (id integer{', ' + columns if columns else ''})"
        connection.execute(create.encode())
        marks = ", ".join(["%s"] * len(table[0]))
        connection.cursor().executemany(f"INSERT INTO rows VALUES ({marks})", table)
        return connection.execute(text.encode()).fetchall()


_RUN: dict[str, Callable[[str, list[tuple[Any, ...]], str], list[Any]]] = {
    "duckdb": _in_duckdb,
    "sqlite": lambda *given: _in_memory(sqlite3.connect(":memory:"), *given),
    "postgres": _in_postgres,
}
DATABASES = list(_RUN)
