"""Counting and log-likelihoods of 10,000 sampled rows against an independent program."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BayouWarning

SCORES = shared_json("reference/structure_scores.json.gz")
NAMES = ["asia", "alarm", "child", "insurance", "hailfinder"]


def fitted_by_maximum_likelihood(net: bayou.Network, path: object) -> bayou.Network:
    with warnings.catch_warnings():
        # Parent combinations that never occur become uniform, with a warning: no row ever looks there.
        warnings.simplefilter("ignore", BayouWarning)
        return net.fit(path, prior=0)


@needs_shared_data
@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_of_the_sample_under_its_own_fractions(name: str) -> None:
    stated = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    sample = SHARED / SCORES[name]["file"]
    for structure, dag in {"true": stated.dag, "empty": {node: [] for node in stated.names}}.items():
        net = bayou.Network(dag, states={node: stated.states(node) for node in stated.names})
        fitted_by_maximum_likelihood(net, sample)
        expected = SCORES[name]["structures"][structure]["total"]["loglik"]
        assert np.sum(net.log_probability(sample)) == pytest.approx(expected, rel=1e-9)


@needs_shared_data
@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_of_the_sample_under_the_stated_tables(name: str) -> None:
    stated = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    for key, file in {"": "file", "test_": "test_file"}.items():
        logs = stated.log_probability(SHARED / SCORES[name][file])
        expected = SCORES[name][f"{key}loglik_under_true_parameters"]
        assert np.sum(logs) == pytest.approx(expected, rel=1e-9)


@needs_shared_data
@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_of_new_rows_after_laplace_smoothing(name: str) -> None:
    stated = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    net = bayou.Network(stated.dag, states={node: stated.states(node) for node in stated.names})
    net.fit(SHARED / SCORES[name]["file"])
    logs = net.log_probability(SHARED / SCORES[name]["test_file"])
    expected = SCORES[name]["test_loglik_true_structure_laplace_1"]
    assert np.sum(logs) == pytest.approx(expected, rel=1e-9)


@needs_shared_data
@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_falls_into_one_part_for_each_table(name: str) -> None:
    stated = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    sample = SHARED / SCORES[name]["file"]
    net = bayou.Network(stated.dag, states={node: stated.states(node) for node in stated.names})
    fitted_by_maximum_likelihood(net, sample)
    for (*_, child), counts in ((request.variables, counts) for request, counts in net.statistics.items()):
        table = net.cpt(child).to_array()
        cells = counts.aligned(
            [*(net.variables[parent] for parent in net.parents(child)), net.variables[child]]
        )
        seen = cells.values > 0
        part = float(np.sum(cells.values[seen] * np.log(table[seen])))
        assert part == pytest.approx(SCORES[name]["structures"]["true"]["local"][child]["loglik"], rel=1e-9)
