"""The page about the server has every type of its errors, with the status that the code gives it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import bayou
from bayou.server import problems

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "do" / "share" / "serving.md"
UNREAD = 499
"""The status for a client that has gone: nobody reads it."""


def in_code() -> set[tuple[int, str]]:
    """(status, type) of every problem that the server makes."""
    found = {(422, kind) for _, kind in problems._KINDS} | {(422, "bad-question")}
    for file in (Path(bayou.__file__).parent / "server").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem":
                status, kind = node.args[:2]
                if isinstance(status, ast.Constant) and isinstance(kind, ast.Constant):
                    found.add((int(str(status.value)), str(kind.value)))
    return {(status, kind) for status, kind in found if status != UNREAD}


def in_table() -> set[tuple[int, str]]:
    rows = re.findall(r"^\| (\d{3}) \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {(int(status), kind) for status, kinds in rows for kind in re.findall(r"`([\w-]+)`", kinds)}


def test_the_table_has_every_type_with_its_status() -> None:
    assert in_table() == in_code()
    assert len(in_code()) >= 25
