"""Word counts add, subtract and weigh: in any split they are those of all documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

from bayou._native import Vocabulary
from bayou.errors import BadData, BadStatistics
from bayou.statistics import TokenCounts, TokenRules, count_tokens

WORDS = ["a", "été", "ΣΑΣ", "Straße", "x1", "new", "york", "…", "日本"]
DOCUMENTS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.sampled_from(["spam", 1, True])),
    min_size=1,
    max_size=20,
)


def counted(rows: list[tuple[str, Any]], **options: Any) -> TokenCounts:
    return count_tokens([text for text, _ in rows], [kind for _, kind in rows], **options)


@given(DOCUMENTS, st.integers(0, 20))
@law
def test_two_parts_add_up_to_the_whole_and_take_apart_again(rows: list[tuple[str, Any]], cut: int) -> None:
    whole = counted(rows)
    if not 0 < cut < len(rows):
        return
    first, second = counted(rows[:cut]), counted(rows[cut:])
    assert first + second == whole
    assert second + first == whole
    assert (first + second).words == whole.words
    assert whole - second == first
    assert (whole - second).words == first.words
    assert 2 * whole == whole + whole


@given(DOCUMENTS)
@law
def test_a_weight_is_that_many_copies(rows: list[tuple[str, Any]]) -> None:
    weights = np.arange(1, len(rows) + 1)
    copies = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    assert counted(rows, weights=weights) == counted(copies)
    assert counted(rows, weights=weights).occurrences.dtype == np.int64
    assert counted(rows, weights=weights / 2).occurrences.dtype == np.float64


def test_documents_with_the_word_and_documents_of_the_class_are_counted() -> None:
    counts = counted([("a a b", "x"), ("a", "x"), ("c", "y"), ("", "y")])
    assert counts.words == ("a", "b", "c")
    assert counts.documents.tolist() == [[2, 0], [1, 0], [0, 1]]
    assert counts.per_class.values.tolist() == [2, 2]


def test_more_than_was_counted_can_not_be_taken_away() -> None:
    with pytest.raises(BadStatistics, match="the word 'a' in class 'x' would become -1"):
        counted([("a b b", "x")]) - counted([("a a", "x")])
    with pytest.raises(BadStatistics, match="different vocabularies"):
        counted([("a", "x")], vocabulary=Vocabulary(["a"])) + counted([("b", "x")])


def test_words_of_a_stated_vocabulary_stay_when_nothing_is_left_of_them() -> None:
    whole = counted([("b b c", "x"), ("a", "x")], vocabulary=Vocabulary(["b", "a"]))
    left = whole - counted([("b b c", "x")], vocabulary=Vocabulary(["b", "a"]))
    assert left.words == ("b", "a")
    assert left.occurrences.tolist() == [[0], [1]]


def test_one_vocabulary_in_two_orders_adds_by_word() -> None:
    rows = [("b b c", "x"), ("a", "y")]
    one, other = (counted(rows, vocabulary=Vocabulary(words)) for words in (["b", "a"], ["a", "b"]))
    assert one == other
    assert (one + other).occurrences.tolist() == [[4, 0], [0, 2]]


def test_an_own_tokenizer_cuts_and_must_give_words() -> None:
    rules = TokenRules(tokenizer=lambda text: text.split("-"), ngrams=(1, 2))
    assert rules.words("New-york") == ["New", "New york", "york"]
    assert counted([("New-york", "x")], rules=rules).words == ("New", "New york", "york")
    with pytest.raises(BadData, match="returned 8 for document 0"):
        counted([("a b c d", "x")], rules=TokenRules(tokenizer=lambda text: [8]))  # type: ignore[list-item]


def test_what_is_missing_is_an_empty_document_and_what_is_no_text_is_named() -> None:
    gaps: list[Any] = ["a", None, float("nan")]
    assert count_tokens(gaps, ["x", "y", "y"]).per_class.values.tolist() == [1, 2]
    with pytest.raises(BadData, match="Document 1 is 7"):
        count_tokens(["a", 7], ["x", "y"])  # type: ignore[list-item]
