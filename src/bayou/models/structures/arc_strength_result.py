"""The result of ``arc_strength``: strengths of arcs, a threshold, the averaged network, a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import real_number
from bayou.errors import BadQuestion, UnknownVariable
from bayou.formats.file_content import FilePath
from bayou.frames import pandas_frame
from bayou.graphs import Dag
from bayou.learning.search.arc_bootstrap import ArcTally, averaged_arcs, significance_threshold
from bayou.models.network import Network
from bayou.models.verbs.drawing import save_picture, strength_line
from bayou.networks import Structure
from bayou.plots.network_picture import Picture, network_picture
from bayou.schema import Variable
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class ArcStrength:
    """A pair of variables: the share of samples that join it, and of these the share with this direction."""

    start: Name
    end: Name
    strength: float
    direction: float


@dataclass(frozen=True, eq=False, repr=False)
class ArcStrengths(PrintedTable):
    """Bootstrap strengths of arcs: ``strengths["A", "B"]`` is one pair, ``strengths.pairs`` all joined pairs.

    ``strength`` is the share of samples that join the pair, ``direction`` the share of these in which the
    arc has this direction (half each if the data cannot tell). Strengths above ``threshold`` are significant.
    """

    tally: ArcTally
    variables: Mapping[Name, Variable] = field(repr=False)

    @property
    def samples(self) -> int:
        """The number of samples that were searched."""
        return self.tally.samples

    @property
    def finished(self) -> bool:
        """Whether all samples were searched; False after an interrupt or a time limit."""
        return self.tally.finished

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables."""
        return self.tally.nodes

    @cached_property
    def pairs(self) -> tuple[ArcStrength, ...]:
        """All pairs that some sample joined, the strongest first, each in its more frequent direction."""
        size = len(self.names)
        found = [
            self._strength(i, j) if self.tally.along[i, j] >= self.tally.along[j, i] else self._strength(j, i)
            for i in range(size)
            for j in range(i + 1, size)
            if self.tally.joined[i, j] > 0
        ]
        return tuple(sorted(found, key=lambda pair: (-pair.strength, -pair.direction)))

    @cached_property
    def threshold(self) -> float:
        """The significance threshold: stronger arcs are significant (Scutari and Nagarajan 2013)."""
        upper = np.triu_indices(len(self.names), 1)
        return significance_threshold(self.tally.joined[upper] / self.samples)

    def __getitem__(self, pair: Any) -> ArcStrength:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise BadQuestion(f"Index strengths by two names, strengths['A', 'B']; got {pair!r}.")
        for name in pair:
            if name not in self.names:
                raise UnknownVariable.named(name, self.names)
        return self._strength(*(self.names.index(name) for name in pair))

    def __iter__(self) -> Iterator[ArcStrength]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def _strength(self, i: int, j: int) -> ArcStrength:
        joined = float(self.tally.joined[i, j])
        direction = float(self.tally.along[i, j]) / joined if joined else 0.0
        return ArcStrength(self.names[i], self.names[j], joined / self.samples, direction)

    def network(self, threshold: float | None = None) -> Network:
        """The averaged network, without parameters: the arcs above the threshold, the strongest added first.

        An arc that would close a cycle is reversed, or omitted if no sample has the reversed arc. Without
        ``threshold`` the significance threshold is used.

        Raises ``BadQuestion`` for a threshold that is not between 0 and 1.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> len(strengths.network(threshold=0.5).arcs)
        1
        """
        dag = self._dag(threshold)
        return Network.from_structure(Structure(dag, dict(self.variables), {}, {}))

    def _dag(self, threshold: float | None) -> Dag:
        least = self.threshold if threshold is None else threshold
        least = real_number("threshold", least, 0, 1, expected="strengths lie between 0 and 1")
        arcs = sorted(averaged_arcs(self.tally, least))
        return Dag.from_arcs([(self.names[i], self.names[j]) for i, j in arcs], self.names)

    def to_table(self) -> TextTable:
        """One row per pair that some sample joined; a star marks significant pairs.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> strengths.to_table().header
        ['', 'arc', 'strength', 'direction']
        """
        rows: list[list[Cell]] = [
            [
                "*" if pair.strength > self.threshold else "",
                f"{pair.start} -> {pair.end}",
                pair.strength,
                pair.direction,
            ]
            for pair in self.pairs
        ]
        cut = "" if self.finished else " (interrupted)"
        title = f"{self.samples} samples{cut}, significant above {self.threshold:.4g}"
        return TextTable(["", "arc", "strength", "direction"], rows, title)

    def to_dict(self) -> dict[str, Any]:
        """The strengths as plain data.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> list(strengths.to_dict())
        ['samples', 'threshold', 'arcs']
        """
        pairs = [
            {"from": pair.start, "to": pair.end, "strength": pair.strength, "direction": pair.direction}
            for pair in self.pairs
        ]
        return {"samples": self.samples, "threshold": self.threshold, "arcs": pairs}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with the columns from, to, strength and direction.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> strengths.to_frame().columns.to_list()
        ['from', 'to', 'strength', 'direction']
        """
        columns = {
            "from": [pair.start for pair in self.pairs],
            "to": [pair.end for pair in self.pairs],
            "strength": np.array([pair.strength for pair in self.pairs], dtype=np.float64),
            "direction": np.array([pair.direction for pair in self.pairs], dtype=np.float64),
        }
        return pandas_frame(columns, "ArcStrengths.to_frame")

    def plot(self, threshold: float | None = None) -> Picture:
        """Draw the averaged network; the width of an arc grows with its strength.

        Raises ``BadQuestion`` for a threshold that is not between 0 and 1.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> strengths.plot(threshold=0.5)
        <Picture of 2 nodes and 1 arc>
        """
        dag = self._dag(threshold)
        lines = [strength_line(start, end, self[start, end].strength) for start, end in dag.arcs]
        return network_picture(dag.nodes, lines)

    def to_svg(self, path: FilePath | None = None, *, threshold: float | None = None) -> str:
        """Return the picture as SVG text, and write it to a file if a path is given.

        Raises ``BadQuestion`` for a threshold that is not between 0 and 1, and ``BadFile`` for a path that
        does not end in ``.svg`` or cannot be written to.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> strengths = bayou.arc_strength(rows, samples=10, seed=1)
        >>> strengths.to_svg(threshold=0.5).startswith("<svg")
        True
        """
        return save_picture(self.plot(threshold), path)
