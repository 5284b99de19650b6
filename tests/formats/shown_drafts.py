"""Drafts of networks that show something, drawn at random with hostile texts, for every format."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from tests.formats.bif.test_bif_fuzz import drafts

from bayou.formats.draft import NetworkDraft
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance, Submodel, TextBox
from bayou.schema import Variable, label
from bayou.typing import Name

HOSTILE = [
    'say "hi"',
    "a\nb\tc",
    "50% {x} (y);",
    "<b>&amp;]]>",
    "\\n",
    " ends ",
    "größe 日本 😀",
    "\x00\x1f",
    "//",
]
texts = st.one_of(
    st.just(""), st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
whole = st.integers(0, 900).map(float)
colours = st.sampled_from(["", "#ff0000", "#00aa11", "#e5f6f7", "#000080", "#000000"])


@st.composite
def boxes(draw: st.DrawFn, placed: bool) -> NodeAppearance:
    """What a node shows; its corners are whole numbers, as editors write them."""
    left, top, wide, high = draw(whole), draw(whole), draw(st.integers(1, 90)), draw(st.integers(1, 90))
    return NodeAppearance(
        title=draw(texts),
        description=draw(texts),
        position=(left + wide, top + high) if placed else None,
        size=(2.0 * wide, 2.0 * high) if placed and (wide, high) not in ((50, 30), (40, 20)) else None,
        colour=draw(colours),
        outline=draw(colours),
        text_colour=draw(colours),
        font=draw(st.sampled_from(["", "8 Arial", "bold 9 Arial", "italic 12 Times New Roman"])),
        table_note=draw(texts),
    )


@st.composite
def shown_nodes(draw: st.DrawFn, variable: Variable, placed: bool) -> NodeAppearance:
    """What a node and its states show; a title that is the name itself would be none."""
    box = draw(boxes(placed))
    numbered = draw(st.booleans())
    states = tuple(
        StateAppearance(state, draw(texts), draw(texts), float(code) if numbered else None)
        for code, state in enumerate(variable.states)
    )
    return replace(
        box, title="" if box.title.strip() == label(variable.name).strip() else box.title, states=states
    )


def trees(names: list[Name]) -> st.SearchStrategy[tuple[Submodel, ...]]:
    """No submodels, flat ones or one in another one, with hostile names."""
    half = len(names) // 2
    flat = (Submodel("first", tuple(names[:half])), Submodel('se "c" <ond>', tuple(names[half:])))
    nested = (Submodel("outer", tuple(names[:half]), (Submodel(" inner\n", tuple(names[half:])),)),)
    boxed = (
        Submodel(
            "g", tuple(names), (), NodeAppearance(description="a\nb", position=(50, 30), colour="#ff0000")
        ),
    )
    return st.sampled_from([(), flat, nested, boxed, (Submodel("plain", tuple(names)),)] if names else [()])


@st.composite
def shown_drafts(draw: st.DrawFn) -> NetworkDraft:
    """A draft with an appearance; all of its nodes have positions, or none."""
    draft = draw(drafts())
    placed = draw(st.booleans())
    nodes = {variable.name: draw(shown_nodes(variable, placed)) for variable in draft.variables}
    arcs = {arc: draw(texts) for arc in draft.arcs}
    boxes_of_text = [(), (TextBox("free\ntext", (60.0, 40.0), (20.0, 10.0)),), (TextBox(" x "),)]
    shown = Appearance(
        draw(texts), draw(texts), nodes, arcs, draw(trees(list(nodes))), draw(st.sampled_from(boxes_of_text))
    )
    return replace(draft, appearance=shown)
