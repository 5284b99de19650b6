"""``bayou fit`` learns from rows with gaps, reports it, and can be stopped."""

from __future__ import annotations

import random
import signal
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, RunJson
from tests.cli.terminal.test_processes import start
from tests.patience import until

import bayou

GAPS = "A,B,C\nx,0,u\nx,1,\ny,1,v\n,1,v\ny,,u\nx,0,\n,,u\ny,1,v\n"


@pytest.fixture
def table(folder: Path) -> str:
    (folder / "gaps.csv").write_text(GAPS, encoding="utf-8")
    return "gaps.csv"


def test_gaps_are_learned_by_em_in_one_line(run: Run, table: str) -> None:
    said = run("fit", table, "--network", "A -> B -> C", "-o", "m.bayou").stdout
    assert "6 gaps. EM: converged after " in said
    assert "log-likelihood -" in said
    assert bayou.load("m.bayou").same_as(bayou.Network("A -> B -> C").fit(table))


def test_counting_when_asked_for_and_when_nothing_is_missing(run: Run, table: str) -> None:
    run("fit", table, "--network", "A -> B -> C", "--method", "count", "-o", "m.bayou")
    assert bayou.load("m.bayou").same_as(bayou.Network("A -> B -> C").fit(table, method="count"))
    Path("whole.csv").write_text("A,B\nx,0\ny,1\n", encoding="utf-8")
    assert "EM" not in run("fit", "whole.csv", "--network", "A -> B").stdout


def test_hidden_variables_from_several_starts(run_json: RunJson, table: str) -> None:
    arguments = ["fit", table, "--network", "H -> A, B, C", "--states", "H=α,β", "--restarts", "3"]
    one, two = (run_json(*arguments, "--seed", seed)["learning"] for seed in ("1", "1"))
    assert one == two
    assert one["hidden"] == ["H"]
    assert (one["method"], one["verdict"]) == ("em", "converged")


def test_hidden_variables_and_starts_are_reported(run: Run, table: str) -> None:
    said = run("fit", table, "--network", "H -> A, B, C", "--states", "H=α,β", "--restarts", "3").stdout
    assert "Never observed: H" in said
    assert "start  iterations  objective" in said


def test_numbers_that_a_format_cannot_hold_are_refused_before_the_learning(run: Run, folder: Path) -> None:
    (folder / "n.csv").write_text("a,x\n0,1.5\n1,\n1,2.25\n")
    said = run("fit", "n.csv", "--network", "a -> x", "-o", "n.bif", exit_code=1).stderr
    assert "n.bif: this format cannot hold continuous variables, such as 'x'" in said
    run("fit", "n.csv", "--network", "a -> x", "--cuts", "x=2", "-o", "n.bif")


def test_a_misspelt_network_file_is_not_arrow_text(run: Run, table: str) -> None:
    said = run("fit", table, "--network", "rain.bayu", exit_code=1).stderr
    assert "rain.bayu: there is no such file. Did you mean 'rain.bayou'?" in said


def test_running_out_of_iterations_is_a_note(run: Run, table: str) -> None:
    printed = run("fit", table, "--network", "A -> B -> C", "--max-iterations", "2")
    assert "Learning stopped at --max-iterations 2" in printed.stderr
    assert "EM: stopped at max_iterations after 2 iterations" in printed.stdout


def test_a_checkpoint_is_kept_and_resumed_from(run: Run, table: str) -> None:
    for _ in range(2):
        run("fit", table, "--network", "A -> B -> C", "--checkpoint", "c.bayou", "-o", "m.bayou", "--force")
    assert bayou.load("c.bayou").same_as(bayou.load("m.bayou"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add", "rain.bayou", "--restarts", "2"], "--restarts cannot be combined with --add"),
        (["--target", "A", "--method", "em"], "--method is for networks"),
        (["--target", "A", "--max-iterations", "5"], "--max-iterations is for networks"),
        (["--network", "A -> B", "--restarts", "0"], "0 is not in the range"),
    ],
)
def test_options_that_do_not_go_together(run: Run, table: str, arguments: list[str], message: str) -> None:
    bayou.Network("A -> B").fit({"A": ["x"], "B": [0]}).save("rain.bayou")
    assert message in run("fit", table, *arguments, exit_code=2).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_saves_the_best_so_far(folder: Path) -> None:
    chance = random.Random(3)
    lines = [",".join(chance.choice(["0", "1", ""]) for _ in range(6)) for _ in range(500)]
    (folder / "long.csv").write_text("\n".join(["a,b,c,d,e,f", *lines]) + "\n", encoding="utf-8")
    process = start(
        *("fit", "long.csv", "--network", "H -> a, b, c, d, e, f", "--states", "H=1,2,3"),
        *("--restarts", "1000000", "--checkpoint", "c.bayou", "-o", "best.bayou"),
    )
    until(lambda: process.poll() is not None or (folder / "c.bayou").exists(), "no checkpoint is written")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert b"Learning was interrupted: these are the best tables so far" in err
    assert b"EM: interrupted after" in out
    assert bayou.load(folder / "best.bayou").states("H") == (1, 2, 3)
    assert not list(folder.glob(".bayou-*"))
