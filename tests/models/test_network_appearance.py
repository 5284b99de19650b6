"""What a network shows: set, read, copied, kept in files; it changes no answer."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import bayou
from bayou.errors import (
    BadFile,
    BadGraph,
    BadQuestion,
    BadVariable,
    BayouError,
    UnknownState,
    UnknownVariable,
)
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance, Submodel, TextBox


def rain() -> bayou.Network:
    return bayou.Network(
        "Rain -> Wet -> Slip", states={name: ["no", "yes"] for name in ("Rain", "Wet", "Slip")}
    )


def described() -> bayou.Network:
    net = rain().describe(title="Garden", description="A <b>wet</b> one")
    net.describe(
        "Rain", title="Rain today", description="seen\nfrom home", position=(40, 30), colour="#FF0000"
    )
    net.describe_state("Rain", "yes", title="wet days", value=1).describe_arc("Rain", "Wet", "strong")
    return net.group("weather", ["Rain", "Wet"]).group("inner", ["Wet"], inside="weather")


def test_a_network_shows_nothing_at_first() -> None:
    assert not rain().appearance
    assert rain().appearance.state() == {}
    assert rain().unread == ()


def test_what_is_set_is_read_and_the_rest_stays() -> None:
    net = described().describe("Rain", size=(80, 40)).describe("Rain", title="")
    shown = net.appearance.node("Rain")
    assert (shown.title, shown.position, shown.size, shown.colour) == ("", (40, 30), (80, 40), "#ff0000")
    assert shown.of_state("yes").title == "wet days"
    assert net.appearance.arcs == {("Rain", "Wet"): "strong"}
    assert net.appearance.submodels_of("Wet") == ("weather", "inner")
    assert net.appearance.submodels_of("Slip") == ()


def test_copies_are_independent_and_equality_ignores_it() -> None:
    net = described().fit({name: ["no", "yes", "yes"] for name in ("Rain", "Wet", "Slip")})
    twin = net.copy().describe("Rain", title="other")
    assert net.appearance.node("Rain").title == "Rain today"
    assert twin.appearance.node("Rain").title == "other"
    assert twin.same_as(net)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other.appearance == net.appearance


def test_it_is_kept_by_learning_and_in_files(tmp_path: Any) -> None:
    data = {name: ["no", "yes", "yes", "no"] for name in ("Rain", "Wet", "Slip")}
    net = described().fit(data)
    assert net.appearance == described().appearance
    net.save(tmp_path / "a.bayou")
    assert bayou.load(tmp_path / "a.bayou").appearance == net.appearance
    assert bayou.load(tmp_path / "a.bayou").same_as(net)


def test_files_without_it_still_load() -> None:
    net = rain().fit({name: ["no", "yes"] for name in ("Rain", "Wet", "Slip")})
    state = net.state()
    assert "appearance" not in state["remarks"]
    del state["remarks"]
    assert not bayou.Network.from_state(state).appearance


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda net: net.describe("Rian", title="a"), UnknownVariable, "Did you mean 'Rain'"),
        (lambda net: net.describe("Rain", title=3), BadVariable, "title must be a text; got 3"),
        (
            lambda net: net.describe("Rain", position=3),
            BadVariable,
            r"two finite numbers, such as \(120, 80\); got 3",
        ),
        (lambda net: net.describe("Rain", position=(1, float("nan"))), BadVariable, "two finite numbers"),
        (lambda net: net.describe("Rain", position=(True, 1)), BadVariable, "two finite numbers"),
        (lambda net: net.describe("Rain", position=(10**400, 1)), BadVariable, "two finite numbers"),
        (
            lambda net: net.describe("Rain", colour="red"),
            BadVariable,
            "a colour such as '#e5f6f7'; got 'red'",
        ),
        (lambda net: net.describe(colour="#ff0000"), BadQuestion, "colour belong to a node: name it"),
        (lambda net: net.describe_state("Rain", "maybe", title="a"), UnknownState, "maybe"),
        (
            lambda net: net.describe_state("Rain", "yes", value="a"),
            BadVariable,
            "value must be a finite number",
        ),
        (lambda net: net.describe_arc("Rain", "Slip", "a"), BadGraph, "'Rain' -> 'Slip' is not an arc"),
        (lambda net: net.describe_arc("Rain", "Wet", 3), BadQuestion, "note must be a text"),
        (lambda net: net.group("", ["Rain"]), BadGraph, "A submodel needs a name"),
        (lambda net: net.group("a", ["Rain"], inside="b"), BadGraph, "There is no submodel 'b'"),
        (lambda net: net.group("weather", ["Rain"], inside="inner"), BadGraph, "leave inside=… out"),
        (lambda net: net.ungroup("b"), BadGraph, "There is no submodel 'b'; there are 'weather', 'inner'"),
        (lambda net: net.losses("a.doc"), BadFile, "the ending of the name chooses the format"),
        (lambda net: net.losses(3), BadFile, "is not a path"),
        (
            lambda net: net.show_as(Appearance(arcs={("A", "B"): "x"})),
            UnknownVariable,
            "There is no variable",
        ),
    ],
)
def test_what_is_wrong_is_named(call: Any, error: type[BayouError], words: str) -> None:
    net = described()
    with pytest.raises(error, match=words):
        call(net)
    assert net.appearance == described().appearance


def test_nodes_move_between_submodels() -> None:
    net = described().group("inner", ["Slip"])
    assert net.appearance.submodels_of("Slip") == ("weather", "inner")
    net.group("weather", ["Slip"])
    assert net.appearance.submodels_of("Slip") == ("weather",)
    net.ungroup("weather")
    assert net.appearance.submodels_of("Wet") == ("inner",)
    assert net.appearance.submodels_of("Slip") == ()


def test_edits_of_the_network_change_it_alike() -> None:
    shown = described().appearance
    renamed = shown.renamed("Rain", "R")
    assert renamed.node("R").title == "Rain today"
    assert renamed.arcs == {("R", "Wet"): "strong"}
    assert renamed.submodels[0].nodes == ("R",)
    assert shown.without(["Rain"]).arcs == {}
    assert shown.without(["Rain", "Wet"]).submodels == ()
    assert shown.without_arc("Rain", "Wet").arcs == {}
    assert shown.with_state_renamed("Rain", "yes", 1).node("Rain").of_state(1).title == "wet days"
    assert shown.with_state_renamed("Rain", "yes", 1).node("Rain").of_state(True).title == ""
    assert shown.without_states("Rain", ["yes"]).node("Rain").states == ()
    assert shown.renamed("Slip", "S") == shown


def test_it_prints_as_a_table_and_in_a_notebook() -> None:
    printed = str(described().appearance)
    assert "Rain  Rain today  40, 30    seen …" in printed
    assert "Rain -> Wet: strong" in printed
    assert "submodel inner: Wet" in printed
    assert "<b>wet</b>" not in described().appearance._repr_html_()
    frame = described().appearance.to_frame()
    assert frame["x"].tolist() == [40.0]


ALL = Appearance(
    "t",
    "d",
    {
        "A": NodeAppearance(
            "t",
            "d",
            (1, 2),
            (3, 4),
            "#000000",
            "#111111",
            "#222222",
            "8 Arial",
            "n",
            "id",
            (StateAppearance(True, "t", "d", 2, "s"), StateAppearance(1, "one")),
        ),
        3: NodeAppearance("three"),
    },
    {("A", 3): "arc"},
    (Submodel("s", ("A",), (Submodel("r", (3,)),), NodeAppearance(position=(1, 2))),),
    (TextBox("free", (1, 2)),),
)


def test_values_come_back_from_json() -> None:
    import json

    assert Appearance.from_state(json.loads(json.dumps(ALL.state()))) == ALL
    assert ALL.to_dict() == ALL.state()


@pytest.mark.parametrize(
    "state",
    [
        3,
        [],
        {"odd": 1},
        {"title": 3},
        {"nodes": 3},
        {"nodes": [3]},
        {"nodes": [{}]},
        {"nodes": [{"node": "A", "position": [1]}]},
        {"nodes": [{"node": "A", "colour": "red"}]},
        {"nodes": [{"node": "A", "states": [{"title": "no state"}]}]},
        {"nodes": [{"node": ["A"]}]},
        {"arcs": [{"parent": "A", "child": "B", "note": 3}]},
        {"submodels": [{"name": 3}]},
        {"submodels": [{"name": "a", "nodes": "A"}]},
        {"texts": [{"text": 3}]},
    ],
)
def test_damaged_values_are_refused(state: Any) -> None:
    with pytest.raises(BadFile):
        Appearance.from_state(state)


def test_a_file_that_describes_another_network_is_refused() -> None:
    net = described().fit({name: ["no", "yes"] for name in ("Rain", "Wet", "Slip")})
    state = net.state()
    state["remarks"]["appearance"]["nodes"][0]["node"] = "Ghost"
    with pytest.raises(BayouError, match="Ghost"):
        bayou.Network.from_state(state)


def test_losses_are_told_for_each_format() -> None:
    net = described().fit({name: ["no", "yes", "yes"] for name in ("Rain", "Wet", "Slip")})
    assert net.losses("a.bayou") == []
    assert net.losses("a.xdsl") == ["the counts it was learned from"]
    assert net.losses(".BIF.gz") == [
        "the counts it was learned from",
        "the titles of 1 node",
        "the descriptions of 1 node",
        "the colours of 1 node",
        "the titles, descriptions or numbers of 1 state",
        "the title or description of the network",
        "1 arc note",
        "2 submodels",
    ]
    assert "the positions of 1 node" in net.losses("a.dsl")
    assert "names of variables and states" in net.losses("a.uai")[1]


def test_losses_tell_of_types_kinds_sharing_and_fractions() -> None:
    net = bayou.Network("A, B -> C", states={name: [0, 1] for name in "ABC"}, nodes={"C": bayou.NoisyOr})
    assert net.losses("a.net") == [
        "the kinds of 'C', which become plain tables",
        "types of names and states (int) for other programs, which read texts",
    ]
    assert net.describe("A", position=(1.5, 2)).losses("a.xdsl")[-1] == "the fractions of positions and sizes"
    shared = bayou.Network("A; B", states={"A": ["x"], "B": ["x"]}, share={"p": ["A", "B"]})
    assert shared.losses("a.bif") == ["which variables share parameters"]
    real = bayou.Network("x", continuous=["x"])
    assert real.losses("a.bif") == ["the variables 'x', which are not discrete: saving is refused"]
