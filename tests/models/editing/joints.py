"""Joint distributions by enumeration, against which edits are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.laws.strategies import joint_by_hand

import bayou

CLOSE = 1e-12


def joint(net: bayou.Network, names: Any = None) -> np.ndarray:
    """P(names) from the product of all tables, cell by cell; one axis per name (default: all of them)."""
    table = np.zeros([len(net.states(name)) for name in net.names])
    for codes, probability in joint_by_hand(net).items():
        table[codes] = probability
    wanted = list(net.names if names is None else names)
    place = {name: k for k, name in enumerate(net.names)}
    others = tuple(k for name, k in place.items() if name not in wanted)
    kept = [name for name in net.names if name in wanted]
    return np.transpose(table.sum(axis=others), [kept.index(name) for name in wanted])


def same_joint(left: bayou.Network, right: bayou.Network, names: Any = None) -> None:
    """Both give these variables (default: all of the left one) the same probabilities."""
    wanted = left.names if names is None else names
    np.testing.assert_allclose(joint(right, wanted), joint(left, wanted), rtol=0, atol=CLOSE)


def valid(net: bayou.Network) -> None:
    """All rows of all tables are probabilities that sum to 1."""
    for name in net.names:
        table = net.cpt(name).to_array()
        assert np.all(table >= 0), name
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=0, atol=CLOSE)


def same_network(left: bayou.Network, right: bayou.Network, atol: float = 1e-14) -> None:
    """Both have the same variables, arcs and orders, and the same tables up to rounding."""
    assert left.dag == right.dag
    assert left.variables == right.variables
    for name in left.names:
        found, expected = right.cpt(name).to_array(), left.cpt(name).to_array()
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol)
