"""A draft of a network to BIF text, in the layout of the network repositories.

Every name in a BIF file is text. What text cannot express (the states ``1`` and ``True``, an order with a
meaning) is written as properties, which other programs skip and bayou's reader restores.
"""

from __future__ import annotations

import numpy as np

from bayou._native import _core
from bayou.errors import BadFile
from bayou.formats.appearances.position_property import position_property
from bayou.formats.checking import check_draft
from bayou.formats.draft import NetworkDraft
from bayou.formats.file_content import FilePath, write_bytes
from bayou.formats.format_labels import NOTES, distinct_texts, notes_of
from bayou.schema import Variable
from bayou.typing import Name

_PUNCTUATION = frozenset('{}()[],;|"\\')
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def write_bif(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a BIF file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, bif_text(draft).encode("utf-8"))


def bif_text(draft: NetworkDraft) -> str:
    """Return a draft as BIF text; every number is the shortest that reads back to the same float.

    Names are quoted where necessary. States and names that are not text are written as text, with a
    property from which :func:`parse_bif` restores them. Continuous variables are refused.

    >>> from bayou.formats.bif.bif_reader import parse_bif
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
    """Return a name as written in BIF: without quotes where that is safe, else quoted with escapes.

    >>> [bif_name(text) for text in ("<7.5", "a b", 'say "hi"', "")]
    ['<7.5', '"a b"', '"say \\\\"hi\\\\""', '""']
    """
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
    placed = position_property(draft.appearance, variable.name)
    notes = "".join(f"  property {text};\n" for text in (*kept, *placed, *own))
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
    """Return a property's text, after a check that the reader would return the same text."""
    whose = "the network" if owner is None else repr(owner)
    if text.partition(" = ")[0] in NOTES:
        raise BadFile(f"The property {text!r} of {whose} has a name that is reserved for bayou.")
    try:
        _, properties, variables = _core.parse_bif(f"network n {{ property {text}; }}".encode())
        if properties == (text,) and not variables:
            return text
    except (_core.BifError, UnicodeEncodeError):
        pass
    raise BadFile(
        f"The property {text!r} of {whose} cannot be written to a BIF file: a property must have no ';' "
        "outside double quotes and no blanks around it."
    )
