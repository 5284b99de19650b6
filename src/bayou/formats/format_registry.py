"""The foreign formats; the content of a file decides its format when reading, the name when writing."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from bayou.errors import BadFile
from bayou.formats.draft import NetworkDraft
from bayou.formats.file_content import FilePath, read_bytes, write_bytes
from bayou.registry import loaded


class Format(NamedTuple):
    """A foreign format: its name, the endings of its files, and where its reader and its writer are."""

    name: str
    endings: tuple[str, ...]
    reader: str
    writer: str

    def parse(self, data: bytes, source: object) -> NetworkDraft:
        """Read the bytes of a file; ``source`` is its name in errors."""
        draft: NetworkDraft = loaded(f"bayou.formats.{self.reader}")(data, source)
        return draft

    def text(self, draft: NetworkDraft) -> str:
        """Return the text of a file."""
        return str(loaded(f"bayou.formats.{self.writer}")(draft))


BIF = Format("BIF", (".bif",), "bif.bif_reader:parse_bif", "bif.bif_writer:bif_text")
XMLBIF = Format("XMLBIF", (".xmlbif", ".bifxml", ".xml"), "bif.xmlbif:parse_xmlbif", "bif.xmlbif:xmlbif_text")
NET = Format("Hugin NET", (".net",), "hugin_net:parse_net", "hugin_net:net_text")
XDSL = Format("XDSL", (".xdsl",), "genie.xdsl:parse_xdsl", "genie.xdsl:xdsl_text")
DSL = Format("DSL", (".dsl",), "genie.dsl:parse_dsl", "genie.dsl:dsl_text")
UAI = Format("UAI", (".uai",), "uai:parse_uai", "uai:uai_text")
DNE = Format("DNE", (".dne", ".dnet"), "netica.dne_reader:parse_dne", "netica.dne_writer:dne_text")
FORMATS = (BIF, XMLBIF, NET, XDSL, DSL, UAI, DNE)
OWN_ENDINGS = (".bayou", ".json", ".json.gz")
"""The endings of bayou's own files: packed, and as a text."""
ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)
"""The endings of the foreign formats; each may be followed by ``.gz``."""

_FIRST_WORDS = re.compile(
    rb"(?:\s|[%#][^\r\n]*|//[^\r\n]*|/\*.*?\*/)*(?P<first>[^\s{(]*)"
    rb"(?:\s|[%#][^\r\n]*|//[^\r\n]*)*(?P<second>[^\s{]?)",
    re.DOTALL,
)


def format_by_name(path: FilePath) -> Format | None:
    """Return the format of the ending of a name; None if the ending is unknown.

    >>> format_by_name("asia.xdsl.gz").name, format_by_name("asia.csv")
    ('XDSL', None)
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return next((known for known in FORMATS if name.endswith(known.endings)), None)


def format_by_content(data: bytes) -> Format | None:
    """Return the format, judged by a file's first words or its root element; None if it is unknown.

    >>> format_by_content(b"# made by hand\\nBAYES 1 2").name, format_by_content(b"a,b")
    ('UAI', None)
    """
    plain = data.removeprefix(b"\xef\xbb\xbf")
    if plain.lstrip()[:1] == b"<" or plain[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return {"bif": XMLBIF, "smile": XDSL}.get(_root_tag(data).lower())
    match = _FIRST_WORDS.match(plain)
    first = match["first"].lower() if match else b""
    if first == b"net":
        # The word "net" is followed by a name in a DSL file, but not in a Hugin NET file.
        return DSL if match and match["second"] else NET
    kinds = {b"network": BIF, b"bayes": UAI, b"markov": UAI, b"class": NET, b"bnet": DNE}
    return kinds.get(first)


def _root_tag(data: bytes) -> str:
    """The tag of the root element; empty if the XML cannot be read so far."""
    from xml.parsers import expat

    tags: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: tags.append(tag)
    try:
        for start in range(0, len(data), 4096):
            parser.Parse(data[start : start + 4096], False)
            if tags:
                break
    except (expat.ExpatError, LookupError, ValueError):
        pass
    return tags[0] if tags else ""


def parse_draft(data: bytes, source: FilePath) -> NetworkDraft:
    """Read the bytes of a foreign file; the content decides the format, the name is only used in errors.

    >>> parse_draft(b"a,b,c", "table.txt")
    Traceback (most recent call last):
    bayou.errors.BadFile: table.txt: is of no known format; ...
    """
    known = format_by_content(data) or format_by_name(source)
    if known is None and os.fspath(source).lower().endswith(".neta"):
        raise BadFile.at(
            source,
            "is Netica's own binary form, which only Netica reads; open it there, save it as text (.dne) and "
            "open that file.",
        )
    if known is None:
        raise BadFile.at(
            source,
            "is of no known format; a network file begins with 'network' (BIF), 'net' (Hugin NET, DSL), "
            "'BAYES' (UAI), 'bnet' (DNE), <BIF> (XMLBIF) or <smile> (XDSL), or is bayou's own.",
        )
    return known.parse(data, source)


def read_draft(path: FilePath) -> NetworkDraft:
    """Read a file of any foreign format, gzipped or not."""
    return parse_draft(read_bytes(path), path)


def write_draft(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft in the format of the name's ending, completely or not at all.

    >>> write_draft(NetworkDraft("n", (), {}, {}), "net.doc")
    Traceback (most recent call last):
    bayou.errors.BadFile: net.doc: the ending of the name chooses the format; use one of .bif, .xmlbif, ...
    """
    known = format_by_name(path)
    if known is None:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")
    write_bytes(path, known.text(draft).encode("utf-8"))
