"""UAI (``.uai``, kind BAYES) and its evidence files (``.uai.evid``): reading and writing.

A UAI file has numbers only. Its variables are called ``x0``, ``x1`` … and their states ``"0"``, ``"1"`` …
(text, as in the other foreign formats). Names that are others are written as comments after the last
table, where readers have stopped reading; bayou takes them back from there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NoReturn, Protocol

import numpy as np

from bayou.errors import BadFile
from bayou.formats.checking import check_draft
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import (
    PROPERTIES_NOTE,
    Conventions,
    FoundFamilies,
    decoded,
    draft_from_families,
    each_number,
    noted_network,
    numbers_in,
)
from bayou.formats.file_content import FilePath, read_bytes, write_bytes
from bayou.formats.format_labels import NAME_NOTE, notes_of, typed_note
from bayou.schema import Variable
from bayou.typing import FloatArray, Name, State

UAI = Conventions("UAI", numbered=True)
_COMMENT = re.compile(r"#[^\n]*")
_NOTE = re.compile(r"#\s*bayou (net|[0-9]{1,9}) (\w+)(?: (.*))?")
_WHOLE = re.compile(r"[0-9]{1,15}")


def read_uai(path: FilePath) -> NetworkDraft:
    """Read a UAI file, gzipped or not. See :func:`parse_uai`."""
    return parse_uai(read_bytes(path), source=path)


def parse_uai(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read UAI text of the kind BAYES; ``#`` begins a comment.

    The last variable of each function is the child, and runs fastest in its table. Rows off 1 by rounding
    are divided by their sum. MARKOV files are refused: their factors have no directions.

    >>> draft = parse_uai("BAYES 2  2 2  2  1 0  2 0 1  2 0.9 0.1  4 1 0 0.5 0.5")
    >>> draft.parents["x1"], draft.tables["x1"].tolist()
    (('x0',), [[1.0, 0.0], [0.5, 0.5]])
    """
    content = decoded(text, source)
    words = _Words(content, source)
    kind = words.take("'BAYES'")
    if kind.upper() == "MARKOV":
        words.fail(
            "is a MARKOV file: its factors are no conditional probabilities and its edges have no "
            "directions, so it describes no Bayesian network (only BAYES files do)"
        )
    if kind.upper() != "BAYES":
        words.fail(f"expected 'BAYES', found {kind!r}")
    cards, families = _preamble(words)
    notes = _notes(content, len(cards), source)
    found = _found(words, cards, families, notes)
    name, properties = noted_network(notes.get("net", {}), "", source)
    return draft_from_families(name, found, UAI, source, properties)


class _Words:
    """The words of a text in order, without comments."""

    def __init__(self, text: str, source: object) -> None:
        self.source = source
        # Comments become blanks of the same length, so that positions do not change.
        self.text = _COMMENT.sub(lambda match: " " * len(match[0]), text)
        self.spans = [match.span() for match in re.finditer(r"\S+", self.text)]
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.position = 0

    def take(self, wanted: str) -> str:
        if self.position == len(self.spans):
            self.fail(f"expected {wanted}, found the end of the file", ahead=True)
        start, end = self.spans[self.position]
        self.position += 1
        return self.text[start:end]

    def whole(self, wanted: str) -> int:
        word = self.take(wanted)
        if not _WHOLE.fullmatch(word):
            self.fail(f"expected {wanted} (a whole number), found {word[:40]!r}")
        return int(word)

    def count(self, wanted: str) -> int:
        """Read a number of items to come; it is refused if fewer words than that follow."""
        number = self.whole(wanted)
        left = len(self.spans) - self.position
        if number > left:
            self.fail(f"{wanted} is {number}, but only {left} words follow")
        return number

    def numbers(self, count: int) -> FloatArray:
        first = self.position
        self.position += count
        start, end = (self.spans[first][0], self.spans[first + count - 1][1]) if count else (0, 0)
        values = numbers_in(self.text[start:end])
        if values is None:
            for position in range(first, first + count):
                begin, stop = self.spans[position]
                if numbers_in(self.text[begin:stop]) is None:
                    self.position = position + 1
                    self.fail(f"expected a number, found {self.text[begin:stop][:40]!r}")
        return values if values is not None else np.zeros(0)

    def place(self, ahead: bool = False) -> tuple[int, int]:
        """The line and column of the last word, or with ``ahead`` of the next."""
        if ahead or not self.spans:
            start = len(self.text) if self.position == len(self.spans) else self.spans[self.position][0]
        else:
            start = self.spans[max(self.position, 1) - 1][0]
        line = bisect_right(self.lines, start)
        return line, start - self.lines[line - 1] + 1

    def fail(self, problem: str, ahead: bool = False) -> NoReturn:
        raise BadFile.at(self.source, f"{problem}.", *self.place(ahead))


def _preamble(words: _Words) -> tuple[list[int], list[list[int]]]:
    """The sizes of the variables, and for each function its variables (the child last)."""
    number = words.count("the number of variables")
    cards = [words.whole(f"the size of variable {index}") for index in range(number)]
    functions = words.count("the number of functions")
    if functions != number:
        words.fail(f"expected a function for each of the {number} variables, found {functions}")
    families: list[list[int]] = []
    children: set[int] = set()
    for index in range(functions):
        size = words.count(f"the number of variables of function {index}")
        if not size:
            words.fail(f"function {index} has no variables")
        family = [words.whole(f"a variable of function {index}") for _ in range(size)]
        for variable in family:
            if variable >= number:
                words.fail(f"there is no variable {variable}; the last is {number - 1}")
        if len(set(family)) != size:
            words.fail(f"function {index} has a variable twice")
        if family[-1] in children:
            words.fail(f"variable {family[-1]} is the child (last variable) of two functions")
        children.add(family[-1])
        families.append(family)
    return cards, families


def _found(
    words: _Words, cards: list[int], families: list[list[int]], notes: dict[str, dict[str, str]]
) -> list[FoundFamilies]:
    found: dict[int, FoundFamilies] = {}
    for family in families:
        child = family[-1]
        count = words.count(f"the number of entries of the table of variable {child}")
        expected = 1
        for variable in family:
            expected *= cards[variable]
        if count != expected or not count:
            # Checked only here, where the sizes are known not to exceed the size of the file.
            words.fail(f"the table of variable {child} has {count} entries; expected {expected}")
        values = words.numbers(count)
        states = [str(code) for code in range(cards[child])]
        parents = [f"x{variable}" for variable in family[:-1]]
        own = notes.get(str(child), {})
        found[child] = FoundFamilies(f"x{child}", states, parents, values, words.place(), own)
    if words.position != len(words.spans):
        words.take("the end of the file")
        words.fail("expected the end of the file after the last table")
    return [found[index] for index in range(len(cards))]


def _notes(content: str, number: int, source: object) -> dict[str, dict[str, str]]:
    """The notes in the comments, by the variable's number or ``net``."""
    notes: dict[str, dict[str, str]] = {}
    for comment in _COMMENT.finditer(content):
        match = _NOTE.fullmatch(comment[0].rstrip())
        if match is None:
            continue
        owner, key, note = match.groups()
        if owner != "net" and int(owner) >= number:
            raise BadFile.at(source, f"the comment {comment[0]!r} names a variable that is not in the file.")
        notes.setdefault(owner, {})[key] = note or ""
    return notes


def write_uai(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a UAI file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, uai_text(draft).encode("utf-8"))


def uai_text(draft: NetworkDraft) -> str:
    """Return a draft as UAI text; names and states are comments after the last table, which only bayou reads.

    >>> from bayou.schema import Variable
    >>> coin = Variable("coin", ["heads", "tails"])
    >>> print(uai_text(NetworkDraft("", (coin,), {"coin": ()}, {"coin": np.array([0.5, 0.5])})))
    BAYES
    1
    2
    1
    1 0
    <BLANKLINE>
    2
     0.5 0.5
    # bayou 0 bayou_name text:coin
    # bayou 0 bayou_states text:heads text:tails
    """
    check_draft(draft, "UAI")
    index = {variable.name: number for number, variable in enumerate(draft.variables)}
    families = [
        [*(index[parent] for parent in draft.parents[variable.name]), index[variable.name]]
        for variable in draft.variables
    ]
    lines = ["BAYES", str(len(index)), " ".join(str(variable.cardinality) for variable in draft.variables)]
    lines += [str(len(index)), *(" ".join(map(str, [len(family), *family])) for family in families), ""]
    for variable in draft.variables:
        table = draft.tables[variable.name]
        lines += [str(np.size(table)), f" {' '.join(each_number(table))}"]
    return "\n".join([*lines, *_note_lines(draft), ""])


def _note_lines(draft: NetworkDraft) -> list[str]:
    lines = [f"# bayou net {NAME_NOTE} {typed_note([draft.name])}"] if draft.name else []
    if draft.properties.get(None):
        lines.append(f"# bayou net {PROPERTIES_NOTE} {typed_note(draft.properties[None])}")
    for number, variable in enumerate(draft.variables):
        notes = list(notes_of(variable, f"x{number}", UAI.state_texts(variable.states)))
        if draft.properties.get(variable.name):
            notes.append((PROPERTIES_NOTE, typed_note(draft.properties[variable.name])))
        lines += [f"# bayou {number} {key} {note}" for key, note in notes]
    return lines


class HasVariables(Protocol):
    """A draft or a network, to which the numbers in an evidence file refer."""

    @property
    def variables(self) -> Iterable[Variable]: ...


def read_uai_evidence(path: FilePath, network: HasVariables) -> dict[Name, State]:
    """Read the evidence file of a UAI network (or of its draft), gzipped or not, as names and states."""
    return parse_uai_evidence(read_bytes(path), network, source=path)


def parse_uai_evidence(
    text: str | bytes, network: HasVariables, source: object = "<text>"
) -> dict[Name, State]:
    """Read UAI evidence: the number of findings, then a variable's and a state's number for each.

    Older files begin with the number of sets of findings; one set is read, more are refused.

    >>> draft = parse_uai("BAYES 1  2  1  1 0  2 0.9 0.1")
    >>> parse_uai_evidence("1  0 1", draft), parse_uai_evidence("1  1  0 1", draft)
    ({'x0': '1'}, {'x0': '1'})
    """
    variables = tuple(network.variables)
    words = _Words(decoded(text, source), source)
    # With n findings a file has 2n + 1 numbers; the older kind has one more, so that they differ by parity.
    if len(words.spans) % 2 == 0 and words.spans:
        sets = words.whole("the number of sets of findings")
        if sets != 1:
            words.fail(f"has {sets} sets of findings, or too few numbers; expected one set")
    findings: dict[Name, State] = {}
    for _ in range(words.whole("the number of findings")):
        number = words.whole("the number of a variable")
        if number >= len(variables):
            words.fail(f"there is no variable {number}; the network has {len(variables)}")
        variable = variables[number]
        code = words.whole(f"the number of a state of variable {number}")
        if code >= variable.cardinality:
            words.fail(f"variable {number} has {variable.cardinality} states; there is no state {code}")
        state = variable.states[code]
        if findings.setdefault(variable.name, state) != state:
            words.fail(f"variable {number} is observed in two states")
    if words.position != len(words.spans):
        words.take("the end of the file")
        words.fail("expected the end of the file after the last finding (one set of findings is read)")
    return findings
