"""bayou fit --kalman, filter, smooth, score, forecast, sample and show on linear Gaussian series."""

from __future__ import annotations

import csv
import io
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.loading import load
from tests.cli.conftest import Run, RunJson

KEYS = ("--sequence", "shop", "--time", "day")
HOW: dict[str, Any] = {"sequence": "shop", "time": "day"}


@pytest.fixture
def sales(folder: Path) -> Path:
    """sales.csv: three series of a level with gaps, rows in no order; track.csv: positions in the plane."""
    walk = bayou.KalmanModel.local_level(0.5, 2.0, start=50, start_variance=9)
    rows = []
    for k, shop in enumerate(("north", "east", "south")):
        for day, y in enumerate(walk.sample(40, seed=k)["y"]):
            rows.append(f"{shop},{day},{'' if day == 20 else y}")
    shuffled = np.random.default_rng(0).permutation(rows).tolist()
    (folder / "sales.csv").write_text("\n".join(["shop,day,sold", *shuffled]) + "\n", encoding="utf-8")
    thing = bayou.KalmanModel.constant_velocity(2, acceleration=0.1, start_variance=1).sample(50, seed=1)
    lines = [f"{a},{b}" for a, b in zip(thing["x"], thing["y"], strict=True)]
    (folder / "track.csv").write_text("\n".join(["east,north", *lines]) + "\n", encoding="utf-8")
    return folder


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_model_is_learned_as_in_python(sales: Path, run: Run, run_json: RunJson) -> None:
    shown = run("fit", "sales.csv", "--kalman", "level", *KEYS, "-o", "m.bayou").stdout
    assert "Learned from 120 rows" in shown
    assert "level" in shown
    expected = bayou.KalmanModel.local_level(column="sold").fit("sales.csv", **HOW)
    assert load("m.bayou").same_as(expected)
    for word, made in (
        ("trend", bayou.KalmanModel.local_trend(column="sold")),
        ("autoregression:2", bayou.KalmanModel.autoregression([0.5, 0.0], mean=None, column="sold")),
    ):
        run("fit", "sales.csv", "--kalman", word, *KEYS, "--max-iterations", "2", "-o", "n.bayou")
        with pytest.warns(match="stopped"):
            made.fit("sales.csv", **HOW, max_iterations=2)
        assert load("n.bayou").same_as(made)
    document = run_json("fit", "track.csv", "--kalman", "velocity", "--seed", "1")
    assert document["model"]["columns"] == ["east", "north"]
    assert document["model"]["states"][0] == "position of east"
    more = run("fit", "sales.csv", "--add", "m.bayou", *KEYS, "-o", "m2.bayou").stdout
    assert "Added 240 rows" in more
    assert load("m2.bayou").same_as(expected.partial_fit("sales.csv", **HOW))


def test_states_are_written_in_the_order_of_the_rows(sales: Path, run: Run, run_json: RunJson) -> None:
    run("fit", "sales.csv", "--kalman", "level", *KEYS, "-o", "m.bayou")
    model = load("m.bayou")
    for method in ("smooth", "filter"):
        rows = parsed(run(method, "m.bayou", "sales.csv", *KEYS).stdout)
        answers = getattr(model, method)("sales.csv", **HOW)
        by_name = dict(zip(("east", "north", "south"), answers, strict=True))
        table = parsed(Path("sales.csv").read_text(encoding="utf-8"))
        assert [(row["shop"], row["day"]) for row in rows] == [(row["shop"], row["day"]) for row in table]
        for row in rows:
            one = by_name[row["shop"]]
            assert float(row["mean(level)"]) == pytest.approx(one.means[int(row["day"]), 0])
            assert float(row["deviation(level)"]) == pytest.approx(one.deviations[int(row["day"]), 0])
    assert run_json("smooth", "m.bayou", "sales.csv", *KEYS)["columns"][2] == "mean(level)"
    run("smooth", "m.bayou", "sales.csv", *KEYS, "-o", "states.parquet")
    assert Path("states.parquet").exists()
    logs = [row[1] for row in run_json("score", "m.bayou", "sales.csv", *KEYS)["rows"]]
    assert logs == pytest.approx(model.log_likelihoods("sales.csv", **HOW).tolist())


def test_forecasts_and_draws_are_those_of_the_library(sales: Path, run: Run, run_json: RunJson) -> None:
    run("fit", "sales.csv", "--kalman", "trend", *KEYS, "-o", "m.bayou")
    model = load("m.bayou")
    rows = parsed(run("forecast", "m.bayou", "sales.csv", *KEYS, "--steps", "2").stdout)
    assert [(row["shop"], row["step"]) for row in rows[:3]] == [("east", "1"), ("east", "2"), ("north", "1")]
    ahead = model.forecast("sales.csv", 2, **HOW)
    assert float(rows[2]["mean(sold)"]) == pytest.approx(ahead[1].means[0, 0])
    drawn = parsed(run("sample", "m.bayou", "--length", "5", "--sequences", "2", "--seed", "7").stdout)
    expected = model.sample(5, sequences=2, seed=7)[0]["sold"]
    assert [float(row["sold"]) for row in drawn[:5]] == pytest.approx(expected)
    assert "slope" in run("show", "m.bayou").stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("fit", "sales.csv", "--kalman", "walk", *KEYS), "use level, trend, velocity"),
        (("fit", "sales.csv", "--kalman", "level"), "leave others out with --ignore"),
        (("fit", "sales.csv", "--kalman", "level", *KEYS, "--states", "3"), "--states cannot be combined"),
        (("fit", "sales.csv", "--kalman", "level", *KEYS, "--method", "viterbi"), "use em, plain-em"),
        (("fit", "sales.csv", "--kalman", "autoregression:x", *KEYS), "the number of lags"),
        (("fit", "sales.csv", "--kalman", "autoregression:9999999999", *KEYS), "up to 500"),
        (("fit", "sales.csv", "--add", "m.bayou", *KEYS, "--seed", "2"), "omit --seed"),
        (("smooth", "m.bayou", "sales.csv", *KEYS, "--ask", "level"), "--ask and --engine are for"),
        (("sample", "m.bayou", "-n", "3"), "--length"),
    ],
)
def test_errors_name_the_option_to_change(sales: Path, run: Run, line: tuple[str, ...], said: str) -> None:
    bayou.KalmanModel.local_level(column="sold").save("m.bayou")
    assert said in run(*line, exit_code=2).stderr


def test_other_commands_name_those_for_series(sales: Path, run: Run) -> None:
    bayou.KalmanModel.local_level(column="sold").save("m.bayou")
    assert "bayou smooth m.bayou DATA" in run("query", "m.bayou", "level", exit_code=1).stderr
    assert "bayou smooth m.bayou DATA" in run("decode", "m.bayou", "sales.csv", exit_code=1).stderr


def test_the_commands_of_the_page_run(sales: Path, run: Run) -> None:
    page = (Path(__file__).parents[3] / "docs/do/sequences/tracking.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", page, flags=re.DOTALL)
    printed = [run(*shlex.split(line)[2:]).stdout for line in block.splitlines()]
    assert len(printed) == 6
    assert "mean(sold)" in printed[3]
    assert len(printed[3].splitlines()) == 1 + 3 * 7
