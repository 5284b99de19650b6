"""Any draft comes back from its text; any damaged text is read or refused, and nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.drafts import assert_same_draft

from bayou.errors import BadFile
from bayou.formats.bif.bif_reader import parse_bif
from bayou.formats.bif.bif_writer import bif_text
from bayou.formats.draft import NetworkDraft
from bayou.schema import Variable, state_key
from bayou.typing import FloatArray, Name

VALID = """network "fire; alarm" { property version = 1.0; }
variable Storm { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable "Größe, cm" { type discrete [ 3 ] { "a b", <7.5, 12+ }; } // odd names
probability ( Storm ) { table 0.25, 0.75; }
probability ( "Größe, cm" | Storm ) { /* rows */ (yes) 0.1 .2 7e-1; default 1, 0, 0; }
"""
PIECES = [
    *'{}()[],;|"\\/*-.0 \n',
    "//",
    "/*",
    "table",
    "default",
    "property",
    "variable",
    "probability",
    "Storm",
    "1e999",
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
states = st.one_of(texts, st.booleans(), st.integers(), st.floats(allow_nan=False))


@st.composite
def drafts(draw: st.DrawFn) -> NetworkDraft:
    names = draw(st.lists(st.one_of(texts, st.integers()), max_size=4, unique=True))
    variables = [
        Variable(
            name,
            draw(st.lists(states, min_size=1, max_size=4, unique_by=state_key)),
            ordered=draw(st.booleans()),
        )
        for name in names
    ]
    parents: dict[Name, tuple[Name, ...]] = {}
    tables: dict[Name, FloatArray] = {}
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    for position, variable in enumerate(variables):
        chosen = [other for other in variables[:position] if draw(st.booleans())]
        table = random.random((*(other.cardinality for other in chosen), variable.cardinality)) ** 8 + 1e-12
        parents[variable.name] = tuple(other.name for other in chosen)
        tables[variable.name] = table / table.sum(axis=-1, keepdims=True)
    order = draw(st.permutations(variables))
    return NetworkDraft(draw(texts), tuple(order), parents, tables)


@settings(max_examples=150, deadline=None)
@given(drafts())
def test_any_draft_comes_back_from_its_text(draft: NetworkDraft) -> None:
    text = bif_text(draft)
    assert_same_draft(parse_bif(text), draft)
    assert bif_text(parse_bif(text)) == text


def read_or_refuse(data: bytes) -> None:
    try:
        draft = parse_bif(data)
    except BadFile:
        return
    assert_same_draft(parse_bif(bif_text(draft)), draft)


def test_every_truncation_is_read_or_refused() -> None:
    data = VALID.encode()
    for end in range(len(data)):
        read_or_refuse(data[:end])


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_damaged_text_is_read_or_refused(data: st.DataObject) -> None:
    text = bytearray(VALID.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        piece = data.draw(st.one_of(st.sampled_from(PIECES).map(str.encode), st.binary(max_size=3)))
        text[start:end] = piece
    read_or_refuse(bytes(text))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_a_heap_of_tokens_is_read_or_refused(pieces: list[str]) -> None:
    read_or_refuse(("network n { } " + " ".join(pieces)).encode())
    read_or_refuse("".join(pieces).encode())


def test_long_hostile_texts_take_linear_time() -> None:
    for piece in ('\\"', '"', '"\\', "/", "/*", "{", "(", "property ", 'property "a\\"', "variable x ", "|"):
        read_or_refuse(b"network n { property " + piece.encode() * 200_000)
        read_or_refuse(b"network n { } probability ( X ) { " + piece.encode() * 200_000)
