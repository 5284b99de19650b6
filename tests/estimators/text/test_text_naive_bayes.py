"""TextNaiveBayes: the lecture's pseudo-code, scikit-learn's numbers, streams, weights, explanations."""

from __future__ import annotations

import itertools
import pickle
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from tests.estimators.text.text_documents import TEXTS, Labelled, labelled
from tests.laws.strategies import law

import bayou
from bayou import TextNaiveBayes
from bayou.errors import BadData, BadPrior, BadQuestion, BayouWarning

VARIANTS = ["multinomial", "bernoulli", "complement"]
PEERS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}
TRAIN = ["Buy cheap pills now", "cheap cheap", "see you at lunch", "lunch now?", "you see pills"]
KINDS = ["spam", "spam", "ham", "ham", "ham"]


def learn_naive_bayes_text(
    examples: list[str], targets: list[str]
) -> tuple[dict[str, Fraction], dict[tuple[str, str], Fraction]]:
    """LEARN-NAIVE-BAYES-TEXT as on the blackboard, in fractions."""
    words = [re.findall(r"\w+", text.lower()) for text in examples]
    vocabulary = set(itertools.chain.from_iterable(words))
    prior, likelihood = {}, {}
    for target in set(targets):
        docs = [text for text, of in zip(words, targets, strict=True) if of == target]
        prior[target] = Fraction(len(docs), len(examples))
        text = Counter(itertools.chain.from_iterable(docs))
        for word in vocabulary:
            likelihood[word, target] = Fraction(text[word] + 1, text.total() + len(vocabulary))
    return prior, likelihood


@given(labelled(), TEXTS)
@law
def test_the_lectures_pseudo_code_exactly(data: Labelled, document: str) -> None:
    prior, likelihood = learn_naive_bayes_text(*data)
    joint = dict(prior)
    for word in re.findall(r"\w+", (document + " neverseen").lower()):
        for target in joint:
            joint[target] *= likelihood.get((word, target), Fraction(1))
    model = TextNaiveBayes().fit(*data)
    expected = [float(joint[target] / sum(joint.values())) for target in model.classes_]
    np.testing.assert_allclose(model.predict_proba([document + " neverseen"])[0], expected, rtol=1e-12)
    word, code = next(iter(model.vocabulary_.items()))
    shares = [float(likelihood[word, target]) for target in model.classes_]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[:, code]), shares, rtol=1e-12)


@given(labelled(), st.sampled_from(VARIANTS), st.sampled_from([0.01, 1.0, 3.0]), st.booleans(), st.booleans())
@law
def test_the_numbers_are_scikit_learns_where_the_words_are(
    data: Labelled, variant: str, strength: float, uniform: bool, weighted: bool
) -> None:
    texts, kinds = data
    weights = np.random.default_rng(3).integers(1, 5, len(texts)) / 4 if weighted else None
    cutter = CountVectorizer(token_pattern=r"(?u)\w+")
    options = {} if variant == "complement" else {"fit_prior": not uniform}
    peer = PEERS[variant](alpha=strength, **options).fit(cutter.fit_transform(texts), kinds, weights)
    ours = TextNaiveBayes(variant, prior=strength, class_prior="uniform" if uniform else None)
    ours.fit(texts, kinds, sample_weight=weights)
    assert list(ours.vocabulary_) == cutter.get_feature_names_out().tolist()
    assert ours.get_feature_names_out().tolist() == list(ours.vocabulary_)
    np.testing.assert_allclose(ours.feature_count_, peer.feature_count_)
    np.testing.assert_allclose(ours.class_count_, peer.class_count_)
    np.testing.assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-9)
    test = [*texts, "", "new words only"]
    matrix = cutter.transform(test)
    np.testing.assert_allclose(ours.predict_proba(test), peer.predict_proba(matrix), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(ours.word_counts(test).toarray(), matrix.toarray())
    counts = TextNaiveBayes(variant, prior=strength, class_prior=ours.class_prior)
    counts.fit(cutter.transform(texts), kinds, sample_weight=weights)
    np.testing.assert_allclose(counts.predict_proba(matrix), ours.predict_proba(test), rtol=1e-9, atol=1e-15)


@given(
    st.lists(st.tuples(*[st.sampled_from(["buy", "now", "été"])] * 3, st.booleans()), min_size=1, max_size=8)
)
@law
def test_it_is_the_network_whose_word_positions_share_one_table(
    rows: list[tuple[str, str, str, bool]],
) -> None:
    rows = [*rows, ("buy", "now", "now", True), ("été", "buy", "lunch", False)]
    columns = {f"W{k}": [row[k] for row in rows] for k in range(3)}
    kinds = [row[3] for row in rows]
    net = bayou.Network("kind -> W0; kind -> W1; kind -> W2", share={"p_word": ["W0", "W1", "W2"]})
    net.fit({"kind": kinds, **columns}, prior={"kind": 0})
    posterior = net.query("kind", given={"W0": "lunch", "W1": "buy", "W2": "lunch"}).to_dict()
    model = TextNaiveBayes().fit([" ".join(row[:3]) for row in rows], kinds)
    expected = [posterior[False], posterior[True]]
    np.testing.assert_allclose(model.predict_proba(["Lunch, buy lunch"])[0], expected, rtol=1e-9)


def test_normalised_complement_weights_are_scikit_learns() -> None:
    cutter = CountVectorizer(token_pattern=r"(?u)\w+")
    peer = ComplementNB(norm=True).fit(cutter.fit_transform(TRAIN), KINDS)
    ours = TextNaiveBayes("complement", norm=True).fit(TRAIN, KINDS)
    np.testing.assert_allclose(ours.feature_log_prob_, peer.feature_log_prob_)


@given(labelled(), st.sampled_from(VARIANTS), st.lists(st.integers(1, 20), max_size=4), st.booleans())
@law
def test_partial_fit_in_any_split_is_fit(
    data: Labelled, variant: str, cuts: list[int], backwards: bool
) -> None:
    texts, kinds = data
    whole = TextNaiveBayes(variant, min_df=2, max_df=0.9)
    stream = clone(whole)
    try:
        whole.fit(texts, kinds)
    except BadData:
        whole.set_params(min_df=1, max_df=1.0).fit(texts, kinds)
        stream.set_params(min_df=1, max_df=1.0)
    edges = sorted({0, len(texts), *(cut for cut in cuts if cut < len(texts))})
    parts = list(itertools.pairwise(edges))
    # What is left of few documents may be nothing: the limits count when all are there.
    limits = {"min_df": stream.min_df, "max_df": stream.max_df}
    for start, end in reversed(parts) if backwards else parts:
        last = (start, end) == (parts[0] if backwards else parts[-1])
        stream.set_params(**limits if last else {"min_df": 1, "max_df": 1.0})
        stream.partial_fit(texts[start:end], kinds[start:end])
    assert list(stream.vocabulary_) == list(whole.vocabulary_)
    assert stream.classes_.tolist() == whole.classes_.tolist()
    np.testing.assert_array_equal(stream.feature_count_, whole.feature_count_)
    np.testing.assert_array_equal(stream.feature_log_prob_, whole.feature_log_prob_)
    np.testing.assert_array_equal(stream.predict_proba(texts), whole.predict_proba(texts))


def test_documents_of_weight_0_are_as_if_they_were_not_there() -> None:
    weights = [1, 1, 0, 1, 1]
    some = TextNaiveBayes().fit(TRAIN, KINDS, sample_weight=weights)
    rest = TextNaiveBayes().fit([TRAIN[k] for k in (0, 1, 3, 4)], [KINDS[k] for k in (0, 1, 3, 4)])
    assert list(some.vocabulary_) == list(rest.vocabulary_)
    assert "at" not in some.vocabulary_
    np.testing.assert_array_equal(some.predict_proba(TRAIN), rest.predict_proba(TRAIN))


def test_declared_classes_may_come_later() -> None:
    model = TextNaiveBayes().partial_fit(["a b"], ["x"], classes=["x", "y"])
    assert model.predict_proba(["a"]).tolist() == [[1.0, 0.0]]
    assert model.partial_fit(["c"], ["y"]).predict(["c"]).tolist() == ["y"]


def test_without_smoothing_raw_shares_and_impossible_documents() -> None:
    model = TextNaiveBayes(prior=0).fit(["a a b", "b c"], ["x", "y"])
    assert model.predict_proba(["b"])[0] == pytest.approx([0.4, 0.6])
    assert model.predict_proba(["a", "c"]).tolist() == [[1, 0], [0, 1]]
    with pytest.warns(
        BayouWarning, match=r"1 row has probability 0 in every class \(row 1, counting from 0\)"
    ):
        assert model.predict_proba(["a", "a c"]).tolist() == [[1, 0], [0.5, 0.5]]


@given(st.lists(st.tuples(st.sets(st.sampled_from("abc")), st.booleans()), min_size=2, max_size=6))
@law
def test_bernoulli_without_smoothing_is_the_product_of_raw_shares(rows: list[tuple[set[str], bool]]) -> None:
    rows = [*rows, ({"a"}, True), ({"b"}, False)]
    model = TextNaiveBayes("bernoulli", prior=bayou.Laplace(0))
    model.fit([" ".join(sorted(words)) for words, _ in rows], [kind for _, kind in rows])
    for words, _ in rows:
        joint = []
        for kind in (False, True):
            mine = [having for having, of in rows if of == kind]
            product = len(mine) / len(rows)
            for word in model.vocabulary_:
                share = sum(word in having for having in mine) / len(mine)
                product *= share if word in words else 1 - share
            joint.append(product)
        found = model.predict_proba([" ".join(sorted(words))])[0]
        np.testing.assert_allclose(found, np.array(joint) / sum(joint), atol=1e-12)


def test_stated_class_priors_and_other_priors_of_words() -> None:
    stated = TextNaiveBayes(class_prior={"ham": 0.9, "spam": 0.1}).fit(TRAIN, KINDS)
    assert np.exp(stated.class_log_prior_) == pytest.approx([0.9, 0.1])
    spread = TextNaiveBayes(prior=bayou.MEstimate(8)).fit(TRAIN, KINDS)
    words = len(spread.vocabulary_)
    np.testing.assert_allclose(
        spread.feature_log_prob_, TextNaiveBayes(prior=8 / words).fit(TRAIN, KINDS).feature_log_prob_
    )
    with pytest.raises(BadPrior, match="has no number for"):
        TextNaiveBayes(class_prior={"ham": 1.0}).fit(TRAIN, KINDS)


@pytest.mark.parametrize("variant", ["multinomial", "bernoulli"])
def test_informative_words_are_those_with_the_largest_odds(variant: str) -> None:
    model = TextNaiveBayes(variant).fit(TRAIN, KINDS)
    best = model.informative_words("spam", 3)
    assert best[0][0] == "cheap"
    assert all(odds > 0 for _, odds in best)
    ranked = model.informative_words("ham", 50, by="log_odds")
    assert [odds for _, odds in ranked] == sorted((odds for _, odds in ranked), reverse=True)
    shares = model.feature_log_prob_
    by_hand = {word: shares[0, code] - shares[1, code] for word, code in model.vocabulary_.items()}
    assert dict(ranked) == pytest.approx(by_hand)
    with pytest.raises(BadQuestion, match="divergence"):
        model.informative_words("ham", by="size")


@given(labelled(), st.sampled_from(VARIANTS), TEXTS)
@law
def test_an_explanation_adds_up_to_the_odds(data: Labelled, variant: str, document: str) -> None:
    model = TextNaiveBayes(variant).fit(*data)
    ledger = model.explain(document, of="späm", against="ham")
    joint = dict(zip(model.classes_, model.predict_joint_log_proba([document])[0], strict=True))
    assert ledger.total == pytest.approx(joint["späm"] - joint["ham"], abs=1e-9)
    known = set(re.findall(r"\w+", document.lower())) & set(model.vocabulary_)
    lacks = variant == "bernoulli" and len(known) < len(model.vocabulary_)
    absent = {"words not in the document"} if lacks else set()
    assert {entry.name for entry in ledger.entries} == known | absent
    assert ledger.prior == (0 if variant == "complement" else pytest.approx(_prior_gap(model), abs=1e-9))
    parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
    assert parts == pytest.approx(ledger.total, abs=1e-9)
    assert model.explain(document).total >= 0


def _prior_gap(model: TextNaiveBayes) -> float:
    logs = dict(zip(model.classes_, model.class_log_prior_, strict=True))
    return float(logs["späm"] - logs["ham"])


def test_words_that_a_document_lacks_are_evidence_of_their_own() -> None:
    model = TextNaiveBayes("bernoulli").fit(["buy now", "buy", "see you"], ["spam", "spam", "ham"])
    ledger = model.explain("buy", of="spam", against="ham")
    # P(spam) = 2/3; absent are "now" (1 of 2 spams), "see" and "you" (0 of 2, and 1 of 1 of the hams).
    absent = np.log(((1 + 1) / 4 * (2 + 1) / 4 * (2 + 1) / 4) / ((1 + 1) / 3 * (0 + 1) / 3 * (0 + 1) / 3))
    assert ledger.prior == pytest.approx(np.log(2))
    assert {entry.name: entry.log_odds for entry in ledger.entries} == pytest.approx(
        {"buy": np.log((2 + 1) / 4 / ((0 + 1) / 3)), "words not in the document": absent}
    )


def test_an_explanation_reads_as_an_account() -> None:
    ledger = TextNaiveBayes().fit(TRAIN, KINDS).explain("cheap cheap lunch unheard")
    assert [(entry.name, entry.value, round(entry.log_odds, 4)) for entry in ledger.entries] == [
        ("cheap", 2, 3.1609),
        ("lunch", 1, -0.9045),
    ]
    assert round(ledger.prior, 4) == -0.4055
    assert str(ledger).splitlines()[0] == "log-odds of class=spam against class=ham"
    with pytest.raises(BadQuestion, match="two different classes"):
        TextNaiveBayes().fit(TRAIN, KINDS).explain("cheap", of="ham", against="ham")


def test_it_lives_with_scikit_learns_tools() -> None:
    texts, kinds = TRAIN * 6, KINDS * 6
    assert cross_val_score(TextNaiveBayes(), texts, kinds, cv=3).mean() == 1.0
    search = GridSearchCV(TextNaiveBayes(), {"prior": [0.1, 1.0], "ngrams": [1, 2]}, cv=2).fit(texts, kinds)
    assert search.predict(["cheap pills"]).tolist() == ["spam"]
    assert make_pipeline(TextNaiveBayes()).fit(texts, kinds).score(texts, kinds) == 1.0
    calibrated = CalibratedClassifierCV(TextNaiveBayes(), cv=2).fit(np.array(texts, dtype=object), kinds)
    assert calibrated.predict_proba(np.array(["cheap"], dtype=object)).shape == (1, 2)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_model_can_be_stored_and_copied(variant: str) -> None:
    model = TextNaiveBayes(variant).fit(TRAIN, KINDS)
    expected = model.predict_proba(TRAIN)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(TRAIN), expected)
    other = model.copy().partial_fit(["cheap"], ["ham"])
    np.testing.assert_array_equal(model.predict_proba(TRAIN), expected)
    assert not np.array_equal(other.predict_proba(TRAIN), expected)
