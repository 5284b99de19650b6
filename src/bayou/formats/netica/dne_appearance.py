"""What Netica's text files show: titles, comments, the centres of boxes, and sets of nodes.

A top-level block ``NodeSet S {Nodes = (A, B);};`` becomes a submodel, unless another set has its nodes.
What else a network of bayou shows is kept in blocks ``user U1 { bayou_… = "…"; };``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bayou.formats.appearances.hugin import pair_of, text_of
from bayou.formats.appearances.quoted_strings import cleaned, fits_quotes, quoted
from bayou.formats.appearances.rest_note import NativeParts
from bayou.formats.families import Conventions
from bayou.formats.netica.dne_blocks import DneBlock
from bayou.formats.netica.dne_states import dne_name
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance, Submodel
from bayou.schema import Variable
from bayou.typing import Name


def default_title(name: Name) -> str:
    """A node without a title gets none."""
    return ""


DNE = Conventions("DNE", dne_name, dne_name, default_title=default_title)
_NODE = ("title", "description", "position")


def user_notes(block: DneBlock) -> dict[str, str]:
    """The notes that bayou wrote into the blocks ``user`` of a block."""
    return {
        key: " ".join(token.text for token in value.tokens)
        for user in block.every("user")
        for key, value in user.values.items()
        if key.startswith("bayou_")
    }


def node_appearance(node: DneBlock, texts: Sequence[str]) -> NodeAppearance:
    """What a node shows; its states are named by their texts."""
    centres = [visual.values["center"] for visual in node.every("visual") if "center" in visual.values]
    titles, comments = _entries(node, "statetitles"), _entries(node, "statecomments")
    values = _entries(node, "levels") if node.word("discrete") != "FALSE" and "states" in node.values else []
    return NodeAppearance(
        title=_text(node, "title"),
        description=_text(node, "comment"),
        position=pair_of(" ".join(token.text for token in centres[0].tokens)) if centres else None,
        states=tuple(
            StateAppearance(
                text,
                _at(titles, number),
                _at(comments, number),
                float(values[number]) if len(values) == len(texts) else None,
            )
            for number, text in enumerate(dict.fromkeys(texts))
        ),
    )


def network_appearance(block: DneBlock, names: Mapping[str, Name]) -> tuple[Appearance, list[str]]:
    """What the network shows without its nodes, and the sets of nodes that have no place in a tree."""
    groups: list[Submodel] = []
    left_out: list[str] = []
    placed: set[Name] = set()
    for one in block.every("NodeSet"):
        tokens = one.values["Nodes"].tokens if "Nodes" in one.values else []
        nodes = tuple(dict.fromkeys(names[token.text] for token in tokens if token.text in names))
        if placed.intersection(nodes) or not one.name or one.name in {group.name for group in groups}:
            left_out.append(f"the node set {one.name!r}, which has nodes of another set")
        elif nodes:
            placed.update(nodes)
            groups.append(Submodel(one.name, nodes))
    shown = Appearance(_text(block, "title"), _text(block, "comment"), submodels=tuple(groups))
    return shown, left_out


def _text(block: DneBlock, key: str) -> str:
    return text_of(block.values[key].tokens) if key in block.values else ""


def _entries(block: DneBlock, key: str) -> list[str]:
    if key not in block.values:
        return []
    entries = block.values[key].entries
    if len(entries) == 1 and entries[0] is not None and entries[0].kind == "list":
        return entries[0].text.split()
    return ["" if token is None else text_of([token]) for token in entries]


def _at(texts: Sequence[str], number: int) -> str:
    return texts[number] if number < len(texts) else ""


# Writing


def native_parts(shown: Appearance, variables: Sequence[Variable]) -> NativeParts:
    """What the file can say: flat groups, titles of states, their numbers if each node has all or none."""
    numbered = all(
        len(numbers_of(shown.node(variable.name), variable)) in (0, variable.cardinality)
        for variable in variables
    )
    groups = ("submodels",) if all(map(_is_native_group, shown.submodels)) else ()
    state = ("title", "value") if numbered else ("title",)
    return NativeParts(("title", "description", *groups), _NODE, state, fits_quotes)


def numbers_of(shown: NodeAppearance, variable: Variable) -> list[float]:
    """The numbers that stand for states; more than there are states if they are intervals (never written)."""
    values = [one.value for one in shown.states if one.value is not None]
    return values * (variable.cardinality + 1) if values and variable.cuts is not None else values


def _is_native_group(group: Submodel) -> bool:
    plain = group.shown.is_plain and not group.submodels and bool(group.nodes)
    return plain and dne_name(group.name) == group.name


def text_lines(shown: Appearance | NodeAppearance, tabs: str) -> Iterator[str]:
    """The title and the comment."""
    if shown.title:
        yield f"{tabs}title = {quoted(cleaned(shown.title))};"
    if shown.description:
        yield f"{tabs}comment = {quoted(cleaned(shown.description))};"


def state_lines(shown: NodeAppearance, variable: Variable) -> Iterator[str]:
    """The titles of states, and the numbers that stand for them."""
    titles = [shown.of_state(state).title for state in variable.states]
    if any(titles):
        yield f"\tstatetitles = ({', '.join(quoted(cleaned(title)) for title in titles)});"
    values = [shown.of_state(state).value for state in variable.states]
    if variable.cuts is None and None not in values:
        yield f"\tlevels = ({', '.join(map(repr, values))});"


def visual_lines(shown: NodeAppearance) -> Iterator[str]:
    """The centre of a box."""
    if shown.position is not None:
        x, y = (str(int(end)) if end.is_integer() else repr(end) for end in shown.position)
        yield "\tvisual V1 {"
        yield f"\t\tcenter = ({x}, {y});"
        yield "\t\t};"
