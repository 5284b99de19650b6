"""The rules that split documents into words, and documents in the form that the kernels need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou._native.reference.text import cut_documents
from bayou.errors import BadData
from bayou.schema import is_missing

Tokenizer = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class TokenRules:
    r"""By default, words are lower-cased runs of Unicode word characters (``\w+``).

    ``punctuation`` takes runs of other characters as words too; ``min_length`` drops shorter words;
    ``ngrams`` is the smallest and largest number of consecutive words that make one; a ``tokenizer`` given by
    the user splits instead (then only stop words and n-grams apply).

    >>> TokenRules(punctuation=True).words("Don't panic!!")
    ['don', "'", 't', 'panic', '!!']
    >>> TokenRules(ngrams=(1, 2), stop_words=("the",)).words("The red car")
    ['red', 'red car', 'car']
    """

    lowercase: bool = True
    punctuation: bool = False
    min_length: int = 1
    ngrams: tuple[int, int] = (1, 1)
    stop_words: tuple[str, ...] = ()
    tokenizer: Tokenizer | None = None

    def for_kernels(self, documents: Sequence[str | None]) -> tuple[list[str | None], dict[str, Any]]:
        """The texts (or words, with a user's tokenizer) and the other arguments of the text kernels."""
        texts = checked_documents(documents)
        rules: dict[str, Any] = {
            "lowercase": bool(self.lowercase),
            "punctuation": bool(self.punctuation),
            "min_length": int(self.min_length),
            "ngrams": self.ngrams,
            "stop_words": list(self.stop_words),
        }
        if self.tokenizer is None:
            return texts, rules
        lists = [[] if text is None else self._cut(row, text) for row, text in enumerate(texts)]
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return [word for words in lists for word in words], {**rules, "offsets": offsets}

    def _cut(self, row: int, text: str) -> list[str]:
        found: Any = self.tokenizer(text) if self.tokenizer is not None else []
        words = list(found) if isinstance(found, Iterable) else [found]
        for word in words:
            if not isinstance(word, str):
                raise BadData(
                    f"The tokenizer returned {word!r} for document {row}; a list of words (str) is expected."
                )
        return words

    def words(self, document: str) -> list[str]:
        """The words of one document in order (for inspection; not fast)."""
        texts, rules = self.for_kernels([document])
        return cut_documents(texts, **rules)[0]


def checked_documents(documents: Sequence[Any]) -> list[str | None]:
    """Return the documents as a list of texts, None where one is missing; raise BadData for anything else."""
    texts = documents if isinstance(documents, list) else list(documents)
    if set(map(type, texts)) <= {str, type(None)}:
        return texts
    clean: list[str | None] = []
    for row, text in enumerate(texts):
        if isinstance(text, str):
            clean.append(text)
        elif is_missing(text):
            clean.append(None)
        else:
            raise BadData(f"Document {row} is {text!r}: text (str) is expected, or None if it is missing.")
    return clean
