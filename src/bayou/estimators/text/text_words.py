"""The words that are most typical of a class, in general and in one document."""

from __future__ import annotations

import numpy as np

from bayou.distributions import Laplace
from bayou.errors import BadQuestion
from bayou.estimators.explain.class_pair import ClassPair, chosen_pair
from bayou.estimators.explain.factor_text import prior_factors, share
from bayou.estimators.input.text_input import WordTable
from bayou.estimators.text.text_model import TextModel, log_presence, log_word_shares
from bayou.explain.class_working import ClassWorking, WorkingFactor
from bayou.explain.ledger import Ledger, LedgerEntry
from bayou.typing import CountArray, FloatArray, Name, State

MEASURES = ("divergence", "log_odds")


def informative_words(model: TextModel, code: int, n: int, by: str) -> list[tuple[str, float]]:
    """Return the top words of a class: (word, log P(word | class) − log P(word | other classes))."""
    if by not in MEASURES:
        raise BadQuestion(f"by={by!r}: use 'divergence' (frequent words first) or 'log_odds'.")
    mine, others = _class_and_rest(model, code)
    with np.errstate(invalid="ignore"):
        odds = np.where(np.isneginf(mine), -np.inf, mine - others)
        rank = odds if by == "log_odds" else np.where(np.isneginf(mine), 0.0, np.exp(mine) * odds)
    best = np.argsort(-rank, kind="stable")[: max(n, 0)]
    return [(model.counts.words[row], float(odds[row])) for row in best]


def _class_and_rest(model: TextModel, code: int) -> tuple[FloatArray, FloatArray]:
    """log P(word) in a class and in all others taken together."""
    counts = model.counts
    if counts.classes.cardinality < 2:
        raise BadQuestion("There is only one class: informative words need at least two.")
    cells = counts.documents if model.word_weights.distinct else counts.occurrences
    pair = np.stack([cells[:, code], cells.sum(axis=1) - cells[:, code]], axis=1)
    if model.word_weights.distinct:
        documents = counts.per_class.values
        both = np.array([documents[code], documents.sum() - documents[code]])
        logs = log_presence(pair, both, model.prior)[0]
    else:
        logs = log_word_shares(pair, counts.words, model.prior)
    return logs[:, 0], logs[:, 1]


def document_ledger(model: TextModel, row: WordTable, target: Name, of: State, against: State) -> Ledger:
    """Split the log-odds of two classes into one term per word; by default best against second best.

    In the Bernoulli model the words that are not in the document are evidence too: their terms are one entry.
    """
    classes, words = model.counts.classes, model.word_weights
    joint = model.joint_log(row)[0]
    pair = chosen_pair(classes, joint, of, against)
    found = model.matrix(row)
    numbers, times = found.indices, found.data
    logs = words.log_word_shares[numbers] if words.distinct else words.weights[numbers] * times[:, None]
    exponent = model.exponent if words.distinct or len(numbers) else 1.0
    logs = exponent * logs
    entries = [
        LedgerEntry(model.counts.words[number], int(often), pair.gap(log))
        for number, often, log in zip(numbers, times, logs, strict=True)
    ]
    if words.distinct and len(model.counts.words) > len(numbers):
        entries.append(_absent_words(model, numbers, pair))
    weights = np.exp(joint - joint.max())
    return Ledger(
        target,
        classes.states[pair.of],
        classes.states[pair.against],
        exponent * pair.gap(model.log_prior if words.distinct else words.start),
        ("", ""),
        tuple(entries),
        pair.gap(joint),
        dict(zip(classes.states, (weights / weights.sum()).tolist(), strict=True)),
    )


def _absent_words(model: TextModel, present: CountArray, pair: ClassPair) -> LedgerEntry:
    """The term of all words that a document lacks: Σ log P(word is absent | class)."""
    counts = model.counts
    absent = np.ones(len(counts.words), dtype=bool)
    absent[present] = False
    logs = log_presence(counts.documents[absent], counts.per_class.values, model.prior)[1].sum(axis=0)
    return LedgerEntry("words not in the document", int(absent.sum()), model.exponent * pair.gap(logs))


def document_working(model: TextModel, row: WordTable, target: Name) -> ClassWorking:
    """Return the calculation P(class) · Π P(word | class)^count of one document, step by step.

    This is CLASSIFY-NAIVE-BAYES-TEXT of the lecture.
    """
    counts = model.counts
    found = model.matrix(row)
    numbers, times = found.indices.tolist(), found.data.tolist()
    strength = model.prior.strength if isinstance(model.prior, Laplace) else 1.0
    totals = counts.occurrences.sum(axis=0).astype(np.float64)
    logs = model.word_weights.log_word_shares
    factors = []
    for code in range(counts.classes.cardinality):
        own = []
        for word, often in zip(numbers, times, strict=True):
            cell = float(counts.occurrences[word, code])
            one = share(cell, totals[code], strength, strength * len(counts.words), float(logs[word, code]))
            own.append(_repeated(one, int(often)))
        factors.append(tuple(own))
    joint = model.joint_log(row)[0]
    weights = np.exp(joint - joint.max())
    return ClassWorking(
        target,
        counts.classes.states,
        tuple((counts.words[word], int(often)) for word, often in zip(numbers, times, strict=True)),
        prior_factors(model.log_prior, counts.per_class, Laplace(0.0)),
        tuple(factors),
        1.0,
        tuple(joint.tolist()),
        tuple((weights / weights.sum()).tolist()),
        power_of_all=model.exponent if numbers else 1.0,
    )


def _repeated(one: WorkingFactor, times: int) -> WorkingFactor:
    """The factor of a word that occurs several times."""
    if times == 1:
        return one
    return WorkingFactor(
        f"({one.text})^{times}", f"\\left({one.latex}\\right)^{{{times}}}", one.log * times, one.behind
    )
