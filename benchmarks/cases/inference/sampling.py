"""Drawing rows from a network: kept as they come, and as a pandas frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work
from cases.inference.marginals import exact_pyagrum
from data import bif_file

ROWS = 1_000_000
NOTE = "The check is the mean share of first states: two random samples agree only roughly."


def bayou_sample(scale: float) -> Work:
    """``Network.sample``: coded columns, states looked up when a column is asked for."""
    import bayou

    network = bayou.load(bif_file("alarm"))
    return Work(
        lambda: network.sample(int(ROWS * scale), seed=3), lambda rows: first_states(rows, first_of(network))
    )


def bayou_frame(scale: float) -> Work:
    """The same rows as a pandas frame: categories."""
    import bayou

    network = bayou.load(bif_file("alarm"))
    return Work(
        lambda: network.sample(int(ROWS * scale), seed=3).to_pandas(),
        lambda frame: first_states(frame, first_of(network)),
    )


def pyagrum_sample(scale: float) -> Work:
    """pyAgrum's generator, rows kept in its own memory."""
    return _pyagrum(scale, lambda generator: generator, lambda generator: generator.to_pandas())


def pyagrum_frame(scale: float) -> Work:
    """The same rows as a pandas frame: texts."""
    return _pyagrum(scale, lambda generator: generator.to_pandas(), lambda frame: frame)


def _pyagrum(scale: float, finish: Any, frame_of: Any) -> Work:
    import pyagrum

    import bayou

    first = first_of(bayou.load(bif_file("alarm")))
    network = exact_pyagrum("alarm")

    def draw() -> object:
        generator = pyagrum.BNDatabaseGenerator(network)
        generator.setRandomVarOrder()
        generator.drawSamples(int(ROWS * scale))
        return finish(generator)

    return Work(draw, lambda drawn: first_states(frame_of(drawn), first))


def pgmpy_frame(scale: float) -> Work:
    """pgmpy's ``simulate``, which gives a frame."""
    from pgmpy.readwrite import BIFReader

    import bayou

    first = first_of(bayou.load(bif_file("alarm")))
    model = BIFReader(str(bif_file("alarm"))).get_model()
    return Work(
        lambda: model.simulate(int(ROWS * scale), seed=3, show_progress=False),
        lambda frame: first_states(frame, first),
    )


def first_of(network: Any) -> dict[str, str]:
    """The first state of each variable."""
    return {name: network.states(name)[0] for name in network.names}


def first_states(rows: Any, first: dict[str, str]) -> float:
    """The mean share of first states."""
    return float(np.mean([np.mean(rows[name] == state) for name, state in first.items()]))


DRAWN = Case(
    "sampling",
    "drawing 1,000,000 rows of alarm",
    {"bayou": bayou_sample, "pyAgrum": pyagrum_sample},
    targets={"pyAgrum": 25},
    tolerance=0.02,
    note=NOTE,
)
FRAME = Case(
    "sampling-frame",
    "drawing 1,000,000 rows of alarm as a pandas frame",
    {"bayou": bayou_frame, "pyAgrum": pyagrum_frame, "pgmpy": pgmpy_frame},
    targets={"pyAgrum": 50, "pgmpy": 50},
    tolerance=0.02,
    note=f"{NOTE} bayou's columns are categories, those of the others texts.",
)
CASES = (DRAWN, FRAME)
