"""What Hugin NET files show: labels, positions, and the attributes HR_… of Hugin's editor.

``position = (x y)`` is a centre with y upwards. ``HR_Desc`` is a description, ``HR_State_0`` that of the
first state, ``HR_NodeSize`` a size where it is not the ``node_size`` of the network.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from bayou.errors import listed
from bayou.formats.appearances.quoted_strings import cleaned, fits_quotes, quoted, unescaped
from bayou.formats.appearances.rest_note import NativeParts
from bayou.formats.families import numbers_in
from bayou.formats.scanner import Token
from bayou.formats.spelling import printable
from bayou.networks.appearance import Appearance, NodeAppearance, Point, StateAppearance
from bayou.schema import Variable, label
from bayou.typing import Name

NODE_SIZE = (80.0, 40.0)
"""The size that Hugin gives to nodes."""
_READ = {"label", "position", "states", "subtype", "state_values", "HR_Desc", "HR_NodeSize"}
_NODE = ("title", "description", "position", "size")
_MARGIN = 40
_BARE = str.maketrans("(),", "   ")
Attributes = Mapping[str, list[Token]]


def default_title(name: Name) -> str:
    """The label of a node without a title."""
    return net_string(label(name))


def net_string(text: str) -> str:
    """A text without quotes and backslashes, which some readers of NET files do not expect."""
    return printable(text).replace('"', "_").replace("\\", "_")


def hugin_node(attributes: Attributes, states: Sequence[str], size: Point | None) -> NodeAppearance:
    """What a node shows; ``size`` is that of nodes without one of their own, if it is not the usual one."""
    values = _numbers(attributes, "state_values")
    numbered = _word(attributes, "subtype") == "number" and len(values) == len(states)
    place = _pair(attributes, "position")
    return NodeAppearance(
        title=_text(attributes, "label"),
        description=_text(attributes, "HR_Desc"),
        position=None if place is None else (place[0], 0.0 - place[1]),
        size=_pair(attributes, "HR_NodeSize") or size,
        states=tuple(
            StateAppearance(
                state,
                description=_text(attributes, f"HR_State_{number}"),
                value=values[number] if numbered else None,
            )
            for number, state in enumerate(dict.fromkeys(states))
        ),
    )


def hugin_header(attributes: Attributes) -> tuple[Appearance, Point | None]:
    """What the network shows, and the size of its nodes if it is not the usual one."""
    size = _pair(attributes, "node_size")
    return Appearance(description=_text(attributes, "HR_Desc")), None if size == NODE_SIZE else size


def hugin_unread(header: Attributes, nodes: Mapping[str, Attributes]) -> Iterator[str]:
    """What the attributes say besides."""
    settings = sorted(key for key in header if key not in ("name", "node_size", "HR_Desc"))
    kept = [key for key in settings if not key.startswith("bayou_") and _text(header, key)]
    if kept:
        yield f"the settings {listed(kept)} of the network"
    skipped = {
        key
        for attributes in nodes.values()
        for key in attributes
        if key not in _READ and not key.startswith(("bayou_", "HR_State_")) and _text(attributes, key)
    }
    if skipped:
        yield f"the attributes {listed(sorted(skipped))} of nodes"
    for name, attributes in nodes.items():
        if _word(attributes, "subtype") == "interval" and "bayou_states" not in attributes:
            yield f"the intervals (state_values) of {name!r}, whose states are texts here"


def _word(attributes: Attributes, key: str) -> str:
    tokens = attributes.get(key, [])
    return tokens[0].text if len(tokens) == 1 else ""


def _text(attributes: Attributes, key: str) -> str:
    return text_of(attributes.get(key, []))


def text_of(tokens: Sequence[Token]) -> str:
    """A string with its escapes resolved; any other value as it is written."""
    return " ".join(unescaped(token.raw) if token.kind == "string" else token.text for token in tokens)


def _numbers(attributes: Attributes, key: str) -> list[float]:
    return finite_numbers(" ".join(token.text for token in attributes.get(key, [])))


def finite_numbers(text: str) -> list[float]:
    """The numbers of a text with parentheses and commas; none if anything else is in it."""
    found = numbers_in(text.translate(_BARE))
    return [] if found is None or not all(map(math.isfinite, found)) else found.tolist()


def pair_of(text: str) -> Point | None:
    """Two numbers, or None.

    >>> pair_of("(135, 30)"), pair_of("1")
    ((135.0, 30.0), None)
    """
    numbers = finite_numbers(text)
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _pair(attributes: Attributes, key: str) -> Point | None:
    return pair_of(" ".join(token.text for token in attributes.get(key, [])))


# Writing


def native_parts(shown: Appearance, variables: Sequence[Variable]) -> NativeParts:
    """What the attributes can say; numbers of states if each node has one for all states or for none."""
    counts = [
        (sum(one.value is not None for one in shown.node(variable.name).states), variable)
        for variable in variables
    ]
    numbered = all(count in (0, v.cardinality) and not (count and v.cuts) for count, v in counts)
    return NativeParts(
        ("description",), _NODE, ("description", "value") if numbered else ("description",), fits_quotes
    )


def header_lines(shown: Appearance) -> list[str]:
    """The size of nodes, if there are positions, and the description of the network."""
    placed = any(one.position is not None for one in shown.nodes.values())
    return [
        *(["    node_size = (80 40);"] if placed else []),
        *([f"    HR_Desc = {quoted(cleaned(shown.description))};"] if shown.description else []),
    ]


def height(shown: Appearance) -> int:
    """What is added to each y, so that none is negative when it grows upwards."""
    lowest = max((one.position[1] for one in shown.nodes.values() if one.position is not None), default=0)
    return math.ceil(lowest) + _MARGIN if lowest > 0 else 0


def node_lines(shown: NodeAppearance, variable: Variable, up: int) -> Iterator[str]:
    """The attributes of a node behind its label and its states."""
    if shown.position is not None:
        yield f"    position = ({round(shown.position[0])} {round(up - shown.position[1])});"
    if shown.size is not None:
        yield f'    HR_NodeSize = "({round(shown.size[0])}, {round(shown.size[1])})";'
    if shown.description:
        yield f"    HR_Desc = {quoted(cleaned(shown.description))};"
    for number, state in enumerate(variable.states):
        text = shown.of_state(state).description
        if text:
            yield f"    HR_State_{number} = {quoted(cleaned(text))};"
    values = [shown.of_state(state).value for state in variable.states]
    if variable.cuts is None and None not in values:
        yield "    subtype = number;"
        yield f"    state_values = ({' '.join(map(repr, values))});"


def label_line(shown: NodeAppearance, name: Name) -> str:
    """The label of a node: its title, or its name."""
    title = quoted(cleaned(shown.title)) if shown.title else f'"{default_title(name)}"'
    return f"    label = {title};"
