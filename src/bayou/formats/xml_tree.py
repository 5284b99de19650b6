"""XML to a tree of elements with their positions. No entity is declared, expanded or fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from bayou.errors import BadFile

_DEEPEST = 100


@dataclass
class Element:
    """An element: its tag, its attributes, its text without that of its children, and its place."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, without blanks at its ends."""
        return "".join(self.pieces).strip()

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of the opening tag."""
        return self.line, self.column

    def every(self, *tags: str) -> Iterator[Element]:
        """The children with one of these tags, ignoring case."""
        return (child for child in self.children if child.tag.lower() in tags)

    def only(self, tag: str, source: object) -> Element:
        """The only child with this tag; a BadFile if there is none or more than one."""
        found = list(self.every(tag))
        if len(found) != 1:
            problem = f"<{self.tag}> has {len(found)} elements <{tag.upper()}>; expected one."
            raise BadFile.at(source, problem, *(found[1].place if found else self.place))
        return found[0]


def parse_xml(text: str | bytes, source: object) -> Element:
    """Return the root element of a document.

    A document that declares entities is refused: networks do not need them, and they can make a small file
    expand without bound or read other files.

    >>> root = parse_xml("<a><b x='1'> hello </b></a>", "file.xml")
    >>> root.tag, root.children[0].text, root.children[0].place
    ('a', 'hello', (1, 4))
    """
    try:
        data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError as error:
        raise BadFile.at(source, f"the text cannot be written as UTF-8: {error.reason}.") from None
    builder = _Builder(source, "utf-8" if isinstance(text, str) else None)
    return builder.read(data)


class _Builder:
    def __init__(self, source: object, encoding: str | None) -> None:
        self.source = source
        self.open: list[Element] = []
        self.root: Element | None = None
        self.parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        # Default attributes from a DTD are ignored: they could be long and repeated with every element.
        parser.specified_attributes = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.entity_declared
        parser.SkippedEntityHandler = self.entity_skipped
        parser.ExternalEntityRefHandler = self.entity_skipped

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise BadFile.at(
                self.source, f"is not well-formed XML: {reason}.", error.lineno, error.offset + 1
            ) from None
        except (LookupError, UnicodeError) as error:
            raise BadFile.at(self.source, f"has an encoding that cannot be read: {error}.") from None
        except ValueError as error:
            if isinstance(error, BadFile):
                raise
            raise BadFile.at(self.source, f"has an encoding that cannot be read: {error}.") from None
        if self.root is None:
            self.fail("expected an element, found none")
        return self.root

    def fail(self, problem: str) -> NoReturn:
        place = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        raise BadFile.at(self.source, f"{problem}.", *place)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= _DEEPEST:
            self.fail(f"elements are nested more than {_DEEPEST} deep")
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].pieces.append(text)

    def entity_declared(self, name: str, *details: object) -> None:
        self.fail(f"declares the entity {name!r}; network files with entities are refused")

    def entity_skipped(self, *details: object) -> int:
        self.fail("refers to an unknown entity; only &amp; &lt; &gt; &quot; &apos; are known")


# The escape functions of the standard library would import its whole network client.
_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_TEXT = str.maketrans(_IN_TEXT)
_ATTRIBUTE = str.maketrans({**_IN_TEXT, '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def escape(text: str) -> str:
    """Return text escaped for use between two tags.

    >>> escape("a < b & c")
    'a &lt; b &amp; c'
    """
    return text.translate(_TEXT)


def quoteattr(text: str) -> str:
    """Return text as the value of an attribute, including the quotes.

    >>> quoteattr('say "hi"')
    '"say &quot;hi&quot;"'
    """
    return f'"{text.translate(_ATTRIBUTE)}"'
