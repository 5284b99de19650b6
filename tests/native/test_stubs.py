"""The committed types of the compiled core are those of the core that is built."""

from __future__ import annotations

import ast
import importlib.util
import inspect
from pathlib import Path

from bayou._native import _core

ROOT = Path(__file__).resolve().parents[2]


def _generated() -> str:
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "cpp" / "stubs.py")
    assert spec is not None
    assert spec.loader is not None
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    return str(stubs.stub_text(_core))


def _definitions(stub: str) -> dict[str, str]:
    """Each definition of a stub by name, however it is formatted."""
    found = {}
    for node in ast.parse(stub).body:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                inner.value = inspect.cleandoc(inner.value)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = ast.unparse(node)
        elif isinstance(node, ast.AnnAssign):
            found[ast.unparse(node.target)] = ast.unparse(node)
    return found


def test_the_committed_stub_is_what_the_built_core_states() -> None:
    committed = (ROOT / "src" / "bayou" / "_native" / "_core.pyi").read_text(encoding="utf-8")
    assert _definitions(_generated()) == _definitions(committed), "run: make stubs"
