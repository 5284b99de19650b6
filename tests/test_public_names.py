"""The names of bayou and of its rooms: all load, and type checkers are told the same as the interpreter."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import pytest

import bayou

SOURCE = Path(bayou.__file__).parent
LAZY = sorted(
    path for path in SOURCE.rglob("*.py") if "__dir__ = on_first_use(" in path.read_text(encoding="utf-8")
)


def package_of(path: Path) -> Any:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))


def told_to_type_checkers(path: Path) -> dict[str, str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    found = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for name in statement.names:
            module = statement.module or ""
            found[name.name] = f"bayou.{name.name}" if module == "bayou" else module
    return found


@pytest.mark.parametrize("path", LAZY, ids=lambda path: str(path.relative_to(SOURCE)))
def test_type_checkers_are_told_the_same_names(path: Path) -> None:
    package = package_of(path)
    assert told_to_type_checkers(path) == package._WHERE
    assert {*package._WHERE} <= {*package.__all__} <= {*package._WHERE, "__version__"}
    assert dir(package) == sorted(package.__all__)


@pytest.mark.parametrize("path", LAZY, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_name_of_a_room_is_what_its_module_defines(path: Path) -> None:
    package = package_of(path)
    for name, where in package._WHERE.items():
        module = importlib.import_module(where)
        assert getattr(package, name) is (module if where == f"bayou.{name}" else getattr(module, name))


def test_no_name_of_a_room_is_hidden_by_one_of_its_modules() -> None:
    """Importing a module sets its name in the package, where it would be found instead of the public name."""
    for path in LAZY:
        for name, where in package_of(path)._WHERE.items():
            hidden = path.name == "__init__.py" and where != f"bayou.{name}"
            assert not (hidden and list(path.parent.glob(f"{name}.py"))), (path, name)


def test_rooms_with_lazy_names_are_found() -> None:
    assert len(LAZY) >= 10
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


def test_a_name_that_is_elsewhere_is_told() -> None:
    with pytest.raises(AttributeError, match=r"It is bayou\.errors\.ImpossibleEvidence\."):
        _ = bayou.ImpossibleEvidence
    with pytest.raises(AttributeError, match="Did you mean 'NaiveBayes'"):
        _ = bayou.NaiveBays
    assert not hasattr(bayou, "__wrapped__")
