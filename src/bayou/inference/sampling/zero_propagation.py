"""Zeros in tables rule out states, which rule out further ones: arc consistency.

A state goes if some table has no positive entry with it and possible states of its other variables. Mackworth
(1977), Consistency in networks of relations, Artificial Intelligence 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bayou.typing import BoolArray, FloatArray

Scope = tuple[int, ...]
Masks = Mapping[int, BoolArray]
"""Which states of each variable are possible."""


@dataclass(frozen=True, eq=False)
class PlainFactor:
    """A table with an axis for each variable in its scope."""

    scope: Scope
    values: FloatArray


class ZeroPropagation:
    """The tables with zeros among some tables, and what they rule out.

    >>> import numpy as np
    >>> copied = ZeroPropagation([PlainFactor((0, 1), np.eye(2))])
    >>> found = copied.narrowed({0: np.array([True, False]), 1: np.array([True, True])})
    >>> found[1].tolist()
    [True, False]
    """

    def __init__(self, factors: Iterable[PlainFactor]) -> None:
        self.tables = [(factor.scope, factor.values > 0) for factor in factors if not factor.values.all()]
        self.users: dict[int, list[int]] = {}
        for at, (scope, _) in enumerate(self.tables):
            for variable in scope:
                self.users.setdefault(variable, []).append(at)

    def narrowed(self, masks: Masks, changed: Sequence[int] | None = None) -> dict[int, BoolArray] | None:
        """Return the states that no table rules out; None if a variable has none left.

        ``changed`` are the variables whose states are fewer than when this was last done; without it all
        tables are looked at.
        """
        left = dict(masks)
        first = (
            range(len(self.tables))
            if changed is None
            else [t for v in changed for t in self.users.get(v, [])]
        )
        waiting = dict.fromkeys(first)
        while waiting:
            at = next(iter(waiting))
            del waiting[at]
            scope, support = self.tables[at]
            if not support.any():
                return None
            for variable, mask in _supported(scope, support, left):
                if not mask.any():
                    return None
                left[variable] = mask
                waiting.update(dict.fromkeys(other for other in self.users[variable] if other != at))
        return left


def _supported(scope: Scope, support: BoolArray, masks: Masks) -> list[tuple[int, BoolArray]]:
    """The variables of a table of which it rules out further states, and the states that remain."""
    alive = support
    for axis, variable in enumerate(scope):
        if not masks[variable].all():
            alive = alive & masks[variable].reshape([-1 if k == axis else 1 for k in range(len(scope))])
    changed = []
    for axis, variable in enumerate(scope):
        possible = alive.any(axis=tuple(k for k in range(len(scope)) if k != axis))
        if (masks[variable] & ~possible).any():
            changed.append((variable, masks[variable] & possible))
    return changed
