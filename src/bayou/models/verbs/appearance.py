"""The methods of a network that tell and change what it shows, and what a file format would lose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.errors import BadGraph, BadQuestion

if TYPE_CHECKING:
    from bayou.formats.draft import Remarks
    from bayou.formats.file_content import FilePath
    from bayou.graphs import Dag
    from bayou.models.verbs.files import Parts
    from bayou.networks.appearance import Appearance
    from bayou.typing import Name, State

N = TypeVar("N", bound="NetworkAppearance")


class NetworkAppearance:
    """Titles, positions, colours, notes, submodels by node; :class:`~bayou.Network` inherits them."""

    _remarks: Remarks
    if TYPE_CHECKING:

        @property
        def dag(self) -> Dag: ...
        def parts(self) -> Parts: ...
        def states(self, name: Name) -> tuple[State, ...]: ...

    @property
    def appearance(self) -> Appearance:
        """What the network shows besides its mathematics; it makes no difference to any answer.

        >>> from bayou.models.network import Network
        >>> net = Network("Rain -> Wet").describe("Rain", title="Rain today", position=(40, 30))
        >>> net.appearance.node("Rain").title
        'Rain today'
        """
        return self._remarks.appearance

    @property
    def unread(self) -> tuple[str, ...]:
        """What the file of this network had and bayou does not keep, in words; empty for most files."""
        return self._remarks.unread

    def describe(
        self: N,
        node: Name | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        position: tuple[float, float] | None = None,
        size: tuple[float, float] | None = None,
        colour: str | None = None,
        table_note: str | None = None,
    ) -> N:
        """Set what a node shows, or, without ``node``, the title and description of the network.

        What is None stays as it is; an empty text takes a text away. ``position`` is the centre of the box
        (y grows downwards), ``colour`` a text such as ``"#e5f6f7"``, ``table_note`` a remark on the table.

        ``size`` is the width and height of the box.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadQuestion`` for what only a node has,
        if no node is named, and ``BadVariable`` for values of another form.

        >>> from bayou.models.network import Network
        >>> net = Network("Rain -> Wet").describe(title="Garden").describe("Wet", description="At 7 o'clock")
        >>> net.appearance.title, net.appearance.node("Wet").description
        ('Garden', "At 7 o'clock")
        """
        texts = _given(title=title, description=description)
        others = _given(position=position, size=size, colour=colour, table_note=table_note)
        if node is None:
            if others:
                raise BadQuestion(
                    f"{', '.join(others)} belong to a node: name it, as in net.describe('Rain', colour=…)."
                )
            return self._show(replace(self.appearance, **texts))
        shown = replace(self.appearance.node(self.dag.only(node)), **texts, **others)
        return self._show(self.appearance.with_node(node, shown))

    def describe_state(
        self: N,
        node: Name,
        state: State,
        *,
        title: str | None = None,
        description: str | None = None,
        value: float | None = None,
    ) -> N:
        """Set what a state of a node shows: a title, a description, the number that stands for it.

        Raises ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no
        state, ``NotFitted`` where the states are neither declared nor learned, and ``BadVariable`` for values
        of another form.

        >>> from bayou.models.network import Network
        >>> net = Network("Rain", states={"Rain": ["n", "y"]}).describe_state("Rain", "y", title="wet days")
        >>> net.appearance.node("Rain").of_state("y").title
        'wet days'
        """
        schema = self.parts()[0].schema
        own = schema[self.dag.only(node)]
        found = own.states[own.code(state)]
        shown = self.appearance.node(node)
        changed = replace(shown.of_state(found), **_given(title=title, description=description, value=value))
        return self._show(self.appearance.with_node(node, shown.with_state(changed)))

    def describe_arc(self: N, parent: Name, child: Name, note: str) -> N:
        """Set the note on an arc; an empty text takes it away.

        ``note`` is the text.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadGraph`` for an arc that is not there,
        and ``BadQuestion`` for a note that is no text.

        >>> from bayou.models.network import Network
        >>> Network("Rain -> Wet").describe_arc("Rain", "Wet", "seen often").appearance.arcs
        {('Rain', 'Wet'): 'seen often'}
        """
        if self.dag.only(parent) not in self.dag.parents(self.dag.only(child)):
            raise BadGraph(f"{parent!r} -> {child!r} is not an arc of this network; see net.arcs.")
        if not isinstance(note, str):
            raise BadQuestion(f"note must be a text; got {note!r}.")
        return self._show(self.appearance.with_arc_note(parent, child, note))

    def group(self: N, name: str, nodes: Iterable[Name], *, inside: str | None = None) -> N:
        """Put nodes into a submodel of this name, which is made if there is none (``inside`` another one).

        A node is in one submodel only: it leaves the one where it was.

        Raises ``UnknownVariable`` for a name that no variable has, ``BadGraph`` for a submodel that is not
        there, and ``BadVariable`` for a name that is no text.

        >>> from bayou.models.network import Network
        >>> net = Network("Rain -> Wet -> Slip").group("weather", ["Rain", "Wet"])
        >>> net.appearance.submodels_of("Wet")
        ('weather',)
        """
        from bayou.networks.submodels import grouped

        return self._show(grouped(self.appearance, name, self.dag.select(nodes), inside))

    def ungroup(self: N, name: str) -> N:
        """Take a submodel away; its nodes and the submodels inside it move to where it was.

        Raises ``BadGraph`` for a submodel that is not there.

        >>> from bayou.models.network import Network
        >>> net = Network("A -> B").group("inner", ["A"])
        >>> net.ungroup("inner").appearance.submodels
        ()
        """
        from bayou.networks.submodels import ungrouped

        return self._show(ungrouped(self.appearance, name))

    def losses(self, target: FilePath) -> list[str]:
        """What would be lost, or only kept in notes for bayou, by saving to this path or format (``".net"``).

        Raises ``BadFile`` for an ending that names no format, and ``NotFitted`` where the states are neither
        declared nor learned.

        >>> from bayou.models.network import Network
        >>> net = Network("A", tables={"A": {"x": 0.25, "y": 0.75}}).describe("A", description="a coin")
        >>> net.losses("coin.bif"), net.losses(".bayou")
        (['the descriptions of 1 node'], [])
        """
        from bayou.models.file_losses import losses_of

        return losses_of(self.parts(), target)

    def show_as(self: N, appearance: Appearance) -> N:
        """Replace all that the network shows, such as by ``other.appearance.without(names)``.

        ``appearance`` is all of it, as :attr:`appearance` has it.

        Raises ``UnknownVariable`` for an appearance of nodes that are not there.

        >>> from bayou.models.network import Network
        >>> net = Network("A -> B").describe("A", title="first")
        >>> Network("A -> C").show_as(net.appearance).appearance.node("A").title
        'first'
        """
        for name in appearance.names():
            self.dag.only(name)
        return self._show(appearance)

    def _show(self: N, appearance: Appearance) -> N:
        self._remarks = replace(self._remarks, appearance=appearance)
        return self


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
