"""What the tests of the formats share: a joint by brute force, and when two drafts are the same."""

from __future__ import annotations

import numpy as np

from bayou.formats.draft import NetworkDraft
from bayou.schema import state_key
from bayou.typing import FloatArray, Name


def joint(draft: NetworkDraft) -> FloatArray:
    """The full joint table, an axis a variable in their order."""
    axis = {variable.name: position for position, variable in enumerate(draft.variables)}
    operands: list[object] = []
    for variable in draft.variables:
        family = [*draft.parents[variable.name], variable.name]
        operands += [draft.tables[variable.name], [axis[name] for name in family]]
    return np.einsum(*operands, list(range(len(axis))), optimize=True)


def prior_marginals(draft: NetworkDraft) -> dict[Name, FloatArray]:
    """The marginal of every variable, from the full joint."""
    table = joint(draft)
    every = range(table.ndim)
    return {
        variable.name: table.sum(axis=tuple(other for other in every if other != position))
        for position, variable in enumerate(draft.variables)
    }


def assert_same_draft(left: NetworkDraft, right: NetworkDraft) -> None:
    """Equal to the last bit, types of names and states included."""
    assert left.name == right.name
    assert left.variables == right.variables
    for mine, other in zip(left.variables, right.variables, strict=True):
        assert [state_key(state) for state in mine.states] == [state_key(state) for state in other.states]
        assert [type(state) for state in mine.states] == [type(state) for state in other.states]
        assert type(mine.name) is type(other.name)
        assert left.parents[mine.name] == right.parents[mine.name]
        one, two = left.tables[mine.name], right.tables[mine.name]
        assert one.shape == two.shape
        assert one.tobytes() == two.tobytes()
    assert dict(left.properties) == dict(right.properties)
    assert left.appearance == right.appearance
