from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bayou.errors import BadGraph
from bayou.graphs import Dag, parse_arrows


def arcs(text: str) -> set[tuple[object, object]]:
    return set(Dag.from_text(text).arcs)


def test_chains_groups_and_lonely_names() -> None:
    dag = Dag.from_text("Storm -> Lightning -> Thunder; Storm, Bus -> Campfire; Lonely")
    assert dag.nodes == ("Storm", "Lightning", "Thunder", "Bus", "Campfire", "Lonely")
    assert dag.arcs == (
        ("Storm", "Lightning"),
        ("Lightning", "Thunder"),
        ("Storm", "Campfire"),
        ("Bus", "Campfire"),
    )


def test_every_name_of_a_group_gets_an_arc_to_every_name_of_the_next() -> None:
    assert arcs("A, B -> C, D") == {("A", "C"), ("B", "C"), ("A", "D"), ("B", "D")}


def test_arrows_may_point_left_and_the_parents_keep_the_order_of_the_text() -> None:
    assert Dag.from_text("Storm -> Fire <- Bus, Match").parents("Fire") == ("Storm", "Bus", "Match")
    assert arcs("A ← B → C") == {("B", "A"), ("B", "C")}


def test_lines_comments_and_windows_line_ends() -> None:
    assert arcs("# the weather\r\nA->B # rain\n\n;;C <-B\r") == {("A", "B"), ("B", "C")}


def test_names_without_quotes_keep_spaces_digits_dots_hyphens_and_any_letters() -> None:
    text = "blood pressure 2.5 -> x-ray_1 -> Größe → 年齢; 1"
    assert parse_arrows(text).nodes == ("blood pressure 2.5", "x-ray_1", "Größe", "年齢", "1")


def test_quoted_names_take_anything() -> None:
    nodes = parse_arrows(r""" 'a, b; # ->' -> "it's" ; 'it\'s \\ \n' """).nodes
    assert nodes == ("a, b; # ->", "it's", "it's \\ \n")


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("A ->", 1, 3, "expected a name after '->'"),
        ("A -> B\n  , C", 2, 3, "expected a name before ','"),
        ("A; -> B", 1, 4, "expected a name before '->'"),
        ("A 'B'", 1, 3, "expected '->', '<-', ',' or ';' before 'B'"),
        ("A --> B", 1, 1, "begins or ends with '-'"),
        ("A <-- B", 1, 5, "begins or ends with '-'"),
        ("A <-> B", 1, 5, "unexpected '>'"),
        ("A => B", 1, 3, "unexpected '='"),
        ("A -- B", 1, 1, "an arrow is '->' or '<-'"),
        ("A | B", 1, 3, "unexpected '|'"),
        ("[A][B|A]", 1, 1, "unexpected '['"),
        ("A  B", 1, 1, "more than a single space"),
        ("A\tB", 1, 1, "more than a single space"),
        ("A -> 'B", 1, 6, "is not closed"),
        ("Bob's -> B", 1, 4, "is not closed"),
        (r"'\q'", 1, 2, "unknown escape"),
        ("A -> A", 1, 1, "from 'A' to itself"),
        ("A -> B\nC; A -> B", 2, 4, "A -> B is given twice"),
    ],
)
def test_errors_name_the_line_the_column_and_what_was_expected(
    text: str, line: int, column: int, expected: str
) -> None:
    with pytest.raises(BadGraph) as caught:
        Dag.from_text(text)
    assert f"Line {line}, column {column} " in str(caught.value)
    assert expected in str(caught.value)


@given(st.text(alphabet="AB,;#'\"\\-<> \n\t→ü", max_size=12))
@example("';'")
@example("',' -> '->'")
def test_any_text_is_read_or_refused_and_what_was_read_writes_back(text: str) -> None:
    try:
        dag = Dag.from_text(text)
    except BadGraph:
        return
    assert Dag.from_text(dag.to_text()) == dag
