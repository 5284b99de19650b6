"""What a strip over time is made of: a row for each variable, and the arcs between two slices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.schema import Variable, label
from bayou.server.messages import encoded, labels_of
from bayou.server.models.kinds import DYNAMIC, HMM, kind_of
from bayou.typing import Name


def strip_parts(model: Any) -> dict[str, Any]:
    """The rows of a strip and the arcs of its template, as JSON values.

    >>> import bayou
    >>> parts = strip_parts(bayou.examples.umbrella_world())
    >>> [row["label"] for row in parts["rows"]], parts["arcs"][0]
    (['Rain', 'Umbrella'], {'parent': 'Rain', 'child': 'Rain', 'lag': 1})
    """
    kind = kind_of(model)
    if kind == DYNAMIC:
        template = model.template
        roles = {role: getattr(template, role) for role in ("constant", "first", "last")}
        rows = [_row(variable, False, True, _role(name, roles)) for name, variable in model.variables.items()]
        return {"rows": rows, "arcs": _arcs(model.arcs)}
    if kind == HMM:
        chain = model.chain
        hidden, declared = chain.user_state, chain.structure.declared
        rows = [_row(hidden, True, True)]
        rows += [_row(declared[name], False, not declared[name].is_text) for name in chain.columns]
        arcs = [(hidden.name, hidden.name, 1), *((hidden.name, name, 0) for name in chain.columns)]
        return {"rows": rows, "arcs": _arcs(arcs)}
    rows = [_row(Variable(name), True, False) for name in model.states]
    rows += [_row(Variable(name), False, True) for name in model.columns]
    arcs = [*_links(model.states, model.states, model.transition, 1)]
    arcs += _links(model.states, model.columns, model.observation, 0)
    return {"rows": rows, "arcs": _arcs(arcs)}


def _role(name: Name, roles: Mapping[str, Iterable[Name]]) -> str:
    return next((role for role, names in roles.items() if name in names), "each")


def _row(variable: Variable, hidden: bool, can_find: bool, role: str = "each") -> dict[str, Any]:
    return {
        "variable": encoded(variable.name),
        "label": label(variable.name),
        "states": [] if variable.is_continuous else [encoded(state) for state in variable.states],
        "labels": [] if variable.is_continuous else labels_of(variable.states),
        "hidden": hidden,
        "can_find": can_find,
        "role": role,
    }


def _links(
    parents: tuple[Name, ...], children: tuple[Name, ...], matrix: Any, lag: int
) -> list[tuple[Name, Name, int]]:
    return [(parents[j], children[i], lag) for i, j in np.argwhere(np.asarray(matrix) != 0).tolist()]


def _arcs(arcs: Iterable[tuple[Name, Name, int]]) -> list[dict[str, Any]]:
    return [
        {"parent": encoded(parent), "child": encoded(child), "lag": int(lag)} for parent, child, lag in arcs
    ]
