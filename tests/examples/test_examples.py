"""The built-in examples as a whole: all listed, all usable, all told in the docs."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.shared_data import needs_shared_data, shared_json

import bayou
from bayou import examples
from bayou.errors import BadVariable

DOCS = Path(__file__).resolve().parents[2] / "docs/learn/examples.md"
SEQUENCES = {"movie_review", "hidden_markov"}


def made(name: str) -> Any:
    example = getattr(examples, name)
    return example(3) if name in SEQUENCES else example()


@pytest.mark.parametrize("name", examples.names())
def test_every_example_is_a_network_a_table_or_a_worked_theorem(name: str) -> None:
    result = made(name)
    if isinstance(result, dict):
        assert len({len(column) for column in result.values()}) == 1
        assert bayou.Network({column: [] for column in result}).fit(result).statistics.rows > 0
    elif isinstance(result, bayou.Network):
        assert str(result).startswith("Network of ")
        for posterior in result.marginals().values():
            if isinstance(posterior, bayou.Posterior):
                assert sum(p for p in posterior.to_array()) == pytest.approx(1, abs=1e-12)
    elif isinstance(result, bayou.HMM):
        assert str(result).startswith("HMM with ")
        assert result.transition.sum(axis=1) == pytest.approx(1, abs=1e-12)
    elif isinstance(result, bayou.DynamicNetwork):
        assert str(result).startswith("DynamicNetwork with ")
        assert result.network(2).marginals()
    else:
        assert isinstance(result, bayou.results.BayesResult)


@pytest.mark.parametrize("name", examples.names())
def test_every_example_is_in_the_overview_and_in_the_docs(name: str) -> None:
    stem = name.removesuffix("_network")
    assert f"``{stem}" in str(examples.__doc__)
    assert f"`{stem}(" in DOCS.read_text(encoding="utf-8")
    assert ">>>" in str(getattr(examples, name).__doc__)


@pytest.mark.parametrize("name", examples.names())
def test_an_example_is_made_afresh_at_each_call(name: str) -> None:
    first = made(name)
    if isinstance(first, dict):
        first[next(iter(first))].append("spoilt")
        assert "spoilt" not in made(name)[next(iter(first))]
    elif isinstance(first, bayou.Network):
        root = first.dag.roots[0]
        first.set_cpt(root, [1.0] + [0.0] * (len(first.states(root)) - 1))
        assert not first.same_as(made(name))


def test_the_bundled_rows_are_those_that_the_network_draws() -> None:
    rows = examples.storm().sample(400, seed=2026)
    assert examples.storm_data() == {name: rows[name].tolist() for name in rows}


def test_the_storm_is_learned_back_from_its_rows() -> None:
    storm = examples.storm()
    learned = bayou.Network(storm.dag).fit(examples.storm_data())
    for name in ("Storm", "BusTourGroup", "Lightning", "Campfire"):
        np.testing.assert_allclose(learned.cpt(name).to_array(), storm.cpt(name).to_array(), atol=0.15)


def test_a_review_learns_the_same_word_table_from_any_position() -> None:
    data = {"Y": ["comedy", "drama"], "W1": ["fun", "sad"], "W2": ["love", "tears"], "W3": ["fun", "sad"]}
    net = examples.movie_review(3).fit(data, prior=0)
    for position in ("W1", "W2", "W3"):
        assert net.cpt(position)["comedy", "fun"] == pytest.approx(2 / 3, rel=1e-15)


@pytest.mark.parametrize("length", [0, -3])
def test_a_sequence_without_positions_is_refused(length: int) -> None:
    for example in (examples.movie_review, examples.hidden_markov):
        with pytest.raises(BadVariable, match="must be 1 or more"):
            example(length)


def test_the_page_of_the_docs_runs() -> None:
    outcome = doctest.testfile(str(DOCS), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.attempted > 5
    assert outcome.failed == 0


@needs_shared_data
@pytest.mark.parametrize(
    "name", ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance"]
)
def test_classic_networks_give_the_answers_of_other_programs(name: str) -> None:
    """The reference answers were computed by pyAgrum (see the README of the shared data)."""
    net = getattr(examples, name)()
    for case in shared_json(f"reference/{name}.json.gz")["cases"]:
        if case["kind"] == "hard":
            found = net.marginals(case["evidence"])
            assert found.log_evidence == pytest.approx(case["log_evidence"], abs=1e-9)
            for target, posterior in case["posteriors"].items():
                np.testing.assert_allclose(found[target].to_array(), posterior, atol=1e-9)


def test_the_sources_of_the_classic_networks_are_in_the_package() -> None:
    folder = Path(examples.__file__).parent / "networks"
    told = (folder / "SOURCES.md").read_text(encoding="utf-8")
    assert all(file.name in told for file in folder.glob("*.gz"))
