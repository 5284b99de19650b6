"""Sentences of the library in the words of the API: its members of JSON, not the arguments of Python."""

from __future__ import annotations

import re

_REWORDED = (
    (re.compile(r"given=\{(.+?): .*?\}(?= names no | excludes every |: )"), r"the finding for \1"),
    (
        re.compile(r"likelihood=\{(.+?): …\}: likelihood= needs a discrete variable"),
        r"weights for \1: it has no states",
    ),
    (re.compile(r"likelihood=\{(.+?): …\}: weights must"), r"the weights for \1 must"),
    (re.compile(r"likelihood=\{(.+?): …\} needs a weight"), r"the finding for \1 needs a weight"),
    (re.compile(r"costs\[(.+?)\]=(\S+):"), r"the cost of \1 is \2:"),
    (re.compile(r"; give findings: given=\{…\}"), "; give findings"),
    (re.compile(r"\b(among|targets|target|steps|k)= "), r"`\1` "),
)
_TRUTH = re.compile(r"(^|: |, |no variable )(True|False)(?=,|\.| is not)")


def in_json_words(text: str) -> str:
    """Return a message of the library as a client of the API understands it.

    >>> in_json_words("given={'smoke': frozenset()} names no state: leave at least one possible.")
    "The finding for 'smoke' names no state: leave at least one possible."
    >>> in_json_words("True is not a state of 'smoke'. Its states are: 'yes', 'True'.")
    "true is not a state of 'smoke'. Its states are: 'yes', 'True'."
    """
    for pattern, words in _REWORDED:
        text, number = pattern.subn(words, text)
        if number and text[:1].islower():
            text = text[0].upper() + text[1:]
    return _TRUTH.sub(lambda found: found[1] + found[2].lower(), text)
