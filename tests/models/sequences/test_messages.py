"""Messages about the names and lengths of sequences say what can be done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayou
from bayou.cli.main import cli
from bayou.errors import BadData, BadQuestion

TABLE = pd.DataFrame({"t": range(10), "sold": np.arange(10) ** 1.3, "price": np.arange(10) ** 0.5})


def test_the_only_column_of_numbers_is_read() -> None:
    thing = bayou.KalmanModel.constant_velocity(1)
    assert thing.log_likelihood(TABLE[["sold"]]) == thing.log_likelihood(list(TABLE["sold"]))
    with pytest.raises(BadData, match=r"columns=\['sold', 'price'\]\. If 't' is the time, give time='t'"):
        bayou.KalmanModel.constant_velocity(2).filter(TABLE)


def test_a_clock_is_not_proposed_as_the_column_of_a_model() -> None:
    level = bayou.KalmanModel.local_level(0.1, 0.1)
    with pytest.raises(BadData, match=r"'t', 'sold'.*column='sold'.*time='t'"):
        level.filter(TABLE[["t", "sold"]])
    assert len(level.filter(TABLE[["t", "sold"]], time="t")) == 10


def test_dynamic_networks_say_which_variables_are_meant() -> None:
    world = bayou.examples.umbrella_world()
    with pytest.raises(BadData, match=r"Did you mean 'Umbrela'"):
        world.filter({"Umbrela": ["yes"]})
    with pytest.raises(BadQuestion, match=r"give a table, such as \{'Umbrella': \[...\]\}"):
        world.filter(["yes", "no"])
    net = bayou.DynamicNetwork("Sky -> Sky'").fit({"Sky": ["a", "b", "a"]})
    with pytest.raises(BadQuestion, match=r"\{'Sky': \[...\]\}"):
        net.filter(["a", "b"])


def test_draws_given_sequences_have_no_further_steps_unless_said() -> None:
    casino, world = bayou.examples.casino(), bayou.examples.umbrella_world()
    level = bayou.KalmanModel.local_level(0.1, 0.1)
    assert casino.sample(given=[1, 6, 6], seed=1) == casino.sample(0, given=[1, 6, 6], seed=1)
    assert level.sample(given=[1.0, 2.0], seed=1) == level.sample(0, given=[1.0, 2.0], seed=1)
    seen = {"Umbrella": ["yes", "no"]}
    assert world.sample(given=seen, seed=1) == world.sample(0, given=seen, seed=1)
    for model in (casino, level, world):
        with pytest.raises(BadQuestion, match="length=10"):
            model.sample()  # type: ignore[attr-defined]


def test_sequences_without_a_step_are_one_rule() -> None:
    casino, level = bayou.examples.casino(), bayou.KalmanModel.local_level(0.1, 0.1)
    world = bayou.examples.umbrella_world()
    for model, column in ((casino, "roll"), (level, "y"), (world, "Umbrella")):
        with pytest.raises(BadData, match="There is no sequence"):
            model.filter([])  # type: ignore[attr-defined]
        assert isinstance(model.filter([{column: []}]), list)  # type: ignore[attr-defined]
        assert model.score({column: []}) == 0.0  # type: ignore[attr-defined]
        ahead = model.forecast({column: []}, steps=2)  # type: ignore[attr-defined]
        assert len(ahead if model is not world else ahead["Rain"]) == 2


def test_the_command_line_says_what_models_of_sequences_take(tmp_path: Path) -> None:
    casino, level = tmp_path / "casino.bayou", tmp_path / "level.bayou"
    bayou.examples.casino().save(casino)
    bayou.KalmanModel.local_level(0.1, 0.1).save(level)
    found = CliRunner().invoke(cli, ["sample", str(casino), "--given", "roll=6"])
    assert "a model of sequences takes a table" in " ".join(found.stderr.split())
    (tmp_path / "y.csv").write_text("y\n1\n2\n")
    found = CliRunner().invoke(cli, ["decode", str(level), str(tmp_path / "y.csv")])
    assert "(its means are the most probable states)" in " ".join(found.stderr.split())
