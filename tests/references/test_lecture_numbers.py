"""The lectures' worked examples to the fraction (misprints corrected: a storm without a bus is 1 of 11).

Every expected number is written here as in the lectures' own sums; ``test_seed_examples.py`` compares the
same networks with fractions computed by an independent program.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bayou
from bayou import examples

TENNIS_DAY = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def exactly(value: str) -> Any:
    """A fraction, to the rounding of one float operation or two."""
    return pytest.approx(float(Fraction(value)), rel=1e-14, abs=0)


def row(table: bayou.ProbabilityTable, *given: Any) -> list[float]:
    """The probabilities of the states of the last axis."""
    return [table[(*given, state) if given else state] for state in table.variables[-1].states]


def test_a_positive_cancer_test_leaves_health_more_probable() -> None:
    result = examples.cancer_test()
    assert result.posterior["cancer"] == exactly("49/235")
    assert result.posterior["healthy"] == exactly("186/235")
    assert np.exp(result.log_evidence) == exactly("47/1250")
    assert (result.map, result.ml) == ("healthy", "cancer")


@pytest.mark.parametrize(
    ("prevalence", "test", "expected"), [(0.008, "+", "49/235"), (0.5, "+", "98/101"), (0.008, "-", "1/6015")]
)
def test_the_cancer_test_as_a_network(prevalence: float, test: str, expected: str) -> None:
    posterior = examples.cancer_test_network(prevalence).query("Disease", {"Test": test})
    assert posterior["cancer"] == exactly(expected)


@pytest.mark.parametrize(("answer", "expected"), [("No", "18/875"), ("Yes", "1/189")])
def test_the_naive_bayes_scores_of_a_sunny_cool_humid_windy_day(answer: str, expected: str) -> None:
    log = examples.play_tennis_network().log_probability({**TENNIS_DAY, "PlayTennis": answer})
    assert np.exp(log) == exactly(expected)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [(0, "486/611"), ({"PlayTennis": 0}, "3025/4201"), (bayou.MEstimate(1), None)],
)
def test_no_tennis_on_that_day_whatever_the_smoothing(prior: Any, expected: str | None) -> None:
    posterior = examples.play_tennis_network(prior).query("PlayTennis", TENNIS_DAY)
    if expected is None:
        # The class prior is smoothed too, (5 + 1/2)/15 and (9 + 1/2)/15 in place of 5/14 and 9/14.
        no = Fraction(25, 1296) * Fraction(14, 5) * Fraction(11, 30)
        yes = Fraction(49, 8000) * Fraction(14, 9) * Fraction(19, 30)
        expected = str(no / (no + yes))
    assert posterior["No"] == exactly(expected)


def test_a_white_dog_is_friendly_with_one_third_by_map_and_one_sixth_by_ml() -> None:
    net = examples.dogs_network()
    assert net.query("Temper", {"Colour": "white"})["friendly"] == exactly("1/3")
    net.set_cpt("Temper", {"aggressive": 0.5, "friendly": 0.5})
    assert net.query("Temper", {"Colour": "white"})["friendly"] == exactly("1/6")


def test_a_smoothed_white_dog_is_friendly() -> None:
    net = examples.dogs_network({"Temper": 0})
    assert net.query("Temper", {"Colour": "white"})["friendly"] == exactly("25/49")


def test_a_tall_blonde_is_from_greenland() -> None:
    net = examples.hair_height_country_network()
    seen = {"Hair": "blonde", "Height": "tall"}
    assert np.exp(net.log_probability({**seen, "Country": "Greenland"})) == exactly("5/24")
    assert np.exp(net.log_probability({**seen, "Country": "Poland"})) == exactly("5/48")
    assert net.query("Country", seen)["Greenland"] == exactly("2/3")


def test_one_rating_is_counted_and_normalised() -> None:
    assert row(examples.ratings_network().cpt("R")) == [0.1, 0, 0.1, 0.5, 0.3]


def test_ratings_by_genre_with_and_without_laplace() -> None:
    raw, smooth = examples.genre_ratings_network(), examples.genre_ratings_network(prior=1)
    assert row(raw.cpt("G")) == [3 / 5, 2 / 5]
    assert row(raw.cpt("R"), "d") == [0, 0, 0, 2 / 3, 1 / 3]
    assert row(raw.cpt("R"), "c") == [1 / 2, 0, 0, 0, 1 / 2]
    assert row(smooth.cpt("G")) == [4 / 7, 3 / 7]
    assert row(smooth.cpt("R"), "d") == [1 / 8, 1 / 8, 1 / 8, 3 / 8, 2 / 8]
    assert row(smooth.cpt("R"), "c") == [2 / 7, 1 / 7, 1 / 7, 1 / 7, 2 / 7]
    assert (raw.parameter_count().total, raw.parameter_count().free) == (12, 9)


def test_ratings_by_genre_and_award() -> None:
    net = examples.award_ratings_network()
    assert row(net.cpt("G")) == row(net.cpt("A")) == [3 / 5, 2 / 5]
    assert row(net.cpt("R"), "d", 0) == [1 / 2, 0, 1 / 2, 0, 0]
    assert row(net.cpt("R"), "d", 1) == row(net.cpt("R"), "c", 0) == [0, 0, 0, 0, 1]
    assert row(net.cpt("R"), "c", 1) == [0, 0, 0, 1, 0]
    assert (net.parameter_count().total, net.parameter_count().free) == (24, 18)


def test_jim_and_martha_with_tastes_of_their_own() -> None:
    net = examples.jim_and_martha_network(shared=False)
    assert row(net.cpt("R1"), "d") == [0, 0, 0, 2 / 3, 1 / 3]
    assert row(net.cpt("R1"), "c") == [1 / 2, 0, 0, 0, 1 / 2]
    assert row(net.cpt("R2"), "d") == [0, 0, 1 / 3, 1 / 3, 1 / 3]
    assert row(net.cpt("R2"), "c") == [0, 1 / 2, 0, 1 / 2, 0]
    assert net.parameter_count().total == 22


def test_jim_and_martha_sharing_one_taste() -> None:
    net = examples.jim_and_martha_network()
    for name in ("R1", "R2"):
        assert row(net.cpt(name), "d") == [0, 0, 1 / 6, 3 / 6, 2 / 6]
        assert row(net.cpt(name), "c") == [1 / 4, 1 / 4, 0, 1 / 4, 1 / 4]
    assert (net.parameter_count().total, net.parameter_count().free) == (12, 9)


def test_maximum_likelihood_of_three_movies_is_the_product_of_its_parts() -> None:
    data = {"G": ["d", "d", "c"], "R": [4, 5, 5]}
    net = bayou.Network("G -> R", states={"G": ["d", "c"], "R": [1, 2, 3, 4, 5]}).fit(data, prior=0)
    assert row(net.cpt("G")) == [2 / 3, 1 / 3]
    assert row(net.cpt("R"), "c") == [0, 0, 0, 0, 1]
    assert row(net.cpt("R"), "d") == [0, 0, 0, 1 / 2, 1 / 2]
    # (2/3)(1/2) · (2/3)(1/2) · (1/3)(1) = 1/27
    assert np.sum(net.log_probability(data)) == pytest.approx(-3 * np.log(3), rel=1e-14)


@pytest.mark.parametrize(
    ("strength", "dramas", "expected"), [(0.5, 1, "3/4"), (1, 1, "2/3"), (1, 998, "999/1000"), (3, 1, "4/7")]
)
def test_smoothing_pulls_to_the_middle_and_data_wins_in_the_end(
    strength: float, dramas: int, expected: str
) -> None:
    net = bayou.Network("G", states={"G": ["d", "c"]}).fit({"G": ["d"] * dramas}, prior=strength)
    assert net.cpt("G")["d"] == exactly(expected)


def test_the_campfire_table_of_the_lecture() -> None:
    table = examples.storm().cpt("Campfire")
    wanted = {("yes", "yes"): 0.4, ("yes", "no"): 0.1, ("no", "yes"): 0.8, ("no", "no"): 0.2}
    assert {given: table[(*given, "yes")] for given in wanted} == wanted


def test_the_campfire_counts_give_one_eleventh_not_one_tenth() -> None:
    net = bayou.Network("Storm, BusTourGroup -> Campfire")
    net.fit(examples.campfire_counts(), prior=0, weights="count")
    table = net.cpt("Campfire")
    wanted = {("yes", "yes"): 4 / 10, ("yes", "no"): 1 / 11, ("no", "yes"): 8 / 10, ("no", "no"): 2 / 10}
    assert {given: table[(*given, "yes")] for given in wanted} == wanted


def test_the_joint_of_a_storm_is_the_product_of_its_tables() -> None:
    net = examples.storm()
    day = dict.fromkeys(("Storm", "BusTourGroup", "Campfire"), "yes")
    day.update(dict.fromkeys(("Lightning", "Thunder", "ForestFire"), "no"))
    assert np.exp(net.log_probability(day)) == pytest.approx(0.25 * 0.3 * 0.4 * 0.4 * 0.99 * 0.95, rel=1e-14)


def test_given_storm_and_bus_the_campfire_knows_nothing_of_lightning_and_thunder() -> None:
    net = examples.storm()
    assert net.d_separated("Campfire", ["Lightning", "Thunder"], given=["Storm", "BusTourGroup"])
    joint = net.query(["Campfire", "Lightning", "Thunder", "Storm", "BusTourGroup"])
    assert joint.independent("Campfire", ["Lightning", "Thunder"], given=["Storm", "BusTourGroup"])
    assert not joint.independent("Campfire", "Lightning")


def test_thunder_tells_nothing_of_rain_once_the_lightning_is_known() -> None:
    joint = examples.thunder_and_rain().joint()
    assert joint.independent("Thunder", "Rain", given="Lightning")
    assert not joint.independent("Thunder", "Rain")


def test_allergies_explain_a_cough_away() -> None:
    net = examples.cold_and_allergies()
    assert net.query("Cold", {"Cough": 1})[1] == exactly("229/679")
    assert net.query("Cold", {"Cough": 1, "ItchyEyes": 1})[1] == exactly("59/424")
    assert net.d_separated("Cold", "Allergies")
    assert net.d_separated("Cold", "Allergies", given="Cough").trail == ("Cold", "Cough", "Allergies")


def test_wet_grass_seen_and_wet_grass_made() -> None:
    net = examples.rain_and_wet_grass()
    assert net.query("Rain", {"WetGrass": "yes"})["yes"] == exactly("9/13")
    assert net.query("Rain", do={"WetGrass": "yes"})["yes"] == exactly("1/5")


def test_two_dice_conditional_joint_and_marginal() -> None:
    net = examples.two_dice()
    assert net.joint()["fair", 3] == exactly("1/12")
    assert net.query("Face")[6] == exactly("1/3")
    assert net.query("Die", {"Face": 6})["biased"] == exactly("3/4")


def test_a_height_of_seventy_inches_is_probably_a_man() -> None:
    table = examples.heights()
    height, male = np.array(table["height_in"]), np.array(table["sex"]) == "male"
    weight = {}
    for sex, chosen in {"male": male, "female": ~male}.items():
        mean, variance = height[chosen].mean(), height[chosen].var()
        density = np.exp(-0.5 * (70 - mean) ** 2 / variance) / np.sqrt(2 * np.pi * variance)
        weight[sex] = chosen.mean() * density
    posterior = examples.heights_network().query("sex", {"height_in": 70})
    assert posterior["male"] == pytest.approx(weight["male"] / sum(weight.values()), rel=1e-12)


@pytest.mark.parametrize("length", [1, 2, 17])
def test_the_size_of_a_review_model_does_not_depend_on_its_length(length: int) -> None:
    words = [f"word {k}" for k in range(7)]
    count = examples.movie_review(length, words).parameter_count()
    assert (count.total, count.free) == (2 + 2 * 7, 1 + 2 * 6)


@pytest.mark.parametrize("length", [2, 3, 40])
def test_the_size_of_a_hidden_markov_model_does_not_depend_on_its_length(length: int) -> None:
    assert examples.hidden_markov(length).parameter_count().total == 2 + 2**2 + 2 * 6


def test_the_hidden_markov_model_agrees_with_forward_and_backward_sums() -> None:
    start, step = np.array([0.5, 0.5]), np.array([[0.95, 0.05], [0.1, 0.9]])
    emit = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
    rolls = [6, 1, 6, 6, 2, 6]
    forward = [start * emit[:, rolls[0] - 1]]
    for roll in rolls[1:]:
        forward.append((forward[-1] @ step) * emit[:, roll - 1])
    backward = [np.ones(2)]
    for roll in reversed(rolls[1:]):
        backward.insert(0, step @ (emit[:, roll - 1] * backward[0]))
    net = examples.hidden_markov(len(rolls))
    seen = {f"E{k}": roll for k, roll in enumerate(rolls, 1)}
    assert net.log_evidence(seen) == pytest.approx(np.log(forward[-1].sum()), rel=1e-12)
    for k in range(len(rolls)):
        smoothed = forward[k] * backward[k] / forward[-1].sum()
        assert row(net.query(f"H{k + 1}", seen)) == pytest.approx(smoothed.tolist(), rel=1e-12)
