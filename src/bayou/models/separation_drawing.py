"""A verdict of d-separation with its picture: the two sides, what is given, and the open trail."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING

from bayou.graphs import Separation
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.formats.file_content import FilePath
    from bayou.plots.network_picture import Picture
    from bayou.plots.svg_pieces import Line

_WHOLE = 40
"""A graph with more nodes than this is not drawn whole: only what the verdict names and lies between."""


class SeparationWithPicture(Separation):
    """A :class:`~bayou.graphs.Separation` that a notebook shows with its picture.

    >>> import bayou
    >>> verdict = bayou.examples.storm().d_separated("Lightning", "BusTourGroup", given="Campfire")
    >>> bool(verdict), verdict.plot()
    (False, <Picture of 6 nodes and 7 arcs>)
    """

    @classmethod
    def of(cls, verdict: Separation) -> SeparationWithPicture:
        """The same verdict, with a picture."""
        return cls(*(getattr(verdict, field.name) for field in fields(verdict)))

    def plot(self) -> Picture:
        """Draw the graph: the two sides and what is given in colour, the open trail as wide lines.

        Of a large graph only the variables of the verdict, their trail and their neighbours are drawn.
        """
        from bayou.plots.network_picture import network_picture
        from bayou.plots.node_boxes import BeliefBox, NameBox
        from bayou.plots.palette import BOX

        nodes = self._shown()
        lines = [self._line(arc) for arc in self.dag.arcs if set(arc) <= set(nodes)]
        sides = {**dict.fromkeys(self.left, "#cfe3ff"), **dict.fromkeys(self.right, "#cfe3ff")}
        marked = {name: BeliefBox(str(name), mark="observed") for name in self.given}
        plain = {name: NameBox(str(name), sides.get(name, BOX)) for name in nodes}
        return network_picture(nodes, lines, boxes={**plain, **marked}, caption=self._caption())

    def to_svg(self, path: FilePath | None = None) -> str:
        """Return the picture as SVG text, and write it to a file if a path is given."""
        from bayou.models.verbs.drawing import save_picture

        return save_picture(self.plot(), path)

    def _repr_html_(self) -> str:
        return f"{super()._repr_html_()}<div>{self.plot().svg}</div>"

    def _caption(self) -> str:
        return "Every trail is blocked" if self.trail is None else self.reason.splitlines()[0]

    def _shown(self) -> list[Name]:
        """The nodes to draw."""
        if len(self.dag.nodes) <= _WHOLE:
            return list(self.dag.nodes)
        core = {*self.left, *self.right, *self.given, *(self.trail or ())}
        near = {n for name in core for n in (*self.dag.parents(name), *self.dag.children(name))}
        wanted = core | near if len(core | near) <= _WHOLE else core
        return [name for name in self.dag.nodes if name in wanted]

    def _line(self, arc: tuple[Name, Name]) -> Line:
        from bayou.plots.palette import MISSING
        from bayou.plots.svg_pieces import Line

        steps = {frozenset(step) for step in pairwise(self.trail or ())}
        return Line(*arc, colour=MISSING, width=3.0) if frozenset(arc) in steps else Line(*arc)
