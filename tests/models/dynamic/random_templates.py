"""Random templates and random evidence, for tests against the unrolled network."""

from __future__ import annotations

from typing import Any

import numpy as np

import bayou


def random_model(
    chance: np.random.Generator, *, outside: bool = True, largest: int = 3
) -> bayou.DynamicNetwork:
    """A dynamic network of two to four variables a slice, lags up to 2, and variables outside time."""
    timed = [f"V{k}" for k in range(chance.integers(2, 5))]
    arcs: list[tuple[str, str]] = []
    degree = dict.fromkeys(timed, 0)

    def add(parent: str, child: str) -> None:
        base = child.rstrip("'")
        if degree.get(base, 0) < 3 and (parent, child) not in arcs:
            arcs.append((parent, child))
            degree[base] = degree.get(base, 0) + 1

    for k, child in enumerate(timed):
        for parent in timed[:k]:
            if chance.random() < 0.4:
                add(parent, child)
        for parent in timed:
            if chance.random() < 0.35:
                add(parent, f"{child}'")
            if chance.random() < 0.1:
                add(parent, f"{child}''")
    constant, first, last = [], [], []
    if outside and chance.random() < 0.5:
        constant.append("C")
        add("C", timed[0])
    if outside and chance.random() < 0.4:
        first.append("F")
        add("F", timed[-1] if chance.random() < 0.5 else f"{timed[-1]}'")
    if outside and chance.random() < 0.4:
        last.append("L")
        add(timed[0], "L")
        if constant:
            add("C", "L")
    parents: dict[str, list[str]] = {name: [] for name in (*timed, *constant, *first, *last)}
    for parent, child in arcs:
        parents.setdefault(child, []).append(parent)
    names = [*timed, *constant, *first, *last]
    states = {name: [f"s{j}" for j in range(chance.integers(2, largest + 1))] for name in names}
    model = bayou.DynamicNetwork(parents, states=states, constant=constant, first=first, last=last)
    for table in model.tables:
        own = model.template.behind[table].name
        shape = [len(states[p.rstrip("'")]) for p in model.parents(table)] + [len(states[own])]
        values = chance.dirichlet(np.full(shape[-1], 0.7), size=shape[:-1])
        model.set_cpt(table, values)
    return model


def random_rows(
    chance: np.random.Generator, model: bayou.DynamicNetwork, length: int
) -> dict[str, list[Any]]:
    """A drawn sequence with gaps, of some of the variables."""
    drawn = model.sample(length, seed=int(chance.integers(2**31)))
    share = {name: chance.choice([0.0, 0.5, 1.0]) for name in model.names}
    share[model.names[0]] = max(share[model.names[0]], 0.5)
    return {
        name: [cell if chance.random() < share[name] else None for cell in cells]
        for name, cells in drawn.items()
    }


def unrolled_given(model: bayou.DynamicNetwork, rows: dict[str, list[Any]], steps: int) -> dict[str, Any]:
    """The findings of the first steps as findings of the unrolled network."""
    template, found = model.template, {}
    for name, cells in rows.items():
        if template.outside(name):
            known = [cell for cell in cells if cell is not None]
            if known and (name not in template.last or steps == len(cells)):
                found[name] = known[0]
        else:
            found |= {f"{name}{k}": cell for k, cell in enumerate(cells[:steps]) if cell is not None}
    return found
