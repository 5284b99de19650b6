"""The spelling of a draft's names and states in a format, with the notes from which they are restored."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bayou.formats.checking import check_draft
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import POSITION_NOTE, PROPERTIES_NOTE, TEXTS_NOTE, Conventions
from bayou.formats.format_labels import NAME_NOTE, Spelling, distinct_texts, notes_of, typed_note
from bayou.graphs import Dag
from bayou.networks.appearance import Appearance
from bayou.schema import Variable
from bayou.typing import Name

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class SpeltDraft:
    """A checked draft with the text of every name and state; ``variables`` in the order of writing."""

    draft: NetworkDraft
    variables: tuple[Variable, ...]
    names: dict[Name, str]
    states: dict[Name, list[str]]
    positions: dict[Name, int]
    identified: frozenset[Name] = frozenset()
    """The variables that are written with the texts of another program's file."""

    def parents_of(self, variable: Variable) -> list[str]:
        """The texts of a variable's parents."""
        return [self.names[parent] for parent in self.draft.parents[variable.name]]

    def notes(self, variable: Variable) -> list[tuple[str, str]]:
        """Notes on what the texts cannot express: typed name and states, properties, and position."""
        notes = list(notes_of(variable, self.names[variable.name], self.states[variable.name]))
        if notes and variable.name in self.identified:
            notes.append((TEXTS_NOTE, typed_note([self.names[variable.name], *self.states[variable.name]])))
        properties = self.draft.properties.get(variable.name, ())
        if properties:
            notes.append((PROPERTIES_NOTE, typed_note(properties)))
        if self.variables != self.draft.variables:
            notes.append((POSITION_NOTE, str(self.positions[variable.name])))
        return notes

    def network_notes(self, name_text: str) -> list[tuple[str, str]]:
        """Notes on the network: its name if the text cannot express it, and its properties."""
        notes = [] if self.draft.name == name_text else [(NAME_NOTE, typed_note([self.draft.name]))]
        properties = self.draft.properties.get(None, ())
        return [*notes, (PROPERTIES_NOTE, typed_note(properties))] if properties else notes


def spelt(draft: NetworkDraft, conventions: Conventions, *, parents_first: bool = False) -> SpeltDraft:
    """Check a draft and spell it; ``parents_first`` for formats in which parents precede their children.

    A name or state that came from another program's file gets the identifier that it has there, if it can.
    """
    check_draft(draft, conventions.name)
    by_name = {variable.name: variable for variable in draft.variables}
    usual = _usual_spelling(draft.variables, conventions)
    order = draft.variables
    if parents_first and not _is_topological(draft):
        order = tuple(by_name[name] for name in Dag(by_name, draft.parents).topological_order)
    positions = {name: position for position, name in enumerate(by_name)}
    texts = spelt_names(draft.variables, draft.appearance, conventions)
    identified = frozenset(
        name
        for name in by_name
        if texts.names[name] != usual.names[name] or texts.states[name] != usual.states[name]
    )
    return SpeltDraft(draft, order, texts.names, texts.states, positions, identified)


class SpeltNames(NamedTuple):
    """The text of every name, and of every state of each variable."""

    names: dict[Name, str]
    states: dict[Name, list[str]]


def spelt_names(
    variables: Sequence[Variable], appearance: Appearance, conventions: Conventions
) -> SpeltNames:
    """How a format writes variables; those of another program's file keep their identifiers if they can."""
    usual = _usual_spelling(variables, conventions)
    if conventions.default_title is None or not appearance.nodes:
        return usual
    shown = {variable.name: appearance.node(variable.name) for variable in variables}
    wanted = [one.identifier for one in shown.values()]
    names = _with_identifiers(list(usual.names.values()), wanted, conventions.name_spelling)
    states = {
        variable.name: _with_identifiers(
            usual.states[variable.name],
            [shown[variable.name].of_state(state).identifier for state in variable.states],
            conventions.state_spelling,
        )
        if shown[variable.name].states
        else usual.states[variable.name]
        for variable in variables
    }
    return SpeltNames(dict(zip(shown, names, strict=True)), states)


def _usual_spelling(variables: Sequence[Variable], conventions: Conventions) -> SpeltNames:
    names = [variable.name for variable in variables]
    texts = distinct_texts(names, conventions.name_spelling)
    states = {v.name: distinct_texts(v.states, conventions.state_spelling) for v in variables}
    return SpeltNames(dict(zip(names, texts, strict=True)), states)


def _with_identifiers(texts: Sequence[str], wanted: Sequence[str], spelling: Spelling) -> list[str]:
    """The texts, replaced by identifiers that the format allows and that no other text has."""
    chosen, taken = list(texts), set(texts)
    for place, one in enumerate(wanted):
        if one and one not in taken and spelling(one) == one:
            taken -= {chosen[place]}
            taken.add(one)
            chosen[place] = one
    return chosen


def _is_topological(draft: NetworkDraft) -> bool:
    met: set[Name] = set()
    for variable in draft.variables:
        if not met.issuperset(draft.parents[variable.name]):
            return False
        met.add(variable.name)
    return True


def identifier(text: str, reserved: Collection[str] = ()) -> str:
    """Return a text as an identifier: a letter, then ASCII letters, digits, underscores; not a reserved word.

    >>> [identifier(text) for text in ("Business_1", "Business planning", "7", "", "größe")]
    ['Business_1', 'Business_planning', 'x_7', 'x_', 'gr__e']
    """
    if _IDENTIFIER.fullmatch(text) and text.lower() not in reserved:
        return text
    word = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return word if _IDENTIFIER.fullmatch(word) and word.lower() not in reserved else f"x_{word}"


def printable(text: str) -> str:
    """Return a text that XML and quoted strings keep: not empty, no blanks at its ends, no controls.

    >>> [printable(text) for text in ("a b", " a", "line\\nbreak", "")]
    ['a b', 'a', 'line_break', '_']
    """
    if text.isprintable() and text and text == text.strip():
        return text
    return "".join(character if character.isprintable() else "_" for character in text).strip() or "_"
