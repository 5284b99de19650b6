"""Which words speak for a class, in general and in one document."""

from __future__ import annotations

import numpy as np

from bayou.distributions import Laplace
from bayou.errors import BadQuestion
from bayou.estimators.explain.factor_text import prior_factors, share
from bayou.estimators.input.text_input import WordTable
from bayou.estimators.text.text_model import TextModel, log_presence, log_word_shares
from bayou.explain.class_working import ClassWorking, WorkingFactor
from bayou.explain.ledger import Ledger, LedgerEntry
from bayou.typing import FloatArray, Name

MEASURES = ("divergence", "log_odds")


def informative_words(model: TextModel, code: int, n: int, by: str) -> list[tuple[str, float]]:
    """The words that speak most for a class: (word, log P(word | class) − log P(word | other classes))."""
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
        raise BadQuestion("There is one class only: no word can speak for it against others.")
    cells = counts.documents if model.made.distinct else counts.occurrences
    pair = np.stack([cells[:, code], cells.sum(axis=1) - cells[:, code]], axis=1)
    if model.made.distinct:
        documents = counts.per_class.values
        both = np.array([documents[code], documents.sum() - documents[code]])
        logs = log_presence(pair, both, model.prior)[0]
    else:
        logs = log_word_shares(pair, counts.words, model.prior)
    return logs[:, 0], logs[:, 1]


def document_ledger(
    model: TextModel, row: WordTable, target: Name, of: int | None, against: int | None
) -> Ledger:
    """Account for the odds of two classes, word by word: by default the most probable against the next.

    The prior's line holds what is known before a word is read: the class prior and, in the Bernoulli model,
    the words that the document lacks.
    """
    classes = model.counts.classes
    if classes.cardinality < 2:
        raise BadQuestion("There is one class only: it has no odds against another.")
    joint = model.joint_log(row)[0]
    ranked = np.argsort(-joint, kind="stable").tolist()
    first = of if of is not None else next(code for code in ranked if code != against)
    second = against if against is not None else next(code for code in ranked if code != first)
    if first == second:
        raise BadQuestion(f"{classes.states[first]!r} has no odds against itself: name two classes.")
    found = model.matrix(row)
    numbers, times = found.indices, found.data
    gaps = model.made.weights[numbers, first] - model.made.weights[numbers, second]
    odds = gaps if model.made.distinct else gaps * times
    entries = tuple(
        LedgerEntry(model.counts.words[numbers[k]], int(times[k]), float(odds[k]))
        for k in range(len(numbers))
    )
    weights = np.exp(joint - joint.max())
    return Ledger(
        target,
        classes.states[first],
        classes.states[second],
        float(model.made.start[first] - model.made.start[second]),
        ("", ""),
        entries,
        float(joint[first] - joint[second]),
        dict(zip(classes.states, (weights / weights.sum()).tolist(), strict=True)),
    )


def document_working(model: TextModel, row: WordTable, target: Name) -> ClassWorking:
    """CLASSIFY-NAIVE-BAYES-TEXT by hand: P(class) · Π P(word | class), a word that comes twice squared."""
    counts = model.counts
    found = model.matrix(row)
    numbers, times = found.indices.tolist(), found.data.tolist()
    strength = model.prior.strength if isinstance(model.prior, Laplace) else 1.0
    totals = counts.occurrences.sum(axis=0).astype(np.float64)
    logs = model.made.log_shares
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
    )


def _repeated(one: WorkingFactor, times: int) -> WorkingFactor:
    """The factor of a word that comes several times."""
    if times == 1:
        return one
    return WorkingFactor(
        f"({one.text})^{times}", f"\\left({one.latex}\\right)^{{{times}}}", one.log * times, one.behind
    )
