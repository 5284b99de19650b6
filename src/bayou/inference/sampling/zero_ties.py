"""Which variables zeros tie together, so that a Gibbs sampler must draw them in one block.

A chain that draws one variable at a time can reach every possible state from every other if there is an order
of the variables with a *safe* state for each: one that no table rules out, whatever the other variables are,
those before it being in their safe states. From anywhere the chain can then move the first variable to its
safe state, the second, and so on; and every move can be taken back. Where no variable has a safe state (an
exclusive or, a copy), those of the smallest table that hinders them are tied together, and count from then on
as one variable with all combinations of their states.

Entries that are tiny beside the others of their table count as zeros: a chain crosses them too seldom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod
from time import monotonic

import numpy as np

from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.typing import BoolArray

MOST_COMBINATIONS = 2048
"""The most combinations of states of variables that are tied together."""
LARGEST_RULE = 2**20
"""The most cells of a table of possible combinations."""
NEARLY_ZERO = 1e-6
"""An entry below this share of the largest entry of its table counts as zero."""


@dataclass(frozen=True)
class ZeroTies:
    """Groups of two or more variables, and whether it is proved that groups as blocks reach every state."""

    groups: tuple[tuple[int, ...], ...]
    is_proved: bool


@dataclass
class _Rule:
    """What a table allows: an axis for each group in ``scope``, True where the combination is possible."""

    scope: list[int]
    allowed: BoolArray


def tied_variables(graph: FactorGraph, until: float = inf) -> ZeroTies:
    """Return the variables that must be drawn together, as far as groups of bounded size go.

    At the time ``until`` (on the clock of ``time.monotonic``) the proof is given up.
    """
    groups: dict[int, list[int]] = {v: [v] for v in range(len(graph.numbers))}
    cards = dict(enumerate(graph.cards))
    rules: list[_Rule] = []
    for factor in graph.factors:
        allowed = factor.values > NEARLY_ZERO * factor.values.max()
        if not allowed.all():
            rules.append(_Rule(list(factor.scope), allowed))
    unsure = dict.fromkeys(group for rule in rules for group in rule.scope)
    while rules:
        if unsure:
            group = next(iter(unsure))
            del unsure[group]
            own = [rule for rule in rules if group in rule.scope]
            if own and _has_safe_state(group, own, cards):
                # In its safe state no table of the group hinders any other.
                rules = [rule for rule in rules if group not in rule.scope]
                unsure.update(dict.fromkeys(g for rule in own for g in rule.scope if g != group))
            continue
        joining = [rule for rule in rules if len(rule.scope) > 1]
        smallest = min(joining, key=lambda rule: rule.allowed.size, default=None)
        if smallest is None or smallest.allowed.size > MOST_COMBINATIONS or monotonic() > until:
            return ZeroTies(_listed(groups), False)
        joined = _joined(smallest.scope, rules, groups, cards)
        if joined is None:
            return ZeroTies(_listed(groups), False)
        rules = joined
        unsure = dict.fromkeys(g for rule in rules if smallest.scope[0] in rule.scope for g in rule.scope)
    return ZeroTies(_listed(groups), True)


def _listed(groups: dict[int, list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(members)) for members in groups.values() if len(members) > 1)


def _has_safe_state(group: int, own: Sequence[_Rule], cards: dict[int, int]) -> bool:
    """Whether a group has a state that its own rules allow whatever the others are."""
    safe = np.ones(cards[group], dtype=np.bool_)
    for rule in own:
        axis = rule.scope.index(group)
        safe &= rule.allowed.all(axis=tuple(k for k in range(len(rule.scope)) if k != axis))
        if not safe.any():
            return False
    return True


def _joined(
    together: Sequence[int], rules: Sequence[_Rule], groups: dict[int, list[int]], cards: dict[int, int]
) -> list[_Rule] | None:
    """Join groups to one (under the number of the first), and write the rules with its combinations.

    None if a rule becomes too large.
    """
    first, others = together[0], together[1:]
    sizes = [cards[group] for group in together]
    changed = []
    for rule in rules:
        inside = [group for group in together if group in rule.scope]
        if not inside:
            changed.append(rule)
            continue
        rest = [group for group in rule.scope if group not in inside]
        moved = np.transpose(rule.allowed, [rule.scope.index(group) for group in (*rest, *inside)])
        shape = [cards[group] for group in rest]
        if prod(shape) * prod(sizes) > LARGEST_RULE:
            return None
        full = moved.reshape([*shape, *(cards[g] if g in inside else 1 for g in together)])
        allowed = np.broadcast_to(full, [*shape, *sizes]).reshape([*shape, -1])
        changed.append(_Rule([*rest, first], allowed))
    for group in others:
        groups[first] += groups.pop(group)
    cards[first] = prod(sizes)
    return changed
