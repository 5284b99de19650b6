"""bayou fit, decode, forecast, sample and show on hidden Markov models."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.loading import load
from bayou.sources.files import file_source
from tests.cli.conftest import Run, RunJson

KEYS = ("--sequence", "sequence", "--time", "time")


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def casino(folder: Path, run: Run) -> Any:
    """casino.bayou, a table of sequences in shuffled order with states (seqs.csv) and without (rolls.csv)."""
    bayou.examples.casino().save("casino.bayou")
    drawn = run("sample", "casino.bayou", "--length", "60", "--sequences", "4", "--seed", "1").stdout
    header, *rows = drawn.splitlines()
    shuffled = np.random.default_rng(0).permutation(rows).tolist()
    (folder / "seqs.csv").write_text("\n".join([header, *shuffled]) + "\n", encoding="utf-8")
    hidden = [line.rsplit(",", 1)[0] for line in (header, *shuffled)]
    (folder / "rolls.csv").write_text("\n".join(hidden) + "\n", encoding="utf-8")
    return load("casino.bayou")


def test_sampled_sequences_are_those_of_the_library(casino: Any, run: Run, run_json: RunJson) -> None:
    rows = parsed(run("sample", "casino.bayou", "--length", "5", "--sequences", "2", "--seed", "7").stdout)
    drawn = casino.sample(5, sequences=2, seed=7)
    assert [int(row["roll"]) for row in rows] == [roll for one in drawn for roll in one["roll"]]
    assert [row["state"] for row in rows] == [state for one in drawn for state in one["state"]]
    assert [(row["sequence"], row["time"]) for row in rows[4:6]] == [("0", "4"), ("1", "0")]
    document = run_json("sample", "casino.bayou", "--length", "2", "--seed", "7")
    assert document["columns"] == ["sequence", "time", "roll", "state"]
    assert len(document["rows"]) == 2
    assert (
        "Saved 2 sequences (10 rows)"
        in run("sample", "casino.bayou", "--length", "5", "--sequences", "2", "-o", "s.csv.gz").stdout
    )
    assert "--length" in run("sample", "casino.bayou", "-n", "3", exit_code=2).stderr
    assert "-n" in run("sample", "rain.bif", "--length", "3", exit_code=2).stderr


def test_a_model_is_learned_as_in_python(casino: Any, run: Run, run_json: RunJson) -> None:
    shown = run("fit", "rolls.csv", *KEYS, "--states", "2", "--seed", "3", "-o", "m.bayou").stdout
    assert "Learned from 240 rows" in shown
    assert "roll=6" in shown
    found = bayou.HMM(2).fit("rolls.csv", sequence="sequence", time="time", seed=3)
    assert np.allclose(load("m.bayou").transition, found.transition, atol=1e-12)
    labelled = run_json("fit", "seqs.csv", *KEYS, "--states", "fair,loaded", "--prior", "ml", "-o", "l.bayou")
    counted = bayou.HMM(["fair", "loaded"]).fit("seqs.csv", sequence="sequence", time="time", prior=0)
    assert labelled["model"]["transition"] == counted.transition.tolist()
    assert labelled["learning"]["method"] == "count"
    assert load("l.bayou").states == ("fair", "loaded")
    assert "Added 240 rows" in run("fit", "seqs.csv", *KEYS, "--add", "l.bayou", "-o", "l2.bayou").stdout
    assert np.allclose(load("l2.bayou").transition, counted.transition, atol=1e-12)


def test_kinds_symbols_and_left_out_columns(run: Run, run_json: RunJson, folder: Path) -> None:
    lines = [f"{k},{k % 3},{k % 7 / 2},{k % 4},{'a' if k % 2 else 'b'}" for k in range(40)]
    (folder / "mixed.csv").write_text(
        "\n".join(["id,calls,heat,other,weather", *lines]) + "\n", encoding="utf-8"
    )
    options = (
        "--states",
        "calls=0,1,2,3",
        "--ignore",
        "other",
        "--emissions",
        "heat=gaussian",
        "--time",
        "id",
    )
    model = run_json("fit", "mixed.csv", "--label", "weather", *options, "-o", "w.bayou")["model"]
    assert model["state"] == "weather"
    assert model["states"] == ["a", "b"]
    assert [(one["name"], one["kind"]) for one in model["columns"]] == [
        ("calls", "table"),
        ("heat", "gaussian"),
    ]
    assert model["columns"][0]["symbols"] == [0, 1, 2, 3]
    heat = [k % 7 / 2 for k in range(40) if k % 2]
    assert model["columns"][1]["means"][0] == pytest.approx(np.mean(heat))
    rates = run_json("fit", "mixed.csv", "--states", "2", "--emissions", "poisson", "--ignore", "weather")[
        "model"
    ]
    assert {one["kind"] for one in rates["columns"]} == {"poisson"}
    assert "heat" in run("show", "w.bayou").stdout
    ahead = parsed(run("forecast", "w.bayou", "mixed.csv", "--time", "id").stdout)[0]
    assert float(ahead["mean(heat)"]) == pytest.approx(
        load("w.bayou").forecast("mixed.csv", time="id").means["heat"][0]
    )


def test_decoded_rows_keep_the_order_of_the_table(casino: Any, run: Run, run_json: RunJson) -> None:
    done = run("decode", "casino.bayou", "rolls.csv", *KEYS, "--proba")
    rows = parsed(done.stdout)
    found = casino.decode_rows("rolls.csv", sequence="sequence", time="time")
    assert [row["state"] for row in rows] == found.states
    assert [float(row["P(state=loaded)"]) for row in rows] == found.probabilities[:, 1].tolist()
    assert [int(row["time"]) for row in rows] == found.keys["time"]
    assert done.stderr == ""
    document = run_json("decode", "casino.bayou", "rolls.csv", *KEYS, "--method", "posterior")
    assert document["columns"] == ["sequence", "time", "state", "probability"]
    assert min(row[3] for row in document["rows"]) >= 0.5
    assert (
        "Saved the states of 240 rows"
        in run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "s.csv").stdout
    )


def test_true_states_in_the_table_are_compared_or_on_request_known(casino: Any, run: Run) -> None:
    done = run("decode", "casino.bayou", "seqs.csv", *KEYS)
    assert done.stdout == run("decode", "casino.bayou", "rolls.csv", *KEYS).stdout
    truth = [row["state"] for row in parsed(Path("seqs.csv").read_text(encoding="utf-8"))]
    right = sum(row["state"] == true for row, true in zip(parsed(done.stdout), truth, strict=True))
    assert f"{right} of 240 rows" in done.stderr
    known = run("decode", "casino.bayou", "seqs.csv", *KEYS, "--known")
    assert [row["state"] for row in parsed(known.stdout)] == truth
    assert "(--known)" in run("decode", "casino.bayou", "rolls.csv", *KEYS, "--known", exit_code=1).stderr


def test_a_forecast_has_a_line_for_each_sequence_and_step(casino: Any, run: Run, run_json: RunJson) -> None:
    rows = parsed(run("forecast", "casino.bayou", "rolls.csv", *KEYS, "--steps", "3").stdout)
    expected = casino.forecast("rolls.csv", steps=3, sequence="sequence", time="time")
    assert [(row["sequence"], row["step"]) for row in rows[2:4]] == [("0", "3"), ("1", "1")]
    for k, row in enumerate(rows):
        ahead = expected[k // 3]
        assert float(row["P(state=fair)"]) == ahead.states[k % 3, 0]
        assert float(row["P(roll=6)"]) == ahead.symbols["roll"][k % 3, 5]
    assert run_json("forecast", "casino.bayou", "rolls.csv", *KEYS)["columns"][:2] == ["sequence", "step"]


def test_a_table_without_keys_is_one_sequence_and_a_note_says_so(casino: Any, run: Run) -> None:
    done = run("decode", "casino.bayou", "rolls.csv")
    assert parsed(done.stdout)[3]["row"] == "3"
    assert "name their column with --sequence" in done.stderr


def test_an_unseen_symbol_is_a_note(casino: Any, run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("roll\n6\n7\n", encoding="utf-8")
    done = run("decode", "casino.bayou", "odd.csv")
    assert "'roll' has 7 in 1 of 2 rows" in done.stderr
    assert len(parsed(done.stdout)) == 2


def test_a_fraction_is_no_number_of_states(casino: Any, run: Run) -> None:
    assert "'2.5' cannot be read" in run("fit", "rolls.csv", "--states", "2.5", exit_code=2).stderr


def test_show_prints_the_tables(casino: Any, run: Run, run_json: RunJson) -> None:
    shown = run("show", "casino.bayou").stdout
    assert "→ loaded" in shown
    assert "roll=6" in shown
    assert run_json("show", "casino.bayou")["columns"][0]["table"][1][5] == 0.5


@pytest.mark.parametrize(
    "line",
    [
        ("query", "casino.bayou", "state"),
        ("predict", "casino.bayou", "rolls.csv"),
        ("show", "casino.bayou", "--arcs"),
    ],
)
def test_other_commands_name_those_for_sequences(casino: Any, run: Run, line: tuple[str, ...]) -> None:
    assert "bayou decode casino.bayou DATA" in run(*line, exit_code=1).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sequence", "sequence"), "Give --states 3, or --states calm,storm"),
        (("--sequence", "sequnce", "--states", "2"), "Did you mean 'sequence'"),
        (("--states", "2", "--emissions", "rol=table"), "Did you mean 'roll'"),
        (("--states", "2", "--method", "gradient"), "use em, baum-welch, viterbi, count"),
        (("--states", "2", "--sequence", "time", "--time", "time"), "name two columns"),
        (("--states", "2", "--states", "3"), "give it once"),
        (("--states", "2", "--sequence", "sequence", "--target", "roll"), "--target cannot be combined"),
        (("--network", "a -> b", "--covariance", "full"), "--covariance is for hidden Markov models"),
        (("--states", "2", *KEYS, "-o", "m.bif"), ".bayou"),
        (("--states", "2", *KEYS, "--method", "count"), "Leave --method out"),
        (("--states", "2", "--time", "time"), "have the same time, 'time' = 0"),
    ],
)
def test_errors_name_the_option_to_change(casino: Any, run: Run, options: tuple[str, ...], said: str) -> None:
    usage = any(text in said for text in ("two columns", "give it once", "combined", "is for", "use em"))
    assert said in run("fit", "rolls.csv", *options, exit_code=2 if usage else 1).stderr


def test_durations_are_stated_as_in_python(casino: Any, run: Run, run_json: RunJson) -> None:
    names = ("--states", "fair,loaded", "--duration", "fair=4", "--duration", "loaded=2-9")
    run("fit", "rolls.csv", *KEYS, *names, "-o", "d.bayou")
    found = bayou.HMM(["fair", "loaded"], duration={"fair": 4, "loaded": (2, 9)})
    assert load("d.bayou").same_as(found.fit("rolls.csv", sequence="sequence", time="time"))
    document = run_json("decode", "d.bayou", "rolls.csv", *KEYS)
    assert {row[2] for row in document["rows"]} <= {"fair", "loaded"}
    assert "· 1" not in run("show", "d.bayou").stdout
    run(
        "fit",
        "rolls.csv",
        *KEYS,
        "--states",
        "2",
        "--duration",
        "2",
        "--max-iterations",
        "3",
        "-o",
        "e.bayou",
    )
    assert load("e.bayou").stay_lengths(0, 1).tolist() == [0.0]
    run("forecast", "d.bayou", "rolls.csv", *KEYS, "--steps", "2")
    for wrong, said, code in (
        ("long", "cannot be read", 2),
        ("fair=2=3", "give one rule", 2),
        ("odd=2", "no state 'odd'", 1),
    ):
        line = ("fit", "rolls.csv", *KEYS, *names[:2], "--duration", wrong)
        assert said in run(*line, exit_code=code).stderr


def test_decode_needs_a_model_of_sequences(casino: Any, run: Run) -> None:
    assert "holds a network (bayou query)" in run("decode", "rain.bif", "rolls.csv", exit_code=1).stderr


def test_states_and_continuations_are_drawn_given_a_table(casino: Any, run: Run, run_json: RunJson) -> None:
    options = ("sample", "casino.bayou", "--given", "rolls.csv", *KEYS, "--seed", "3")
    rows = parsed(run(*options, "--length", "2").stdout)
    drawn = casino.sample(2, given="rolls.csv", sequence="sequence", time="time", seed=3)
    assert [row["state"] for row in rows] == [state for one in drawn for state in one["state"]]
    assert [row["roll"] for row in rows] == [str(roll) for one in drawn for roll in one["roll"]]
    assert [int(row["step"]) for row in rows[:62]] == list(range(-59, 3))
    assert [row["sequence"] for row in rows[61:63]] == ["0", "1"]
    twice = run_json(*options, "--sequences", "2")
    assert twice["columns"] == ["sequence", "draw", "step", "roll", "state"]
    assert len(twice["rows"]) == 480
    assert "Saved 4 sequences (240 rows)" in run(*options, "-o", "g.parquet").stdout
    single = run_json("sample", "casino.bayou", "--given", "rolls.csv", "--length", "1")
    assert single["columns"] == ["step", "roll", "state"]
    twice_given = ("--given", "rolls.csv", "--given", "seqs.csv")
    assert "give it once" in run("sample", "casino.bayou", *twice_given, exit_code=2).stderr
    assert "add --given DATA" in run("sample", "casino.bayou", *KEYS, exit_code=2).stderr
    assert "--given" in run("sample", "casino.bayou", "--length", "0", exit_code=2).stderr
    assert "for hidden Markov models" in run("sample", "rain.bif", "--time", "t", exit_code=2).stderr


@pytest.mark.parametrize(
    "line",
    [
        ("decode", "casino.bayou", "rolls.csv", *KEYS, "--proba"),
        ("forecast", "casino.bayou", "rolls.csv", *KEYS, "--steps", "2"),
        ("sample", "casino.bayou", "--length", "9", "--seed", "1"),
        ("sample", "casino.bayou", "--given", "rolls.csv", "--length", "2", "--seed", "1"),
    ],
)
def test_parquet_files_hold_what_csv_files_hold(casino: Any, run: Run, line: tuple[str, ...]) -> None:
    run(*line, "-o", "a.csv")
    run(*line, "-o", "a.parquet")
    left, right = pl.read_csv("a.csv"), pl.read_parquet("a.parquet")
    assert left.equals(right.cast(left.schema))
    assert {right[name].dtype for name in right.columns if name in ("time", "step", "roll")} == {pl.Int64}


def test_a_table_too_large_for_memory_is_decoded_to_a_file(
    casino: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "whole.csv")
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    assert "Saved the states" in run("decode", "casino.bayou", "rolls.csv", *KEYS, "-o", "parts.csv").stdout
    assert pl.read_csv("whole.csv").equals(pl.read_csv("parts.csv"))


def test_dynamic_networks_are_converted(folder: Path, run: Run, run_json: RunJson) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    assert "3 variables" not in run("convert", "world.bayou", "world.xdsl").stdout
    assert "Rain -> Rain'" in run("show", "world.xdsl").stdout
    saved = run_json("convert", "world.xdsl", "again.bayou")
    assert saved["not_kept"] == []
    assert set(bayou.load("again.bayou").arcs) == set(world.arcs)
    assert (
        "use a name that ends in .bayou or .xdsl"
        in run("convert", "world.bayou", "world.bif", exit_code=1).output
    )
    learned = bayou.DynamicNetwork("Rain -> Rain'").fit({"Rain": [0, 1, 1]})
    learned.save("learned.bayou")
    assert "does not keep: the counts" in run("convert", "learned.bayou", "learned.xdsl").stdout


def test_dynamic_networks_are_shown_and_sampled(folder: Path, run: Run, run_json: RunJson) -> None:
    bayou.examples.umbrella_world().save("world.bayou")
    assert "Rain -> Rain'" in run("show", "world.bayou").stdout
    assert run_json("show", "world.bayou")["arcs"] == [["Rain", "Rain", 1], ["Rain", "Umbrella", 0]]
    rows = parsed(run("sample", "world.bayou", "--length", "4", "--seed", "7").stdout)
    assert [row["Rain"] for row in rows] == bayou.examples.umbrella_world().sample(4, seed=7)["Rain"]
    assert "ask it with bayou smooth world.bayou" in run("query", "world.bayou", "Rain", exit_code=1).output


@pytest.fixture
def days(folder: Path) -> dict[str, list[Any]]:
    """Days of six cities in no order, with a hole; seen.csv has no rain."""
    columns: dict[str, list[Any]] = {"city": [], "day": [], "Rain": [], "Umbrella": []}
    for k, one in enumerate(bayou.examples.umbrella_world().sample(12, sequences=6, seed=3)):
        columns["city"] += [f"c{k}"] * 12
        columns["day"] += range(12)
        columns["Rain"] += one["Rain"]
        columns["Umbrella"] += one["Umbrella"]
    order = np.random.default_rng(1).permutation(72).tolist()
    columns = {name: [cells[k] for k in order] for name, cells in columns.items()}
    pl.DataFrame(columns).write_csv("days.csv")
    columns["Umbrella"][5] = None
    pl.DataFrame(columns).drop("Rain").write_csv("seen.csv")
    return columns


OF_CITIES = ("--sequence", "city", "--time", "day")
HOW: dict[str, Any] = {"sequence": "city", "time": "day"}
RAIN = "Rain -> Rain'; Rain -> Umbrella"


def test_a_template_is_learned(days: dict[str, list[Any]], run: Run, run_json: RunJson) -> None:
    table = pl.read_csv("days.csv").to_dict(as_series=False)
    shown = run("fit", "days.csv", "--template", RAIN, *OF_CITIES, "-o", "rain.bayou").stdout
    assert "Learned from 72 rows" in shown
    whole = bayou.DynamicNetwork(RAIN).fit(table, **HOW)
    assert bayou.load("rain.bayou").same_as(whole)
    run("fit", "days.csv", "--add", "rain.bayou", *OF_CITIES, "-o", "twice.bayou")
    assert bayou.load("twice.bayou").same_as(whole.partial_fit(table, **HOW))
    hidden = ("--states", "Rain=no,yes", "--seed", "1", "--restarts", "2")
    found = run_json("fit", "seen.csv", "--template", RAIN, *OF_CITIES, *hidden, "-o", "h.bayou")
    assert found["learning"]["method"] == "em"
    seen = pl.read_csv("seen.csv").to_dict(as_series=False)
    own = bayou.DynamicNetwork(RAIN, states={"Rain": ["no", "yes"]}).fit(seen, **HOW, seed=1, restarts=2)
    assert bayou.load("h.bayou").same_as(own)
    Path("template.txt").write_text("Place -> Rain\n" + RAIN, encoding="utf-8")
    run("fit", "days.csv", "--template", "template.txt", "--constant", "Place", "--states", "Place=a,b",
        "--max-iterations", "2", *OF_CITIES, "-o", "place.xdsl")  # fmt: skip
    assert bayou.load("place.xdsl").template.constant == {"Place"}
    run("fit", "days.csv", "--template", "rain.bayou", "--prior", "ml", *OF_CITIES, "-o", "again.bayou")
    assert bayou.load("again.bayou").same_as(bayou.DynamicNetwork(RAIN).fit(table, **HOW, prior=0))


@pytest.mark.parametrize(
    ("words", "problem", "code"),
    [
        (["--template", RAIN, "--target", "Rain"], "--target cannot be combined", 2),
        (["--template", RAIN, "--method", "viterbi"], "learned by em or count", 2),
        (["--constant", "Rain", "--states", "3"], "say which one with --template", 2),
        (["--template", RAIN, "--states", "3"], "name the variable", 2),
        (["--template", "Rain' -> Rain"], "goes back in time", 1),
        (["--template", "Snow -> Snow'"], "'Snow' is not a column", 1),
        (["--template", RAIN, "--sequence", "town"], "'town'", 1),
        (["--add", "world.bayou", "--prior", "ml"], "omit --prior", 2),
    ],
)
def test_templates_that_cannot_be_learned(
    days: dict[str, list[Any]], run: Run, words: list[str], problem: str, code: int
) -> None:
    bayou.examples.umbrella_world().save("world.bayou")
    output = run("fit", "days.csv", *words, exit_code=code).output
    assert problem in " ".join(output.split())


def test_questions_about_every_row(days: dict[str, list[Any]], run: Run, run_json: RunJson) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    seen = pl.read_csv("seen.csv").to_dict(as_series=False)
    cities = sorted(set(seen["city"]))
    for verb, asked in (("filter", world.filter), ("smooth", world.smooth)):
        rows = parsed(run(verb, "world.bayou", "seen.csv", *OF_CITIES, "--ask", "Rain").stdout)
        assert [row["city"] for row in rows] == seen["city"]
        beliefs = asked(seen, **HOW)
        for row in rows:
            own = beliefs[cities.index(row["city"])]["Rain"].probabilities[int(row["day"]), 1]
            assert float(row["P(Rain=yes)"]) == pytest.approx(own, abs=1e-12)
    rows = parsed(run("decode", "world.bayou", "seen.csv", *OF_CITIES).stdout)
    best = world.most_probable(seen, **HOW)
    assert [row["Rain"] for row in rows] == [
        best[cities.index(row["city"])]["Rain"][int(row["day"])] for row in rows
    ]
    likely = parsed(
        run("decode", "world.bayou", "seen.csv", *OF_CITIES, "--method", "posterior", "--proba").stdout
    )
    assert all((row["Rain"] == "yes") == (float(row["P(Rain=yes)"]) > 0.5) for row in likely)
    ahead = parsed(run("forecast", "world.bayou", "seen.csv", *OF_CITIES, "--steps", "2").stdout)
    want = world.forecast(seen, 2, **HOW)
    assert [row["step"] for row in ahead] == ["12", "13"] * 6
    assert float(ahead[3]["P(Umbrella=yes)"]) == pytest.approx(want[1]["Umbrella"].probabilities[1, 1])
    scored = run_json("score", "world.bayou", "seen.csv", *OF_CITIES)
    assert scored["log_likelihood"] == pytest.approx(world.score(seen, **HOW))
    assert [name for name, _ in scored["rows"]] == cities
    close = run_json("filter", "world.bayou", "seen.csv", *OF_CITIES, "--engine", "factored")
    assert close["approximate"] is True


def test_questions_that_have_no_answer(days: dict[str, list[Any]], run: Run) -> None:
    world = bayou.examples.umbrella_world()
    world.save("world.bayou")
    assert "nothing to find out" in run("smooth", "world.bayou", "days.csv", exit_code=1).output
    assert "'Rian' in ask" in run("filter", "world.bayou", "seen.csv", "--ask", "Rian", exit_code=1).output
    known = run("decode", "world.bayou", "seen.csv", "--known", exit_code=2).output
    assert "count as observed" in " ".join(known.split())
    world.set_cpt("Umbrella", [[1, 0], [1, 0]]).save("never.bayou")
    shown = run("score", "never.bayou", "seen.csv", *OF_CITIES).stdout
    assert "log P = -inf of 6 sequences" in shown
    assert "Impossible under this model: 6 sequences (c0, c1, c2, c3, c4, …)" in shown
    assert "Sequence 0" in run("smooth", "never.bayou", "seen.csv", *OF_CITIES, exit_code=1).output


def test_hidden_markov_models_are_asked_alike(casino: Any, run: Run, run_json: RunJson) -> None:
    hmm = bayou.load("casino.bayou")
    table = pl.read_csv("rolls.csv").to_dict(as_series=False)
    for verb in ("filter", "smooth"):
        found = run_json(verb, "casino.bayou", "rolls.csv", *KEYS)
        asked = hmm.decode_rows(table, sequence=KEYS[1], time=KEYS[3])
        if verb == "smooth":
            shares = np.array([row[2:] for row in found["rows"]])
            np.testing.assert_allclose(shares, asked.probabilities, atol=1e-12)
        assert [row[0] for row in found["rows"]] == table[KEYS[1]]
    total = run_json("score", "casino.bayou", "rolls.csv", *KEYS)["log_likelihood"]
    assert total == pytest.approx(hmm.score(table, sequence=KEYS[1], time=KEYS[3]))
    refused = run("filter", "casino.bayou", "rolls.csv", *KEYS, "--ask", "die", exit_code=2).output
    assert "are for dynamic networks" in refused


def test_numbers_of_a_dynamic_network_are_answered_in_the_order_of_the_rows(
    folder: Path, run: Run, run_json: RunJson
) -> None:
    net = bayou.DynamicNetwork(
        "mode -> mode'; level -> level'; mode -> level; level -> meter",
        continuous=["level", "meter"],
        states={"mode": ["off", "on"]},
        tables={
            "mode": [0.5, 0.5],
            "mode'": [[0.9, 0.1], [0.2, 0.8]],
            "level": {"off": {"mean": 0, "variance": 1}, "on": {"mean": 3, "variance": 1}},
            "level'": {
                mode: {"mean": mean, "coefficients": {"level": 0.5}, "variance": 1}
                for mode, mean in (("off", 0), ("on", 2))
            },
            "meter": {"mean": 0, "coefficients": {"level": 1}, "variance": 0.5},
        },
    )
    net.save("cooler.bayou")
    rows = {"run": ["b", "a", "b", "a"], "t": [1, 1, 0, 0], "meter": [2.5, 0.1, 3.0, -0.2]}
    pl.DataFrame(rows).write_csv("meter.csv")
    keys = ("--sequence", "run", "--time", "t")
    found = parsed(run("filter", "cooler.bayou", "meter.csv", *keys).stdout)
    a, b = net.filter([{"meter": [-0.2, 0.1]}, {"meter": [3.0, 2.5]}])
    for line, (one, step) in zip(found, [(b, 1), (a, 1), (b, 0), (a, 0)], strict=True):
        assert float(line["mean(level)"]) == pytest.approx(one["level"].means[step])
        assert float(line["P(mode=on)"]) == pytest.approx(one["mode"].probabilities[step, 1])
        assert float(line["error(P(mode=on))"]) == pytest.approx(one.errors["mode"][step, 1])
    assert run_json("smooth", "cooler.bayou", "meter.csv", *keys)["approximate"]
    known = pl.DataFrame({**rows, "mode": ["on", "off", "on", "off"]})
    known.write_csv("known.csv")
    exact = run_json("smooth", "cooler.bayou", "known.csv", *keys)
    assert exact["columns"] == ["run", "t", "mean(level)", "deviation(level)"]
    assert "approximate" not in exact
    for verb in ("score", "forecast"):
        assert run_json(verb, "cooler.bayou", "meter.csv", *keys)["approximate"]
    assert "estimated with particles" in run("score", "cooler.bayou", "meter.csv", *keys).stdout
    assert "approximate" not in run_json("score", "cooler.bayou", "known.csv", *keys)
    refused = run("decode", "cooler.bayou", "meter.csv", *keys, exit_code=1)
    assert "no most probable trajectory" in refused.stderr
    refused = run("convert", "cooler.bayou", "cooler.xdsl", exit_code=1)
    assert "Save the network as .bayou" in refused.stderr
