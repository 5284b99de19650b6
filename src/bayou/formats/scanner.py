"""Tokens of the formats with braces (Hugin NET, DSL, DNE), each with its position for error messages."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NoReturn

from bayou.errors import BadFile
from bayou.formats.families import numbers_in
from bayou.typing import FloatArray

_LIST = re.compile(r"[0-9eE+.\-,()\s]*(?=;)")
_BARE = str.maketrans("(),", "   ")
_ESCAPE = re.compile(r'\\(["\\])')


@dataclass(frozen=True)
class Token:
    """A word, a string (without its quotes), a sign, a list of numbers, or the end.

    ``raw`` is a string as it stands between its quotes, with all its escapes.
    """

    kind: str
    text: str
    start: int
    raw: str = ""

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        return repr(self.text)


def _balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"[()]", text):
        depth += 1 if sign == "(" else -1
        if depth < 0:
            return False
    return depth == 0


class Scanner:
    """The tokens of a text in order; ``comment`` is the pattern of comments, which are skipped.

    >>> scanner = Scanner('states = ("a b" c);', "file.net", r"%[^\\n]*")
    >>> [scanner.take().text for _ in range(7)]
    ['states', '=', '(', 'a b', 'c', ')', ';']
    """

    def __init__(self, text: str, source: object, comment: str) -> None:
        self._text = text
        self._source = source
        self._pattern = re.compile(
            rf'(?P<skip>\s+|{comment})|(?P<string>"(?:[^"\\]|\\.|\\(?=\Z))*(?P<closed>"?))'
            r"|(?P<sign>[(){}=;,|])|(?P<word>(?:(?!" + comment + r')[^\s(){}=;,|"])+)',
            re.DOTALL,
        )
        self._position = 0
        self._next: Token | None = None
        self._line_starts: list[int] | None = None

    def peek(self) -> Token:
        """Return the next token without consuming it."""
        if self._next is None:
            self._next = self._scan()
        return self._next

    def take(self) -> Token:
        """Consume and return the next token."""
        token = self.peek()
        self._next = None
        return token

    def _scan(self) -> Token:
        while self._position < len(self._text):
            start = self._position
            match = self._pattern.match(self._text, start)
            if match is None:
                self.fail("expected a word, a string or a sign", start)
            self._position = match.end()
            kind = match.lastgroup
            if kind == "closed" or kind == "string":
                if not match["closed"]:
                    self.fail("this string is never closed", start)
                raw = match["string"][1:-1]
                return Token("string", _ESCAPE.sub(r"\1", raw), start, raw)
            if kind != "skip":
                return Token(str(kind), match[0], start)
        return Token("end", "", len(self._text))

    def number_list(self) -> Token | None:
        """Return a whole list of numbers up to ';' as one token without parentheses; None if it is not one.

        A large file consists mostly of such lists; anything else is read token by token.
        """
        start = self._position if self._next is None else self._next.start
        match = _LIST.match(self._text, start)
        if match is None or not _balanced(match[0]):
            return None
        self._position = match.end()
        self._next = None
        return Token("list", match[0].translate(_BARE), start)

    def sign(self, expected: str, purpose: str) -> Token:
        """Consume a sign that must come next."""
        token = self.take()
        if token.kind != "sign" or token.text != expected:
            self.fail(f"expected {expected!r} {purpose}, found {token}", token.start)
        return token

    def at_sign(self, *signs: str) -> bool:
        """Whether one of these signs comes next."""
        token = self.peek()
        return token.kind == "sign" and token.text in signs

    def word(self, purpose: str) -> Token:
        """Consume a word that must come next."""
        token = self.take()
        if token.kind != "word":
            self.fail(f"expected {purpose}, found {token}", token.start)
        return token

    def list_items(self, key: Token, stops: str) -> list[Token]:
        """Consume a (nested) list in parentheses up to the ';' behind it; return its words and strings."""
        items: list[Token] = []
        depth = 0
        while not (depth == 0 and self.at_sign(";")):
            token = self.take()
            if token.kind == "sign" and token.text in "()":
                depth += 1 if token.text == "(" else -1
                if depth < 0:
                    self.fail(f"')' without its '(' in {key.text!r}", token.start)
            elif token.kind == "end" or (token.kind == "sign" and token.text in stops):
                self.fail(f"expected ')' or ';' in {key.text!r}, found {token}", token.start)
            elif token.kind != "sign":
                items.append(token)
        return items

    def numbers(self, tokens: list[Token], where: str) -> FloatArray:
        """Return the numbers in words or whole lists; the first that is not a number is refused."""
        values = numbers_in(" ".join(token.text for token in tokens))
        if values is None or any(token.kind == "string" for token in tokens):
            wrong = (token for token in tokens if token.kind == "string" or numbers_in(token.text) is None)
            token = next(wrong, tokens[0])
            words = token.text.split() if token.kind == "list" else [token.text]
            shown = next((word for word in words if numbers_in(word) is None), token.text)
            self.fail(f"expected a number in {where}, found {shown!r}", token.start)
        return values

    def place(self, start: int) -> tuple[int, int]:
        """The line and the column of a position in the text."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", self._text))]
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    def fail(self, problem: str, start: int) -> NoReturn:
        """Raise a BadFile that names the line and the column of a position."""
        raise BadFile.at(self._source, f"{problem}.", *self.place(start))
