"""What a network shows besides its mathematics: titles, descriptions, positions, colours, notes, submodels.

All of it is frozen data. Methods return changed copies, so an edit of a network (a node renamed or removed)
is one call here. Positions are the centres of boxes; x grows to the right, y downwards, as on a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayou.networks.appearance_values import (
    checked_colours,
    checked_number,
    checked_points,
    checked_texts,
    short_texts,
)
from bayou.schema import label, state_key
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import Name, State

if TYPE_CHECKING:
    import pandas

Point = tuple[float, float]


@dataclass(frozen=True)
class StateAppearance:
    """What is shown for a state: a title, a description, and the number that stands for it, if any.

    ``identifier`` is the state's name in the file of another program, where it differs from bayou's.
    """

    state: State
    title: str = ""
    description: str = ""
    value: float | None = None
    identifier: str = ""

    def __post_init__(self) -> None:
        checked_texts(self, ("title", "description", "identifier"))
        checked_number(self, "value")

    @property
    def is_plain(self) -> bool:
        """Whether nothing is shown besides the state itself."""
        return not (self.title or self.description or self.identifier) and self.value is None


@dataclass(frozen=True)
class NodeAppearance:
    """What is shown for a node: texts, a place, colours (``#rrggbb``), a font, and its states.

    ``position`` is the centre of its box and ``size`` its width and height. ``table_note`` is a remark on its
    table. ``identifier`` is the node's name in the file of another program, where it differs from bayou's.

    >>> NodeAppearance(title="Rain in Ghent", position=(120, 80), colour="#E5F6F7").colour
    '#e5f6f7'
    """

    title: str = ""
    description: str = ""
    position: Point | None = None
    size: Point | None = None
    colour: str = ""
    outline: str = ""
    text_colour: str = ""
    font: str = ""
    table_note: str = ""
    identifier: str = ""
    states: tuple[StateAppearance, ...] = ()

    def __post_init__(self) -> None:
        checked_texts(self, ("title", "description", "font", "table_note", "identifier"))
        checked_points(self, ("position", "size"))
        checked_colours(self, ("colour", "outline", "text_colour"))
        kept = tuple(one for one in self.states if not one.is_plain)
        object.__setattr__(self, "states", kept)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is set."""
        return self == PLAIN_NODE

    def of_state(self, state: State) -> StateAppearance:
        """What is shown for a state."""
        key = state_key(state)
        return next((one for one in self.states if state_key(one.state) == key), StateAppearance(state))

    def with_state(self, shown: StateAppearance) -> NodeAppearance:
        """The same with what is shown for one state."""
        key = state_key(shown.state)
        others = tuple(one for one in self.states if state_key(one.state) != key)
        return replace(self, states=(*others, shown))


PLAIN_NODE = NodeAppearance()


@dataclass(frozen=True)
class Submodel:
    """A named group of nodes, and groups inside it; ``shown`` is how its box is drawn."""

    name: str
    nodes: tuple[Name, ...] = ()
    submodels: tuple[Submodel, ...] = ()
    shown: NodeAppearance = PLAIN_NODE

    def __post_init__(self) -> None:
        checked_texts(self, ("name",))

    def mapped(self, change: Callable[[Name], Name | None]) -> Submodel:
        """The same with changed names; nodes for which ``change`` returns None are left out."""
        names = (change(name) for name in self.nodes)
        inner = tuple(one.mapped(change) for one in self.submodels)
        return replace(self, nodes=tuple(name for name in names if name is not None), submodels=inner)

    def everything(self) -> Iterator[Submodel]:
        """This submodel and all inside it."""
        yield self
        for one in self.submodels:
            yield from one.everything()


@dataclass(frozen=True)
class TextBox:
    """A text on the drawing that belongs to no node; ``position`` is its centre."""

    text: str
    position: Point | None = None
    size: Point | None = None

    def __post_init__(self) -> None:
        checked_texts(self, ("text",))
        checked_points(self, ("position", "size"))


@dataclass(frozen=True, repr=False)
class Appearance(PrintedTable):
    """What a network shows: its title and description, its nodes, notes on arcs, submodels, free texts.

    >>> import bayou
    >>> net = bayou.Network("Rain -> Wet").describe(title="Garden")
    >>> shown = net.describe("Rain", title="Rain today", position=(40, 30)).appearance
    >>> print(shown.renamed("Rain", "R"))
    Garden
    node  title       position  description
    R     Rain today  40, 30
    >>> bool(Appearance()), Appearance.from_state(shown.state()) == shown
    (False, True)
    """

    title: str = ""
    description: str = ""
    nodes: Mapping[Name, NodeAppearance] = field(default_factory=dict)
    arcs: Mapping[tuple[Name, Name], str] = field(default_factory=dict)
    submodels: tuple[Submodel, ...] = ()
    texts: tuple[TextBox, ...] = ()

    def __post_init__(self) -> None:
        checked_texts(self, ("title", "description"))
        nodes = {name: shown for name, shown in self.nodes.items() if not shown.is_plain}
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "arcs", {arc: text for arc, text in self.arcs.items() if text})

    def __bool__(self) -> bool:
        return self != NOTHING_SHOWN

    def node(self, name: Name) -> NodeAppearance:
        """What is shown for a node.

        >>> import bayou
        >>> shown = bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance
        >>> shown.node("Rain").title
        'Rain today'
        """
        return self.nodes.get(name, PLAIN_NODE)

    def submodels_of(self, name: Name) -> tuple[str, ...]:
        """The names of the submodels around a node, the outermost first.

        >>> import bayou
        >>> bayou.Network("Rain -> Wet").group("weather", ["Rain"]).appearance.submodels_of("Rain")
        ('weather',)
        """
        return _path(self.submodels, name) or ()

    # Changed copies

    def with_node(self, name: Name, shown: NodeAppearance) -> Appearance:
        """The same with what is shown for one node.

        ``shown`` replaces all that was shown for it.

        >>> import bayou
        >>> shown = bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance
        >>> shown.with_node("Wet", shown.node("Rain")).node("Wet").title
        'Rain today'
        """
        return replace(self, nodes={**self.nodes, name: shown})

    def with_arc_note(self, parent: Name, child: Name, text: str) -> Appearance:
        """The same with a note on an arc; an empty text takes the note away.

        >>> Appearance().with_arc_note("A", "B", "strong").arcs
        {('A', 'B'): 'strong'}
        """
        return replace(self, arcs={**self.arcs, (parent, child): text})

    def renamed(self, old: Name, new: Name) -> Appearance:
        """The same after a node has been renamed; its identifier in other programs is forgotten.

        >>> Appearance(arcs={("A", "B"): "strong"}).renamed("A", "C").arcs
        {('C', 'B'): 'strong'}
        """
        changed = self.mapped(lambda name: new if name == old else name)
        return changed.with_node(new, replace(changed.node(new), identifier=""))

    def without(self, names: Collection[Name]) -> Appearance:
        """The same after nodes have been removed; submodels that held only them go too.

        >>> import bayou
        >>> net = bayou.Network("A -> B").group("left", ["A"]).describe_arc("A", "B", "strong")
        >>> bool(net.appearance.without(["A"]))
        False
        """
        return self.mapped(lambda name: None if name in names else name)

    def without_arc(self, parent: Name, child: Name) -> Appearance:
        """The same after an arc has been removed.

        >>> Appearance(arcs={("A", "B"): "strong"}).without_arc("A", "B").arcs
        {}
        """
        return self.with_arc_note(parent, child, "")

    def with_state_renamed(self, node: Name, old: State, new: State) -> Appearance:
        """The same after a state has been renamed.

        >>> import bayou
        >>> net = bayou.Network("R", states={"R": ["n", "y"]}).describe_state("R", "y", title="It rains")
        >>> shown = net.appearance
        >>> shown.with_state_renamed("R", "y", "yes").node("R").of_state("yes").title
        'It rains'
        """
        shown, key = self.node(node), state_key(old)
        states = tuple(
            replace(one, state=new, identifier="") if state_key(one.state) == key else one
            for one in shown.states
        )
        return self.with_node(node, replace(shown, states=states))

    def without_states(self, node: Name, states: Collection[State]) -> Appearance:
        """The same after states of a node have been removed.

        >>> import bayou
        >>> net = bayou.Network("R", states={"R": ["n", "y"]}).describe_state("R", "y", title="It rains")
        >>> net.appearance.without_states("R", ["y"]).node("R").states
        ()
        """
        shown, gone = self.node(node), {state_key(state) for state in states}
        kept = tuple(one for one in shown.states if state_key(one.state) not in gone)
        return self.with_node(node, replace(shown, states=kept))

    def mapped(self, change: Callable[[Name], Name | None]) -> Appearance:
        """The same with changed names of nodes; what belongs to a node that becomes None is left out."""
        nodes = {new: shown for name, shown in self.nodes.items() if (new := change(name)) is not None}
        arcs = {
            (source, target): text
            for (parent, child), text in self.arcs.items()
            if (source := change(parent)) is not None and (target := change(child)) is not None
        }
        submodels = _without_emptied(self.submodels, change)
        return replace(self, nodes=nodes, arcs=arcs, submodels=submodels)

    def names(self) -> set[Name]:
        """All nodes that something is said about.

        >>> import bayou
        >>> shown = bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance
        >>> shown.names()
        {'Rain'}
        """
        grouped = (name for top in self.submodels for one in top.everything() for name in one.nodes)
        return {*self.nodes, *(end for arc in self.arcs for end in arc), *grouped}

    # As values and as text

    def state(self) -> dict[str, Any]:
        """All of it as JSON-ready values; parts that are empty are left out.

        >>> import bayou
        >>> bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance.state()
        {'nodes': [{'node': 'Rain', 'title': 'Rain today'}]}
        """
        from bayou.networks.appearance_state import appearance_state

        return appearance_state(self)

    to_dict = state

    @classmethod
    def from_state(cls, state: Any) -> Appearance:
        """Return the appearance that :meth:`state` described; other values are a BadFile."""
        from bayou.networks.appearance_state import appearance_from_state

        return appearance_from_state(state)

    def to_table(self) -> TextTable:
        """One row per node: title, position and the beginning of the description.

        >>> import bayou
        >>> shown = bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance
        >>> print(shown.to_table())
        node  title       position  description
        Rain  Rain today
        """
        rows: list[list[Cell]] = []
        for name, shown in self.nodes.items():
            place = "" if shown.position is None else "{:g}, {:g}".format(*shown.position)
            rows.append([label(name), *short_texts(shown.title), place, *short_texts(shown.description)])
        return TextTable(["node", "title", "position", "description"], rows, title=self.title)

    def to_frame(self) -> pandas.DataFrame:
        """One row per node: node, title, description, x, y and colour.

        >>> import bayou
        >>> shown = bayou.Network("Rain -> Wet").describe("Rain", title="Rain today").appearance
        >>> shown.to_frame()["title"].to_list()
        ['Rain today']
        """
        from bayou.frames import pandas_frame

        rows = list(self.nodes.values())
        places = [(None, None) if shown.position is None else shown.position for shown in rows]
        columns = {
            "node": list(self.nodes),
            "title": [shown.title for shown in rows],
            "description": [shown.description for shown in rows],
            "x": [place[0] for place in places],
            "y": [place[1] for place in places],
            "colour": [shown.colour for shown in rows],
        }
        return pandas_frame(columns, "Appearance.to_frame")

    def _remarks(self) -> Iterator[str]:
        yield from filter(None, [self.description])
        yield from (
            f"{label(parent)} -> {label(child)}: {text}" for (parent, child), text in self.arcs.items()
        )
        for top in self.submodels:
            for one in top.everything():
                yield f"submodel {one.name}: {', '.join(map(label, one.nodes))}"


NOTHING_SHOWN = Appearance()


def _path(groups: tuple[Submodel, ...], name: Name) -> tuple[str, ...] | None:
    for one in groups:
        inner = () if name in one.nodes else _path(one.submodels, name)
        if inner is not None:
            return (one.name, *inner)
    return None


def _without_emptied(
    groups: tuple[Submodel, ...], change: Callable[[Name], Name | None]
) -> tuple[Submodel, ...]:
    """The groups with changed names; a group that has lost everything it held is left out."""
    kept = []
    for one in groups:
        inner = _without_emptied(one.submodels, change)
        changed = replace(one.mapped(change), submodels=inner)
        held = one.nodes or one.submodels
        if changed.nodes or changed.submodels or not held:
            kept.append(changed)
    return tuple(kept)
