"""The messages of Pearl's algorithm as they are shown: hand-made numbers and both ways of reading them."""

from __future__ import annotations

import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence


@pytest.fixture
def alarm() -> bayou.Network:
    """A polytree: two causes, their common effect, and what follows from it."""
    return bayou.Network(
        "Einbruch, Erdbeben -> Alarm; Alarm -> 'Anruf <b>'",
        tables={
            "Einbruch": {"ja": 0.1, "nein": 0.9},
            "Erdbeben": {"ja": 0.2, "nein": 0.8},
            "Alarm": {
                ("ja", "ja"): {"an": 0.9, "aus": 0.1},
                ("ja", "nein"): {"an": 0.8, "aus": 0.2},
                ("nein", "ja"): {"an": 0.3, "aus": 0.7},
                ("nein", "nein"): {"an": 0.0, "aus": 1.0},
            },
            "Anruf <b>": {"an": {1: 0.7, 0: 0.3}, "aus": {1: 0.1, 0: 0.9}},
        },
    )


def close(values: dict) -> object:
    return pytest.approx(values, rel=1e-12)


def test_every_number_is_the_one_computed_by_hand(alarm: bayou.Network) -> None:
    shown = alarm.messages("Einbruch", {"Anruf <b>": 1})
    assert shown.lambda_messages["Anruf <b>", "Alarm"] == close({"an": 0.7, "aus": 0.1})
    assert shown.pi_messages["Erdbeben", "Alarm"] == close({"ja": 0.2, "nein": 0.8})
    assert shown.pi_messages["Einbruch", "Alarm"] == close({"ja": 0.1, "nein": 0.9})
    burglary = 0.2 * (0.9 * 0.7 + 0.1 * 0.1) + 0.8 * (0.8 * 0.7 + 0.2 * 0.1)
    none = 0.2 * (0.3 * 0.7 + 0.7 * 0.1) + 0.8 * 0.1
    assert shown.lambda_messages["Alarm", "Einbruch"] == close({"ja": burglary, "nein": none})
    on = 0.1 * (0.2 * 0.9 + 0.8 * 0.8) + 0.9 * 0.2 * 0.3
    assert shown.pi["Alarm"] == close({"an": on, "aus": 1 - on})
    assert shown.lambda_["Alarm"] == close({"an": 0.7, "aus": 0.1})
    assert shown.lambda_["Anruf <b>"] == {1: 1.0, 0: 0.0}
    total = 0.1 * burglary + 0.9 * none
    assert shown.belief["Einbruch"] == close({"ja": 0.1 * burglary / total, "nein": 0.9 * none / total})
    posterior = alarm.query("Einbruch", {"Anruf <b>": 1})
    assert posterior.to_dict() == close(shown.belief["Einbruch"])
    assert posterior.log_evidence == pytest.approx(shown.log_evidence)


def test_both_messages_of_every_arc_are_there_once(alarm: bayou.Network) -> None:
    shown = alarm.messages("Einbruch", {"Anruf <b>": 1})
    assert set(shown.pi_messages) == set(alarm.arcs)
    assert set(shown.lambda_messages) == {(child, parent) for parent, child in alarm.arcs}


def test_the_text_says_each_step_in_order(alarm: bayou.Network) -> None:
    text = str(alarm.messages("Einbruch | 'Anruf <b>'=1"))
    assert text.startswith("P(Einbruch | Anruf <b>=1)\nFound: λ₀(Anruf <b>) = 1 for 1, 0 for 0\n")
    steps = [
        "λ_Anruf <b>(Alarm) = Σ_(Anruf <b>) P(Anruf <b> | Alarm) · λ(Anruf <b>)",
        "Erdbeben to Alarm: π_Alarm(Erdbeben) = π(Erdbeben)",
        "3. Alarm to Einbruch: λ_Alarm(Einbruch) = Σ_(Alarm, Erdbeben) "
        "P(Alarm | Einbruch, Erdbeben) · λ(Alarm) · π_Alarm(Erdbeben)",
        "4. Einbruch to Alarm: π_Alarm(Einbruch) = π(Einbruch)",
        "Einbruch: π(Einbruch) · λ(Einbruch), divided by its sum",
    ]
    places = [text.index(step) for step in steps]
    assert places[2:] == sorted(places[2:])
    assert max(places[:2]) < places[2]


def test_html_is_escaped(alarm: bayou.Network) -> None:
    page = alarm.messages("Einbruch", {"Anruf <b>": 1})._repr_html_()
    assert "Anruf &lt;b&gt;" in page
    assert "<b>" not in page


def test_barren_variables_are_named_and_send_nothing(alarm: bayou.Network) -> None:
    shown = alarm.messages("Alarm")
    assert "Not needed (they sum to 1): Anruf <b>" in str(shown)
    assert "Anruf <b>" not in shown.pi


def test_impossible_findings_are_named(alarm: bayou.Network) -> None:
    given = {"Einbruch": "nein", "Erdbeben": "nein", "Alarm": "an", "Anruf <b>": 0}
    with pytest.raises(ImpossibleEvidence, match="Einbruch=nein, Erdbeben=nein, Alarm=an"):
        alarm.messages((), given)


def test_states_that_a_dict_can_not_tell_apart_are_not_lost() -> None:
    net = bayou.Network("R", states={"R": [1, True]}, tables={"R": [0.25, 0.75]})
    with pytest.raises(BadQuestion, match="1 and True"):
        _ = net.messages("R").pi
    assert net.messages("R").propagation.pi("R").values.tolist() == [0.25, 0.75]
    assert "0.75" in str(net.messages("R"))
