"""Remedies in messages: each is followed here, and hints of the command line name options, not arguments."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import bayou
from bayou.cli.terminal.wording import as_typed
from bayou.errors import BadFile, BadTable
from tests.cli.conftest import Run

LONG_ARROWS = "; ".join(f"Rain -> W{k}" for k in range(60))


def test_python_m_bayou_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bayou", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("bayou ")


def test_a_long_structure_with_an_output_that_exists(run: Run) -> None:
    names = ["Rain", *(f"W{k}" for k in range(60))]
    Path("wide.csv").write_text(",".join(names) + "\n" + ("yes" + ",no" * 60 + "\n") * 3)
    Path("out.bayou").write_text("older")
    assert len(LONG_ARROWS) > 255
    run("fit", "wide.csv", "--network", LONG_ARROWS, "-o", "out.bayou")
    assert bayou.load("out.bayou").names[0] == "Rain"
    run("fit", "wide.csv", "--network", ", ".join(names), "-o", "out.bayou")


def test_long_arguments_are_not_repeated(run: Run) -> None:
    for code, arguments in (
        (1, ["query", "rain.bif", "x" * 48_000]),
        (2, ["query", "rain.bif", "Rain", "--likelihood", "x" * 48_000]),
        (2, ["fit", "rain.csv", "--network", "Rain -> Wet", "--prior", "x" * 48_000]),
    ):
        failed = run(*arguments, exit_code=code).stderr
        assert 0 < len(failed) < 2_000


def test_a_typo_in_a_finding_of_explain_is_answered(run: Run) -> None:
    Path("play.csv").write_text(
        "Outlook,Wind,Play\n" + "Sunny,Weak,No\nRain,Weak,Yes\nSunny,Strong,No\nRain,Strong,Yes\n" * 5
    )
    run("fit", "play.csv", "--target", "Play", "-o", "play.bayou")
    run("explain", "play.bayou", "--given", "Outlook=Sunny")
    failed = run("explain", "play.bayou", "--given", "Outlook=Suny", exit_code=1).stderr
    assert "'Suny' is not a state of 'Outlook'. Did you mean 'Sunny'?" in failed
    assert (
        "Did you mean 'Outlook'?"
        in run("explain", "play.bayou", "--given", "Outlok=Sunny", exit_code=1).stderr
    )


def test_folds_beyond_the_rows_are_refused(run: Run) -> None:
    rows = [f"{'ab'[k % 2]},{'yn'[k % 2]}" for k in range(60)]
    Path("few.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    failed = run("evaluate", "few.csv", "--target", "y", "--folds", "1000000", exit_code=1).stderr
    assert "60 labelled rows: use at most 60 folds" in failed


def test_a_packed_file_is_called_by_its_kind(tmp_path: Path) -> None:
    packed = tmp_path / "table.csv"
    packed.write_bytes(gzip.compress(b"A,B\nyes,no\n"))
    with pytest.raises(BadFile, match=r"this is a gzip file: name it table.csv.gz"):
        bayou.Network("A -> B").fit(packed)
    renamed = packed.rename(tmp_path / "table.csv.gz")
    assert bayou.Network("A -> B").fit(renamed).states("A") == ("yes",)


def test_rows_that_do_not_sum_to_one_can_be_normalised_as_told() -> None:
    with pytest.raises(BadTable, match=r"net.set_cpt\(name, table, normalise=True\)"):
        bayou.Network("A", tables={"A": {"x": 3, "y": 1}})
    net = bayou.Network("A").set_cpt("A", {"x": 3, "y": 1}, normalise=True)
    assert net.cpt("A")["x"] == 0.75
    likelihood = {"a": {"+": 0.9, "-": 0.1}, "b": {"+": 0.5, "-": 0.5}}
    with pytest.raises(BadTable, match=r"ProbabilityTable\(…, normalise=True\)"):
        bayou.bayes_rule({"a": 3, "b": 1}, likelihood, "+")
    prior = bayou.ProbabilityTable({"hypothesis": ["a", "b"]}, [3, 1], normalise=True)
    assert bayou.bayes_rule(prior, likelihood, "+").posterior["a"] == pytest.approx(2.7 / 3.2)


def test_hints_name_options_of_the_command() -> None:
    import click

    from bayou.cli.fit import fit
    from bayou.cli.query import query

    message = "Declare continuous=['age'], or states={'age': bayou.Cuts([…])}."
    assert as_typed(message, click.Context(fit)) == "Declare --continuous age, or --cuts age=1,2."
    assert as_typed(message, click.Context(query)) == (
        "Declare bayou fit … --continuous age, or bayou fit … --cuts age=1,2."
    )
    weights = "likelihood={'chest x': …} needs a weight for each of ['no', 'yes']."
    assert as_typed(weights, click.Context(query)).startswith("--likelihood 'chest x'=… needs")
