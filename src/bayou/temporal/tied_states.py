"""States that emit alike: their statistics are added up before what they emit is estimated.

Each of them gets the sum of all, so that their estimates are the same, with the prior counted once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bayou.distributions import Distribution
from bayou.errors import BadQuestion, BadTable, listed
from bayou.schema import Variable
from bayou.temporal.chain_structure import ChainStructure
from bayou.typing import BoolArray, FloatArray, Name


def tied_groups(state: Variable, tie: Iterable[Iterable[Any]]) -> tuple[int, ...]:
    """The number of the group of each state, from groups of names; empty if no states are tied.

    >>> tied_groups(Variable("state", ["a", "b", "c"]), [("a", "c")])
    (0, 1, 0)
    """
    first = list(range(state.cardinality))
    for names in tie:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise BadQuestion(f"tie: {names!r} is not a group of states; give a list of groups of names.")
        codes = [state.code(name) for name in names]
        again = [name for name, code in zip(names, codes, strict=True) if first[code] != code]
        if again or len(set(codes)) != len(codes) or any(first.count(code) > 1 for code in codes):
            raise BadQuestion(f"tie: the group {listed(names)} has a state twice, or one of another group.")
        for code in codes:
            first[code] = min(codes)
    if first == list(range(state.cardinality)):
        return ()
    numbers = {code: k for k, code in enumerate(sorted(set(first)))}
    return tuple(numbers[code] for code in first)


def tied_weights(chain: ChainStructure, weights: FloatArray) -> FloatArray:
    """Weights of the states [row, state], or with components [row, state · component], added up over states
    that emit alike.
    """
    if not chain.tied:
        return weights
    group = np.array(chain.tied)
    alike = (group[:, None] == group).astype(np.float64)
    split = weights.reshape(len(weights), chain.states, -1)
    added: FloatArray = np.einsum("rkc,kl->rlc", split, alike).reshape(weights.shape)
    return np.ascontiguousarray(added)


def first_of_group(chain: ChainStructure) -> BoolArray:
    """A mask of the states that are the first of their group; all, if none are tied."""
    mask = np.ones(chain.states, dtype=bool)
    for k, group in enumerate(chain.tied):
        mask[k] = chain.tied.index(group) == k
    return mask


def group_shares(chain: ChainStructure) -> FloatArray:
    """1 / the number of states that emit as each state does."""
    if not chain.tied:
        return np.ones(chain.states)
    return np.array([1.0 / chain.tied.count(group) for group in chain.tied])


def check_tied(chain: ChainStructure, name: Name, node: Distribution) -> None:
    """Raise BadTable if states that must emit alike do not."""
    if not chain.tied or name not in (*chain.columns, *([chain.component.name] if chain.component else [])):
        return
    leader = [chain.tied.index(group) for group in chain.tied]
    for part in ("values", "rate", "weights", "intercept", "coefficients", "variance"):
        values = getattr(node, part, None)
        if isinstance(values, np.ndarray) and not np.array_equal(values, values[leader]):
            bad = next(k for k in range(chain.states) if not np.array_equal(values[k], values[leader[k]]))
            first, other = chain.seen_codes(np.array([leader[bad], bad])).tolist()
            states = chain.user_state.states
            raise BadTable(
                f"The states {states[first]!r} and {states[other]!r} are tied (tie=), so {name!r} must "
                "be the same in both."
            )
