"""Which format a file is in: told by its content; by its name where the content says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.formats.corpus import TEXTS

import bayou
from bayou.errors import BadFile
from bayou.formats import ENDINGS, FORMATS, Format, parse_draft
from bayou.formats.format_registry import format_by_content, format_by_name


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_a_format_is_recognised_by_content_and_by_name(known: Format) -> None:
    data = TEXTS[known.name].encode()
    for before in (b"", b"\xef\xbb\xbf") if known.name != "XDSL" else (b"",):
        assert format_by_content(before + data) is known
    for ending in known.endings:
        assert format_by_name(Path(f"A.B{ending.upper()}")) is known
        assert format_by_name(f"a{ending}.gz") is known
    assert [variable.name for variable in parse_draft(data, "misnamed.csv").variables]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"% c\n\nnet\n% c\n{", "Hugin NET"),
        (b"net{}", "Hugin NET"),
        (b"class A {", "Hugin NET"),
        (b"// c\nnet Unnamed{", "DSL"),
        (b"# c\n# d\nMARKOV", "UAI"),
        (b"bayes 1", "UAI"),
        (b"/* c */ network n {", "BIF"),
        (b"<!-- " + b"x" * 10_000 + b" --><smile>", "XDSL"),
        (b"\n <BIF>", "XMLBIF"),
        (b"// ~->[DNET-1]->~\n\n// c\nbnet n {", "DNE"),
        ("<?xml version='1.0' encoding='utf-16'?><BIF/>".encode("utf-16"), "XMLBIF"),
    ],
)
def test_comments_before_the_first_word_are_passed(data: bytes, name: str) -> None:
    known = format_by_content(data)
    assert known is not None
    assert known.name == name


def test_what_is_no_network_is_refused_and_the_ending_words_the_error() -> None:
    with pytest.raises(BadFile, match=r"notes.txt: is of no known format; a network file begins with"):
        parse_draft(b"hello", "notes.txt")
    with pytest.raises(BadFile, match=r"a.uai, line 1, column 1: expected 'BAYES', found 'hello'"):
        parse_draft(b"hello", "a.uai")
    with pytest.raises(
        BadFile, match=r"a.xdsl, line 1, column 1: expected the element <smile>, found <html>"
    ):
        parse_draft(b"<html/>", "a.xdsl")


def test_the_binary_form_of_netica_is_refused_with_a_remedy() -> None:
    with pytest.raises(BadFile, match=r"a.neta: is Netica's own binary form.* save it as text \(.dne\)"):
        parse_draft(b"\x01\x02\x03", "a.neta")
    assert parse_draft(TEXTS["DNE"].encode(), "text.neta").name == "fire"


@pytest.mark.parametrize("ending", [*ENDINGS, ".uai.gz", ".xdsl.gz"])
def test_a_network_is_saved_and_loaded_in_every_format(ending: str, tmp_path: Path) -> None:
    net = bayou.examples.rain_and_wet_grass()
    net.save(tmp_path / f"net{ending}")
    assert bayou.load(tmp_path / f"net{ending}").same_as(net)


def test_a_continuous_variable_is_refused_by_every_foreign_format(tmp_path: Path) -> None:
    net = bayou.Network("x", continuous=["x"]).fit({"x": [1.0, 2.0, 4.0]})
    for ending in ENDINGS:
        with pytest.raises(ValueError, match=r"'x' is continuous, which .* cannot represent"):
            net.save(tmp_path / f"net{ending}")
    assert list(tmp_path.iterdir()) == []


def test_arcs_in_a_circle_are_a_bad_file(tmp_path: Path) -> None:
    path = tmp_path / "circle.uai"
    path.write_text("BAYES 2  2 2  2  2 1 0  2 0 1  4 1 0 0 1  4 1 0 0 1")
    with pytest.raises(BadFile, match=r"circle.uai: The arcs form a cycle: x0 -> x1 -> x0"):
        bayou.load(path)
