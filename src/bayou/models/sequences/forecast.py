"""The next steps of a sequence: probabilities of states, and of what they emit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.frames import pandas_frame
from bayou.schema import Variable, label
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(PrintedTable):
    """P(state) of the next steps, P(symbol) of columns of symbols, and mean and deviation of columns of
    numbers.

    >>> import bayou
    >>> ahead = bayou.examples.casino().forecast([6, 6, 6, 6], steps=2)
    >>> ahead.states.round(3).tolist()
    [[0.154, 0.846], [0.231, 0.769]]
    >>> ahead.symbols["roll"][0].round(3).tolist()
    [0.11, 0.11, 0.11, 0.11, 0.11, 0.449]
    """

    variable: Variable
    states: FloatArray
    columns: Mapping[Name, Variable]
    symbols: Mapping[Name, FloatArray]
    means: Mapping[Name, FloatArray]
    deviations: Mapping[Name, FloatArray]

    def __len__(self) -> int:
        return len(self.states)

    def to_columns(self) -> dict[str, list[Any]]:
        """The step, the most probable state, P(state), and the same (or mean and deviation) of each column.

        >>> import bayou
        >>> list(bayou.examples.casino().forecast([6, 6]).to_columns())[:5]
        ['step', 'state', 'P(state=fair)', 'P(state=loaded)', 'roll']
        """
        found: dict[str, list[Any]] = {"step": list(range(1, len(self) + 1))}
        tables = {self.variable.name: (self.variable, self.states)}
        tables |= {name: (self.columns[name], shares) for name, shares in self.symbols.items()}
        for name, (variable, shares) in tables.items():
            found[str(name)] = [variable.states[code] for code in shares.argmax(axis=1).tolist()]
            for code, state in enumerate(variable.states):
                found[f"P({name}={state})"] = shares[:, code].tolist()
        for name, mean in self.means.items():
            found[f"mean({name})"] = mean.tolist()
            found[f"deviation({name})"] = self.deviations[name].tolist()
        return found

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with a row for each step."""
        return pandas_frame(self.to_columns(), "A forecast as a frame")

    def to_table(self) -> TextTable:
        """One line for each step."""
        header = ["step", *(label(state) for state in self.variable.states)]
        for name in self.symbols:
            header.append(f"{label(name)} (most likely)")
        header += [f"{label(name)} (mean ± deviation)" for name in self.means]
        rows = []
        for step in range(len(self)):
            cells: list[str | int | float] = [step + 1, *self.states[step].tolist()]
            for name, shares in self.symbols.items():
                best = int(shares[step].argmax())
                cells.append(f"{label(self.columns[name].states[best])} ({shares[step][best]:.3f})")
            for name, mean in self.means.items():
                cells.append(f"{mean[step]:.4g} ± {self.deviations[name][step]:.3g}")
            rows.append(cells)
        return TextTable(header, rows, title="The next steps")


def forecast(model: ChainModel, last: FloatArray | None, steps: int) -> Forecast:
    """The next steps after a step whose filtered states are ``last`` (None: from the start)."""
    chain, network = model.chain, model.network
    table = network.table(chain.next_state)
    states = np.empty((steps, chain.states))
    now = last
    for step in range(steps):
        now = model.start if now is None else now @ table
        states[step] = now
    symbols: dict[Name, FloatArray] = {}
    means: dict[Name, FloatArray] = {}
    deviations: dict[Name, FloatArray] = {}
    for name in chain.columns:
        variable = chain.structure.declared[name]
        if not variable.is_continuous:
            symbols[name] = states @ network.table(name)
            continue
        known = state_moments(model, name)
        if known is not None:
            mean, square = known
            means[name] = states @ mean
            deviations[name] = np.sqrt(np.maximum(states @ square - means[name] ** 2, 0.0))
    columns = {name: chain.structure.declared[name] for name in chain.columns}
    return Forecast(chain.user_state, chain.folded(states), columns, symbols, means, deviations)


def state_moments(model: ChainModel, name: Name) -> tuple[FloatArray, FloatArray] | None:
    """The mean of a column and of its square in each state; None for kinds without moments."""
    chain, network = model.chain, model.network
    node = network.distribution(name)
    if name in chain.gaussians:
        gaussians = GaussianColumns.of(network, chain.gaussians)
        place = chain.gaussians.index(name)
        mean = gaussians.means[:, place]
        square = gaussians.covariances[:, place, place] + mean**2
    elif "rate" in node.parameters_by_group and node.kind == "poisson":
        mean = node.parameters_by_group["rate"].ravel()
        square = mean + mean**2
    elif isinstance(node, BumpMixture):
        mean, square = node.means.ravel(), node.squares.ravel()
    else:
        return None
    if name in chain.mixed:
        assert chain.component is not None
        shares = network.table(chain.component.name)
        mean, square = ((part.reshape(shares.shape) * shares).sum(axis=1) for part in (mean, square))
    return mean, square
