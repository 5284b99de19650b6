"""Writing BIF: what is written reads back the same, and what BIF cannot hold is refused by name."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import numpy as np
import pytest
from tests.formats.drafts import assert_same_draft

from bayou.errors import BadFile, BadTable, BadVariable, BayouError, NotFitted, UnknownVariable
from bayou.formats.bif.bif_reader import parse_bif, read_bif
from bayou.formats.bif.bif_writer import bif_text, write_bif
from bayou.formats.draft import NetworkDraft
from bayou.schema import Variable
from bayou.typing import FloatArray

HOSTILE = [
    "",
    " ",
    "a,b",
    'say "hi"',
    "{x}",
    "(x)",
    "[x]",
    "a|b",
    "a;b",
    "line\nbreak",
    "a\r\nb",
    "tab\t",
    "\\",
    "\\n",
]
HOSTILE += [
    "//x",
    "/* x",
    "Asy/Patch",
    "<7.5",
    "日本",
    "naïve",
    "\u2028",
    "\u00a0",
    "\x00",
    "😀",
    "property",
    "1e5",
    "-",
]


def rows(*shape: int, seed: int = 7) -> FloatArray:
    table = np.random.default_rng(seed).random(shape) + 1e-3
    return table / table.sum(axis=-1, keepdims=True)


def single(variable: Variable, **properties: tuple[str, ...]) -> NetworkDraft:
    table = rows(variable.cardinality)
    return NetworkDraft("n", (variable,), {variable.name: ()}, {variable.name: table}, dict(properties))


def family() -> NetworkDraft:
    child = Variable("is it\nhot?", HOSTILE)
    number = Variable(3, [1, "1", True, "True", 0.5, "1_2", 10**20, float("inf"), False], ordered=True)
    other = Variable("3", ["no", "yes"], ordered=True)
    parents = {child.name: (number.name, other.name), number.name: (), other.name: (number.name,)}
    tables = {child.name: rows(9, 2, len(HOSTILE)), number.name: rows(9), other.name: rows(9, 2)}
    properties = {None: ('author "A; B"', "version 1.0"), child.name: ("place = (1, 2)", "")}
    return NetworkDraft('a "net"; {it\'s}', (child, number, other), parents, tables, properties)


def test_hostile_names_typed_states_and_properties_come_back_the_same() -> None:
    draft = family()
    assert_same_draft(parse_bif(bif_text(draft)), draft)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_held_as_network_variable_and_state(name: str) -> None:
    draft = single(Variable(name, [name, name + "x"]))
    draft = NetworkDraft(name, draft.variables, draft.parents, draft.tables)
    assert_same_draft(parse_bif(bif_text(draft)), draft)


@pytest.mark.parametrize(
    "states", [[1, 2], ["1", "2"], [True, False], [1, "1", True, "True"], [1.0, 2.5], [0, "0_2", "0"]]
)
def test_states_keep_their_types(states: list[object]) -> None:
    draft = single(Variable("x", states))
    assert_same_draft(parse_bif(bif_text(draft)), draft)


def test_text_states_need_no_note_and_others_are_skipped_by_other_programs() -> None:
    assert "property" not in bif_text(single(Variable("x", ["1", "2"])))
    text = bif_text(single(Variable("x", [1, "a b", True])))
    assert '{ 1, "a b", True }' in text
    assert "  property bayou_states = int:1 text:a%20b truth:True;\n" in text


def test_numbers_come_back_to_the_same_float() -> None:
    table = np.array(
        [[1e-300, 1 - 1e-16, 0.0], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [0.1 + 0.2, 0.0, 0.7]]
    )
    pair = (Variable("p", list("wxyz")), Variable("c", list("abc")))
    draft = NetworkDraft("n", pair, {"p": (), "c": ("p",)}, {"p": rows(4), "c": table})
    assert_same_draft(parse_bif(bif_text(draft)), draft)


def test_rows_run_over_the_first_parent_fastest_as_in_the_repositories() -> None:
    text = (
        "network n {\n}\nvariable X {\n  type discrete [ 2 ] { a, b };\n}\n"
        "variable Z {\n  type discrete [ 2 ] { p, q };\n}\nvariable Y {\n  type discrete [ 1 ] { s };\n}\n"
        "probability ( X ) {\n  table 0.25, 0.75;\n}\nprobability ( Z ) {\n  table 1, 0;\n}\n"
        "probability ( Y | X, Z ) {\n  (a, p) 1;\n  (b, p) 1;\n  (a, q) 1;\n  (b, q) 1;\n}\n"
    )
    assert bif_text(parse_bif(text)) == text


def test_a_table_in_another_memory_order_is_written_by_its_axes() -> None:
    pair = (Variable("p", ["x", "y"]), Variable("c", ["a", "b", "c"]))
    tables = {"p": rows(2), "c": np.asfortranarray(rows(2, 3))}
    draft = NetworkDraft("n", pair, {"p": (), "c": ("p",)}, tables)
    back = parse_bif(bif_text(draft))
    assert back.tables["c"].tolist() == tables["c"].tolist()


def test_an_empty_network_comes_back_empty() -> None:
    draft = NetworkDraft("", (), {}, {})
    assert_same_draft(parse_bif(bif_text(draft)), draft)


@pytest.mark.parametrize("ending", ["bif", "bif.gz"])
def test_a_file_comes_back_and_is_packed_by_its_name(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"größe 日本.{ending}"
    write_bif(family(), path)
    assert_same_draft(read_bif(path), family())
    assert (path.read_bytes()[:2] == b"\x1f\x8b") is (ending == "bif.gz")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_refused_draft_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.bif"
    path.write_text("old")
    with pytest.raises(BadVariable, match="'height' is continuous, which BIF cannot represent"):
        write_bif(NetworkDraft("n", (Variable("height"),), {"height": ()}, {}), path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("state", [(1, 2), datetime.date(2024, 1, 1), b"x"])
def test_a_state_of_another_type_is_refused_by_name(state: object) -> None:
    with pytest.raises(BadVariable, match=r"BIF cannot represent .* in the variable 'x'"):
        bif_text(single(Variable("x", [state, "other"])))


@pytest.mark.parametrize("text", ["a;b", " a", "a\n", "a; } variable X {", "\ud800", "bayou_states = int:1"])
def test_a_property_that_would_not_come_back_is_refused(text: str) -> None:
    with pytest.raises(BadFile, match=r"property .* of 'x'"):
        bif_text(single(Variable("x", ["a", "b"]), x=(text,)))


@pytest.mark.parametrize("name", ["\ud800", "a\udfff"])
def test_half_a_surrogate_pair_is_refused(name: str) -> None:
    with pytest.raises(BayouError, match="surrogate"):
        bif_text(single(Variable(name, ["a", "b"])))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([0.5, 0.4], "sums to 0.9"),
        ([1.5, -0.5], "not a distribution"),
        ([np.nan, 1], "sums to nan"),
        ([1.0], "shape"),
    ],
)
def test_a_table_that_is_no_distribution_is_refused(table: list[float], expected: str) -> None:
    variable = Variable("x", ["a", "b"])
    with pytest.raises(BadTable, match=expected):
        bif_text(NetworkDraft("n", (variable,), {"x": ()}, {"x": np.array(table)}))


def test_a_row_of_a_conditional_table_is_named_by_its_position() -> None:
    pair = (Variable("p", ["x", "y"]), Variable("c", ["a", "b"]))
    tables = {"p": rows(2), "c": np.array([[0.5, 0.5], [np.inf, -np.inf]])}
    with pytest.raises(BadTable, match=r"The row \(1,\) of the table of 'c' is not a distribution"):
        bif_text(NetworkDraft("n", pair, {"p": (), "c": ("p",)}, tables))


def test_a_draft_with_a_hole_is_refused_by_name() -> None:
    variable = Variable("x", ["a", "b"])
    with pytest.raises(NotFitted, match="No distribution yet for 'x'"):
        bif_text(NetworkDraft("n", (variable,), {"x": ()}, {}))
    with pytest.raises(UnknownVariable, match="no variable 'y' among the parents of 'x'"):
        bif_text(NetworkDraft("n", (variable,), {"x": ("y",)}, {"x": rows(2)}))


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("bayou_states = int:1 int:2", "does not fit its list of states"),
        ("bayou_states = int:one text:b", "cannot be read"),
        ("bayou_states = complex:1 text:b", "not a typed value"),
        ("bayou_states = text:%ff text:b", "cannot be read"),
        ("bayou_states = text:a text:a", "does not fit"),
        ("bayou_name = int:7", "do not fit the names"),
        ("bayou_name = int:7 int:8", "expected one value, found 2"),
        ("bayou_states = float:nan text:b", "does not fit"),
    ],
)
def test_a_note_that_was_tampered_with_is_refused(note: str, expected: str) -> None:
    text = bif_text(single(Variable("x", ["a", "b"]))).replace(
        "{ a, b };", f"{{ a, b }};\n  property {note};"
    )
    with pytest.raises(BadFile, match=expected):
        parse_bif(text)


def test_a_missing_value_as_a_noted_state_is_refused() -> None:
    text = bif_text(single(Variable("x", ["nan", "b"])))
    with pytest.raises(BadFile, match="missing"):
        parse_bif(text.replace("};", "};\n  property bayou_states = float:nan text:b;"))


def test_a_gzipped_file_without_the_ending_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net.bif"
    path.write_bytes(gzip.compress(bif_text(family()).encode()))
    assert_same_draft(read_bif(path), family())
