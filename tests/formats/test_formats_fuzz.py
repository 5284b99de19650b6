"""Every reader but BIF's (test_bif_fuzz) on damaged text: it reads or refuses, and nothing else happens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.corpus import PIECES, SIGNS, TEXTS
from tests.formats.drafts import assert_same_draft

from bayou.errors import BadFile, BadGraph
from bayou.formats import FORMATS, Format, NetworkDraft, parse_draft

formats = pytest.mark.parametrize(
    "known", [known for known in FORMATS if known.name != "BIF"], ids=lambda known: known.name
)


def read_or_refuse(known: Format, data: bytes) -> None:
    try:
        draft = known.parse(data, "damaged")
    except BadFile as error:
        message = str(error)
    else:
        comes_back(known, draft)
        return
    assert message.startswith("damaged")


def comes_back(known: Format, draft: NetworkDraft) -> None:
    try:
        text = known.text(draft)
    except (BadGraph, BadFile):
        # Arcs in a circle, which only formats with parents first refuse to write; properties kept for bayou.
        return
    assert_same_draft(known.parse(text.encode(), "written again"), draft)


@formats
def test_the_seed_itself_is_read(known: Format) -> None:
    assert len(known.parse(TEXTS[known.name].encode(), "seed").variables) >= 2


@formats
def test_every_truncation_is_read_or_refused(known: Format) -> None:
    data = TEXTS[known.name].encode()
    for end in range(len(data)):
        read_or_refuse(known, data[:end])


@formats
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_damaged_text_is_read_or_refused(known: Format, data: st.DataObject) -> None:
    text = bytearray(TEXTS[known.name].encode())
    pieces = st.sampled_from([*SIGNS, *PIECES[known.name]]).map(str.encode)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text[start:end] = data.draw(st.one_of(pieces, st.binary(max_size=3)))
    read_or_refuse(known, bytes(text))


@formats
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_words_in_another_order_are_read_or_refused(known: Format, data: st.DataObject) -> None:
    words = TEXTS[known.name].split(" ")
    first, second = (data.draw(st.integers(0, len(words) - 1)) for _ in range(2))
    words[first], words[second] = words[second], words[first]
    del words[data.draw(st.integers(0, len(words) - 1))]
    read_or_refuse(known, " ".join(words).encode())


@formats
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_heap_of_pieces_is_read_or_refused(known: Format, data: st.DataObject) -> None:
    start = TEXTS[known.name][: data.draw(st.integers(0, 60))]
    pieces = data.draw(st.lists(st.sampled_from([*SIGNS, *PIECES[known.name]]), max_size=30))
    read_or_refuse(known, (start + " ".join(pieces)).encode())


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40), st.sampled_from(["a", "a.xml", "a.net", "a.uai", "a.dsl.gz", "a.bif"]))
def test_bytes_of_no_format_are_refused_whatever_the_name(data: bytes, name: str) -> None:
    message = name
    try:
        parse_draft(data, name)
    except BadFile as error:
        message = str(error)
    assert name in message


@formats
def test_long_hostile_texts_take_linear_time(known: Format) -> None:
    start = TEXTS[known.name][:200].encode()
    for piece in (
        *'"\\/({<&#%=;',
        '\\"',
        "/*",
        "<a>",
        "a = ",
        "net ",
        "node x {",
        "1 ",
        "9",
        "BAYES ",
        "# bayou ",
    ):
        read_or_refuse(known, piece.encode() * 50_000)
        read_or_refuse(known, start + piece.encode() * 50_000)
