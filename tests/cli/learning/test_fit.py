"""bayou fit."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest
from tests.cli.conftest import Run, RunJson

from bayou.loading import load
from bayou.models.network import Network

ARROWS = "Rain -> Wet"


def test_fit_learns_what_the_library_learns_and_saves_it(run: Run) -> None:
    printed = run("fit", "rain.csv", "--network", ARROWS, "-o", "learned.bayou").stdout
    assert "Learned from 4 rows" in printed
    assert "Saved to learned.bayou" in printed
    net = Network(ARROWS).fit("rain.csv")
    assert str(net.cpt("Wet")) in printed
    assert load("learned.bayou").same_as(net)


def test_a_case_file_is_learned_from_with_its_weights(run: Run) -> None:
    Path("days.cas").write_text(
        "// ~->[CASE-1]->~\nIDnum NumCases Rain Wet\n1 3 yes yes\n2 2 no *  // not looked at\n3 4 no no\n"
    )
    run("fit", "days.cas", "--network", "Rain", "-o", "learned.bayou")
    assert load("learned.bayou").query("Rain")["yes"] == pytest.approx((3 + 1) / (9 + 2))


@pytest.mark.parametrize(
    ("text", "prior"), [("ml", 0), ("laplace:0.5", 0.5), ("2", 2), ("bdeu", "bdeu"), ("LAPLACE", 1)]
)
def test_a_prior_as_text_is_that_prior(run: Run, text: str, prior: object) -> None:
    run("fit", "rain.csv", "--network", ARROWS, "--prior", text, "-o", "learned.bayou")
    assert load("learned.bayou").same_as(Network(ARROWS).fit("rain.csv", prior=prior))


def test_a_prior_with_its_strength(run: Run) -> None:
    from bayou.distributions import BDeu, MEstimate

    for text, prior in (("bdeu:4", BDeu(4)), ("m:3", MEstimate(3))):
        run("fit", "rain.csv", "--network", ARROWS, "--prior", text, "-o", "learned.bayou")
        assert load("learned.bayou").same_as(Network(ARROWS).fit("rain.csv", prior=prior))


def test_weights_count_rows_more_than_once(run_json: RunJson) -> None:
    learned = run_json("fit", "rain.csv", "--network", "Rain", "--weights", "n", "--prior", "ml")
    assert learned["rows"] == 7
    assert learned["network"]["variables"][0]["table"] == pytest.approx([4 / 7, 3 / 7])


def test_declared_states_keep_their_order_and_get_mass(run_json: RunJson) -> None:
    learned = run_json("fit", "rain.csv", "--network", ARROWS, "--states", "Wet=yes, no, 'very, very'")
    assert learned["network"]["variables"][1]["states"] == ["yes", "no", "very, very"]


def test_declared_whole_numbers_are_numbers(run_json: RunJson, folder: Path) -> None:
    (folder / "r.csv").write_text("R,S\n1,1\n2,1\n", encoding="utf-8")
    options = ("--states", "R=1,2,3", "--states", "S='1','2'")
    first, second = run_json("fit", "r.csv", "--network", "R; S", *options)["network"]["variables"]
    assert first["states"] == [1, 2, 3]
    assert second["states"] == ["1", "2"]


def test_sharing_and_continuous_variables(run_json: RunJson, folder: Path) -> None:
    (folder / "r.csv").write_text("G,R1,R2,h\nd,1,2,1.5\nc,2,2,2.5\nd,1,1,3.5\n", encoding="utf-8")
    options = ("--share", "p_R=R1,R2", "--continuous", "h")
    learned = run_json("fit", "r.csv", "--network", "G -> R1, R2, h", *options)["network"]
    assert learned["sharing"] == {"p_R": ["R1", "R2"]}
    assert learned["variables"][1]["table"] == learned["variables"][2]["table"]
    assert learned["variables"][3]["kind"] == "continuous"


def test_the_structure_can_come_from_a_network_or_a_text_file(run: Run, folder: Path) -> None:
    (folder / "arrows.txt").write_text("# what wets the grass\nRain -> Wet\n", encoding="utf-8")
    for structure in ("rain.bif", "rain.bayou", "arrows.txt"):
        run("fit", "rain.csv", "--network", structure, "-o", "learned.bayou")
        assert load("learned.bayou").same_as(Network(ARROWS).fit("rain.csv"))


def test_add_learns_on_from_the_counts(run: Run) -> None:
    run("fit", "rain.csv", "--network", ARROWS, "-o", "once.bayou")
    run("fit", "rain.csv", "--add", "once.bayou", "-o", "twice.bayou")
    assert load("twice.bayou").same_as(Network(ARROWS).fit("rain.csv").partial_fit("rain.csv"))


def test_without_output_it_says_that_nothing_was_saved(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert "Not saved" in run("fit", "rain.csv", "--network", ARROWS).stdout
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "--network", ARROWS], "The name of a file is empty"),
        (["rian.csv", "--network", ARROWS], "Did you mean 'rain.csv'?"),
        (["rain.csv", "--network", "Rian -> Wet"], "Did you mean 'Rain'?"),
        (["rain.csv", "--network", "Rain -> Wet -> Rain"], "The arcs form a cycle"),
        (["rain.csv", "--network", "Rain -> "], "expected a name after '->'"),
        (["rain.csv", "--network", "rian.bif"], "Did you mean 'rain.bif'?"),
        (["rain.bif", "--network", ARROWS], "expected .csv, .tsv"),
        (["empty.csv", "--network", ARROWS], "the file is empty"),
        (["header.csv", "--network", ARROWS], "The states of 'Rain' are unknown: the table has no rows"),
        (["header.csv", "--network", "Rain", "--states", "Rain=no,yes"], "There is no row to learn from"),
        (["rain.csv", "--network", ARROWS, "--states", "Rian=a,b"], "Did you mean 'Rain'?"),
        (["rain.csv", "--network", ARROWS, "--states", "Rain=no,maybe"], "'yes'"),
        (["rain.csv", "--network", ARROWS, "--weights", "m"], "'m'"),
        (["rain.csv", "--network", ARROWS, "--weights", "Wet"], "it cannot be both"),
        (["rain.csv", "--network", ARROWS, "--share", "p=Rain,Wet"], "the same number of parents"),
        (["rain.csv", "--add", "rain.bif"], "has no counts to add to"),
        (
            ["rain.csv", "--network", ARROWS, "-o", "learned.xyz"],
            ".bayou, .json, .json.gz, .bif, .xmlbif",
        ),
        (["rain.csv", "--network", ARROWS, "-o", "no/learned.bif"], "there is no folder 'no'"),
        (["rain.csv", "--network", "rain.bif", "-o", "rain.bif"], "add --force"),
    ],
)
def test_what_cannot_be_learned_is_named_with_its_remedy(
    run: Run, folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "empty.csv").write_bytes(b"")
    (folder / "header.csv").write_bytes(b"Rain,Wet\n")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    failed = run("fit", *arguments, exit_code=1)
    assert message in failed.stderr
    assert failed.stdout == ""
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rain.csv"], "--network"),
        (["rain.csv", "--network", " "], "--network"),
        (["rain.csv", "--network", ARROWS, "--add", "rain.bayou"], "--add"),
        (["rain.csv", "--add", "rain.bayou", "--states", "Rain=a,b"], "keeps its own states"),
        (["rain.csv", "--network", ARROWS, "--prior", "strong"], "bdeu:10"),
        (["rain.csv", "--network", ARROWS, "--prior", "bdeu:-1"], "not negative"),
        (["rain.csv", "--network", ARROWS, "--prior", "ml:3"], "is not a valid prior"),
        (["rain.csv", "--network", ARROWS, "--states", "Rain"], "size=small,medium,large"),
        (["rain.csv", "--network", ARROWS, "--states", "Rain=a,,b"], "size=small,medium,large"),
        (["rain.csv", "--network", ARROWS, "--states", "Rain=a", "--states", "Rain=b"], "given twice"),
    ],
)
def test_a_mistyped_command_exits_with_2(run: Run, arguments: list[str], message: str) -> None:
    assert message in run("fit", *arguments, exit_code=2).stderr


def test_force_lets_the_output_replace_the_input(run: Run) -> None:
    run("fit", "rain.csv", "--network", "rain.bif", "-o", "rain.bif", "--force")
    assert load("rain.bif").same_as(Network(ARROWS).fit("rain.csv"))


def test_a_table_may_come_through_a_pipe(run: Run, folder: Path) -> None:
    expected = Network(ARROWS).fit("rain.csv")
    table = (folder / "rain.csv").read_bytes()
    for content in (table, gzip.compress(table), table.replace(b",", b"\t")):
        run("fit", "-", "--network", ARROWS, "-o", "learned.bayou", typed=content)
        assert load("learned.bayou").same_as(expected)


def test_what_is_wrong_with_a_piped_table_is_reported_standard_input(run: Run) -> None:
    failed = run("fit", "-", "--network", ARROWS, exit_code=1, typed=b"Rain,Wet\nyes,no\nno\n").stderr
    assert failed.startswith("Error: standard input, line 3:")
    assert "bayou-" not in failed
    failed = run("fit", "/dev/stdin", "--network", ARROWS, exit_code=1, typed=b"").stderr
    assert "standard input: the file is empty" in failed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of Unix")
def test_a_named_pipe_is_read_like_a_file(run: Run, folder: Path) -> None:
    os.mkfifo("pipe")
    table = (folder / "rain.csv").read_bytes()
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(table))
    writer.start()
    run("fit", "pipe", "--network", ARROWS, "-o", "learned.bayou")
    writer.join()
    assert load("learned.bayou").same_as(Network(ARROWS).fit("rain.csv"))
