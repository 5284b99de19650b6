"""Explanations in words: every number is that of a query, every name is given, and what is told is so."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, UnknownState
from bayou.text.tables import probability_text


def sprinkler() -> bayou.Network:
    """Rain and a sprinkler make the grass wet."""
    return bayou.Network(
        "Rain -> Wet <- Sprinkler; Wet -> Slippery",
        states={name: ["no", "yes"] for name in ("Rain", "Wet", "Sprinkler", "Slippery")},
        tables={
            "Rain": [0.8, 0.2],
            "Sprinkler": [0.9, 0.1],
            "Wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
            "Slippery": [[1.0, 0.0], [0.3, 0.7]],
        },
    )


def test_a_cause_explains_an_effect_away() -> None:
    net = sprinkler()
    seen = net.query("Sprinkler", {"Wet": "yes"})["yes"]
    now = net.query("Sprinkler", {"Wet": "yes", "Rain": "yes"})["yes"]
    assert seen > now > 0.1
    found = net.explain("Sprinkler", {"Wet": "yes", "Rain": "yes"})
    (away,) = found.explained_away
    assert (away.finding, away.effect, away.state, away.through) == ("Rain=yes", "Wet=yes", "yes", None)
    assert (away.before, away.after) == pytest.approx((seen, now))
    assert found.first[2] == (
        "Rain=yes explains Wet=yes, so Sprinkler=yes became less likely: "
        f"{probability_text(seen)} → {probability_text(now)}."
    )
    assert found.trails["Rain"] == ("Rain", "Wet", "Sprinkler")


def test_an_effect_further_down_is_explained_away_too() -> None:
    found = sprinkler().explain("Sprinkler", {"Slippery": "yes", "Rain": "yes"})
    (away,) = found.explained_away
    assert away.effect == "Slippery=yes"
    assert not sprinkler().explain("Sprinkler", {"Slippery": "yes", "Rain": "no"}).explained_away
    assert not sprinkler().explain("Sprinkler", {"Wet": "yes", "Slippery": "yes"}).explained_away


def test_a_symptom_of_another_cause_explains_an_effect_away() -> None:
    net = bayou.examples.cold_and_allergies()
    found = net.explain("Cold", {"Cough": 1, "ItchyEyes": 1})
    (away,) = found.explained_away
    assert away.through is not None
    known = [net.query("Allergies", {"Cough": 1})[1], net.query("Allergies", {"Cough": 1, "ItchyEyes": 1})[1]]
    assert [away.through.before, away.through.after] == pytest.approx(known)
    first, last = map(probability_text, known)
    assert found.first[2] == (
        f"ItchyEyes=1 makes Allergies=1 more likely ({first} → {last}), which explains Cough=1, "
        "so Cold=1 became less likely: 0.3373 → 0.1392."
    )


def test_findings_that_do_not_matter_are_told_with_their_reason() -> None:
    net = sprinkler()
    screened = net.explain("Rain", {"Wet": "yes", "Slippery": "yes"})
    assert "Slippery=yes says nothing about Rain once Wet is known." in screened.further
    apart = net.explain("Rain", {"Sprinkler": "yes"})
    assert apart.further == ("Sprinkler=yes says nothing about Rain: no open trail joins them.",)
    assert apart.first == ("Rain=no is as likely as before: 0.8000.",)
    done = net.explain("Rain", do={"Wet": "yes"})
    assert done.further == ("do(Wet=yes) has no effect on Rain: no open trail joins them.",)


def test_an_influence_that_the_tables_do_not_pass_is_told() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.3, 0.7], [0.3, 0.7]])
    assert net.explain("A", {"B": 1}).further == ("B=1 changes nothing, although a trail is open: B <- A.",)


def test_a_copy_changes_nothing_beside_the_original() -> None:
    net = bayou.Network("A -> B -> C", states={name: [0, 1] for name in "ABC"})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]]).set_cpt("C", [[1, 0], [0, 1]])
    found = net.explain("A", {"B": 1, "C": 1}, state=1)
    assert found.first[1] == "Any one finding can be left out without a change: the others say the same."
    alone = probability_text(net.query("A", {"B": 1})[1])
    assert (
        f"B=1 changes nothing beside the other findings; alone it would: 0.5000 → {alone}." in found.further
    )
    assert "C=1 says nothing about A once B is known." in found.further


def test_an_intervention_that_only_cuts_is_told() -> None:
    net = bayou.Network("A -> B -> C", states={name: [0, 1] for name in "ABC"})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]]).set_cpt("C", [[0.9, 0.1], [0.1, 0.9]])
    found = net.explain("A", {"C": 1}, do={"B": 1}, state=1)
    assert found.after == pytest.approx(0.5)
    cut = next(one for one in found.findings if one.is_intervention)
    assert cut.without == pytest.approx(net.query("A", {"C": 1})[1])
    assert "do(B=1) acts only by cutting the arcs into B." in found.sentences
    assert "C=1 says nothing about A once B is known." in found.further


def test_rare_and_conflicting_findings_are_told() -> None:
    net = bayou.Network("A -> B; A -> C", states={name: ["no", "yes"] for name in "ABC"})
    net.set_cpt("A", [0.995, 0.005])
    net.set_cpt("B", [[0.999, 0.001], [0.01, 0.99]]).set_cpt("C", [[0.999, 0.001], [0.99, 0.01]])
    rare = net.explain("A", {"B": "yes"})
    assert any(s.startswith("B=yes is a rare finding: P = 0.00") for s in rare.further)
    odd = bayou.Network("A -> B; A -> C", states={name: ["no", "yes"] for name in "ABC"})
    odd.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.99, 0.01], [0.01, 0.99]])
    odd.set_cpt("C", [[0.001, 0.999], [0.999, 0.001]])
    found = odd.explain("A", {"B": "yes", "C": "yes"})
    times = 0.25 / math.exp(odd.log_evidence({"B": "yes", "C": "yes"}))
    assert times > 10
    assert f"unlikely together: {times:.3g} times less likely" in found.further[-1]
    assert not any("together" in s for s in odd.explain("A", {"B": "yes", "C": "no"}).sentences)


def test_many_findings_are_summed_up() -> None:
    names = [f"test {k}" for k in range(12)]
    net = bayou.Network({name: ["ill"] for name in names}, states={name: [0, 1] for name in ("ill", *names)})
    net.set_cpt("ill", [0.5, 0.5])
    for k, name in enumerate(names):
        net.set_cpt(name, [[0.5, 0.5], [0.48 - 0.03 * k, 0.52 + 0.03 * k]])
    found = net.explain("ill", dict.fromkeys(names, 1))
    assert [one.name for one in found.findings[:3]] == ["test 11", "test 10", "test 9"]
    three = net.query("ill", dict.fromkeys(names[9:], 1))[1]
    assert found.first[1].endswith(f"; without the other 9 findings it would be {probability_text(three)}.")
    assert len(found.trails) == 8


def test_numbers_on_the_way_and_as_findings() -> None:
    net = bayou.Network("ill -> dose -> level", states={"ill": ["no", "yes"]}, continuous=["dose", "level"])
    net.set_cpt("ill", [0.7, 0.3]).set_gaussian("dose", {"no": (1, 1), "yes": (3, 1)})
    net.set_gaussian("level", {"mean": 0, "variance": 0.5, "coefficients": {"dose": 2}})
    found = net.explain("ill", {"level": 7.0})
    assert found.trails == {"level": ("level", "dose", "ill")}
    (change,) = found.changes
    assert (change.state, change.before) == (None, pytest.approx(1.6))
    assert change.after == pytest.approx(net.query("dose", {"level": 7.0}).mean)
    assert "the mean of dose went from 1.6 to" in found.text
    with pytest.raises(BadQuestion, match="'dose' has no states"):
        net.explain("dose", {"level": 7.0})


def test_the_state_can_be_chosen_and_the_query_written() -> None:
    net = bayou.examples.asia()
    found = net.explain("P(lung | xray=yes, smoke=yes)", state="no")
    assert found.after == pytest.approx(net.query("lung | xray=yes, smoke=yes")["no"])
    assert found.first[0].startswith("lung=no became less likely: 0.9450 → ")
    assert found.first[1].startswith("Against it speak ")
    assert found.to_frame()["finding"].tolist() == ["xray=yes", "smoke=yes"]


def test_the_document_has_trails_with_the_direction_of_their_arcs() -> None:
    document = bayou.examples.asia().explain("lung", {"xray": bayou.Not("no")}).to_dict()
    (trail,) = document["trails"]
    assert trail["names"] == ["xray", "either", "lung"]
    assert trail["arcs"] == [["either", "xray"], ["lung", "either"]]
    (finding,) = document["findings"]
    assert (finding["text"], finding["direction"]) == ("xray≠no", "for")
    assert [node["name"] for node in document["nodes"]] == ["either"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (("lung",), BadQuestion, "no finding that could explain anything"),
        (("lung", {"xray": None}), BadQuestion, "no finding that could explain anything"),
        (("lung", {"lung": "yes"}), BadQuestion, "both asked for and given"),
        ((["lung", "tub"], {"xray": "yes"}), BadQuestion, "about one variable"),
        (("lung", {"xray": "maybe"}), UnknownState, "'maybe' is not a state"),
    ],
)
def test_what_cannot_be_explained(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        bayou.examples.asia().explain(*arguments)
    with pytest.raises(UnknownState, match="'perhaps' is not a state of 'lung'"):
        bayou.examples.asia().explain("lung", {"xray": "yes"}, state="perhaps")


def test_hostile_names_are_escaped() -> None:
    name = "<script>alert('x')</script>\n"
    net = bayou.Network({"B": [name]}, states={name: ["<b>", "ok"], "B": [0, 1]})
    net.set_cpt(name, [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]])
    found = net.explain("B", {name: "ok"})
    assert "<script>" not in found._repr_html_()
    assert len(str(found).splitlines()) == len(found.first) + 1 + 1 + 2
    assert np.isfinite(found.after)


def test_what_is_not_seen_in_four_decimals_is_not_told_one_by_one() -> None:
    names = ["strong", "weak", "weaker"]
    net = bayou.Network({name: ["ill"] for name in names}, states={name: [0, 1] for name in ("ill", *names)})
    net.set_cpt("ill", [0.5, 0.5]).set_cpt("strong", [[0.9, 0.1], [0.2, 0.8]])
    net.set_cpt("weak", [[0.5, 0.5], [0.49999, 0.50001]]).set_cpt(
        "weaker", [[0.5, 0.5], [0.499999, 0.500001]]
    )
    found = net.explain("ill", dict.fromkeys(names, 1))
    assert found.first[1] == (
        "For it speaks strong=1 (without it 0.5000); leaving out the other 2 findings hardly changes it."
    )
    weak = net.explain("ill", {"weak": 1, "weaker": 1})
    assert weak.first[:2] == (
        "ill=1 is almost as likely as before: 0.5000.",
        "Leaving out 2 findings hardly changes it.",
    )


def test_a_wide_network_is_explained_by_shortest_trails(monkeypatch: pytest.MonkeyPatch) -> None:
    net = bayou.examples.asia()
    expected = net.explain("lung", {"xray": "yes", "smoke": "yes"})
    monkeypatch.setattr("bayou.explain.influence.finding_subsets.SMALL", 0)
    again = net.explain("lung", {"xray": "yes", "smoke": "yes"})
    assert again.sentences == expected.sentences
    monkeypatch.setattr("bayou.explain.influence.finding_subsets.MOST_WORK", 1.0)
    wide = net.explain("lung", {"xray": "yes", "smoke": "yes"})
    assert wide.trails == expected.trails
    assert wide.changes == ()
    assert wide.first[2] == "xray=yes acts along xray <- either <- lung."
