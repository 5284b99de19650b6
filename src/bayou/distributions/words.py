"""Texts as bags of words: the product of P(word | class) over the words of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou._native import Vocabulary, score_words, word_matrix
from bayou.codes import coded_texts
from bayou.distributions.base import TEXTS, Distribution
from bayou.distributions.distribution_kind import StartingData
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.priors import Prior, virtual_records
from bayou.distributions.table import read_only, weighted_logs
from bayou.errors import BadFile, BadQuestion, BadTable, BadVariable
from bayou.statistics import TokenCounts, TokenRules, WordCounts
from bayou.typing import CodeArray, FloatArray

_SHOWN_WORDS = 6
"""The number of words that are printed with their probabilities."""


@dataclass(frozen=True, eq=False)
class CodedTexts:
    """A column of texts: the distinct texts, and the code of each row (a code beyond the last: missing).

    >>> len(CodedTexts(np.array([0, 1, 0], dtype=np.uint8), ("buy now", "see you")))
    3
    """

    codes: CodeArray
    texts: tuple[str, ...]

    @classmethod
    def of(cls, values: Any) -> CodedTexts:
        """Make it from a sequence of texts, with None for missing ones."""
        if isinstance(values, cls):
            return values
        return cls(*coded_texts(None if value is None else str(value) for value in values))

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Words(Distribution):
    """Σ log P(word | class) over the words of a text, each (n + λ)/(all words of the class + λ·vocabulary).

    Words that are not in the vocabulary are skipped. The length of a text and the order of its words are not
    modelled: P(word | class) sums to 1 over the words, not over the texts.

    >>> spam = Words(("buy", "see"), np.log([[0.2, 0.9], [0.8, 0.1]]))
    >>> spam.log_density_by_group(np.array(["Buy, buy!", None], dtype=object)).round(2).tolist()
    [[-3.22, -0.21], [0.0, 0.0]]
    """

    kind: ClassVar[str] = "words"
    uses_prior: ClassVar[bool] = True
    values_are: ClassVar[str] = TEXTS
    words: tuple[str, ...]
    logs: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "logs", read_only(self.logs))

    @classmethod
    def check_family(cls, family: Family) -> None:
        """Raise BadVariable unless the texts have a single, discrete parent: the class."""
        if len(family.parents) != 1 or family.continuous:
            raise BadVariable(
                f"The words of {family.child.name!r} must depend on a single discrete variable, the class, "
                f"not on {len(family.parents)} variables."
            )

    @classmethod
    def needs(cls, family: Family) -> WordCounts:
        """The counts of words by class."""
        return WordCounts(family.child.name, tuple(parent.name for parent in family.parents))

    @classmethod
    def estimate(cls, answer: TokenCounts, family: Family, prior: Prior) -> Words:
        """Return counts plus virtual records, normalised in each class; uniform where both are 0."""
        weighed = answer.occurrences + virtual_records(prior)
        totals = weighed.sum(axis=0)
        uniform = np.full(weighed.shape, 1 / max(1, len(weighed)))
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(np.divide(weighed, totals, out=uniform, where=totals > 0))
        return cls(answer.words, logs)

    @classmethod
    def start(cls, known: StartingData) -> Words:
        """The start of EM: from complete rows, or the words of all texts with random weights in each class.

        It has every word of the data, none with probability 0, so that EM's objective is about the same
        words in each step.
        """
        every = _all_words(known)
        if known.complete is not None and not known.wild:
            counted = _occurrences(known.complete, every.words)
        else:
            shares = known.chance.gamma(1.0, size=(len(every.words), *known.family.shape))
            counted = every.occurrences.sum(axis=1, keepdims=True) * shares
        weighed = counted + (virtual_records(known.prior) or 1.0)
        return cls(every.words, np.log(weighed / weighed.sum(axis=0)))

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """0 and 0: the number is unknown before the vocabulary is."""
        return 0, 0

    @property
    def parameters(self) -> int:
        """The number of words times the number of classes."""
        return int(self.logs.size)

    @property
    def free_parameters(self) -> int:
        """The number of probabilities not implied by those of a class summing to 1."""
        return int(self.logs.size - self.logs.shape[1]) if len(self.logs) else 0

    @property
    def group_shape(self) -> tuple[int, ...]:
        """The number of classes."""
        return (self.logs.shape[1],)

    def check_shape(self, family: Family) -> None:
        """Raise BadTable unless there is one column per class."""
        if self.group_shape != family.shape:
            raise BadTable(
                f"The words of {family.child.name!r} are those of {self.group_shape[0]} classes, expected "
                f"{family.shape}."
            )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary in the form that the kernel uses for look-ups."""
        return Vocabulary(list(self.words))

    def log_density_by_group(self, values: Any, inputs: FloatArray | None = None) -> FloatArray:
        """The log scores [row, class]; ``values`` are texts (None: missing) or coded texts.

        Each distinct text is scored once.
        """
        column = CodedTexts.of(values)
        texts, rules = TokenRules().for_kernels(column.texts)
        scores = score_words(texts, self.vocabulary, self.logs, False, **rules)
        with_gap = np.vstack([scores, np.zeros((1, scores.shape[1]))])
        result: FloatArray = with_gap[np.minimum(column.codes, len(column.texts)).astype(np.intp)]
        return result

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        """The probabilities in each class of the words that tell the classes apart best, by their range."""
        spread = self.logs.max(axis=1) - self.logs.min(axis=1) if len(self.logs) else np.zeros(0)
        telling = np.argsort(-np.nan_to_num(spread, posinf=np.inf), kind="stable")[:_SHOWN_WORDS]
        return {f"P({self.words[row]})": np.exp(self.logs[row]) for row in telling.tolist()}

    @property
    def printed_cells(self) -> int:
        """The probabilities of the words that are printed."""
        return min(len(self.words), _SHOWN_WORDS) * int(self.logs.shape[1])

    def sample(self, rows: FamilyRows, stream: RandomStream) -> Any:
        """Raise BadQuestion: the length of a text and the order of its words are not modelled."""
        raise BadQuestion(
            "Texts cannot be sampled: their length and the order of words are not modelled. Draw from a "
            "network without the variable of texts."
        )

    def left_out(
        self, rows: FamilyRows, weights: FloatArray, answer: TokenCounts, family: Family, prior: Prior
    ) -> FloatArray:
        """The log score of each text without its own words in the counts of its class."""
        column: CodedTexts = CodedTexts.of(rows.values)
        texts, rules = TokenRules().for_kernels(column.texts)
        starts, words, times = word_matrix(texts, self.vocabulary, **rules)
        strength = virtual_records(prior)
        totals = (answer.occurrences + strength).sum(axis=0)
        result = np.zeros(rows.rows)
        for row, code in enumerate(column.codes.tolist()):
            if code >= len(column.texts):
                continue
            inside = slice(starts[code], starts[code + 1])
            own, k = times[inside], int(rows.codes[0][row])
            seen = answer.occurrences[words[inside], k] + strength - weights[row] * own
            total = totals[k] - weights[row] * own.sum()
            result[row] = own @ np.log(np.maximum(seen, 1e-9) / max(total, 1e-9))
        return result

    def notation(self, value: str, group: int) -> None:
        """None: a text is too long for a formula, so only the number is shown."""

    # Learned with gaps

    def continued(self, known: StartingData) -> Words:
        """The same probabilities; words that only the new data have get the smallest one of their class."""
        every = _all_words(known)
        own = dict(zip(self.words, np.exp(self.logs), strict=True))
        least = np.min(list(own.values()) or np.ones((1, *self.group_shape)), axis=0)
        words = tuple(sorted({*own, *every.words}))
        weighed = np.array([own.get(word, least) for word in words])
        with np.errstate(divide="ignore"):
            return Words(words, np.log(weighed / weighed.sum(axis=0)))

    def prior_records(self, family: Family, prior: Prior, before: TokenCounts | None) -> Any:
        """The virtual records of each word, and the counts of earlier texts."""
        return virtual_records(prior), before

    def log_prior(self, records: tuple[float, TokenCounts | None]) -> float:
        """Σ (virtual records + earlier count) · log P(word | class)."""
        strength, before = records
        earlier = 0.0 if before is None else _occurrences(before, self.words)
        return weighted_logs(np.broadcast_to(strength + earlier, self.logs.shape), np.exp(self.logs))

    # In a file

    def state(self) -> dict[str, Any]:
        """The words and the logs of their probabilities."""
        return {"kind": self.kind, "words": list(self.words), "logs": self.logs}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Words:
        """Read :meth:`state`; raise BadFile unless there is a log probability per word and class."""
        words, logs = tuple(map(str, state["words"])), np.asarray(state["logs"], dtype=np.float64)
        if logs.ndim != 2 or len(logs) != len(words) or np.any(np.isnan(logs)) or np.any(logs > 0):
            raise BadFile("the words of a distribution do not have a probability for each class.")
        return cls(words, logs)


def _all_words(known: StartingData) -> TokenCounts:
    """The counts of the words of all texts, whether their class is known or not."""
    alone = known.alone(known.family.child)
    counts: TokenCounts = known.complete if alone is None else alone
    return counts


def _occurrences(counts: TokenCounts, words: Sequence[str]) -> FloatArray:
    """The occurrences of each of these words in ``counts``, [word, class]; 0 where it has none."""
    found = np.zeros((len(words), counts.classes.cardinality))
    for row, word in enumerate(words):
        if word in counts.numbers:
            found[row] = counts.occurrences[counts.numbers[word]]
    return found
