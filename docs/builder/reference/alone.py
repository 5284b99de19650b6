"""Examples as they run when pasted alone: ``import bayou`` above them, public names written ``bayou.Name``.

Doctests of a module see its globals and import from rooms inside; a reader has an empty namespace, and knows
the names that the reference lists. So examples are rewritten where they are shown: the sources stay short.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from docs.builder.reference.public_names import NAMESPACES, Public, public_names


def alone(code: str, public: Public) -> str:
    """The examples of an entry with the imports that they need; ``code`` has prompts and results."""
    examples = doctest.DocTestParser().get_examples(code)
    trees = [ast.parse(example.source) for example in examples]
    dropped = {name: full for tree in trees for name, full in _from_inside(tree)}
    around = home(public)
    names = dropped | _globals_used(trees, around, {*dropped})
    above = _imports(names, trees, around)
    shown = [_written(example, tree, names) for example, tree in zip(examples, trees, strict=True)]
    return "\n".join([*above, *(line for line in shown if line and line not in above)])


def home(public: Public) -> dict[str, Any]:
    """The globals that a docstring's examples see: those of the module in which it stands."""
    thing: Any = public.thing.fget if isinstance(public.thing, property) else public.thing
    if isinstance(thing, ModuleType):
        return vars(thing)
    module = inspect.getmodule(inspect.unwrap(getattr(thing, "__func__", thing)))
    return vars(module) if module else {}


@cache
def _public() -> dict[int, str]:
    """Public names by the identity of what they are: ``Network`` is ``bayou.Network``."""
    return {id(public.thing): f"bayou.{name}" for name, public in reversed(public_names().items())}


def _from_inside(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Public names that an example imports from bayou or from a room inside of it."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bayou":
            module = import_module(str(node.module))
            for one in node.names:
                full = _public().get(id(getattr(module, one.name)))
                if full and one.asname is None:
                    yield one.name, full


def _globals_used(trees: Sequence[ast.Module], around: dict[str, Any], known: set[str]) -> dict[str, str]:
    """The globals of its module that an example uses, and how they are reached from outside."""
    bound = known | {name for tree in trees for name in _bound(tree)}
    used = {node.id: None for tree in trees for node in _reads(tree)}
    found = {}
    for name in used:
        if name in bound or (hasattr(builtins, name) and name not in around) or name == "bayou":
            continue
        if name in NAMESPACES:
            found[name] = f"bayou.{name}"
        elif name in around:
            found[name] = _public().get(id(around[name]), "")
    return found


def _reads(tree: ast.Module) -> list[ast.Name]:
    """Where names are read."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return [node for node in names if isinstance(node.ctx, ast.Load)]


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((one.asname or one.name).partition(".")[0] for one in node.names)


def _imports(names: dict[str, str], trees: Sequence[ast.Module], around: dict[str, Any]) -> list[str]:
    """The lines that an example needs above it."""
    read = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    wanted = ("bayou" in read or any(names.values())) and "bayou" not in _bound(trees[0])
    lines = [">>> import bayou"] if wanted else []
    return lines + [f">>> {_import(name, around[name])}" for name, full in names.items() if not full]


def _import(name: str, thing: Any) -> str:
    """How a global that ``bayou`` does not offer is imported, from the outermost room that has it."""
    if isinstance(thing, ModuleType):
        return f"import {thing.__name__}" + (f" as {name}" if name != thing.__name__ else "")
    parts = thing.__module__.split(".")
    rooms = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    room = next(room for room in rooms if getattr(import_module(room), name, None) is thing)
    return f"from {room} import {name}"


def _written(example: doctest.Example, tree: ast.Module, names: dict[str, str]) -> str:
    """An example with its names written out; nothing, if it only imports what ``import bayou`` gives."""
    lines = example.source.splitlines()
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.ImportFrom) and _is_given(tree.body[0], names):
        return ""
    for node in sorted(_reads(tree), key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if full := names.get(node.id):
            raw = lines[node.lineno - 1].encode()
            end = node.col_offset + len(node.id.encode())
            lines[node.lineno - 1] = (raw[: node.col_offset] + full.encode() + raw[end:]).decode()
    prompts = [">>> ", *["... "] * (len(lines) - 1)]
    shown = [(prompt + line).rstrip() for prompt, line in zip(prompts, lines, strict=True)]
    return "\n".join([*shown, *example.want.rstrip("\n").split("\n")] if example.want else shown)


def _is_given(node: ast.ImportFrom, names: dict[str, str]) -> bool:
    inside = (node.module or "").split(".")[0] == "bayou"
    return inside and all(names.get(one.name) for one in node.names)
