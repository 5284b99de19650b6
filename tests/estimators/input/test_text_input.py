"""Documents in any container, and what users may say about words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from bayou import TextNaiveBayes
from bayou.errors import BadData, BadQuestion, UnknownVariable

TEXTS = ["Buy cheap pills", "cheap, cheap!", "see you at lunch 2", "Lunch at ΣΑΣ? É", "you see İt"]
KINDS = ["spam", "spam", "ham", "ham", "ham"]

CONTAINERS: dict[str, Any] = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "object array": np.array(TEXTS, dtype=object),
    "text array": np.array(TEXTS),
    "array of one column": np.array(TEXTS, dtype=object)[:, None],
    "numpy strings": [np.str_(text) for text in TEXTS],
    "pandas series": pd.Series(TEXTS, index=[7, 7, 1, 0, 3]),
    "pandas objects": pd.Series(TEXTS, dtype=object),
    "pandas frame": pd.DataFrame({"message text": TEXTS}),
    "polars series": pl.Series(TEXTS),
    "polars frame": pl.DataFrame({"message text": TEXTS}),
    "arrow": pa.array(TEXTS),
    "arrow chunks": pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
    "dict": {"message text": TEXTS},
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_documents_come_in_any_container(kind: str) -> None:
    expected = TextNaiveBayes().fit(TEXTS, KINDS)
    model = TextNaiveBayes().fit(CONTAINERS[kind], KINDS)
    assert list(model.vocabulary_) == list(expected.vocabulary_)
    np.testing.assert_array_equal(model.predict_proba(CONTAINERS[kind]), expected.predict_proba(TEXTS))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, dict])
def test_a_table_may_hold_the_classes_too(library: Any) -> None:
    table = library({"kind of mail": KINDS, "text": TEXTS})
    model = TextNaiveBayes().fit(table, "kind of mail")
    assert model.predict(TEXTS).tolist() == TextNaiveBayes().fit(TEXTS, KINDS).predict(TEXTS).tolist()
    with pytest.raises(UnknownVariable, match="kind of mial"):
        TextNaiveBayes().fit(table, "kind of mial")


@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_missing_documents_say_nothing(gap: Any) -> None:
    model = TextNaiveBayes().fit([*TEXTS, gap], [*KINDS, "ham"])
    assert model.class_count_.tolist() == [4, 2]
    assert model.predict_proba([gap, ""])[0] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"min_length": 2}, {"token_pattern": r"(?u)\b\w\w+\b"}),
        ({"lowercase": False}, {"lowercase": False}),
        ({"punctuation": True}, {"token_pattern": r"\w+|[^\w\s]+"}),
        ({"ngrams": 2}, {"ngram_range": (1, 2)}),
        ({"ngrams": (2, 3)}, {"ngram_range": (2, 3)}),
        ({"stop_words": ["at", "you"], "ngrams": 2}, {"stop_words": ["at", "you"], "ngram_range": (1, 2)}),
        ({"vocabulary": ["see", "cheap"]}, {"vocabulary": ["see", "cheap"]}),
        ({"vocabulary": {"see": 1, "cheap": 0}}, {"vocabulary": {"see": 1, "cheap": 0}}),
        ({"vocabulary": {"see", "cheap"}}, {"vocabulary": {"see", "cheap"}}),
        ({"min_df": 2}, {"min_df": 2}),
        ({"min_df": 0.3, "max_df": 0.5}, {"min_df": 0.3, "max_df": 0.5}),
        ({"max_df": 1}, {"max_df": 1}),
        ({"tokenizer": str.split}, {"tokenizer": str.split, "lowercase": False, "token_pattern": None}),
    ],
)
def test_words_are_chosen_as_scikit_learns_vectorizer_chooses_them(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    cutter = CountVectorizer(**{"token_pattern": r"(?u)\w+", **theirs})
    matrix = cutter.fit_transform(TEXTS)
    model = TextNaiveBayes(**ours).fit(TEXTS, KINDS)
    assert list(model.vocabulary_) == cutter.get_feature_names_out().tolist()
    np.testing.assert_array_equal(model.word_counts(TEXTS).toarray(), matrix.toarray())


def test_english_stop_words_leave_what_matters() -> None:
    model = TextNaiveBayes(stop_words="english").fit(["This is the cheap one", "I see you"], ["a", "b"])
    assert list(model.vocabulary_) == ["cheap", "one", "see"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "gaussian"}, "use one of 'multinomial', 'bernoulli', 'complement'"),
        ({"ngrams": 0}, "ngrams=0"),
        ({"ngrams": (2, 1)}, "fewest, most"),
        ({"ngrams": "2"}, "ngrams='2'"),
        ({"min_length": -1}, "min_length=-1"),
        ({"stop_words": "german"}, "'english' or a list"),
        ({"vocabulary": "see"}, "give a list of words"),
        ({"vocabulary": ["a", "a"]}, "'a' is there twice"),
        ({"vocabulary": [1]}, "position 0: expected text"),
        ({"min_df": -1}, "min_df=-1"),
        ({"max_df": 1.5}, "max_df=1.5"),
        ({"min_df": True}, "min_df=True"),
        ({"tokenizer": 3}, "is not callable"),
    ],
)
def test_choices_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        TextNaiveBayes(**options).fit(TEXTS, KINDS)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", "put it in brackets"),
        (["a", 7, "b", "c", "d"], "Document 1 is 7"),
        ([b"a", b"b", b"c", b"d", b"e"], "Document 0 is b'a'"),
        (pd.DataFrame({"subject": TEXTS, "body": TEXTS}), r"one column of text.*X\['subject'\]"),
        ([["a", "b"]] * 5, "one text per row"),
        (np.array([["a", "b"]] * 5), "one text per row"),
        (TEXTS[:3], "3 rows and y has 5"),
        ([], "minimum of 1"),
    ],
)
def test_what_is_no_list_of_documents_is_refused(documents: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        TextNaiveBayes().fit(documents, KINDS)


def test_words_that_no_document_is_left_for_are_an_error() -> None:
    with pytest.raises(BadData, match="min_df=5"):
        TextNaiveBayes(min_df=5).fit(TEXTS, KINDS)


def test_counts_and_documents_do_not_mix() -> None:
    model = TextNaiveBayes().fit(TEXTS, KINDS)
    with pytest.raises(BadData, match="learned from documents; X holds numbers"):
        model.predict(np.ones((2, 3)))
    counts = TextNaiveBayes().fit(np.eye(5), KINDS)
    with pytest.raises(BadData, match="learned from counts; X holds documents"):
        counts.predict(TEXTS)
    with pytest.raises(ValueError, match="Negative values"):
        TextNaiveBayes().fit(-np.eye(5), KINDS)


def test_a_model_that_was_not_fitted_says_so() -> None:
    with pytest.raises(NotFittedError):
        TextNaiveBayes().predict(TEXTS)
    assert not hasattr(TextNaiveBayes(), "vocabulary_")


def test_a_failed_fit_leaves_the_model_as_it_was() -> None:
    model = TextNaiveBayes()
    with pytest.raises(BadData):
        model.fit([1, 2, "a"], KINDS[:3])
    assert not hasattr(model, "classes_")
    model.fit(TEXTS, KINDS)
    with pytest.raises(BadData):
        model.fit([1, 2, "a"], KINDS[:3])
    assert model.class_count_.tolist() == [3, 2]
    with pytest.raises(BadData):
        model.partial_fit(["a", 7], ["ham", "spam"])
    assert model.class_count_.tolist() == [3, 2]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_a_matrix_of_counts_with_stored_zeros_stays_as_it_is(kind: Any) -> None:
    cells = np.array([1, 0, 2, 0, 3]), np.array([0, 1, 0, 1, 1]), np.array([0, 2, 4, 5])
    X = kind(tuple(part.copy() for part in cells), shape=(3, 2))
    model = TextNaiveBayes().fit(X, ["ä", "b", "b"])
    assert [part.tolist() for part in (X.data, X.indices, X.indptr)] == [part.tolist() for part in cells]
    assert (
        model.feature_count_.tolist()
        == TextNaiveBayes().fit(X.toarray(), list("äbb")).feature_count_.tolist()
    )


@pytest.mark.parametrize("kind", ["e", ">i4", ">f8"])
def test_dense_counts_may_be_of_any_type_of_number(kind: str) -> None:
    X = np.array([[1, 0], [2, 3], [0, 3]])
    expected = TextNaiveBayes().fit(X, KINDS[1:4]).predict_proba(X)
    model = TextNaiveBayes().fit(X.astype(kind), KINDS[1:4])
    np.testing.assert_allclose(model.predict_proba(X.astype(kind)), expected)
