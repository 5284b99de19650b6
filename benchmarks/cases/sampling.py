"""Drawing rows from a network (no target: an extra)."""

from __future__ import annotations

import numpy as np

from case import Case, Work
from data import bif_file

ROWS = 1_000_000


def bayou_sample(scale: float) -> Work:
    """``Network.sample``: coded columns, states looked up when a column is asked for."""
    import bayou

    network = bayou.load(bif_file("alarm"))

    def check(rows: object) -> float:
        return float(np.mean([rows[name] == network.states(name)[0] for name in network.names]))

    return Work(lambda: network.sample(int(ROWS * scale), seed=3), check)


def pyagrum_sample(scale: float) -> Work:
    """pyAgrum's generator, rows kept in its own memory."""
    import pyagrum

    network = pyagrum.loadBN(str(bif_file("alarm")))

    def draw() -> object:
        generator = pyagrum.BNDatabaseGenerator(network)
        generator.setRandomVarOrder()
        generator.drawSamples(int(ROWS * scale))
        return generator

    def check(generator: object) -> float:
        table = generator.to_pandas()
        return float(np.mean([table[name] == network.variable(name).label(0) for name in network.names()]))

    return Work(draw, check)


CASE = Case(
    "sampling",
    "drawing 1,000,000 rows of alarm (no target)",
    {"bayou": bayou_sample, "pyAgrum": pyagrum_sample},
    tolerance=0.02,
    note="The check is the mean share of first states: two random samples agree only roughly.",
)
