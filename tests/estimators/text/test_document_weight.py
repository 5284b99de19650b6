"""The exponent of text models, beside models that are fitted again without each document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.naive_bayes import MultinomialNB

import bayou
from bayou import TextNaiveBayes
from bayou.distributions import prior_from
from bayou.errors import BadQuestion
from bayou.estimators.text.document_weight import left_out_scores, pseudocounts

VARIANTS = ("multinomial", "bernoulli", "complement")


def letters(documents: int = 240, seed: int = 0) -> tuple[list[str], list[str]]:
    """Documents of three kinds; every useful word stands twice, and some words are in one document only."""
    random = np.random.default_rng(seed)
    kinds, common = ("bill", "love", "spam"), [f"word{k}" for k in range(30)]
    own = {kind: [f"{kind}{k}" for k in range(12)] for kind in kinds}
    texts, labels = [], []
    for number in range(documents):
        kind = str(random.choice(kinds, p=[0.6, 0.3, 0.1]))
        some = [
            random.choice(own[kind if random.random() < 0.6 else str(random.choice(kinds))]) for _ in range(4)
        ]
        words = [*random.choice(common, 12), *some, *some, f"only{number}"]
        texts.append(" ".join(map(str, words)))
        labels.append(kind)
    return texts, labels


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_document_is_left_out_as_if_it_had_never_been_there(variant: str) -> None:
    texts, labels = letters(60)
    model = TextNaiveBayes(variant).fit(texts, labels)
    counts = model.statistics_
    sample = counts.sample
    assert sample is not None
    own = np.array([model.classes_.tolist().index(label) for label in sample.labels])
    virtual = pseudocounts(counts, prior_from(model.prior), variant)
    found = left_out_scores(counts, sample, virtual, variant, own, np.ones(len(own)))
    for row in range(0, len(own), 7):
        words = sample._counts(row)
        (place,) = [
            k
            for k, text in enumerate(texts)
            if next(w for w in words if w.startswith("only")) in text.split()
        ]
        rest = [k for k in range(len(texts)) if k != place]
        without = TextNaiveBayes(variant, evidence_weight=1, class_prior="uniform")
        without.fit([texts[k] for k in rest], [labels[k] for k in rest])
        expected = without.predict_log_proba([texts[place]])[0]
        np.testing.assert_allclose(log_softmax(found[row]), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_exponent_is_the_best_of_left_out_documents(variant: str) -> None:
    texts, labels = letters(80)
    model = TextNaiveBayes(variant).fit(texts, labels)
    held: list[np.ndarray] = []
    for place in range(len(texts)):
        rest = [k for k in range(len(texts)) if k != place]
        without = TextNaiveBayes(variant, evidence_weight=1)
        without.fit([texts[k] for k in rest], [labels[k] for k in rest])
        held.append(without.predict_joint_log_proba([texts[place]])[0])
    own = np.array([model.classes_.tolist().index(label) for label in labels])

    def loss(log: float) -> float:
        return float(-log_softmax(np.exp(log) * np.array(held), axis=1)[np.arange(len(own)), own].mean())

    best = minimize_scalar(loss, bounds=(-8, 0.6), method="bounded").x
    assert loss(np.log(model.evidence_weight_)) == pytest.approx(loss(best), abs=1e-4)


def test_probabilities_mean_more_and_no_class_changes() -> None:
    texts, labels = letters(400)
    new, truth = letters(400, seed=1)
    model, plain = TextNaiveBayes().fit(texts, labels), TextNaiveBayes(evidence_weight=1).fit(texts, labels)
    assert 0 < model.evidence_weight_ < 0.9
    assert plain.evidence_weight_ == 1
    np.testing.assert_array_equal(model.predict(new), plain.predict(new))
    peer = MultinomialNB().fit(plain.word_counts(texts), labels)
    own = np.searchsorted(model.classes_, truth)
    losses = [
        -np.log(proba[np.arange(len(own)), own]).mean()
        for proba in (model.predict_proba(new), peer.predict_proba(plain.word_counts(new)))
    ]
    assert losses[0] < losses[1] - 0.02
    np.testing.assert_allclose(
        plain.predict_proba(new), peer.predict_proba(plain.word_counts(new)), atol=1e-9
    )


def test_parts_batches_and_weights_give_the_same_exponent(tmp_path: Path) -> None:
    texts, labels = letters(200)
    whole = TextNaiveBayes().fit(texts, labels)
    order = np.random.default_rng(0).permutation(200)
    parts = TextNaiveBayes()
    for some in np.array_split(order, 3):
        parts.partial_fit([texts[k] for k in some], [labels[k] for k in some])
    assert parts.evidence_weight_ == pytest.approx(whole.evidence_weight_, abs=1e-8)
    twice = TextNaiveBayes().fit([*texts, *texts[:50]], [*labels, *labels[:50]])
    weighed = TextNaiveBayes().fit(texts, labels, sample_weight=[2] * 50 + [1] * 150)
    assert weighed.evidence_weight_ == pytest.approx(twice.evidence_weight_, abs=1e-8)
    table = {"text": texts, "kind": labels}
    batches = bayou.from_batches(
        lambda: iter([{n: c[:70] for n, c in table.items()}, {n: c[70:] for n, c in table.items()}])
    )
    streamed = TextNaiveBayes().fit(batches, "kind")
    assert streamed.evidence_weight_ == pytest.approx(whole.evidence_weight_, abs=1e-8)
    whole.save(tmp_path / "m.bayou")
    loaded: Any = bayou.load(tmp_path / "m.bayou")
    np.testing.assert_array_equal(loaded.predict_proba(texts), whole.predict_proba(texts))


def test_counts_have_an_exponent_too() -> None:
    texts, labels = letters(200)
    model = TextNaiveBayes(evidence_weight=1).fit(texts, labels)
    counted = TextNaiveBayes().fit(model.word_counts(texts), labels)
    # A given vocabulary stays known when a document is left out; that is the only difference.
    given = TextNaiveBayes(vocabulary=list(model.vocabulary_)).fit(texts, labels)
    assert counted.evidence_weight_ == pytest.approx(given.evidence_weight_, abs=1e-6)


def test_all_that_explains_uses_the_exponent() -> None:
    texts, labels = letters(200)
    for variant in VARIANTS:
        model = TextNaiveBayes(variant).fit(texts, labels)
        ledger = model.explain(texts[0])
        assert ledger.prior + sum(entry.log_odds for entry in ledger.entries) == pytest.approx(
            ledger.total, abs=1e-9
        )
        logs = np.sort(model.predict_log_proba([texts[0]])[0])
        assert ledger.total == pytest.approx(logs[-1] - logs[-2], abs=1e-9)
    model = TextNaiveBayes().fit(texts, labels)
    for empty in (None, "", "unheard of"):  # no evidence: P(class) stays as it is
        assert model.predict_proba([empty])[0] == pytest.approx(np.exp(model.class_log_prior_))
        logs = np.sort(model.class_log_prior_)
        assert model.explain(empty).total == pytest.approx(logs[-1] - logs[-2])
        assert "]^" not in model.working(empty).text
    working = TextNaiveBayes().fit(texts, labels).working(texts[0])
    assert f"]^{TextNaiveBayes().fit(texts, labels).evidence_weight_:.4g}" in working.text
    assert r"\left[" in working.latex


def test_few_documents_or_no_smoothing_leave_it_at_one() -> None:
    texts, labels = letters(49)
    assert TextNaiveBayes().fit(texts, labels).evidence_weight_ == 1
    texts, labels = letters(100)
    assert TextNaiveBayes(prior=0).fit(texts, labels).evidence_weight_ == 1
    assert TextNaiveBayes(evidence_weight=0.5).fit(texts, labels).statistics_.sample is None
    with pytest.raises(BadQuestion, match="evidence_weight='high'"):
        TextNaiveBayes(evidence_weight="high").fit(texts, labels)


def test_forgotten_documents_leave_the_sample() -> None:
    texts, labels = letters(120)
    whole = TextNaiveBayes().fit(texts, labels)
    rest = whole.statistics_ - TextNaiveBayes().fit(texts[:40], labels[:40]).statistics_
    expected = TextNaiveBayes().fit(texts[40:], labels[40:]).statistics_
    assert rest == expected
    assert rest.sample is not None
    assert rest.sample.hashes.tolist() == expected.sample.hashes.tolist()
    assert [rest.sample._counts(k) for k in range(5)] == [expected.sample._counts(k) for k in range(5)]
