"""A draft of a network to BIF text, laid out as the network repositories do."""

from __future__ import annotations

import numpy as np

from bayou._native import _core
from bayou.errors import BadFile, BadVariable
from bayou.formats.checking import check_draft
from bayou.formats.draft import NetworkDraft
from bayou.formats.files import FilePath, write_bytes
from bayou.formats.labels import NOTES, distinct_texts, notes_of
from bayou.schema import Variable
from bayou.typing import Name

_PUNCTUATION = frozenset('{}()[],;|"\\')
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def write_bif(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a BIF file, whole or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, bif_text(draft).encode("utf-8"))


def bif_text(draft: NetworkDraft) -> str:
    """A draft as BIF text; every number is the shortest that reads back to the same float.

    Names that need it are quoted. States and names that are no text are written as their text, with
    a property that lets :func:`parse_bif` restore them. Continuous variables have no place in BIF.

    >>> from bayou.formats.bif_reader import parse_bif
    >>> print(bif_text(parse_bif('network n {} variable X { type discrete [ 2 ] { "a b", c }; }'
    ...                          ' probability ( X ) { table 0.9, 0.1; }')))
    network n {
    }
    variable X {
      type discrete [ 2 ] { "a b", c };
    }
    probability ( X ) {
      table 0.9, 0.1;
    }
    """
    check_draft(draft, "BIF")
    names = distinct_texts(variable.name for variable in draft.variables)
    texts = dict(zip((variable.name for variable in draft.variables), names, strict=True))
    states = {
        variable.name: [bif_name(text) for text in distinct_texts(variable.states)]
        for variable in draft.variables
    }
    blocks = [_network_block(draft)]
    blocks += [_variable_block(draft, variable, texts, states) for variable in draft.variables]
    blocks += [_probability_block(draft, variable, texts, states) for variable in draft.variables]
    return "".join(blocks)


def bif_name(text: str) -> str:
    """A name as a BIF file holds it: bare where that is safe, else in double quotes with escapes.

    >>> [bif_name(text) for text in ("<7.5", "a b", 'say "hi"', "")]
    ['<7.5', '"a b"', '"say \\\\"hi\\\\""', '""']
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadVariable(f"{text!r} holds half a surrogate pair, which no UTF-8 file can hold.") from None
    comment = "//" in text or "/*" in text
    bare = text.isprintable() and not _PUNCTUATION.intersection(text) and not comment
    if text and bare and not any(character.isspace() for character in text):
        return text
    return f'"{text.translate(_ESCAPES)}"'


def _network_block(draft: NetworkDraft) -> str:
    lines = [f"  property {_checked_property(text, None)};\n" for text in draft.properties.get(None, ())]
    return f"network {bif_name(draft.name)} {{\n{''.join(lines)}}}\n"


def _variable_block(
    draft: NetworkDraft, variable: Variable, texts: dict[Name, str], states: dict[Name, list[str]]
) -> str:
    listed_states = ", ".join(states[variable.name])
    kept = [_checked_property(text, variable.name) for text in draft.properties.get(variable.name, ())]
    own = [
        f"{key} = {note}"
        for key, note in notes_of(variable, texts[variable.name], distinct_texts(variable.states))
    ]
    notes = "".join(f"  property {text};\n" for text in (*kept, *own))
    return (
        f"variable {bif_name(texts[variable.name])} {{\n"
        f"  type discrete [ {variable.cardinality} ] {{ {listed_states} }};\n{notes}}}\n"
    )


def _probability_block(
    draft: NetworkDraft, variable: Variable, texts: dict[Name, str], states: dict[Name, list[str]]
) -> str:
    parents = draft.parents[variable.name]
    given = " | " + ", ".join(bif_name(texts[parent]) for parent in parents) if parents else ""
    flat = np.ascontiguousarray(draft.tables[variable.name], dtype=np.float64).reshape(-1)
    rows = _core.bif_rows(flat, variable.cardinality, [states[parent] for parent in parents])
    return f"probability ( {bif_name(texts[variable.name])}{given} ) {{\n{rows}}}\n"


def _checked_property(text: str, owner: Name | None) -> str:
    """A property's text, if the reader would give just this text back."""
    whose = "the network" if owner is None else repr(owner)
    if text.partition(" = ")[0] in NOTES:
        raise BadFile(f"The property {text!r} of {whose} has a name that bayou keeps for itself.")
    try:
        _, properties, variables = _core.parse_bif(f"network n {{ property {text}; }}".encode())
        if properties == (text,) and not variables:
            return text
    except (_core.BifError, UnicodeEncodeError):
        pass
    raise BadFile(
        f"The property {text!r} of {whose} cannot be held by a BIF file: a property has no ';' outside "
        "double quotes and no blanks around it."
    )
