"""The built-in examples against fractions computed by an independent program (shared data folder)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.shared_data import needs_shared_data, shared_json

import bayou
from bayou import examples

REFERENCE = shared_json("reference/seed_examples.json")


def number(entry: Any) -> float:
    """A reference entry: a fraction with its decimal value, or a plain number or fraction."""
    if isinstance(entry, dict):
        return float(Fraction(entry["fraction"]))
    return float(Fraction(entry))


def near(entry: Any) -> Any:
    return pytest.approx(number(entry), rel=1e-14, abs=0)


def assert_table(net: bayou.Network, name: str, expected: dict[str, Any], *given: Any) -> None:
    """Compare one row of a table, the states told by how they print."""
    table = net.cpt(name)
    assert {str(state) for state in table.variables[-1].states} == set(expected)
    for state in table.variables[-1].states:
        assert table[(*given, state) if given else state] == near(expected[str(state)])


def columns(names: str, rows: list[list[Any]]) -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(names.split(), zip(*rows, strict=True), strict=True)}


@needs_shared_data
def test_cancer() -> None:
    expected = REFERENCE["cancer_test"]
    net = examples.cancer_test_network()
    assert net.query("Disease", {"Test": "+"})["cancer"] == near(expected["posterior_cancer_given_pos"])
    assert net.query("Disease", {"Test": "-"})["cancer"] == near(expected["posterior_cancer_given_neg"])
    equal = examples.cancer_test_network(0.5).query("Disease", {"Test": "+"})["cancer"]
    assert equal == near(expected["posterior_cancer_given_pos_equal_priors"])


@needs_shared_data
@pytest.mark.parametrize("key", ["play_tennis", "dogs", "hair_height_country"])
def test_naive_bayes_posteriors_with_the_class_share_as_prior(key: str) -> None:
    label = {"play_tennis": "PlayTennis", "dogs": "Temper", "hair_height_country": "Country"}[key]
    for case in REFERENCE[key]:
        net = getattr(examples, f"{key}_network")(case["alpha"])
        net.set_cpt(label, getattr(examples, f"{key}_network")(0).cpt(label).to_dict())
        posterior = net.query(label, case["query"])
        for state, expected in case["posterior"].items():
            assert posterior[state] == near(expected)


@needs_shared_data
def test_play_tennis_with_an_m_estimate() -> None:
    case = REFERENCE["play_tennis_m_estimate"]
    net = examples.play_tennis_network(bayou.MEstimate(case["m"]))
    net.set_cpt("PlayTennis", {"No": 5 / 14, "Yes": 9 / 14})
    assert net.query("PlayTennis", case["query"])["No"] == near(case["posterior"]["No"])


@needs_shared_data
def test_dogs_with_equal_priors() -> None:
    net = examples.dogs_network().set_cpt("Temper", {"friendly": 0.5, "aggressive": 0.5})
    expected = REFERENCE["dogs_equal_priors"]["posterior_friendly"]
    assert net.query("Temper", {"Colour": "white"})["friendly"] == near(expected)


@needs_shared_data
def test_the_movie_data_are_those_of_the_reference() -> None:
    assert examples.ratings()["R"] == REFERENCE["movie_one_variable"]["data"]
    assert examples.genre_ratings() == columns("G R", REFERENCE["movie_two_variables"]["data"])
    assert examples.award_ratings() == columns("G A R", REFERENCE["movie_v_structure"]["data"])
    assert examples.jim_and_martha() == columns("G R1 R2", REFERENCE["movie_inverted_v"]["data"])


@needs_shared_data
def test_one_and_two_variables() -> None:
    assert_table(examples.ratings_network(), "R", REFERENCE["movie_one_variable"]["p_R"])
    for key, prior in {"ml": 0, "laplace": 1}.items():
        expected, net = REFERENCE["movie_two_variables"][key], examples.genre_ratings_network(prior)
        assert_table(net, "G", expected["p_G"])
        for genre in "dc":
            assert_table(net, "R", expected["p_R_given_G"][genre], genre)


@needs_shared_data
def test_v_structure() -> None:
    expected, net = REFERENCE["movie_v_structure"], examples.award_ratings_network()
    assert_table(net, "G", expected["p_G"])
    assert_table(net, "A", expected["p_A"])
    for given, probabilities in expected["p_R_given_G_A"].items():
        genre, award = given.split(",")
        assert_table(net, "R", probabilities, genre, int(award))


@needs_shared_data
def test_inverted_v_shared_and_not() -> None:
    expected = REFERENCE["movie_inverted_v"]
    apart, shared = examples.jim_and_martha_network(shared=False), examples.jim_and_martha_network()
    for genre in "dc":
        for name in ("R1", "R2"):
            assert_table(apart, name, expected[f"p_{name}"][genre], genre)
            assert_table(shared, name, expected["shared_p_R"][genre], genre)


@needs_shared_data
def test_storm_arcs_and_campfire_tables() -> None:
    expected, net = REFERENCE["storm_campfire"], examples.storm()
    assert set(net.arcs) == {tuple(arc) for arc in expected["arcs"]}
    learned = bayou.Network("Storm, BusTourGroup -> Campfire")
    learned.fit(examples.campfire_counts(), prior=0, weights="count")
    for key in ("S,B", "S,notB", "notS,B", "notS,notB"):
        given = ["no" if part.startswith("not") else "yes" for part in key.split(",")]
        stated = expected["p_campfire_given_storm_bus"][key]
        assert net.cpt("Campfire")[(*given, "yes")] == stated
        assert learned.cpt("Campfire")[(*given, "yes")] == near(expected["learned_from_counts"][key])


@needs_shared_data
def test_smoothing_table() -> None:
    for case in REFERENCE["smoothing_table"]:
        net = bayou.Network("G", states={"G": ["d", "c"]})
        net.fit({"G": ["d", "c"]}, weights=case["counts"], prior=case["lam"])
        assert [net.cpt("G")["d"], net.cpt("G")["c"]] == pytest.approx(case["p"], rel=1e-14)
