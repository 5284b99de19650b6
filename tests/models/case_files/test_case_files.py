"""Files of cases come back as they were written, and say what they cannot hold."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import bayou
from bayou.errors import BadData, BadFile, BayouWarning, UnknownVariable
from bayou.models.cases.case_files import cases_in, cases_text

ASIA = bayou.examples.asia()
ODD_STATES = ["a b", "~c", "{d}", "do(e)", "*", "1", "f,g", '"h"', "[1, 2]", ""]


def odd_network() -> bayou.Network:
    """States that look like something else, of several types, and a name that is no word."""
    states = {("x", 1): [*ODD_STATES, 1, True], "n": [0.5, 2]}
    net = bayou.Network([(("x", 1), "n")], states=states)
    return net.set_cpt(("x", 1), [1 / 12] * 12).set_cpt("n", [[0.5, 0.5]] * 12)


def test_every_finding_comes_back_from_csv(tmp_path: Path) -> None:
    cases = [
        bayou.Case("Ann", {"smoke": "yes", "xray": bayou.Not("no")}),
        bayou.Case(
            "Bob, the second", {"tub": frozenset({"yes"})}, {"dysp": [1.0, 0.25]}, {"lung": "no"}, 2.5
        ),
        bayou.Case("nothing"),
    ]
    bayou.write_cases(tmp_path / "cases.csv", cases, ASIA)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bayou.read_cases(tmp_path / "cases.csv", ASIA)
    assert list(found) == cases
    for before, after in zip(cases, found, strict=True):
        expected = ASIA.query("bronc", **before.findings)
        assert ASIA.query("bronc", **after.findings)["yes"] == expected["yes"]


@pytest.mark.parametrize("is_netica", [False, True])
def test_states_of_any_type_and_text_come_back(is_netica: bool) -> None:
    net = odd_network()
    states = net.states(("x", 1))
    cases = [bayou.Case(str(k), {("x", 1): state}) for k, state in enumerate(states, 1)]
    cases.append(bayou.Case("13", {("x", 1): frozenset(states[1:5]), "n": bayou.Not(2)}))
    text, losses = cases_text(cases, net, is_netica=is_netica)
    found = cases_in(text, net, is_netica=is_netica)
    assert list(found) == cases
    assert [type(one.given["x", 1]) for one in found] == [type(one.given["x", 1]) for one in cases]
    assert not losses
    assert not found.remarks


def test_numbers_and_intervals(tmp_path: Path) -> None:
    net = bayou.examples.heights_network()
    height = net.names[1]
    for ending in ("csv", "cas"):
        bayou.write_cases(tmp_path / f"a.{ending}", [bayou.Case("1", {height: 71.3})], net)
        assert bayou.read_cases(tmp_path / f"a.{ending}", net)[0].given == {height: 71.3}
    cut = bayou.Network("age", states={"age": bayou.Cuts([30, 60], low=0, high=120)}).set_cpt(
        "age", [0.2, 0.5, 0.3]
    )
    (found,) = cases_in("IDnum age\n1 45\n", cut, is_netica=True)
    assert found.given["age"] == cut.states("age")[1]


def test_netica_numbers_its_cases_and_has_no_place_for_do() -> None:
    case = bayou.Case("Ann", {"smoke": "yes"}, {"dysp": [1, 0.5]}, {"lung": "no"}, weight=3)
    text, losses = cases_text([case], ASIA, is_netica=True)
    assert text.splitlines() == [
        "// ~->[CASE-1]->~",
        "",
        "IDnum\tNumCases\tsmoke\tlung\tdysp",
        "1\t3\tyes\t*\t*\t// Ann",
    ]
    assert losses == [
        "Case 'Ann': a .cas file has no place for the likelihood of 'dysp', do('lung').",
        "The names of the cases are comments: Netica numbers its cases.",
    ]
    (found,) = cases_in(text, ASIA, is_netica=True)
    assert found == bayou.Case("1", {"smoke": "yes"}, weight=3)


def test_what_is_not_understood_is_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.cas"
    path.write_text("// ~->[CASE-1]->~\nIDnum,smoke,smoek,lung\n7,maybe,1,yes\n8,~{yes},2,*\n")
    with pytest.warns(BayouWarning, match="smoek"):
        found = bayou.read_cases(path, ASIA)
    assert list(found) == [
        bayou.Case("7", {"lung": "yes"}),
        bayou.Case("8", {"smoke": bayou.Not("yes")}),
    ]
    assert found.remarks[0] == "No variables of the network, left out: 'smoek'."
    assert found.remarks[1].startswith("Line 3, smoke: ")
    assert "'maybe'" in found.remarks[1]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.cas", "", "no line with the names"),
        ("a.cas", "IDnum smoke\n1 yes no\n", "line 2 has 3 values; expected 2"),
        ("a.cas", "smoke,smoke\n", "'smoke', which another one has"),
        ("a.cas", "NumCases smoke\n-1 yes\n", "line 2: '-1' is no number of cases"),
        ("a.csv", "\n", "no line with the names"),
        ("a.csv", "case,smoke\nAnn,yes,no\n", "line 2 has 3 values"),
        ("a.txt", "case,smoke\n", "the ending of the name"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadFile, match=told):
        bayou.read_cases(path, ASIA)


@pytest.mark.parametrize("cell", ["1e999", "nan", "high", "{1, 2}", "~1", "[1]", "do(x)"])
def test_what_is_no_number_is_told(cell: str) -> None:
    net = bayou.examples.heights_network()
    found = cases_in(f'case,{net.names[1]}\nAnn,"{cell}"\n', net, is_netica=False)
    assert found[0] == bayou.Case("Ann")
    assert found.remarks[0].startswith(f"Line 2, {net.names[1]}: ")


@pytest.mark.parametrize(
    "cell", ["[1]", "[1, -1]", "[1, 1e999]", f"[1, {10**400}]", "[0, 0]", "[1, NaN]", "[1,"]
)
def test_what_are_no_weights_is_told(cell: str) -> None:
    found = cases_in(f'case,smoke\nAnn,"{cell}"\n', ASIA, is_netica=False)
    assert found[0] == bayou.Case("Ann")
    assert "is no list of weights" in found.remarks[0]


def test_a_text_is_no_finding_of_a_number() -> None:
    net = bayou.examples.heights_network()
    with pytest.raises(BadData, match="'tall' is not a number"):
        cases_text([bayou.Case("Ann", {net.names[1]: "tall"})], net, is_netica=False)


def test_cases_of_other_networks_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(UnknownVariable, match="smoek"):
        bayou.write_cases(tmp_path / "a.csv", [bayou.Case("Ann", {"smoek": "yes"})], ASIA)
    assert not list(tmp_path.iterdir())
