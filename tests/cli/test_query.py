"""bayou query."""

from __future__ import annotations

import inspect
import math

import pytest

from bayou.cli.query import ENGINES
from bayou.inference import engines
from bayou.loading import load
from bayou.models.network import Network
from tests.cli.conftest import Run, RunJson


def test_a_question_as_text_prints_the_library_s_own_table(run: Run) -> None:
    printed = run("query", "rain.bif", "Rain | Wet=yes").stdout
    assert str(load("rain.bif").query("Rain", {"Wet": "yes"})) in printed
    assert "The findings have probability 0.24." in printed


def test_findings_as_options_mean_the_same_as_in_the_text(run_json: RunJson) -> None:
    assert run_json("query", "rain.bif", "Rain | Wet=yes") == run_json(
        "query", "rain.bif", "Rain", "--given", "Wet=yes"
    )


def test_json_holds_typed_states_and_the_evidence(run_json: RunJson) -> None:
    answer = run_json("query", "weird.bayou", "7 | 'größe, cm'='very \"big\"'")
    assert answer["given"] == {"größe, cm": 'very "big"'}
    (posterior,) = answer["posteriors"]
    assert [(row["states"], row["p"]) for row in posterior["probabilities"]] == [([1], 0.5), ([2], 0.5)]
    assert posterior["log_evidence"] == pytest.approx(math.log(0.25))


def test_several_targets_are_joint_unless_each_is_asked(run_json: RunJson) -> None:
    joint = run_json("query", "rain.bif", "Rain, Wet")["posteriors"]
    assert [posterior["targets"] for posterior in joint] == [["Rain", "Wet"]]
    assert sum(row["p"] for row in joint[0]["probabilities"]) == pytest.approx(1)
    apart = run_json("query", "rain.bif", "Rain, Wet", "--each")["posteriors"]
    assert [posterior["targets"] for posterior in apart] == [["Rain"], ["Wet"]]


def test_all_gives_every_variable_that_is_not_given(run: Run, run_json: RunJson) -> None:
    answer = run_json("query", "rain.bif", "--all", "--given", "Rain=yes")
    assert [posterior["targets"] for posterior in answer["posteriors"]] == [["Wet"]]
    assert "0.8000  ████████" in run("query", "rain.bif", "--all", "--given", "Rain=yes").stdout


def test_do_cuts_the_arcs_and_likelihood_weighs_the_states(run_json: RunJson) -> None:
    (seen,) = run_json("query", "rain.bif", "Rain", "--do", "Wet=yes")["posteriors"]
    assert seen["probabilities"][1]["p"] == pytest.approx(0.2)
    (weighed,) = run_json("query", "rain.bif", "Rain", "--likelihood", "Wet=no:1,yes:3")["posteriors"]
    expected = load("rain.bif").query("Rain", likelihood={"Wet": {"no": 1, "yes": 3}})
    assert weighed["probabilities"][1]["p"] == pytest.approx(expected["yes"])


def test_the_working_comes_before_the_answer(run: Run, run_json: RunJson) -> None:
    printed = run("query", "rain.bif", "Rain | Wet=yes", "--working").stdout
    assert printed.index("Divide by their sum, 0.24") < printed.index("0.6667")
    assert run_json("query", "rain.bif", "Rain | Wet=yes", "--working")["working"][0] == "P(Rain | Wet=yes)"


def test_both_engines_agree(run_json: RunJson) -> None:
    by_list = run_json("query", "rain.bif", "Rain | Wet=yes", "--engine", "enumeration")
    (listed,), (eliminated,) = (
        by_list["posteriors"],
        run_json("query", "rain.bif", "Rain | Wet=yes")["posteriors"],
    )
    assert listed["probabilities"][0]["p"] == pytest.approx(eliminated["probabilities"][0]["p"])


def test_a_continuous_target_has_a_mean_and_an_interval(run: Run, run_json: RunJson) -> None:
    Network("x", continuous=["x"]).set_gaussian("x", (10, 4)).save("x.bayou")
    (posterior,) = run_json("query", "x.bayou", "x")["posteriors"]
    assert posterior["mean"] == pytest.approx(10)
    assert posterior["std"] == pytest.approx(2)
    assert "mean 10" in run("query", "x.bayou", "--all").stdout


def test_the_evidence_of_a_real_number_is_called_a_density(run: Run, run_json: RunJson) -> None:
    net = Network("s -> x", continuous=["x"], states={"s": ["a", "b"]})
    net.set_cpt("s", [0.5, 0.5]).set_gaussian("x", {"a": (1, 1e-6), "b": (2, 1e-6)}).save("x.bayou")
    printed = run("query", "x.bayou", "s | x=1.0").stdout
    assert "The findings have density 199.471 (not a probability" in printed
    answer = run_json("query", "x.bayou", "s", "--given", "x=1.0")
    assert (answer["given"], answer["evidence_is_density"]) == ({"x": 1.0}, True)
    assert run_json("query", "x.bayou", "x | s=a")["evidence_is_density"] is False
    assert "is continuous: give a number" in run("query", "x.bayou", "s | x=wide", exit_code=1).stderr


def test_an_exact_name_is_taken_as_it_is(run: Run, run_json: RunJson) -> None:
    tables = {name: {"no": 0.25, "yes": 0.75} for name in ("it's", "a | b=c", "do(x)")}
    Network({name: [] for name in tables}, tables=tables).save("odd.bayou")
    for name in tables:
        (posterior,) = run_json("query", "odd.bayou", name)["posteriors"]
        assert posterior["targets"] == [name]
    assert run_json("query", "odd.bayou", "it's | 'a | b=c'=no")["posteriors"][0]["targets"] == ["it's"]
    assert "is not closed" in run("query", "odd.bayou", "'its | x=1", exit_code=1).stderr


def test_numbers_are_matched_by_value(run: Run, run_json: RunJson) -> None:
    tables = {"R": {3: 0.5, 4.5: 0.5}, "code": {"3": 0.5, "4": 0.5}, "größe": {2**53 + 1: 0.5, 1: 0.5}}
    Network({name: [] for name in tables}, tables=tables).save("n.bayou")
    answer = run_json("query", "n.bayou", "code | R=3.0", "--given", "größe=1.00")
    assert answer["given"] == {"R": 3, "größe": 1}
    assert run_json("query", "n.bayou", "code", "--given", "R=4.50")["given"] == {"R": 4.5}
    weighed = run_json("query", "n.bayou", "code", "--likelihood", "R=3.0:1,4.5:2")["likelihood"]
    assert weighed == {"R": {"3": 1, "4.5": 2}}
    for text in ("code=3.0", "R='3.0'"):
        run("query", "n.bayou", "--all", "--given", text)  # differs only by its type
    for refused in ("code=5", "größe=9007199254740993.0"):
        assert "is not a state of" in run("query", "n.bayou", "--all", "--given", refused, exit_code=1).stderr


def test_loopy_propagation_says_how_it_ended(run: Run, run_json: RunJson) -> None:
    printed = run("query", "rain.bif", "Rain | Wet=yes", "--engine", "loopy").stdout
    assert "Exact: loopy propagation met no cycle" in printed
    assert "The findings have probability 0.24." in printed
    (found,) = run_json("query", "rain.bif", "Rain", "--engine", "loopy")["posteriors"]
    assert found["loopy"]["converged"] is True
    (exact,) = run_json("query", "rain.bif", "Rain")["posteriors"]
    assert "loopy" not in exact


def test_the_engines_are_those_of_the_library(run: Run) -> None:
    known = [name for name in engines.ENGINES if not name.startswith("test ")]  # another test adds its own
    assert tuple(known) == ENGINES
    assert inspect.signature(Network.query).parameters["engine"].default == ENGINES[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rian.bif", "Rain"], "Did you mean 'rain.bif'?"),
        (["nowhere/rain.bif", "Rain"], "there is no folder 'nowhere'"),
        (["rain.csv", "Rain"], "is a table, not a network; learn one from it with bayou fit"),
        (["rain.bif", "Rian"], "Did you mean 'Rain'?"),
        (["rain.bif", "Rain | Wet=soaked"], "Its states are: 'no', 'yes'"),
        (["rain.bif", "Rain | Wet"], "expected variable=state, found 'Wet'"),
        (["rain.bif", "Rain | do(Wet!=yes)"], "do(…) sets variables to one state each"),
        (["rain.bif", "P(Rain=yes | Wet=yes)"], "name the variable alone before the bar, 'Rain'"),
        (["rain.bif", "Rain | Wet in yes"], "list the states in braces"),
        (["rain.bif", "Rain", "--do", "Wet!=yes"], "name one state"),
        (["rain.bif", "Rain", "--marginal", "Wet=no:1,yes:2"], "sums to 3, not to 1"),
        (["rain.bif", "Rain | Rain=yes"], "both asked for and given"),
        (["rain.bif", "Rain", "--given", "Wet=yes", "--given", "Wet=no"], "choose one"),
        (["rain.bif", "Rain | Wet=yes", "--given", "Wet=no"], "is given as 'no' and as 'yes'; choose one"),
        (["rain.bif", "Rain", "--likelihood", "Wet=no:1"], "a weight for each of ['no', 'yes']"),
        (["rain.bif", "Rain", "--likelihood", "Wet=no:much,yes:1"], "expected state:weight"),
        (["weird.bayou", "'größe, cm' | 7=2, 7=1"], "twice"),
        (["weird.bayou", "7 | 'größe, cm"], "is not closed"),
    ],
)
def test_what_cannot_be_answered_is_one_paragraph_with_a_remedy(
    run: Run, run_json: RunJson, arguments: list[str], message: str
) -> None:
    failed = run("query", *arguments, exit_code=1)
    assert message in failed.stderr
    assert failed.stdout == ""
    assert len(failed.stderr.splitlines()) == 1
    error = run_json("query", *arguments, exit_code=1)["error"]
    assert message in error["message"]
    assert error["kind"].isidentifier()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rain.bif"], "Give a QUESTION"),
        (["rain.bif", "Rain", "--all"], "Give a QUESTION"),
        (["rain.bif", "Rain", "--each", "--working"], "omit --all and --each"),
        (["rain.bif", "Rain", "--likelihood", "Wet"], "--likelihood"),
        (["rain.bif", "Rain", "--likelihood", "Wet=no:1", "--likelihood", "Wet=no:1"], "twice"),
        (["rain.bif", "Rain", "--engine", "steam"], "elimination"),
    ],
)
def test_a_mistyped_command_exits_with_2(
    run: Run, run_json: RunJson, arguments: list[str], message: str
) -> None:
    failed = run("query", *arguments, exit_code=2)
    assert message in failed.stderr
    assert failed.stdout == ""
    assert message in run_json("query", *arguments, exit_code=2)["error"]["message"]
