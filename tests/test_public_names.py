"""What ``import bayou`` offers: every name loads, and type checkers are told the same as the interpreter."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bayou

SOURCE = Path(bayou.__file__)


def told_to_type_checkers() -> dict[str, str]:
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    found = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for name in statement.names:
            module = statement.module or ""
            found[name.name] = f"bayou.{name.name}" if module == "bayou" else module
    return found


def test_type_checkers_are_told_the_same_names() -> None:
    assert told_to_type_checkers() == bayou._WHERE
    assert bayou.__all__ == ["__version__", *sorted(bayou._WHERE)]


@pytest.mark.parametrize("name", bayou.__all__)
def test_every_name_loads(name: str) -> None:
    assert getattr(bayou, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Networc'"):
        bayou.Networc  # noqa: B018


def test_threads_are_set_for_the_process_and_come_back() -> None:
    every = bayou.threads.count()
    with bayou.threads(1):
        assert bayou.threads.count() == 1
        with bayou.threads(3):
            assert bayou.threads.count() == 3
        assert bayou.threads.count() == 1
    assert bayou.threads.count() == every
    with pytest.raises(bayou.BayouError, match="threads=0"):
        bayou.threads(0)
