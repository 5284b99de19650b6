"""Quotes and brackets in texts that people write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadQuestion
from bayou.text.quotes import closes_at_end, split_unquoted, unquoted


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a,b", ["a", "b"]),
        ("'a,b',c", ["'a,b'", "c"]),
        ('"a,b",c', ['"a,b"', "c"]),
        ("“a,b”,c", ["“a,b”", "c"]),
        ("St John's,Queen's", ["St John's", "Queen's"]),
        ("'St John's, hill',c", ["'St John's, hill'", "c"]),
        ("f(a,b),c", ["f(a,b)", "c"]),
        ("{a,[b,c]},d", ["{a,[b,c]}", "d"]),
        ("(a,b", ["(a", "b"]),
        ("'(',a,')'", ["'('", "a", "')'"]),
    ],
)
def test_a_text_is_split_outside_quotes_and_brackets(text: str, pieces: list[str]) -> None:
    assert split_unquoted(text, ",") == pieces


def test_an_open_quote_is_refused_with_the_remedy() -> None:
    with pytest.raises(BadQuestion, match=r"the quote ' is not closed. Put a word .* other quotes, \"…\""):
        split_unquoted("a, 'b", ",")
    assert unquoted('"\'b"') == "'b"


@given(st.text(st.sampled_from("ab,'\" ()[]"), max_size=30))
def test_pieces_make_up_the_text(text: str) -> None:
    try:
        pieces = split_unquoted(text, ",")
    except BadQuestion:
        return
    assert ",".join(pieces) == text


def test_deep_brackets_take_no_time() -> None:
    deep = "(" * 100_000 + ")" * 100_000
    assert split_unquoted(deep, ",") == [deep]
    assert closes_at_end(deep)
