"""How a structure was learned: its score, the gain and runner-up of every arc, the steps of the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from bayou.errors import counted
from bayou.learning.search.arc_gains import ArcGain
from bayou.learning.search.spanning_tree import TreeStep
from bayou.text.tables import TextTable, html_paragraphs
from bayou.typing import Name

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class SearchStep:
    """One step of a search: what was done to an arc, its gain, and the score after it."""

    kind: str
    parent: Name
    child: Name
    gain: float
    score: float

    def __str__(self) -> str:
        return f"{self.kind} {self.parent} -> {self.child}: {self.gain:+.4f}"


LARGEST_KEPT = 100_000_000
"""For data with more bytes than this the report is computed at once, so that the data need not be kept."""

Steps = Sequence[SearchStep] | Sequence[TreeStep]


@dataclass(frozen=True)
class StructureReport:
    """The report that :func:`bayou.learn_structure` stores in ``net.learned_structure``; prints as a table.

    ``finished`` is False if the time limit or the user ended the search. ``arcs``, and ``score`` for methods
    that do not use scores, are computed on first use. ``steps`` are those of hill climbing or of the tree
    (Chow–Liu, TAN).

    >>> import bayou
    >>> net = bayou.learn_structure({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9})
    >>> print(net.learned_structure)
    1 arc by exact search, BIC = -30.3286...
    parent  child  gain    runner-up    behind
    wet     rain   23.162  wet <- rain  0.000
    """

    method: str
    score_name: str
    scored: Callable[[], float] = field(repr=False, compare=False)
    seconds: float
    finished: bool = True
    steps: Steps = ()
    trace: tuple[float, ...] = ()
    remarks: tuple[str, ...] = ()
    gains: Callable[[], tuple[ArcGain, ...]] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def score(self) -> float:
        """The score of the whole network."""
        return self.scored()

    @cached_property
    def arcs(self) -> tuple[ArcGain, ...]:
        """Every arc with its gain and its runner-up, sorted by gain, the largest first."""
        found = self.gains()
        # The function keeps the data in memory: it is not needed any more.
        object.__setattr__(self, "gains", tuple)
        return found

    def to_table(self) -> TextTable:
        """The arcs as a table.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> report = bayou.learn_structure(rows).learned_structure
        >>> report.to_table().header
        ['parent', 'child', 'gain', 'runner-up', 'behind']
        """
        rows = [
            [str(arc.parent), str(arc.child), _number(arc.gain), arc.runner_up, _number(arc.behind)]
            for arc in self.arcs
        ]
        return TextTable(["parent", "child", "gain", "runner-up", "behind"], _flush(rows), self.title)

    @property
    def title(self) -> str:
        """The first line of the report."""
        count = counted(len(self.arcs), "arc")
        stopped = "" if self.finished else ", stopped before its end"
        result = f"{count} by {self.method}{stopped}, {self.score_name} = {self.score:.4f}"
        return f"{result}, {self.seconds:.2f} s"

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON if the names are.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> report = bayou.learn_structure(rows).learned_structure
        >>> [(arc["parent"], arc["child"]) for arc in report.to_dict()["arcs"]]
        [('wet', 'rain')]
        """
        return {
            "method": self.method,
            "score": self.score_name,
            "value": self.score,
            "seconds": self.seconds,
            "finished": self.finished,
            "remarks": list(self.remarks),
            "arcs": [
                {
                    "parent": arc.parent,
                    "child": arc.child,
                    "gain": arc.gain,
                    "runner_up": arc.runner_up,
                    "behind": arc.behind,
                }
                for arc in self.arcs
            ],
        }

    def to_frame(self) -> pandas.DataFrame:
        """The arcs as a pandas DataFrame.

        >>> import bayou
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> report = bayou.learn_structure(rows).learned_structure
        >>> report.to_frame().columns.to_list()
        ['parent', 'child', 'gain', 'runner_up', 'behind']
        """
        from bayou.frames import pandas_frame

        rows = self.to_dict()["arcs"]
        keys = ("parent", "child", "gain", "runner_up", "behind")
        return pandas_frame({key: [row[key] for row in rows] for key in keys}, "StructureReport.to_frame")

    @property
    def notes(self) -> tuple[str, ...]:
        """The remarks, and what negative gains mean."""
        if not any(arc.gain < 0 for arc in self.arcs):
            return self.remarks
        told = (
            f"Negative gains: {self.score_name} would be higher without these arcs. They were required, or "
            f"{self.method} has not chosen them by this score."
        )
        return (*self.remarks, told)

    def __str__(self) -> str:
        arcs = str(self.to_table()) if self.arcs else self.title
        return "\n".join([arcs, *self.notes])

    def _repr_html_(self) -> str:
        arcs = self.to_table()._repr_html_() if self.arcs else html_paragraphs([self.title])
        return arcs + html_paragraphs(self.notes)

    def __getstate__(self) -> dict[str, Any]:
        # The functions keep the data in memory: only their results are pickled.
        arcs, score = self.arcs, self.score
        known = {"arcs": arcs, "score": score, "gains": tuple, "scored": partial(float, score)}
        return {**self.__dict__, **known}


def _number(value: float) -> str:
    text = f"{value:,.3f}"
    return "0.000" if text == "-0.000" else text


def _flush(rows: list[list[str]]) -> list[list[str]]:
    """Right-align the columns of numbers."""
    for column in (2, 4):
        width = max((len(row[column]) for row in rows), default=0)
        for row in rows:
            row[column] = row[column].rjust(width)
    return rows
