"""Netica's text files: what Netica writes is read, what bayou writes comes back, what is wrong is named."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.formats.corpus import TEXTS
from tests.formats.drafts import assert_same_draft

import bayou
from bayou.errors import BadFile
from bayou.formats.format_registry import DNE, format_by_content
from bayou.formats.netica.dne_reader import parse_dne, read_dne
from bayou.formats.netica.dne_writer import dne_text, write_dne
from bayou.schema import Cuts

NETICA = """// ~->[DNET-1]->~

// File created by somebody using Netica 5.15 on Nov 09, 2016 at 17:33:54.

bnet Chest_Clinic {
autoupdate = TRUE;
title = "Chest \\"Clinic\\"";
whenchanged = 1478673234;
visual V1 {
    defdispform = BELIEFBARS;
    nodefont = font {shape= "Arial"; size= 9;};
    NodeSet Node {BuiltIn = 1; Color = 0x00E1E1E1;};
    PrinterSetting A {
        margins = (1270, 1270, 1270, 1270);
        };
    };

node Visit {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (visit, no_visit);
    statetitles = ("was in Asia", );
    parents = ();
    probs =
        // visit        no visit
          (0.01,        0.99);
    title = "Visit to Asia";
    comment = "First line\\n\\
    second line; with (signs) // and \\\\ more";
    whenchanged = 1;
    visual V1 {
        center = (120, 66);
        height = 1;
        };
    };

node Temp {
    kind = NATURE;
    discrete = FALSE;
    chance = CHANCE;
    states = (cool, warm, hot);
    levels = (-INFINITY, 36.5, 38, 45);
    parents = (Visit);
    probs =
        // cool         warm         hot            // Visit
         ((0.3,         0.5,         0.2),          // visit
          (0.5,         0.4,         0.1));         // no_visit
    numcases =
        (10, 20);
    };

node Alarm {
    kind = NATURE;
    discrete = TRUE;
    chance = DETERMIN;
    states = (off, on);
    levels = (0, 5);
    parents = (Temp, Visit);
    functable =
        //              // Temp   Visit
         ((off,         // cool   visit
           #0),         // cool   no_visit
          (5,           // warm   visit
           off),
          (on, on));
    equation = "Alarm (Temp, Visit) = Temp > 38";
    };
NodeSet body {Nodes = (Temp, Alarm);};
NodeSet again {Nodes = (Alarm);};
};
"""


def test_a_file_as_netica_writes_it_is_read() -> None:
    draft = parse_dne(NETICA)
    assert [variable.name for variable in draft.variables] == ["Visit", "Temp", "Alarm"]
    visit, temperature, alarm = draft.variables
    assert (visit.states, alarm.states) == (("visit", "no_visit"), ("off", "on"))
    assert temperature.cuts == Cuts(36.5, 38, low=-math.inf, high=45)
    assert draft.parents["Alarm"] == ("Temp", "Visit")
    assert draft.tables["Temp"].tolist() == [[0.3, 0.5, 0.2], [0.5, 0.4, 0.1]]
    assert draft.tables["Alarm"].argmax(axis=-1).tolist() == [[0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_every_kind_of_line_end_is_read(end: str) -> None:
    data = NETICA.replace("\n", end).encode()
    assert format_by_content(data) is DNE
    assert_same_draft(parse_dne(data), parse_dne(NETICA))


def test_what_netica_shows_is_kept() -> None:
    shown = parse_dne(NETICA).appearance
    visit = shown.node("Visit")
    assert (shown.title, visit.title, visit.position) == ('Chest "Clinic"', "Visit to Asia", (120, 66))
    assert visit.description == "First line\nsecond line; with (signs) // and \\ more"
    assert [visit.of_state(state).title for state in ("visit", "no_visit")] == ["was in Asia", ""]
    assert [one.identifier for one in shown.node("Temp").states] == ["cool", "warm", "hot"]
    assert [one.value for one in shown.node("Alarm").states] == [0, 5]
    assert [(one.name, one.nodes) for one in shown.submodels] == [("body", ("Temp", "Alarm"))]


def test_what_is_not_kept_is_listed() -> None:
    assert parse_dne(NETICA).unread == (
        "equation of 'Alarm'",
        "numcases of 'Temp'",
        "how Netica draws windows, boxes and links ('defdispform', 'height', 'nodefont')",
        "the node set 'again', which has nodes of another set",
    )


def test_a_file_of_netica_comes_back(tmp_path: Path) -> None:
    draft = parse_dne(NETICA)
    write_dne(draft, tmp_path / "a.dne")
    assert_same_draft(read_dne(tmp_path / "a.dne"), draft)
    text = dne_text(draft)
    for part in (
        "states = (cool, warm, hot);",
        "levels = (-INFINITY, 36.5, 38.0, 45.0);",
        "center = (120, 66);",
    ):
        assert part in text
    assert "bayou_" not in text, "a file of Netica needs no notes"


def test_it_survives_a_bundle_between_two_files(tmp_path: Path) -> None:
    (tmp_path / "a.dne").write_text(NETICA)
    net = bayou.load(tmp_path / "a.dne")
    net.save(tmp_path / "a.bayou")
    bayou.load(tmp_path / "a.bayou").save(tmp_path / "b.dne")
    again = bayou.load(tmp_path / "b.dne")
    assert again.same_as(net)
    assert again.appearance == net.appearance
    assert net.losses("a.dne") == [
        "to which interval of 'Temp' a number on a cut belongs (in Netica to the upper one)"
    ]


def test_answers_are_those_of_a_sum_by_hand() -> None:
    net = bayou.Network.from_draft(parse_dne(NETICA))
    # P(Alarm=on) = P(visit) (0.5 + 0.2) + P(no visit) 0.1
    assert net.query("Alarm")["on"] == pytest.approx(0.01 * 0.7 + 0.99 * 0.1, abs=1e-15)


def test_numbers_without_names_become_numbers() -> None:
    draft = parse_dne(
        "bnet n { node X { discrete = TRUE; levels = (0, 1, 2.5); probs = (0.5, 0.25, 0.25); }; }"
    )
    assert draft.variables[0].states == (0, 1, 2.5)
    assert_same_draft(parse_dne(dne_text(draft)), draft)


def test_states_that_are_only_counted_get_names() -> None:
    assert parse_dne("bnet n { node X { numstates = 2; probs = (0.5, 0.5); }; };").variables[0].states == (
        "s0",
        "s1",
    )


def test_constants_and_texts_are_listed() -> None:
    text = 'bnet n { node T { kind = CONSTANT; title = "a text"; }; node X { states = (a); probs = (1); }; };'
    draft = parse_dne(text)
    assert draft.unread == ("the constants and texts 'T'",)
    assert [variable.name for variable in draft.variables] == ["X"]


def test_bytes_that_are_not_utf_8_are_windows_1252() -> None:
    text = 'bnet n { node X { states = (a); probs = (1); title = "Größe"; }; };'
    for code in ("utf-8", "cp1252"):
        assert parse_dne(text.encode(code)).appearance.node("X").title == "Größe"


X = "bnet n {{\n node X {{ {} }};\n}};"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("net n { }", r"line 1, column 1: expected 'bnet', found 'net'"),
        ("bnet n { node X { states = (a, b);", r"expected a key or '}', found the end of the file"),
        ("bnet n { } rest", r"column 12: expected the end of the file, found 'rest'"),
        (
            X.format("kind = DECISION; states = (a);"),
            r"line 2, column 2: the node 'X' is a decision; only chance",
        ),
        (X.format("kind = UTILITY;"), r"the node 'X' is a utility"),
        (X.format("kind = ODD;"), r"the node 'X' is of the kind ODD"),
        (
            X.format("discrete = FALSE; probs = (1);"),
            r"is continuous and has no levels; discretise it in Netica",
        ),
        (
            X.format("discrete = FALSE; levels = (3, 2, 1); probs = (0, 1);"),
            r"line 2, column 38: the node 'X' has levels that do not ascend",
        ),
        (
            X.format("discrete = FALSE; states = (a); levels = (1, 2, 3);"),
            r"1 states and 3 levels; expected one",
        ),
        (
            X.format("states = (a, b); levels = (1, 2, 3); probs = (0, 1);"),
            r"2 states and 3 levels; expected as",
        ),
        (X.format("states = (a, b); levels = (1, x);"), r"has the level 'x'; expected a number"),
        (X.format("states = (a, b); levels = (1, INFINITY);"), r"has an infinite level"),
        (X.format("probs = (1);"), r"the node 'X' has no list of states"),
        (X.format("numstates = 99999999;"), r"the node 'X' has no list of states"),
        (X.format("states = (a, b);"), r"the node 'X' has no table \(probs\)"),
        (
            X.format('states = (a, b); equation = "X = 1";'),
            r"has an equation, but no table: let Netica make it",
        ),
        (
            X.format("states = (a, b); probs = (0.5, @imposs);"),
            r"expected a number in 'probs', found '@imposs'",
        ),
        (X.format("states = (a, b); probs = (0.5, 0.4);"), r"P\(X\) sums to 0.9; expected 1"),
        (X.format("states = (a, b); probs = (0.5);"), r"the table of P\(X\) has 1 numbers; expected 2"),
        (
            X.format("states = (a, b); functable = (c);"),
            r"the function of 'X': expected one of the states a, b",
        ),
        (X.format("states = (a, b); levels = (1, 2); functable = (3);"), r"has no state for the number 3"),
        (X.format("states = (a, a); probs = (0.5, 0.5);"), r"'X' has the state 'a' twice"),
        (X.format("states = (a); parents = (Y); probs = (1);"), r"There is no variable 'Y'"),
        (X.format("states = (a); parents = (, Y); probs = (1);"), r"has a link that comes from no node"),
        (X.format("states = (a); states = (b);"), r"a second 'states' in one block"),
        (X.format("states (a);"), r"expected '=' or '\{' after 'states', found '\('"),
        (X.format("title = ;"), r"expected a value of 'title', found ';'"),
        (X.format("states = (a, {);"), r"expected '\)' in 'states', found '\{'"),
        ("bnet n " + "{ a " * 60, r"blocks are nested more than 50 deep"),
        (X.format('title = "open'), r"this string is never closed"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(BadFile, match=problem) as caught:
        parse_dne(text, "a.dne")
    assert str(caught.value).startswith("a.dne, line ")


def test_a_constant_as_a_parent_is_refused() -> None:
    with pytest.raises(BadFile, match="'X' depends on the constant 'K'"):
        parse_dne(
            "bnet n { node K { kind = CONSTANT; }; node X { states = (a); parents = (K); probs = (1); }; };"
        )


def test_a_link_that_was_disconnected_is_refused() -> None:
    loose = "param P_1 { kind = DISCONNECTED; discrete = TRUE; states = (a, b); };"
    node = "node X { states = (a); parents = (P_1); probs = ((1), (1)); };"
    with pytest.raises(BadFile, match="the link 'P_1' of 'X' comes from no node; connect it in Netica"):
        parse_dne(f"bnet n {{ {node} {loose} }};")


def test_fields_of_users_are_listed() -> None:
    user = 'user U1 { Hub = "a"; };'
    draft = parse_dne(f"bnet n {{ {user} node X {{ states = (a); probs = (1); {user} }}; }};")
    assert draft.unread == ("the user fields 'Hub'",)


def test_long_names_are_cut_and_restored() -> None:
    name = "the temperature in degrees of the patient"
    net = bayou.Network(
        f'"{name}"', tables={name: {"very high indeed, above all the others": 0.5, "low": 0.5}}
    )
    from bayou.models.verbs.files import draft_from_network

    draft = draft_from_network(net.parts()[0], net.parts()[3])
    text = dne_text(draft)
    assert "node the_temperature_in_degrees" in text
    assert_same_draft(parse_dne(text), draft)


def test_a_large_table_is_read_in_one_piece() -> None:
    rows = np.full((4096, 2), 0.5)
    parents = [f"P{k}" for k in range(12)]
    nodes = "".join(f"node {one} {{ states = (a, b); probs = (0.5, 0.5); }};\n" for one in parents)
    numbers = ",\n".join("(0.5, 0.5) // a comment" if k == 0 else "(0.5, 0.5)" for k in range(4096))
    numbers = numbers.replace("(0.5, 0.5) // a comment,", "(0.5, 0.5), // a comment", 1)
    last = f"states = (a, b); parents = ({', '.join(parents)}); probs = ({numbers});"
    text = f"bnet n {{ {nodes} node X {{ {last} }}; }};"
    assert parse_dne(text).tables["X"].reshape(-1, 2).tolist() == rows.tolist()


def test_the_example_of_the_fuzz_tier_is_whole() -> None:
    draft = parse_dne(TEXTS["DNE"])
    assert draft.appearance.submodels_of("Bell") == ("inside",)
    assert draft.tables["Bell"].argmax(axis=-1).tolist() == [[0, 1], [1, 0]]
