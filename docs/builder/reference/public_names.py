"""Which names are public, and what each of them has: signature, members, docstring."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_origin

NAMESPACES = (
    "results", "features", "bandwidths", "decisions", "plots", "examples", "statistics", "sources", "spark",
    "testing", "errors",
)  # fmt: skip
"""Public modules of ``bayou``, whose names are public too."""

RESULTS = tuple(
    f"decisions.{name}"
    for name in (
        "BinaryConfusion", "Brier", "CostCurve", "Decision", "Decisions", "LearningCurve",
        "PrecisionRecallCurve", "PriorShift", "Regret", "Reliability", "RocCurve",
    )
)  # fmt: skip
"""Results outside of ``bayou.results``: classes that functions return, and users do not call."""
INSIDE = frozenset({
    "asked_parts", "beliefs_of", "bound", "changed_by", "climbed", "fit_options", "fit_rows", "from_marks",
    "from_structure", "input_names", "learner", "mapped", "move_logs", "of", "of_counts", "of_likelihood",
    "opened_rows", "price", "pseudocounts", "read", "read_one", "read_rows", "require_column", "rows_asked",
    "run", "wanted",
})  # fmt: skip
"""Members that bayou's own rooms call: they have no entry."""
_FLOOR = re.compile(r"^Floor \d+: (\w)")
"""How the docstring of a room begins: its floor in the architecture, which is nothing to users."""


@dataclass
class Public:
    """A public name: where it is found, and the object behind it."""

    name: str
    """As users write it, without ``bayou.``: ``Network``, ``decisions.brier``, ``Network.query``."""
    thing: Any
    kind: str
    """class, function, method, property, module or value."""
    members: list[Public] = field(default_factory=list)

    @property
    def doc(self) -> str:
        """The docstring, or nothing; a class's own, not that of its base."""
        thing = self.thing.fget if isinstance(self.thing, property) else self.thing
        doc = inspect.cleandoc(getattr(thing, "__doc__", None) or "") if self.kind != "value" else ""
        return _FLOOR.sub(lambda found: found[1].upper(), doc)

    @property
    def made(self) -> bool:
        """Whether bayou makes it: users do not call the class."""
        spaces = ("results.", "errors.", "Posterior")
        return self.kind == "class" and (self.name.startswith(spaces) or self.name in RESULTS)

    @property
    def signature(self) -> inspect.Signature | None:
        """How it is called, without ``self``; a protocol says what a class must have, and is not called."""
        if self.kind not in ("class", "function", "method") or getattr(self.thing, "_is_protocol", False):
            return None
        try:
            found = inspect.signature(self.thing)
        except (TypeError, ValueError):
            return None
        kept = [one for one in found.parameters.values() if one.name not in ("self", "cls")]
        return found.replace(parameters=kept)


@cache
def public_names() -> dict[str, Public]:
    """All of them, by name: those of ``bayou`` and of its public modules."""
    import bayou

    found = {name: _public(name, getattr(bayou, name)) for name in bayou.__all__ if name != "__version__"}
    for space in NAMESPACES:
        module = importlib.import_module(f"bayou.{space}")
        for name in names_of(module):
            found[f"{space}.{name}"] = _public(f"{space}.{name}", getattr(module, name))
    return found


@cache
def members() -> dict[str, Public]:
    """The members of all public classes, by name: ``Network.query``."""
    return {member.name: member for public in public_names().values() for member in public.members}


def names_of(module: Any) -> list[str]:
    """The names that a module lists; of one without a list, its public classes."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, thing in vars(module).items()
        if isinstance(thing, type) and not name.startswith("_") and thing.__module__ == module.__name__
    ]


def _public(name: str, thing: Any) -> Public:
    if inspect.ismodule(thing):
        return Public(name, thing, "module")
    if inspect.isclass(thing):
        hidden = name.startswith(("features.", "bandwidths.", "errors."))  # the estimators call their members
        return Public(name, thing, "class", [] if hidden else list(_members(name, thing)))
    is_alias = get_origin(thing) is not None
    return Public(name, thing, "function" if callable(thing) and not is_alias else "value")


def _members(name: str, of: type) -> Iterator[Public]:
    """Methods and properties that bayou defines, in the order of their definition, own ones first."""
    seen: set[str] = set()
    for base in of.__mro__:
        if not base.__module__.startswith("bayou"):
            continue
        for member, raw in vars(base).items():
            if member.startswith("_") or member in seen or member in INSIDE:
                continue
            seen.add(member)
            if isinstance(raw, property) or type(raw).__name__ == "cached_property":
                thing = raw if isinstance(raw, property) else raw.func
                yield Public(f"{name}.{member}", thing, "property")
            elif inspect.isfunction(raw) or isinstance(raw, classmethod | staticmethod):
                yield Public(f"{name}.{member}", getattr(of, member), "method")


def attributes(of: type) -> dict[str, tuple[str, str]]:
    """Fields that a class declares: the type, and the sentence below it in the source."""
    found: dict[str, tuple[str, str]] = {}
    for base in reversed(of.__mro__):
        if base.__module__.startswith("bayou"):
            found |= _declared(base)
    return found


def _declared(of: type) -> dict[str, tuple[str, str]]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(of)))
    except (OSError, TypeError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found = {}
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name, told = statement.target.id, ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                told = inspect.cleandoc(str(after.value.value))
            if not name.startswith("_") and "ClassVar" not in ast.unparse(statement.annotation):
                found[name] = (ast.unparse(statement.annotation), told)
    return found
