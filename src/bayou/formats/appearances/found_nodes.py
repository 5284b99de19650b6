"""What parsed nodes show, under the names of the variables: titles and identifiers of other programs.

A program's title is kept if it is not the one that bayou writes for a node without a title; an identifier
is kept if bayou would write another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bayou.formats.appearances.placing import moved_back
from bayou.formats.appearances.rest_note import merged, noted_appearance
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import Conventions, FoundFamilies
from bayou.formats.format_labels import Spelling, distinct_texts
from bayou.networks.appearance import Appearance, NodeAppearance
from bayou.schema import Variable, label
from bayou.typing import Name


def names_of(draft: NetworkDraft, found: Sequence[FoundFamilies]) -> dict[str, Name]:
    """The variable of each identifier in the file."""
    return dict(zip((node.name for node in found), draft.parents, strict=True))


def with_appearance(
    draft: NetworkDraft,
    found: Sequence[FoundFamilies],
    conventions: Conventions,
    shown: Appearance,
    notes: Mapping[str, str],
    source: object,
) -> NetworkDraft:
    """Add what the nodes show to ``shown`` (the rest of the drawing), then what bayou noted in the file."""
    names = names_of(draft, found)
    by_name = {variable.name: variable for variable in draft.variables}
    usual = dict(zip(by_name, distinct_texts(by_name, conventions.name_spelling), strict=True))
    by_text = {names[node.name]: node for node in found}
    nodes = {
        name: _node(by_text[name], variable, usual[name], conventions) for name, variable in by_name.items()
    }
    drawn = moved_back(replace(shown, nodes=nodes), notes, source)
    noted = noted_appearance(notes, source)
    return replace(draft, appearance=drawn if noted is None else merged(drawn, noted, by_name))


def _node(node: FoundFamilies, variable: Variable, usual: str, conventions: Conventions) -> NodeAppearance:
    shown = node.appearance
    default = conventions.default_title(variable.name) if conventions.default_title else ""
    texts = conventions.state_texts(variable.states)
    states = tuple(
        replace(
            shown.of_state(text), state=state, identifier=_identifier(text, other, conventions.state_spelling)
        )
        for text, state, other in zip(node.states, variable.states, texts, strict=True)
    )
    return replace(
        shown,
        title="" if shown.title in (default, label(variable.name)) else shown.title,
        identifier=_identifier(node.name, usual, conventions.name_spelling),
        states=states,
    )


def _identifier(text: str, usual: str, spelling: Spelling) -> str:
    return text if text != usual and spelling(text) == text else ""
