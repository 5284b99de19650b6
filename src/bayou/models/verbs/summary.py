"""What a network has learned: rows, prior, and for each variable the rows behind its distribution."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bayou.errors import counted, number_text
from bayou.models.answers.printing import states_text, summary_lines
from bayou.schema import label
from bayou.statistics import CountTable
from bayou.text.tables import Cell, TextTable
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network


@dataclass(frozen=True)
class VariableNote:
    """One variable: its states, its parents, and what its distribution was learned from.

    ``missing`` is the number of rows in which it or a parent is missing, ``unseen`` the number of
    combinations of its parents that no row has: there the prior alone decides. None: not known.
    """

    name: Name
    states: str
    parents: tuple[Name, ...]
    missing: float | None = None
    unseen: int | None = None


@dataclass(frozen=True)
class NetworkSummary:
    """What a network is and has learned; printing it shows all. ``rows`` is None if it was not learned."""

    lines: tuple[str, ...]
    rows: float | None
    variables: tuple[VariableNote, ...]

    def to_table(self) -> TextTable:
        """One row per variable.

        >>> import bayou
        >>> summary = bayou.Network("Rain").fit({"Rain": ["no", "yes", "no"]}).summary()
        >>> print(summary.to_table())
        variable  states   parents
        Rain      no, yes
        """
        gaps = any(one.missing for one in self.variables)
        unseen = any(one.unseen for one in self.variables)
        rows: list[list[Cell]] = []
        for one in self.variables:
            cells: list[Cell] = [label(one.name), one.states, ", ".join(map(label, one.parents))]
            cells += [_text(one.missing)] * gaps + [_text(one.unseen)] * unseen
            rows.append(cells)
        heads = ["rows with gaps"] * gaps + ["parents never seen"] * unseen
        return TextTable(["variable", "states", "parents", *heads], rows)

    def __str__(self) -> str:
        return "\n".join([*self.lines, "", str(self.to_table())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = "<br>".join(html.escape(line) for line in self.lines)
        return f"<p>{lines}</p>{self.to_table()._repr_html_()}"

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data.

        >>> import bayou
        >>> summary = bayou.Network("Rain").fit({"Rain": ["no", "yes", "no"]}).summary()
        >>> summary.to_dict()["rows"]
        3
        """
        return {"rows": self.rows, "variables": [asdict(one) for one in self.variables]}


def summarise(net: Network) -> NetworkSummary:
    """Return the summary of a network, fitted or not."""
    frozen, learned = net._frozen, net._learned
    lines = summary_lines(net.structure, frozen)
    rows = None
    if learned is not None:
        rows = learned.statistics.rows
        lines += [_learned_text(net), f"Prior: {learned.priors.default!r}"]
    elif frozen is None or not frozen.blocks:
        lines.append("Not fitted: it has no distributions yet")
    else:
        lines.append("Its distributions were given, not learned")
    return NetworkSummary(tuple(lines), rows, tuple(_variables(net, rows)))


def _learned_text(net: Network) -> str:
    learned, trace = net._learned, net._trace
    assert learned is not None
    rows = learned.statistics.rows if trace is None else trace.rows
    text = f"Learned from {counted(rows, 'row')}"
    if trace is None or trace.method == "count":
        return text
    gaps = f" with {counted(trace.gaps, 'missing cell')}" if trace.gaps else ""
    return f"{text}{gaps}. {str(trace).splitlines()[0]}"


def _variables(net: Network, rows: float | None) -> Iterator[VariableNote]:
    learned = net._learned
    known = set() if learned is None or learned.expected else set(learned.statistics)
    for name in net.names:
        parents = net.parents(name)
        missing: float | None = None
        unseen: int | None = None
        family = CountTable((*parents, name))
        if learned is not None and rows is not None and family in known:
            counts = learned.statistics[family]
            missing = max(rows - counts.total, 0)
            unseen = int((counts.values.sum(axis=-1) == 0).sum()) if parents else 0
        yield VariableNote(name, states_text(net.structure, net._frozen, name), parents, missing, unseen)


def _text(count: float | None) -> str:
    return "" if count is None else number_text(count)
