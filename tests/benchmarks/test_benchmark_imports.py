"""Benchmarks time what users call: a file that reaches behind the public names says ‘inside’ of its cases."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bayou

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILES = sorted(BENCHMARKS.rglob("*.py"))
PUBLIC = {"bayou", "bayou.errors", "bayou.graphs"} | {
    where for name, where in bayou._WHERE.items() if where == f"bayou.{name}"
}


def modules_of_bayou(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {module for module in found if module.partition(".")[0] == "bayou"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(BENCHMARKS)))
def test_what_is_not_public_is_named_inside(path: Path) -> None:
    behind = modules_of_bayou(path) - PUBLIC
    assert not behind or "inside: " in path.read_text(encoding="utf-8"), behind
