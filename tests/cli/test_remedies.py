"""Remedies in messages: each is followed here, and hints of the command line name options, not arguments."""

from __future__ import annotations

import ast
import bz2
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.cli.argument_parsing import cuts_from_text, share_from_text, states_from_text
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
    packed.write_bytes(bz2.compress(b"A,B\nyes,\xff\n"))
    with pytest.raises(BadFile, match=r"this is a bzip2 file: unpack it first"):
        bayou.Network("A -> B").fit(packed)
    packed.write_bytes(bz2.decompress(packed.read_bytes()).replace(b"\xff", b"no"))
    assert bayou.Network("A -> B").fit(packed).states("A") == ("yes",)


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

    from bayou.cli.learning.fit import fit
    from bayou.cli.query import query

    message = "Declare continuous=['age'], or states={'age': bayou.Cuts([…])}."
    assert as_typed(message, click.Context(fit)) == "Declare --continuous age, or --cuts age=1,2."
    assert as_typed(message, click.Context(query)) == (
        "Declare bayou fit … --continuous age, or bayou fit … --cuts age=1,2."
    )
    weights = "likelihood={'chest x': …} needs a weight for each of ['no', 'yes']."
    assert as_typed(weights, click.Context(query)).startswith("--likelihood 'chest x=…' needs")


NAMES = [
    "id",
    "chest x",
    "it's",
    'say "so"',
    "a,b",
    "a=b",
    "$HOME",
    "x;rm *",
    "größe",
    "(x)",
    "[x]",
    "{x}",
    "-x",
    "#1",
    "a\\b",
]


def words_after(flag: str, text: str) -> list[str]:
    """The word after each flag in a command line, as a shell would split it."""
    words = shlex.split(text)
    return [after for before, after in pairwise(words) if before == flag]


@given(
    st.sampled_from(NAMES), st.lists(st.sampled_from([*NAMES, "1", "-2", " x ", ""]), min_size=1, unique=True)
)
def test_remedies_can_be_pasted(name: str, states: list[str]) -> None:
    import click

    from bayou.cli.learning.fit import fit

    ctx = click.Context(fit)
    typed = as_typed(f"states={{{name!r}: {states!r}}}", ctx)
    assert states_from_text(words_after("--states", typed)) == {name: states}
    assert words_after("--continuous", as_typed(f"continuous={states!r}", ctx)) == states
    typed = as_typed(f"states={{{name!r}: bayou.Cuts([…])}}", ctx)
    assert list(cuts_from_text(words_after("--cuts", typed))) == [name]
    typed = as_typed(f"share={{{name!r}: {states!r}}}", ctx)
    if "" not in states:
        assert share_from_text(words_after("--share", typed)) == {name: states}
    typed = as_typed(f"states={{{name!r}: […]}}", ctx)
    assert states_from_text(words_after("--states", typed)) == {name: ["…"]}


def test_whole_numbers_stay_numbers_in_a_remedy() -> None:
    import click

    from bayou.cli.learning.fit import fit

    ctx = click.Context(fit)
    assert as_typed("(states={'R': [1, 2]})", ctx) == "(--states R=1,2)"
    assert as_typed("(states={'id': […]} fixes it)", ctx) == "(--states id=… fixes it)"
    assert as_typed("(states={'id': [...]})", ctx) == "(--states id=…)"
    assert as_typed("(states={'x': bayou.Cuts(…)})", ctx) == "(--cuts x=1,2)"
    assert as_typed("states={'a': <odd>}", ctx) == "states={'a': <odd>}"


ROOMS = ("cli", "data_checks", "distributions", "documents", "errors.py", "fitting", "formats", "inference")
ROOMS += ("learning", "loading.py", "networks", "schema", "sources")
PYTHON = re.compile(r"\bnet\.\w+|\bmodel\.\w+\(|\bbayou\.[a-zA-Z_]+")
ONLY_IN_PYTHON = ("in Python, with bayou.limits",)
"""What a message may name because no command does it."""
NO_COMMANDS = ("batch_passes.py", "independence_test.py", "structure_score.py")
"""Functions of the library that no command calls."""


def messages(path: Path) -> Iterator[str]:
    """The texts that a file raises or warns with; values in them are written as 'x'."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_warning = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "warn_user"
        if isinstance(node, ast.Raise) or is_warning:
            yield from texts_in(node)


def texts_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "'x'" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for inner in ast.iter_child_nodes(node):
            yield from texts_in(inner)


def test_messages_that_the_command_may_print_name_commands() -> None:
    import click

    from bayou.cli.learning.fit import fit

    source = Path(bayou.__file__).parent
    files = [
        file
        for room in ROOMS
        for file in ([source / room] if room.endswith(".py") else sorted((source / room).rglob("*.py")))
    ]
    assert len(files) > 150
    found = []
    for file in files:
        for message in messages(file) if file.name not in NO_COMMANDS else ():
            typed = as_typed(message, click.Context(fit))
            for allowed in ONLY_IN_PYTHON:
                typed = typed.replace(allowed, "")
            found += [f"{file.relative_to(source)}: {typed}"] if PYTHON.search(typed) else []
    assert not found


def test_a_classifier_where_a_network_is_expected_names_commands(run: Run) -> None:
    Path("play.csv").write_text("Outlook,Play\n" + "Sunny,No\nRain,Yes\n" * 10)
    run("fit", "play.csv", "--target", "Play", "-o", "play.bayou")
    for arguments in (
        ["query", "play.bayou", "Play"],
        ["sample", "play.bayou", "-n", "3"],
        ["show", "play.bayou", "--arcs"],
    ):
        failed = run(*arguments, exit_code=1).stderr
        assert "for a classifier there are bayou show, bayou predict and bayou explain" in failed
        assert "bayou.load" not in failed
    run("show", "play.bayou")
    run("explain", "play.bayou", "--given", "Outlook=Sunny")
    run("predict", "play.bayou", "play.csv")
    shown = run("show", "play.bayou").stdout
    assert "bayou.evaluate" not in shown


def test_a_summary_names_the_command_that_measures_calibration(run: Run) -> None:
    Path("few.csv").write_text("x,y\n" + "a,no\nb,yes\n" * 3)
    run("fit", "few.csv", "--target", "y", "--model", "tan", "-o", "few.bayou")
    assert "bayou evaluate measures it" in " ".join(run("show", "few.bayou").stdout.split())


def test_a_network_with_an_odd_path_is_named_as_a_shell_takes_it(run: Run) -> None:
    Path("rain.bif").rename("my rain's.bif")
    failed = run("explain", "my rain's.bif", "--given", "Rain=yes", exit_code=1).stderr
    found = re.search(r"(bayou explain .*? --given) NAME=STATE", " ".join(failed.split()))
    assert found is not None
    assert shlex.split(found[1])[2] == "my rain's.bif"
    run(*shlex.split(found[1])[1:], "Wet=yes")


def test_notes_of_predict_name_no_argument_of_python(run: Run) -> None:
    Path("play.csv").write_text("Outlook,Play\n" + "Sunny,No\nRain,Yes\n" * 10)
    Path("new.csv").write_text("Outlook\nSnow\nRain\n")
    run("fit", "play.csv", "--target", "Play", "-o", "play.bayou")
    run("fit", "play.csv", "--network", "Play -> Outlook", "-o", "net.bayou")
    for arguments in (["play.bayou", "new.csv"], ["net.bayou", "new.csv", "--target", "Play"]):
        told = " ".join(run("predict", *arguments).stderr.split())
        assert "1 in 'Outlook'" in told
        assert "unknown=" not in told
        assert "Choose" not in told


def test_a_row_that_does_not_sum_to_one_names_no_argument_of_python(run: Run) -> None:
    failed = " ".join(run("edit", "rain.bif", "new.bif", "set-row Rain: 0.5 0.6", exit_code=1).stderr.split())
    failed += " ".join(
        run("edit", "rain.bif", "new.bif", "set-row Rain: 0.5, 0.6", exit_code=1).stderr.split()
    )
    assert "sums to 1.1, not to 1. Correct it." in failed
    assert "net.set_row" not in failed
    assert "normalise" not in failed


def test_the_endings_of_all_languages_are_named(run: Run) -> None:
    Path("play.csv").write_text("Outlook,Play\n" + "Sunny,No\nRain,Yes\n" * 10)
    run("fit", "play.csv", "--target", "Play", "-o", "play.bayou")
    failed = run("export", "play.bayou", "-o", "play.txt", exit_code=1).stderr
    assert "use one of .py, .js, .mjs, .sql" in " ".join(failed.split())
    failed = run("export", "play.bayou", "--language", "sql", "-o", "play.py", exit_code=1).stderr
    assert "use one of .sql." in " ".join(failed.split())
