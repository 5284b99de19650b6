"""The text kernels against Python's own lower-casing and regular expressions."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from tests.laws.strategies import law

SIGMAS = [
    "ΟΔΟΣ",
    "ΣΑΣ Σ",
    "Σ",
    "aΣ'b",
    "ΑΣ\u0301",
    "İstanbul İ",
    "Straße ẞ",
    "ǅ ŉ ﬁ",
    "\ud800a\udfff",
    "é e\u0301",
]
CHARACTERS = st.one_of(
    st.characters(max_codepoint=127),
    st.characters(max_codepoint=255),
    st.characters(max_codepoint=0x530),
    st.characters(exclude_categories=[]),
    st.sampled_from("ΣİßſKÅ_٣²Ⅷ\u0307\u00a0\u2028\ud83d\x1c\x85"),
)
TEXTS = st.one_of(st.text(CHARACTERS, max_size=80), st.sampled_from(SIGMAS), st.none(), st.just(""))
WORDY = st.lists(
    st.sampled_from(["new", "New", "york", "don't", "ΣΑΣ", "a", "_b_", "42", "…", "été", "x" * 16, "y" * 70]),
    max_size=12,
).map(" ".join)
RULES = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "punctuation": st.booleans(),
        "min_length": st.integers(0, 3),
        "ngrams": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (3, 5)]),
        "stop_words": st.lists(st.sampled_from(["new", "a", "york", "σας", "…"]), max_size=3),
    }
)


def words_of(text: str, **rules: Any) -> dict[str, int]:
    words, counts, _ = _core.count_words([text], np.zeros(1, np.uint32), 1, **rules)
    return dict(zip(words, counts[:, 0].tolist(), strict=True))


@given(st.text(CHARACTERS, max_size=300))
@law
def test_words_are_exactly_pythons_lower_cased_runs_of_word_characters(text: str) -> None:
    assert words_of(text) == Counter(re.findall(r"(?u)\w+", text.lower()))
    assert words_of(text, min_length=2) == Counter(re.findall(r"(?u)\b\w\w+\b", text.lower()))
    assert words_of(text, lowercase=False) == Counter(re.findall(r"(?u)\w+", text))
    assert words_of(text, punctuation=True) == Counter(re.findall(r"\w+|[^\w\s]+", text.lower()))


@pytest.mark.parametrize("text", SIGMAS)
def test_capitals_that_lower_by_context_or_into_two_characters(text: str) -> None:
    assert words_of(text) == Counter(re.findall(r"\w+", text.lower()))


def test_every_character_of_unicode_is_lowered_and_classed_as_python_does() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    for start in range(0, len(characters), 4096):
        text = " ".join(characters[start : start + 4096])
        assert words_of(text) == Counter(re.findall(r"\w+", text.lower()))
        spaced = " ".join(character + "x" for character in characters[start : start + 4096])
        both = Counter(re.findall(r"\w+|[^\w\s]+", spaced))
        assert words_of(spaced, lowercase=False, punctuation=True) == both


@given(st.lists(st.one_of(TEXTS, WORDY), max_size=30), RULES, st.integers(0, 2**32), st.booleans())
@law
def test_counting_agrees_with_the_reference_for_any_number_of_threads(
    texts: list[str | None], rules: dict[str, Any], seed: int, weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, len(texts)).astype(np.uint32)
    weights = random.random(len(texts)) if weighted else None
    words, counts, documents = reference.count_words(texts, classes, 3, weights, **rules)
    answers = [
        _core.count_words(texts, classes, 3, weights, **rules, threads=threads) for threads in (1, 2, 5)
    ]
    for answer in answers:
        assert answer[0] == words
        np.testing.assert_allclose(answer[1], counts, rtol=1e-12)
        np.testing.assert_allclose(answer[2], documents, rtol=1e-12)
        assert np.array_equal(answer[1], answers[0][1])
        assert answer[1].dtype == (np.float64 if weighted else np.int64)


@given(st.lists(st.one_of(TEXTS, WORDY), max_size=20), RULES, st.integers(0, 2**32), st.booleans())
@law
def test_a_given_vocabulary_scores_and_rows_agree_with_the_reference(
    texts: list[str | None], rules: dict[str, Any], seed: int, distinct: bool
) -> None:
    random = np.random.default_rng(seed)
    classes = np.zeros(len(texts), np.uint32)
    found = reference.count_words(texts, classes, 1, **rules)[0]
    words = [str(word) for word in random.permutation([*found, "neverseen"])[: len(found) // 2 + 1]]
    ours, theirs = _core.Vocabulary(words), reference.Vocabulary(words)
    assert ours.words == words == theirs.words
    expected = reference.count_words(texts, classes, 1, vocabulary=theirs, **rules)
    for threads in (1, 2):
        answer = _core.count_words(texts, classes, 1, vocabulary=ours, **rules, threads=threads)
        assert answer[0] == expected[0] == []
        assert np.array_equal(answer[1], expected[1])
        assert np.array_equal(answer[2], expected[2])
        rows = _core.word_matrix(texts, ours, **rules, threads=threads)
        assert all(map(np.array_equal, rows, reference.word_matrix(texts, theirs, **rules)))
        table = random.normal(size=(len(words), 3))
        np.testing.assert_allclose(
            _core.score_words(texts, ours, table, distinct, **rules, threads=threads),
            reference.score_words(texts, theirs, table, distinct, **rules),
            atol=1e-12,
        )


@given(st.lists(st.lists(st.one_of(st.text(CHARACTERS, max_size=20), WORDY), max_size=5), max_size=8), RULES)
@law
def test_words_that_were_cut_elsewhere_are_taken_as_they_are(
    lists: list[list[str]], rules: dict[str, Any]
) -> None:
    flat = [word for words in lists for word in words]
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    classes = np.zeros(len(lists), np.uint32)
    ours = _core.count_words(flat, classes, 1, **rules, offsets=offsets)
    theirs = reference.count_words(flat, classes, 1, **rules, offsets=offsets)
    assert ours[0] == theirs[0]
    assert np.array_equal(ours[1], theirs[1])


class Wayward(str):
    """A text that lowers into something else."""

    def lower(self) -> Any:
        return 7


def test_a_kind_of_text_with_its_own_lower_is_read_as_text() -> None:
    assert words_of(Wayward("ΣΑΣ İ Abc")) == {"σας": 1, "i": 1, "abc": 1}


def test_words_come_in_the_order_of_their_code_points() -> None:
    words = ["z", "zz", "é", "ｚ", "𝐳", "a" * 40, "a" * 41, "a" * 16 + "b", "a" * 16 + "a", "_", "1"]
    assert _core.count_words([" ".join(words)], np.zeros(1, np.uint32), 1)[0] == sorted(words)


def test_many_words_survive_the_growth_of_the_map() -> None:
    words = [f"wörd{number}" for number in range(30_000)]
    found, counts, _ = _core.count_words([" ".join(words[k::7]) for k in range(7)], np.zeros(7, np.uint32), 1)
    assert found == sorted(words)
    assert np.all(counts == 1)


@pytest.mark.parametrize("kernels", [_core, reference])
def test_what_is_no_text_is_named(kernels: Any) -> None:
    with pytest.raises(TypeError, match="document 1 is of type int"):
        kernels.count_words(["a", 7], np.zeros(2, np.uint32), 1)
    with pytest.raises(ValueError, match="row 1: class 4 is not below 2"):
        kernels.count_words(["a", "b"], np.array([0, 4], np.uint32), 2)
    with pytest.raises(ValueError, match="expected as many classes"):
        kernels.count_words(["a", "b"], np.zeros(1, np.uint32), 1)
    with pytest.raises(ValueError, match="'b' is there twice"):
        kernels.Vocabulary(["a", "b", "b"])
    with pytest.raises(ValueError, match="a row for each of the 1 words"):
        kernels.score_words(["a"], kernels.Vocabulary(["a"]), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="ngrams"):
        kernels.count_words(["a"], np.zeros(1, np.uint32), 1, ngrams=(2, 1))
    with pytest.raises(ValueError, match="offsets"):
        kernels.count_words(["a"], np.zeros(1, np.uint32), 1, offsets=np.array([0, 2]))


def test_a_vocabulary_can_be_copied_and_stored() -> None:
    words = ["ham", "\ud800", "späm", ""]
    vocabulary = _core.Vocabulary(words)
    assert pickle.loads(pickle.dumps(vocabulary)).words == words
    assert len(copy.deepcopy(vocabulary)) == 4
