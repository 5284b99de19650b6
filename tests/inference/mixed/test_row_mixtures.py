"""Posteriors of real variables for many rows, and draws from them, equal the questions one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.mixed.mixed_networks import mixed_networks
from tests.inference.mixed.test_pattern_rows import ROWS, question_of_row, rows_with_gaps
from tests.laws.strategies import law, seeds

from bayou._native import sample_categorical, sample_normal
from bayou.errors import ImpossibleEvidence
from bayou.inference import Question, ask
from bayou.inference.mixed import pattern_rows, row_mixtures
from bayou.inference.mixtures import Mixture
from bayou.inference.rows.imputation import GappyRows, fill_by_drawing, means_of_rows
from bayou.networks import FrozenNetwork

FIRST, SEED = 40, 5


def alone(network: FrozenNetwork, codes: Any, numbers: Any, row: int, target: Any) -> Mixture | None:
    """The posterior by the question of one row (None: impossible)."""
    question = question_of_row(codes, numbers, row, target)
    found = {name: value for name, value in question.evidence.items() if name != target}
    try:
        return ask(network, Question((target,), found)).mixture
    except ImpossibleEvidence:
        return None


def drawn_alone(mixture: Mixture, network: FrozenNetwork, target: Any, row: int) -> float:
    stream = network.schema.index(target)
    cumulative = np.minimum(np.cumsum(mixture.weights), 1.0)[None, :]
    chosen = int(sample_categorical(SEED, stream, row, None, cumulative, 1)[0])
    noise = sample_normal(SEED, stream + len(network.schema), row, 1)[0]
    return float(mixture.means[chosen] + noise * np.sqrt(mixture.variances[chosen]))


@pytest.mark.parametrize("wide", [0, 2**20])
@pytest.mark.parametrize("most", [1, 256])
@given(network=mixed_networks(), random=seeds(), share=st.sampled_from([0.2, 0.6]), impossible=st.booleans())
@law
def test_every_row_is_drawn_as_if_alone(
    wide: int,
    most: int,
    network: FrozenNetwork,
    random: np.random.Generator,
    share: float,
    impossible: bool,
) -> None:
    """By plans and by elimination, side by side and (too many Gaussians) one by one."""
    codes, numbers = rows_with_gaps(network, random, share)
    if impossible:
        codes = {name: random.permutation(column) for name, column in codes.items()}
    target = list(numbers)[int(random.integers(len(numbers)))]
    gaps = {target: np.isnan(numbers[target])}
    part = GappyRows(ROWS, codes, numbers, gaps, FIRST)
    where = np.flatnonzero(gaps[target])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern_rows, "_WIDE_TABLE", wide)
        patch.setattr(row_mixtures, "_MOST", most)
        means = means_of_rows(network, target, part, where)
        done = fill_by_drawing(network, part, SEED)
    for row, mean, value in zip(where.tolist(), means, done.values[target], strict=True):
        mixture = alone(network, codes, numbers, row, target)
        assert bool(done.impossible[row]) == (mixture is None)
        if mixture is None:
            assert np.isnan(mean)
            assert np.isnan(value)
        else:
            assert mean == pytest.approx(mixture.mean, rel=1e-9, abs=1e-9)
            assert value == pytest.approx(drawn_alone(mixture, network, target, FIRST + row), abs=1e-9)


@given(network=mixed_networks(), random=seeds())
@law
def test_draws_do_not_depend_on_the_rows_beside(network: FrozenNetwork, random: np.random.Generator) -> None:
    codes, numbers = rows_with_gaps(network, random, 0.4)
    gaps = {name: np.isnan(column) for name, column in numbers.items()}
    whole = fill_by_drawing(network, GappyRows(ROWS, codes, numbers, gaps, FIRST), SEED)
    cut = ROWS // 3
    last = [{name: column[cut:] for name, column in part.items()} for part in (codes, numbers, gaps)]
    rest = fill_by_drawing(network, GappyRows(ROWS - cut, *last, FIRST + cut), SEED)
    for name, gone in gaps.items():
        behind = whole.values[name][np.flatnonzero(gone) >= cut]
        np.testing.assert_allclose(rest.values[name], behind, rtol=1e-9, atol=1e-9)
