"""The result of ``arc_information``: what child and parent of every arc tell about each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import UnknownVariable
from bayou.explain.arc_information import ArcBits
from bayou.frames import pandas_frame
from bayou.schema import label
from bayou.text.tables import Bar, Cell, PrintedTable, TextTable
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas

Arc = tuple[Name, Name]


@dataclass(frozen=True, eq=False, repr=False)
class ArcInformation(PrintedTable, Mapping[Arc, float]):
    """A mapping from arcs (parent, child) to strengths from 0 to 1, as pictures take it (``strengths=``).

    A strength is the information of child and parent about each other given the other parents, divided by
    the largest one in the network. ``arcs`` has all arcs with their information in bits, the strongest
    first; ``bits(parent, child)`` is one of them. ``left_out`` are arcs at continuous variables, and at noisy
    nodes whose tables would be too large.

    >>> import bayou
    >>> net = bayou.Network("A -> X <- B", states=dict.fromkeys("ABX", [0, 1]), tables={
    ...     "A": [0.5, 0.5], "B": [0.5, 0.5], "X": [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]})
    >>> print(net.arc_information())
    Information of arcs in bits
    arc     alone   given other parents
    A -> X  0.0000  1.0000               ██████████
    B -> X  0.0000  1.0000               ██████████
    >>> net.to_svg(strengths=net.arc_information()).startswith("<svg")
    True
    """

    findings: str
    arcs: tuple[ArcBits, ...]
    left_out: tuple[Arc, ...]

    @cached_property
    def _strengths(self) -> dict[Arc, float]:
        largest = max((arc.given_others for arc in self.arcs), default=0.0)
        return {
            (arc.parent, arc.child): min(arc.given_others / largest, 1.0) if largest > 0 else 0.0
            for arc in self.arcs
        }

    def __getitem__(self, arc: Arc) -> float:
        try:
            return self._strengths[arc]
        except KeyError:
            raise _no_arc(arc) from None

    def __iter__(self) -> Iterator[Arc]:
        return iter(self._strengths)

    def __len__(self) -> int:
        return len(self.arcs)

    def bits(self, parent: Name, child: Name) -> ArcBits:
        """The information of one arc in bits.

        Raises ``UnknownVariable`` for what is no arc.

        >>> import bayou
        >>> net = bayou.examples.rain_and_wet_grass()
        >>> round(net.arc_information().bits("Rain", "WetGrass").alone, 4)
        0.3578
        """
        for arc in self.arcs:
            if (arc.parent, arc.child) == (parent, child):
                return arc
        raise _no_arc((parent, child))

    def to_table(self) -> TextTable:
        """One row per arc, the strongest first.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().arc_information()
        >>> print(found.to_table())
        Information of arcs in bits
        arc               alone   given other parents
        Rain -> WetGrass  0.3578  0.3578               ██████████
        """
        rows: list[list[Cell]] = [
            [
                f"{label(arc.parent)} -> {label(arc.child)}",
                f"{arc.alone:.4f}",
                f"{arc.given_others:.4f}",
                Bar(self[arc.parent, arc.child]),
            ]
            for arc in self.arcs
        ]
        given = f" given {self.findings}" if self.findings else ""
        header = ["arc", "alone", "given other parents", ""]
        return TextTable(header, rows, f"Information of arcs in bits{given}")

    def _remarks(self) -> list[str]:
        named = ", ".join(f"{label(parent)} -> {label(child)}" for parent, child in self.left_out[:5])
        more = f" and {len(self.left_out) - 5} more" if len(self.left_out) > 5 else ""
        return [f"Left out (numbers, or large noisy nodes): {named}{more}."] if self.left_out else []

    def to_dict(self) -> dict[str, Any]:
        """The arcs as plain data.

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().arc_information()
        >>> list(found.to_dict())
        ['findings', 'arcs', 'left_out']
        """
        arcs = [
            {
                "from": arc.parent,
                "to": arc.child,
                "alone": arc.alone,
                "given_others": arc.given_others,
                "strength": self[arc.parent, arc.child],
            }
            for arc in self.arcs
        ]
        left_out = [{"from": parent, "to": child} for parent, child in self.left_out]
        return {"findings": self.findings, "arcs": arcs, "left_out": left_out}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with the columns from, to, alone, given_others and strength (needs pandas).

        >>> import bayou
        >>> found = bayou.examples.rain_and_wet_grass().arc_information()
        >>> found.to_frame().round(4).to_dict("list")
        {'from': ['Rain'], 'to': ['WetGrass'], 'alone': [0.3578], 'given_others': [0.3578], 'strength': [1.0]}
        """
        columns: dict[str, Any] = {
            "from": [arc.parent for arc in self.arcs],
            "to": [arc.child for arc in self.arcs],
            "alone": np.array([arc.alone for arc in self.arcs], dtype=np.float64),
            "given_others": np.array([arc.given_others for arc in self.arcs], dtype=np.float64),
            "strength": np.array([self[arc.parent, arc.child] for arc in self.arcs], dtype=np.float64),
        }
        return pandas_frame(columns, "ArcInformation.to_frame")


def _no_arc(arc: Any) -> UnknownVariable:
    return UnknownVariable(
        f"There is no information of {arc!r}: name an arc as (parent, child). Arcs at numbers and at large "
        "noisy nodes are left out (left_out)."
    )
