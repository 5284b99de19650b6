"""bayou show and bayou convert."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayou
from bayou.loading import load
from bayou.models.network import Network
from tests.cli.conftest import Run, RunJson


def test_show_prints_the_network_and_its_tables(run: Run) -> None:
    printed = run("show", "rain.bif").stdout
    net = load("rain.bif")
    assert printed.startswith("Network of 2 variables and 1 arc\n6 parameters, 3 free")
    assert str(net.cpt("Rain")) in printed
    assert str(net.cpt("Wet")) in printed


def test_show_prints_the_tables_that_are_named_whatever_their_size(run: Run) -> None:
    net = Network("a -> b", states={"a": list(range(30)), "b": ["no", "yes"]})
    net.set_cpt("a", [1 / 30] * 30).set_cpt("b", [[0.25, 0.75]] * 30).save("large.bayou")
    assert run("show", "large.bayou", "b").stdout.count("0.7500") == 30
    assert "P(b | a)" in run("show", "large.bayou").stdout
    assert run("show", "rain.bif", "Wet").stdout == f"{load('rain.bif').cpt('Wet')}\n"


def test_names_that_are_numbers_are_found_by_their_text(run: Run) -> None:
    assert run("show", "weird.bayou", "7").stdout.startswith("P(7 | größe, cm)")


def test_show_json_holds_the_tables(run_json: RunJson) -> None:
    document = run_json("show", "rain.bif")
    assert [variable["name"] for variable in document["variables"]] == ["Rain", "Wet"]
    assert document["variables"][1]["table"] == [[0.9, 0.1], [0.2, 0.8]]
    assert document["arcs"] == [["Rain", "Wet"]]
    assert document["parameters"]["free"] == 3


def test_arcs_are_text_that_fit_takes(run: Run, run_json: RunJson) -> None:
    half = {"no": 0.5, "yes": 0.5}
    net = Network({"a -> b": [], "größe; 'x'": ["a -> b"]})
    net.set_cpt("a -> b", half).set_cpt("größe; 'x'", {"no": half, "yes": half}).save("odd.bayou")
    assert Network(run("show", "odd.bayou", "--arcs").stdout).dag == net.dag
    assert run_json("show", "rain.bif", "--arcs") == {"arcs": [["Rain", "Wet"]], "text": "Rain -> Wet"}


def test_independencies_blanket_and_separation(run: Run, run_json: RunJson) -> None:
    yes = {"no": 0.5, "yes": 0.5}
    tables = {"Storm": yes, "Bus": yes, "Fire": {(a, b): yes for a in yes for b in yes}}
    Network("Storm -> Fire <- Bus", tables=tables).save("fire.bif")
    assert "Storm ⟂ Bus" in run("show", "fire.bif", "--independencies").stdout
    assert run_json("show", "fire.bif", "--blanket", "Storm")["blanket"] == ["Fire", "Bus"]
    assert run("show", "fire.bif", "--dsep", "Storm ; Bus").stdout.startswith(
        "Storm and Bus are d-separated."
    )
    verdict = run_json("show", "fire.bif", "--dsep", "Storm ; Bus | Fire")
    assert verdict["separated"] is False
    assert verdict["open_trail"] == ["Storm", "Fire", "Bus"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["Rian"], 1, "Did you mean 'Rain'?"),
        (["--blanket", "Rian"], 1, "Did you mean 'Rain'?"),
        (["--blanket", ""], 1, "There is no variable ''"),
        (["--dsep", "Rain | Wet"], 1, "write for example"),
        (["--dsep", "Rain ; Wet | Wet"], 1, "name it in one place only"),
        (["Rain", "--arcs"], 2, "Choose one"),
    ],
)
def test_what_cannot_be_shown_says_why(run: Run, arguments: list[str], code: int, message: str) -> None:
    assert message in run("show", "rain.bif", *arguments, exit_code=code).stderr


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"PK\x03\x04 not a zip", b"\x1f\x8b broken"])
def test_a_damaged_file_is_named(run: Run, folder: Path, content: bytes) -> None:
    (folder / "damaged.bif").write_bytes(content)
    assert "damaged.bif" in run("show", "damaged.bif", exit_code=1).stderr


def test_convert_keeps_the_network(run: Run, run_json: RunJson) -> None:
    assert run("convert", "rain.bif", "a.bayou").stdout == "Saved 2 variables and 1 arc to a.bayou\n"
    run("convert", "a.bayou", "b.bif.gz")
    assert load("b.bif.gz").same_as(load("rain.bif"))
    assert run_json("convert", "b.bif.gz", "c.bif")["not_kept"] == []


def test_convert_says_what_the_format_does_not_keep(run: Run, run_json: RunJson) -> None:
    run("fit", "rain.csv", "--network", "Rain; Wet", "--share", "p=Rain,Wet", "-o", "shared.bayou")
    kept = run_json("convert", "shared.bayou", "shared.bif")["not_kept"]
    assert kept == ["the counts it was learned from", "which variables share parameters"]
    assert "does not keep" in run("convert", "shared.bayou", "shared.bif").stdout


def test_convert_says_what_was_not_read_and_what_of_the_drawing_is_lost(
    run: Run, run_json: RunJson, folder: Path
) -> None:
    node = 'node X { states = (a, b); probs = (0.5, 0.5); title = "first"; belief = (0.5, 0.5); };'
    (folder / "net.dne").write_text(f"bnet n {{ {node} }};")
    shown = run("convert", "net.dne", "net.bif").stdout
    assert "Not read from net.dne: belief of 'X'." in shown
    assert "This format does not keep: the titles of 1 node." in shown
    told = run_json("convert", "net.dne", "net.xdsl")
    assert (told["not_read"], told["not_kept"]) == (["belief of 'X'"], [])
    assert load("net.xdsl").appearance.node("X").title == "first"


def test_convert_makes_a_page_in_one_file(run: Run, run_json: RunJson, folder: Path) -> None:
    assert "shows and asks" in run("convert", "rain.bif", "rain.html").stdout
    page = (folder / "rain.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<title>rain · bayou</title>" in page
    assert len(run_json("convert", "rain.bif", "again.html")["not_kept"]) == 1


def test_convert_refuses_to_overwrite_its_input_even_under_another_name(run: Run, folder: Path) -> None:
    (folder / "link.bif").symlink_to("rain.bif")
    before = (folder / "rain.bif").read_bytes()
    assert "--force" in run("convert", "rain.bif", "link.bif", exit_code=1).stderr
    assert (folder / "rain.bif").read_bytes() == before


def test_convert_refuses_a_folder_and_an_unknown_ending(run: Run, folder: Path) -> None:
    (folder / "folder.bif").mkdir()
    assert "it is a folder" in run("convert", "rain.bif", "folder.bif", exit_code=1).stderr
    assert ".bayou" in run("convert", "rain.bif", "rain.jsn", exit_code=1).stderr


def test_convert_to_a_text_and_back_keeps_every_kind_of_model(run: Run, folder: Path) -> None:
    bayou.NaiveBayes().fit({"x": ["a", "b"]}, ["u", "v"]).save(folder / "bayes.bayou")
    bayou.examples.casino().save(folder / "casino.bayou")
    for name, said in (("bayes", "Saved a NaiveBayes to"), ("casino", "Saved a HMM to")):
        assert said in run("convert", f"{name}.bayou", f"{name}.json").stdout
        run("convert", f"{name}.json", f"{name}2.bayou")
        assert (folder / f"{name}2.bayou").read_bytes() == (folder / f"{name}.bayou").read_bytes()
    assert "not a network" in run("convert", "bayes.bayou", "bayes.bif", exit_code=1).stderr


def test_json_may_stand_before_the_command(run: Run, run_json: RunJson) -> None:
    assert json.loads(run("--json", "show", "rain.bif").stdout) == run_json("show", "rain.bif")
    assert json.loads(run("--json", "show", "rian.bif", exit_code=1).stdout)["error"]["kind"] == "BadFile"
    assert json.loads(run("--json", "shw", exit_code=2).stdout)["error"]["kind"] == "Usage"
    assert run("show", "rain.bif").stdout.startswith("Network of")


def test_the_endings_are_those_of_the_library() -> None:
    from bayou.cli.network_text import NETWORK_ENDINGS
    from bayou.formats import ENDINGS

    assert set(NETWORK_ENDINGS) == {
        ".bayou",
        ".json",
        ".json.gz",
        *ENDINGS,
        *(f"{ending}.gz" for ending in ENDINGS),
    }


def test_a_network_is_drawn(run: Run, run_json: RunJson) -> None:
    assert "Drawn in rain.svg" in run("show", "rain.bif", "--svg", "rain.svg").stdout
    assert ">Wet<" in Path("rain.svg").read_text(encoding="utf-8")
    assert run_json("show", "rain.bif", "--svg", "rain.svg")["picture"] == "rain.svg"


def test_two_networks_are_compared_and_drawn_in_one(run: Run, run_json: RunJson) -> None:
    Network("Rain; Wet", states={"Rain": ["no", "yes"], "Wet": ["no", "yes"]}).set_cpt(
        "Rain", [0.8, 0.2]
    ).set_cpt("Wet", [0.5, 0.5]).save("apart.bayou")
    printed = run("show", "apart.bayou", "--compare", "rain.bif", "--svg", "both.svg").stdout
    assert "structural Hamming distance     1" in printed
    assert "missing: Rain -> Wet" in printed
    assert ">missing (1)<" in Path("both.svg").read_text(encoding="utf-8")
    found = run_json("show", "apart.bayou", "--compare", "rain.bif")
    assert (found["distance"], found["missing"]) == (1, [["Rain", "Wet"]])
    same = run("show", "rain.bayou", "--compare", "weird.bayou", exit_code=1).stderr
    assert "same nodes can be compared" in same


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--svg", "rain.png"], 1, "the ending chooses the format"),
        (["--svg", "no folder/rain.svg"], 1, "there is no folder"),
        (["--arcs", "--svg", "rain.svg"], 2, "--svg draws the whole network"),
        (["Rain", "--svg", "rain.svg"], 2, "--svg draws the whole network"),
        (["--compare", "rian.bif"], 1, "Did you mean 'rain.bif'"),
        (["--arcs", "--compare", "rain.bif"], 2, "Choose one"),
    ],
)
def test_pictures_that_cannot_be_drawn(run: Run, arguments: list[str], code: int, message: str) -> None:
    assert message in run("show", "rain.bif", *arguments, exit_code=code).stderr


def test_show_prints_a_linear_gaussian_model_and_other_commands_refuse_it(
    run: Run, run_json: RunJson
) -> None:
    bayou.KalmanModel.local_trend(0.5, 0.1, 2.0).save("trend.bayou")
    assert "next state  level ×  slope ×" in run("show", "trend.bayou").stdout
    assert run_json("show", "trend.bayou")["observation_noise"] == [[2.0]]
    for line in (
        ["query", "trend.bayou", "level"],
        ["predict", "trend.bayou", "rain.csv"],
    ):
        assert "linear Gaussian model of series" in run(*line, exit_code=1).output
