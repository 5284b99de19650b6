"""Parameters of alarm from coded columns in memory: what remains when reading is done."""

from __future__ import annotations

import numpy as np

from case import Case, Work
from data import Sample, sample
from peers import bayou_squares, pyagrum_fit, pyagrum_load, pyagrum_squares, pyagrum_template

ROWS = 1_000_000


def _sample(scale: float) -> Sample:
    return sample("alarm", int(ROWS * scale))


def numpy_bincount(scale: float) -> Work:
    """What a clever user writes: one mixed-radix index and one bincount a family."""
    data = _sample(scale)
    codes = dict(zip(data.names, data.codes, strict=True))
    cards = {name: len(states) for name, states in data.states.items()}

    def fit() -> list[np.ndarray]:
        tables = []
        for name in data.names:
            family = [*data.parents[name], name]
            shape = tuple(cards[each] for each in family)
            index = codes[family[0]].astype(np.int16)
            for each in family[1:]:
                index = index * cards[each] + codes[each]
            counts = np.bincount(index, minlength=int(np.prod(shape))).reshape(shape) + 1.0
            tables.append(counts / counts.sum(axis=-1, keepdims=True))
        return tables

    return Work(fit, lambda tables: float(sum(np.square(table).sum() for table in tables)), data.codes.nbytes)


def pyagrum_step(scale: float) -> Work:
    """pyAgrum's fit alone: its database is loaded beforehand."""
    data = _sample(scale)
    template = pyagrum_template(data)
    learner = pyagrum_load(str(data.csv()), template)
    return Work(lambda: pyagrum_fit(learner, template), pyagrum_squares)


def bayou_fit(scale: float) -> Work:
    """From coded columns to a fitted network, through the door that all data take."""
    import bayou
    from bayou.sources.tables.columns import CodedColumn, Columns

    data = _sample(scale)
    columns = [
        CodedColumn(line, tuple(data.states[name]), declared=True)
        for name, line in zip(data.names, data.codes, strict=True)
    ]
    table = Columns(data.names, columns, rows=data.codes.shape[1])
    network = bayou.load(data.bif)
    return Work(lambda: network.fit(table), bayou_squares, data.codes.nbytes)


CASE = Case(
    "alarm-codes",
    "inside: parameters of alarm, 1,000,000 × 37, from bayou's own coded columns",
    {"bayou": bayou_fit, "numpy bincount": numpy_bincount, "pyAgrum (fit step)": pyagrum_step},
    targets={"numpy bincount": 5, "pyAgrum (fit step)": 15},
    memory=2.0,
)
