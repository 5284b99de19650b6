"""XMLBIF: order of the numbers, hostile XML, and errors with their place."""

from __future__ import annotations

import pytest

from bayou.errors import BadFile
from bayou.formats.bif.xmlbif import parse_xmlbif
from bayou.formats.draft import NetworkDraft

X = "<VARIABLE TYPE='nature'><NAME> X </NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>"
Y = "<VARIABLE><NAME>Y</NAME><OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME><OUTCOME>w</OUTCOME></VARIABLE>"
ROOT = "<DEFINITION><FOR>X</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>"


def network(body: str, before: str = "") -> NetworkDraft:
    return parse_xmlbif(f"{before}<BIF VERSION='0.3'><NETWORK>{body}</NETWORK></BIF>", source="net.xml")


def test_numbers_run_over_the_variable_fastest_and_its_first_parent_slowest() -> None:
    given = "<GIVEN>X</GIVEN><GIVEN>Z</GIVEN><TABLE>1 0 0  .5 .25 .25  0 1 0 <!-- half --> 0 0 1</TABLE>"
    z = X.replace("X", "Z")
    draft = network(f"{X}{z}{Y}{ROOT}{ROOT.replace('X', 'Z')}<DEFINITION><FOR>Y</FOR>{given}</DEFINITION>")
    assert draft.parents["Y"] == ("X", "Z")
    assert draft.tables["Y"].tolist() == [[[1, 0, 0], [0.5, 0.25, 0.25]], [[0, 1, 0], [0, 0, 1]]]


def test_a_table_ordered_with_the_variable_slowest_is_refused_with_the_remedy() -> None:
    with pytest.raises(BadFile, match=r"'Y' seem to change slowest .* they must change fastest"):
        network(
            f"{X}{Y}{ROOT}<DEFINITION><FOR>Y</FOR><GIVEN>X</GIVEN>"
            "<TABLE>.1 .2 .2 .3 .7 .5</TABLE></DEFINITION>"
        )


def test_a_row_off_by_rounding_is_divided_by_its_sum_and_properties_are_kept() -> None:
    draft = network(
        f"<NAME>n</NAME><PROPERTY>a = b</PROPERTY>{Y}<DEFINITION><FOR>Y</FOR>"
        "<TABLE>0.333 0.333 0.333</TABLE><PROPERTY>why</PROPERTY></DEFINITION>"
    )
    assert draft.tables["Y"].tolist() == [0.333 / (0.333 + 0.333 + 0.333)] * 3
    assert draft.properties == {None: ("a = b",), "Y": ("why",)}


def test_the_declared_encoding_is_used_and_text_needs_none() -> None:
    body = f"{X}{ROOT}".replace("X", "Größe")
    text = f'<?xml version="1.0" encoding="ISO-8859-1"?><BIF><NETWORK>{body}</NETWORK></BIF>'
    assert parse_xmlbif(text.encode("latin-1")).variables[0].name == "Größe"
    assert parse_xmlbif(text).variables[0].name == "Größe"
    assert parse_xmlbif(text.replace("ISO-8859-1", "UTF-16").encode("utf-16")).variables[0].name == "Größe"


LAUGHS = (
    "<!DOCTYPE BIF [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {chr(97 + i)} '{f'&{chr(96 + i)};' * 10}'>" for i in range(1, 20))
    + "]>"
)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (LAUGHS, "declares the entity 'a'"),
        ("<!DOCTYPE BIF [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>", "declares the entity 'x'"),
        ("<!DOCTYPE BIF [<!ENTITY % x SYSTEM 'http://localhost/x.dtd'> %x;]>", "declares the entity 'x'"),
        ("<!DOCTYPE BIF SYSTEM 'http://localhost/x.dtd'>", "refers to an unknown entity"),
        ("", "not well-formed XML: undefined entity"),
    ],
)
def test_entities_are_neither_expanded_nor_fetched(before: str, expected: str) -> None:
    with pytest.raises(BadFile, match=f"net.xml, line 1, column .*{expected}"):
        network(f"{X.replace('<OUTCOME>a', '<OUTCOME>&t;')}{ROOT}", before)


def test_the_usual_document_type_with_elements_only_is_read() -> None:
    before = (
        "<!DOCTYPE BIF [ <!ELEMENT BIF (NETWORK)*> <!ATTLIST VARIABLE TYPE (nature|decision) 'decision'> ]>\n"
    )
    assert len(network(Y + ROOT.replace("X", "Y").replace("0.25 0.75", "1 0 0"), before).variables) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "net.xml, line 1, column 1: is not well-formed XML: no element found"),
        ("<a>\n<b></a>", "line 2, column 6: is not well-formed XML: mismatched tag"),
        ("<html/>", "line 1, column 1: expected the element <BIF>, found <html>"),
        ("<BIF/>", "<BIF> has 0 elements <NETWORK>; expected one"),
        ("<a>" * 5000, "nested more than 100 deep"),
        (
            f"<BIF><NETWORK>{X}</NETWORK></BIF>",
            "column 15: the variable 'X' is declared twice or has no <DEFINITION>",
        ),
        (f"<BIF><NETWORK>{ROOT}</NETWORK></BIF>", "the definition for 'X' has no variable of that name"),
        (f"<BIF><NETWORK>{X}{ROOT}{ROOT}</NETWORK></BIF>", "'X' has a second definition"),
        (f"<BIF><NETWORK>{X}{X}{ROOT}</NETWORK></BIF>", "'X' is declared twice"),
        (
            f"<BIF><NETWORK>{X}<PROBABILITY/></NETWORK></BIF>",
            "<PROBABILITY> in <NETWORK>; expected one of <NAME>",
        ),
        (
            f"<BIF><NETWORK>{X.replace('nature', 'utility')}{ROOT}</NETWORK></BIF>",
            "'X' is a utility variable",
        ),
        (
            f"<BIF><NETWORK>{X}{ROOT.replace('0.75', 'nan')}</NETWORK></BIF>",
            "expected only numbers in the table of 'X'",
        ),
        (f"<BIF><NETWORK>{X}{ROOT.replace('0.75', '1_0')}</NETWORK></BIF>", "expected only numbers"),
        (f"<BIF><NETWORK>{X}{ROOT.replace('0.75', '٣')}</NETWORK></BIF>", "expected only numbers"),
        (f"<BIF><NETWORK>{X}{ROOT.replace('0.75', '')}</NETWORK></BIF>", "has 1 numbers; expected 2"),
        (
            f"<BIF><NETWORK>{X}{ROOT.replace('0.75', '0.74')}</NETWORK></BIF>",
            "the row of P(X) sums to 0.99; expected 1",
        ),
        (f"<BIF><NETWORK>{X}{ROOT.replace('0.25 0.75', '-1 2')}</NETWORK></BIF>", "has a negative number"),
        (f"<BIF><NETWORK>{X}{ROOT.replace('0.25 0.75', '1e999 0')}</NETWORK></BIF>", "sums to inf"),
        (f"<BIF><NETWORK>{X.replace('>b<', '>a<')}{ROOT}</NETWORK></BIF>", "'X' has the state 'a' twice"),
        (
            f"<BIF><NETWORK>{X}{ROOT.replace('<TABLE>', '<GIVEN>x</GIVEN><TABLE>')}</NETWORK></BIF>",
            "There is no variable 'x'. Did you mean 'X'?",
        ),
        (
            f"<BIF><NETWORK>{X}{ROOT.replace('<TABLE>', '<GIVEN>X</GIVEN><TABLE>')}</NETWORK></BIF>",
            "its own parent",
        ),
    ],
)
def test_an_error_says_its_place_and_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_xmlbif(text, source="net.xml")
    assert expected in str(caught.value)


def test_an_encoding_that_is_not_known_is_refused() -> None:
    for encoding in ("klingon", "shift_jis", "utf-7"):
        with pytest.raises(BadFile, match="encoding"):
            parse_xmlbif(f'<?xml version="1.0" encoding="{encoding}"?><BIF><NETWORK/></BIF>'.encode())
    with pytest.raises(BadFile, match="UTF-8"):
        parse_xmlbif("<BIF>\ud800</BIF>")
