"""Counts of words by class: occurrences, and documents that contain the word; they add and subtract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from bayou._native import Vocabulary, count_families, count_words, word_matrix
from bayou.codes import coded_texts
from bayou.errors import BadData, BadFile
from bayou.schema import Variable, is_missing, state_key
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.batch import Batch
from bayou.statistics.counts import Counts, require_counts
from bayou.statistics.request import RequestFor
from bayou.statistics.result import Result
from bayou.statistics.rows.row_sample import hash_states
from bayou.statistics.text.same_words import counts_left, on_same_words, with_axes
from bayou.statistics.text.token_rules import TokenRules
from bayou.statistics.text.word_sample import WordSample
from bayou.typing import CodeArray, CountArray, FloatArray, IntArray, Name

_ALL = Variable("", ["all texts"])
"""The class of all texts, where they are not counted by class."""


@dataclass(frozen=True, eq=False)
class TokenCounts(Result):
    """Words × classes: ``occurrences`` of the word, and ``documents`` of the class that have it.

    ``per_class`` counts the documents of each class. Words are in the order of their code points; those
    whose counts become 0 are dropped, unless the words were ``declared`` (a vocabulary was given).
    ``variable`` is the name of the column of texts, if there is one.

    >>> spam = count_tokens(["buy now", "buy buy"], ["spam", "spam"])
    >>> both = spam + count_tokens(["see you now"], ["ham"])
    >>> both.words, both.occurrences.tolist()
    (('buy', 'now', 'see', 'you'), [[0, 3], [1, 1], [1, 0], [1, 0]])
    >>> both.documents[0].tolist(), (both - spam).words
    ([0, 2], ('now', 'see', 'you'))
    """

    kind: ClassVar[str] = "words"
    words: tuple[str, ...]
    per_class: Counts
    occurrences: CountArray
    documents: CountArray
    declared: bool = False
    variable: Name | None = None
    sample: WordSample | None = None
    """Some of the documents, where a model will be judged on them."""

    @property
    def request(self) -> WordCounts:
        """The request that these counts answer."""
        return WordCounts(self.variable, () if self.classes == _ALL else (self.classes.name,))

    @property
    def total(self) -> float:
        """The number (or weight) of documents."""
        return self.per_class.total

    @property
    def classes(self) -> Variable:
        """The class as a variable: the axis of the columns."""
        return self.per_class.axes[0]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def aligned(self, axes: Sequence[Variable]) -> TokenCounts:
        """The same counts with these classes, 0 for new ones; a class with counts must be among them."""
        (classes,) = axes
        if classes == self.classes:
            return self
        return with_axes(self, self.words, np.arange(len(self.words)), classes)

    def with_states(self, variables: Mapping[Name, Variable]) -> TokenCounts:
        """The same counts on the states of the class among these variables."""
        return self.aligned([variables.get(self.classes.name, self.classes)])

    def renamed(self, names: Mapping[Name, Name]) -> TokenCounts:
        """The same counts under other names of the column of texts and of the class."""
        name = names.get(self.classes.name, self.classes.name)
        classes = Variable(name, self.classes.states, ordered=self.classes.ordered)
        per_class = Counts((classes,), self.per_class.values)
        return replace(self, per_class=per_class, variable=names.get(self.variable, self.variable))

    def __add__(self, other: TokenCounts) -> TokenCounts:
        left, right = on_same_words(self, other)
        sampled = self.sample is not None and other.sample is not None
        return replace(
            left,
            sample=self.sample + other.sample if sampled else None,  # type: ignore[operator]  # neither is None
            per_class=left.per_class + right.per_class,
            occurrences=left.occurrences + right.occurrences,
            documents=left.documents + right.documents,
        )

    def __sub__(self, other: TokenCounts) -> TokenCounts:
        left, right = on_same_words(self, other)
        occurrences = counts_left(left, left.occurrences, right.occurrences)
        documents = counts_left(left, left.documents, right.documents)
        per_class = left.per_class - right.per_class
        rest = replace(left, per_class=per_class, occurrences=occurrences, documents=documents)
        if self.sample is not None and other.sample is not None:
            rest = replace(rest, sample=self.sample - other.sample)
        return rest if left.declared else rest.only(np.flatnonzero(occurrences.any(axis=1)))

    def __mul__(self, weight: float) -> TokenCounts:
        return replace(
            self,
            per_class=self.per_class * weight,
            occurrences=self.occurrences * weight,
            documents=self.documents * weight,
            sample=None if self.sample is None else self.sample * weight,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenCounts) or set(self.words) != set(other.words):
            return False
        left, right = on_same_words(self, other)
        pairs = ((left.occurrences, right.occurrences), (left.documents, right.documents))
        return left.per_class == right.per_class and all(np.array_equal(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal tables need not hash alike

    def only(self, rows: IntArray) -> TokenCounts:
        """The counts of some words only."""
        if len(rows) == len(self.words):
            return self
        words = tuple(self.words[row] for row in rows)
        return replace(self, words=words, occurrences=self.occurrences[rows], documents=self.documents[rows])

    def state(self) -> dict[str, Any]:
        """Words, classes and all counts."""
        return {
            "kind": self.kind,
            "words": list(self.words),
            "classes": self.classes.state(),
            "per_class": self.per_class.values,
            "occurrences": self.occurrences,
            "documents": self.documents,
            "declared": self.declared,
            "variable": encode_value(self.variable),
            **({} if self.sample is None else {"sample": self.sample.state()}),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TokenCounts:
        """Read :meth:`state`; raise BadFile unless there are two counts per word and class, none negative."""
        words = tuple(map(str, state["words"]))
        per_class = Counts.from_state({"axes": [state["classes"]], "values": state["per_class"]})
        occurrences, documents = state["occurrences"], state["documents"]
        for table in (occurrences, documents):
            if np.shape(table) != (len(words), *per_class.values.shape):
                raise BadFile("the counts of words do not fit their words and classes.")
            require_counts(table, "the counts of words")
        # Earlier files stored vocabularies elsewhere and do not have "declared".
        declared, variable = bool(state.get("declared", False)), decode_value(state["variable"])
        sample = WordSample.from_state(state["sample"]) if "sample" in state else None
        return cls(words, per_class, occurrences, documents, declared, variable, sample)


@dataclass(frozen=True)
class WordCounts(RequestFor[TokenCounts]):
    """Request: how often does each word occur in the texts of a column, for each state of ``given``?

    ``given`` holds one variable, or none: all texts are then counted together.

    ``rules`` define what a word is, ``vocabulary`` the words to count (None: all). With ``gaps``, a missing
    text counts as a document without words. ``sampled``: the counts have a sample of documents with them.

    >>> WordCounts("review", given=("rating",)).states
    ('review', 'rating')
    """

    variable: Name
    given: tuple[Name, ...]
    rules: TokenRules | None = None
    vocabulary: Vocabulary | None = None
    gaps: bool = False
    sampled: bool = False

    @property
    def variables(self) -> tuple[Name, ...]:
        """The column of texts, as a tuple of one."""
        return (self.variable,)

    @property
    def states(self) -> tuple[Name, ...]:
        """The column of texts, then the variables in ``given``."""
        return (self.variable, *self.given)

    @property
    def axes(self) -> tuple[Name, ...]:
        """The variables in ``given``."""
        return self.given

    def answer(self, batch: Batch, variables: Mapping[Name, Variable]) -> TokenCounts:
        """The words of some rows; each distinct text is split into words once per class that has it."""
        codes, labels = self._texts(batch, variables[self.variable])
        groups, classes = np.zeros(batch.rows, dtype=np.uint8), _ALL
        if self.given:
            (target,) = self.given
            groups, classes = batch.codes[target], variables[target]
        if self.gaps:  # a missing text gets the code after the last text
            codes = np.where(batch.missing(self.variable), np.uint32(len(labels)), codes).astype(np.uint32)
        cards = [len(labels) + self.gaps, classes.cardinality]
        (table,) = count_families([codes, groups], cards, [[0, 1]], batch.weights)
        texts, having = np.nonzero(table)
        documents = [None if k == len(labels) else str(labels[k]) for k in texts.tolist()]
        coded = (having.astype(np.uint32), classes)
        weights = table[texts, having]
        return count_tokens(
            documents, coded, self.rules, weights, self.vocabulary, self.variable, self.sampled
        )

    def _texts(self, batch: Batch, variable: Variable) -> tuple[CodeArray, Sequence[Any]]:
        """The code of each row's text, and the distinct texts."""
        if variable.is_text:
            return coded_texts(batch.numbers[self.variable].tolist())
        wrong = next((label for label in variable.states if not isinstance(label, str)), None)
        if wrong is not None:
            raise BadData(f"The column {self.variable!r} must hold texts; it has the value {wrong!r}.")
        return batch.codes[self.variable], variable.states


def count_tokens(
    documents: Sequence[str | None],
    classes: Sequence[Any] | tuple[CodeArray, Variable],
    rules: TokenRules | None = None,
    weights: CountArray | None = None,
    vocabulary: Vocabulary | None = None,
    variable: Name | None = None,
    sampled: bool = False,
) -> TokenCounts:
    """Count the words of documents by class, in one pass; with a vocabulary, only the words in it.

    Classes are labels, or (codes, variable) if they are coded already. ``variable`` is the column's name.
    With ``sampled`` some of the documents are kept, too, as counts of words.

    >>> count_tokens(["A rose is a rose"], ["line"]).occurrences.tolist()
    [[2], [1], [2]]
    """
    codes, labels = classes if isinstance(classes, tuple) else _coded(classes)
    texts, arguments = (rules or TokenRules()).for_kernels(documents)
    numbers = np.ascontiguousarray(codes, dtype=np.uint32)
    real: FloatArray | None = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    found, occurrences, having = count_words(
        texts, numbers, labels.cardinality, real, vocabulary, **arguments
    )
    totals: CountArray = np.bincount(numbers, weights, minlength=labels.cardinality)
    if weights is None or weights.dtype.kind in "iu":
        # Sums of integers in doubles are exact up to 2**53, far beyond what fits in memory.
        totals, occurrences, having = (part.astype(np.int64) for part in (totals, occurrences, having))
    words = tuple(found) if vocabulary is None else tuple(vocabulary.words)
    is_given = vocabulary is not None
    sample = _sample(documents, numbers, labels, rules or TokenRules(), real, vocabulary) if sampled else None
    return TokenCounts(words, Counts((labels,), totals), occurrences, having, is_given, variable, sample)


def _sample(
    documents: Sequence[str | None],
    codes: CodeArray,
    classes: Variable,
    rules: TokenRules,
    weights: FloatArray | None,
    vocabulary: Vocabulary | None,
) -> WordSample:
    """Some of the documents, with the counts of those of their words that are counted."""

    def counted(rows: list[int]) -> list[dict[str, float]]:
        texts, arguments = rules.for_kernels([documents[row] for row in rows])
        known = vocabulary
        if known is None:
            found, _, _ = count_words(texts, np.zeros(len(rows), dtype=np.uint32), 1, None, None, **arguments)
            known = Vocabulary(list(found))
        starts, numbers, times = word_matrix(texts, known, **arguments)
        words, cells = known.words, list(zip(numbers.tolist(), times.tolist(), strict=True))
        ends = [slice(a, b) for a, b in pairwise(starts.tolist())]
        return [{words[number]: float(often) for number, often in cells[some]} for some in ends]

    labels = [classes.states[code] for code in codes.tolist()]
    contents = hash_states([None if is_missing(text) else text for text in documents])
    return WordSample.of(contents, labels, np.ones(len(codes)) if weights is None else weights, counted)


def _coded(labels: Sequence[Any]) -> tuple[CodeArray, Variable]:
    variable = Variable("class", list({state_key(label): label for label in labels}.values()))
    return np.array([variable.code(label) for label in labels], dtype=np.uint32), variable
