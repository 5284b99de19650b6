"""A network whose questions take as long as one likes."""

from __future__ import annotations

import numpy as np

import bayou


def grid(size: int) -> bayou.Network:
    """A square of variables, each with an arc to the right and down: a question takes about 2 ** size."""
    arcs = [(f"{i} {j}", f"{i + 1} {j}") for i in range(size - 1) for j in range(size)]
    arcs += [(f"{i} {j}", f"{i} {j + 1}") for i in range(size) for j in range(size - 1)]
    names = sorted({name for arc in arcs for name in arc})
    net = bayou.Network(arcs, states={name: ["no", "yes"] for name in names})
    chance = np.random.default_rng(1)
    for name in names:
        shares = chance.uniform(0.2, 0.8, (2,) * len(net.parents(name)))
        net.set_cpt(name, np.stack([shares, 1 - shares], axis=-1))
    return net
