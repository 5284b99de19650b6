"""Edits over HTTP against the same edits of the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from tests.server.running_server import running

import bayou


@pytest.fixture(scope="module")
def editor(models: list[str]) -> Iterator[httpx.Client]:
    with running("serve", *models, "--port", "0", "--allow", "edits") as server, server.client() as client:
        yield client


def revision_after(client: httpx.Client, model: str, *edits: dict[str, Any]) -> str:
    answer = client.post(f"/v1/models/{model}/edits", json={"edits": edits})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["revision"])


def network_of(client: httpx.Client, revision: str, folder: Path) -> bayou.Network:
    """The network that the server has, as a file brings it."""
    file = folder / f"{revision}.bayou"
    file.write_bytes(client.get(f"/v1/models/{revision}/file?format=bayou").content)
    found = bayou.load(file)
    assert isinstance(found, bayou.Network)
    return found


def require_equal(found: bayou.Network, wanted: bayou.Network) -> None:
    assert found.names == wanted.names
    assert found.arcs == wanted.arcs
    for name in wanted.names:
        assert found.states(name) == wanted.states(name)
    names = list(wanted.names)
    joint, expected = found.query(names).to_array(), wanted.query(names).to_array()
    assert np.abs(joint - expected).max() < 1e-12


ASIA_EDITS: dict[str, tuple[dict[str, Any], Any]] = {
    "add_node": (
        {"name": "age", "states": ["old", "young"], "parents": ["smoke"], "rows": [[0.3, 0.7], [0.9, 0.1]]},
        lambda net: net.add_node("age", ["old", "young"], ["smoke"], [[0.3, 0.7], [0.9, 0.1]]),
    ),
    "rename_node": ({"variable": "tub", "name": "TB"}, lambda net: net.rename_node("tub", "TB")),
    "remove_node": ({"variable": "smoke"}, lambda net: net.remove_node("smoke")),
    "absorb_node": ({"variable": "either"}, lambda net: net.absorb_node("either")),
    "add_arc": ({"parent": "asia", "child": "dysp"}, lambda net: net.add_arc("asia", "dysp")),
    "remove_arc": ({"parent": "smoke", "child": "lung"}, lambda net: net.remove_arc("smoke", "lung")),
    "reverse_arc": ({"parent": "smoke", "child": "lung"}, lambda net: net.reverse_arc("smoke", "lung")),
    "reorder_parents": (
        {"variable": "dysp", "order": list(reversed(bayou.examples.asia().parents("dysp")))},
        lambda net: net.reorder_parents("dysp", list(reversed(net.parents("dysp")))),
    ),
    "add_state": (
        {"variable": "smoke", "state": "sometimes", "at": 1, "like": "yes"},
        lambda net: net.add_state("smoke", "sometimes", at=1, like="yes"),
    ),
    "rename_state": (
        {"variable": "xray", "state": "yes", "name": "abnormal"},
        lambda net: net.rename_state("xray", "yes", "abnormal"),
    ),
    "remove_state": (
        {"variable": "smoke", "state": "no"},
        lambda net: net.remove_state("smoke", "no"),
    ),
    "reorder_states": (
        {"variable": "smoke", "order": list(reversed(bayou.examples.asia().states("smoke")))},
        lambda net: net.reorder_states("smoke", list(reversed(net.states("smoke")))),
    ),
    "set_row": (
        {"variable": "lung", "given": ["yes"], "row": [3, 1], "normalise": True},
        lambda net: net.set_row("lung", [0.75, 0.25], {"smoke": "yes"}),
    ),
    "set_table": (
        {"variable": "lung", "rows": [[0.5, 0.5], [0.125, 0.875]]},
        lambda net: net.set_cpt("lung", np.array([[0.5, 0.5], [0.125, 0.875]])),
    ),
    "set_noisy_or": (
        {
            "variable": "dysp",
            "causes": [{"parent": "bronc", "chance": 0.7}, {"parent": "either", "chance": 0.6}],
            "leak": 0.1,
        },
        lambda net: net.set_cpt("dysp", bayou.NoisyOr({"bronc": 0.7, "either": 0.6}, leak=0.1)),
    ),
}


@pytest.mark.parametrize("name", ASIA_EDITS)
def test_an_edit_is_that_of_the_library(editor: httpx.Client, name: str, tmp_path: Path) -> None:
    members, by_library = ASIA_EDITS[name]
    revision = revision_after(editor, "asia", {"edit": name, **members})
    require_equal(network_of(editor, revision, tmp_path), by_library(bayou.examples.asia()))


def test_a_revision_stays_as_it_is(editor: httpx.Client, tmp_path: Path) -> None:
    before = editor.get("/v1/models/asia").json()["revision"]
    after = revision_after(editor, before, {"edit": "remove_node", "variable": "xray"})
    assert after != before
    require_equal(network_of(editor, before, tmp_path), bayou.examples.asia())
    assert revision_after(editor, before, {"edit": "remove_node", "variable": "xray"}) == after


def test_a_network_is_built_from_nothing_and_asked(editor: httpx.Client) -> None:
    states = ["no", "yes"]
    edits = [
        {"edit": "add_node", "name": "Rain", "states": states, "rows": [[0.8, 0.2]], "position": [10, 20]},
        {"edit": "add_node", "name": "Sprinkler", "states": states},
        {"edit": "add_node", "name": "Grass", "states": states},
        {"edit": "add_arc", "parent": "Rain", "child": "Sprinkler"},
        {"edit": "set_table", "variable": "Sprinkler", "rows": [[0.6, 0.4], [0.99, 0.01]]},
        {"edit": "add_arc", "parent": "Rain", "child": "Grass"},
        {"edit": "add_arc", "parent": "Sprinkler", "child": "Grass"},
        {
            "edit": "set_table",
            "variable": "Grass",
            "rows": [[1, 0], [0.1, 0.9], [0.2, 0.8], [0.01, 0.99]],
        },
        {"edit": "describe", "title": "Garden"},
    ]
    begun = editor.post("/v1/models", json={"edits": edits})
    assert begun.status_code == 201, begun.text
    address = f"/v1/models/{begun.json()['revision']}"
    assert editor.get(address).json()["title"] == "Garden"
    asked = {"targets": ["Rain"], "findings": [{"variable": "Grass", "state": "yes"}]}
    found = {
        row["states"][0]: row["p"]
        for row in editor.post(f"{address}/query", json=asked).json()["probabilities"]
    }
    wet = {"no": 0.8 * (0.4 * 0.9), "yes": 0.2 * (0.99 * 0.8 + 0.01 * 0.99)}
    assert found["yes"] == pytest.approx(wet["yes"] / sum(wet.values()), abs=1e-12)


def test_an_empty_network_can_be_begun_and_seen(editor: httpx.Client) -> None:
    begun = editor.post("/v1/models", json={"edits": []}).json()["revision"]
    assert editor.get(f"/v1/models/{begun}").json()["variables"] == []
    assert editor.post(f"/v1/models/{begun}/beliefs", json={}).json()["beliefs"] == []


def test_names_and_states_keep_their_types(editor: httpx.Client, tmp_path: Path) -> None:
    pair = {"type": "tuple", "value": ["a", "b"]}
    edits = [
        {"edit": "set_row", "variable": pair, "given": [False], "row": [0.5, 0.25, 0.25]},
        {"edit": "rename_state", "variable": pair, "state": 2.5, "name": "2.5"},
        {"edit": "add_node", "name": "1", "states": [1, "1"], "parents": [1]},
    ]
    found = network_of(editor, revision_after(editor, "odd", *edits), tmp_path)
    assert found.states(("a", "b")) == (1, "2.5", "x")
    assert found.cpt(("a", "b"))[False, 1] == 0.5
    assert found.parents("1") == (1,)
    assert [type(state) for state in found.states("1")] == [int, str]


def test_positions_and_texts_are_kept(editor: httpx.Client, tmp_path: Path) -> None:
    edits = [
        {"edit": "move", "variable": "lung", "position": [120.5, 40]},
        {"edit": "describe", "variable": "lung", "title": "Lung cancer", "table_note": "from a textbook"},
        {"edit": "describe_arc", "parent": "smoke", "child": "lung", "note": "well known"},
    ]
    shown = network_of(editor, revision_after(editor, "asia", *edits), tmp_path).appearance
    lung = shown.node("lung")
    assert (lung.position, lung.title, lung.table_note) == ((120.5, 40), "Lung cancer", "from a textbook")
    assert shown.arcs["smoke", "lung"] == "well known"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ({"edit": "add_arc", "parent": "dysp", "child": "asia"}, "asia -> tub -> either -> dysp -> asia"),
        ({"edit": "remove_node", "variable": "lungs"}, "Did you mean 'lung'?"),
        ({"edit": "remove_node", "variable": "lung | smoke=yes"}, "There is no variable"),
        ({"edit": "set_row", "variable": "lung", "row": [0.5, 0.5]}, "1 parents"),
        ({"edit": "set_row", "variable": "lung", "given": ["yes"], "row": [0.5, 0.6]}, "1.1"),
        ({"edit": "set_table", "variable": "lung", "rows": [[0.5, 0.5]]}, "2 rows of 2 numbers"),
        ({"edit": "describe", "table_note": "?"}, "belongs to a variable"),
        ({"edit": "rename_node", "variable": "lung", "name": "tub"}, "tub"),
        ({"edit": "explode"}, "explode"),
    ],
)
def test_a_refused_edit_is_told_and_nothing_follows(
    editor: httpx.Client, edit: dict[str, Any], told: str
) -> None:
    first = {"edit": "remove_node", "variable": "xray"}
    answer = editor.post("/v1/models/asia/edits", json={"edits": [first, edit]})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.json()["detail"]
    assert answer.json().get("edit", 1) == 1


def test_a_server_that_only_answers_makes_no_revisions(client: httpx.Client) -> None:
    def revisions() -> list[str]:
        return [line for line in client.get("/metrics").text.splitlines() if "bayou_revisions" in line]

    before = revisions()
    file = {"content": b"network x {}", "headers": {"Content-Type": "application/octet-stream"}}
    for address, sent in (
        ("/v1/models/asia/edits", {"json": {"edits": []}}),
        ("/v1/models", {"json": {"edits": []}}),
        ("/v1/models", file),
        ("/v1/gallery/asia", {"json": {}}),
        ("/v1/gallery/none", {"json": {}}),
    ):
        answer = client.post(address, **sent)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["type"]) == (403, "read-only"), address
        assert "--allow edits" in answer.json()["detail"]
    assert revisions() == before


def test_the_description_has_the_edits(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    assert "/v1/models/{model}/edits" in described["paths"]
    assert {"AddNode", "SetTable", "EditsRequest"} <= set(described["components"]["schemas"])


def test_the_listing_tells_whether_edits_are_allowed(editor: httpx.Client, client: httpx.Client) -> None:
    assert editor.get("/v1/models").json()["can_edit"] is True
    assert client.get("/v1/models").json()["can_edit"] is False


def middles(drawing: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The middle of each box in the coordinates of the network."""
    return {
        one["name"]: (
            round(one["box"]["x"] + one["box"]["width"] / 2 + drawing["left"], 6),
            round(one["box"]["y"] + one["box"]["height"] / 2 + drawing["top"], 6),
        )
        for one in drawing["variables"]
    }


def drawn(client: httpx.Client, model: str, places: dict[str, Any], loose: tuple[str, ...] = ()) -> Any:
    told = [{"variable": name, "position": place} for name, place in places.items()]
    answer = client.post(f"/v1/models/{model}/drawing", json={"places": told, "loose": loose})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_after_an_edit_only_what_must_move_moves(editor: httpx.Client) -> None:
    before = middles(editor.get("/v1/models/asia").json())
    added = {"edit": "add_node", "name": "age", "states": ["old", "young"]}
    revision = revision_after(editor, "asia", added, {"edit": "add_arc", "parent": "age", "child": "lung"})
    after = drawn(editor, revision, before)
    places = middles(after)
    assert {name: places[name] for name in before} == before
    assert places["age"][1] < places["lung"][1]
    assert after["revision"] == revision
    assert middles(drawn(editor, revision, places)) == places


def test_only_loose_boxes_go_below_a_new_parent(editor: httpx.Client) -> None:
    before = middles(editor.get("/v1/models/asia").json())
    revision = revision_after(editor, "asia", {"edit": "add_arc", "parent": "xray", "child": "bronc"})
    stayed = middles(drawn(editor, revision, before))
    assert stayed == before
    moved = middles(drawn(editor, revision, before, ("bronc", "dysp")))
    assert moved["bronc"][1] > moved["xray"][1]
    assert moved["dysp"][1] > moved["bronc"][1]
    rest = set(before) - {"bronc", "dysp"}
    assert {name: moved[name] for name in rest} == {name: before[name] for name in rest}


def test_a_position_of_the_network_counts_more_than_a_place(editor: httpx.Client) -> None:
    before = middles(editor.get("/v1/models/asia").json())
    revision = revision_after(
        editor, "asia", {"edit": "move", "variable": "lung", "position": [900.0, -40.0]}
    )
    after = middles(drawn(editor, revision, {**before, "unknown": (1.0, 2.0)}))
    assert after.pop("lung") == (900.0, -40.0)
    assert after == {name: place for name, place in before.items() if name != "lung"}


def test_an_empty_network_is_drawn(editor: httpx.Client) -> None:
    revision = editor.post("/v1/models", json={"edits": []}).json()["revision"]
    assert drawn(editor, revision, {})["variables"] == []
    assert editor.post(f"/v1/models/{revision}/beliefs", json={"findings": []}).json()["beliefs"] == []


@pytest.mark.parametrize("place", [[1e300, 0.0], ["a", 0.0], [0.0]])
def test_places_are_two_numbers(editor: httpx.Client, place: list[Any]) -> None:
    told = {"places": [{"variable": "lung", "position": place}]}
    assert editor.post("/v1/models/asia/drawing", json=told).status_code == 422


def test_variables_are_copied_to_another_network(editor: httpx.Client, tmp_path: Path) -> None:
    asia = bayou.examples.asia()
    described = {"edit": "describe", "variable": "lung", "title": "Lung cancer"}
    noted = {"edit": "describe_arc", "parent": "smoke", "child": "lung", "note": "known since 1950"}
    source = revision_after(editor, "asia", described, noted)
    answer = editor.post(f"/v1/models/{source}/copy", json={"variables": ["smoke", "lung", "bronc"]})
    content = answer.json()["content"]
    began = editor.post("/v1/models", json={"edits": [{"edit": "paste", "content": content}]})
    net = network_of(editor, began.json()["revision"], tmp_path)
    require_equal(net, asia.subnetwork(["smoke", "lung", "bronc"]))
    assert net.appearance.node("lung").title == "Lung cancer"
    assert net.appearance.arcs == {("smoke", "lung"): "known since 1950"}
    paste = {"edit": "paste", "content": content}
    twice = network_of(editor, revision_after(editor, "asia", paste, paste), tmp_path)
    assert twice.names[-6:] == ("smoke 2", "lung 2", "bronc 2", "smoke 3", "lung 3", "bronc 3")
    assert np.allclose(twice.cpt("lung 3").to_array(), asia.cpt("lung").to_array(), atol=1e-15)


@pytest.mark.parametrize("content", ["/etc/passwd", "http://localhost/", "", "bm8gbmV0d29yaw==", "*.csv"])
def test_only_copied_variables_are_pasted(editor: httpx.Client, content: str) -> None:
    answer = editor.post("/v1/models/asia/edits", json={"edits": [{"edit": "paste", "content": content}]})
    assert answer.status_code == 422
    assert "Copy the variables again" in answer.json()["detail"]
