"""Tables with entries down to 1e-300 and findings that contradict each other, against exact fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

import bayou
from bayou.errors import ImpossibleEvidence
from bayou.inference.exact.compiled_query import rows_posterior
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.statistics import Batch, CountTable

GAP = 255
TINY = 1e-60
"""Probabilities below this may come out as 0; nothing that matters is lost with them."""
Codes = Mapping[str, int]
Weights = Mapping[str, Any]


@st.composite
def networks(draw: st.DrawFn) -> bayou.Network:
    """Up to six variables, each with up to three parents, and tables of entries from 1e-300 to 1."""
    count = draw(st.integers(3, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    lowest = draw(st.sampled_from([20, 150, 300]))
    names = [f"v{k}" for k in range(count)]
    parents = {
        name: [names[j] for j in random.permutation(k)[: random.integers(0, 4)]]
        for k, name in enumerate(names)
    }
    states = {name: list("abc")[: random.integers(2, 4)] for name in names}
    net = bayou.Network(parents, states=states)
    for name in names:
        shape = [len(states[other]) for other in (*parents[name], name)]
        values = 10.0 ** -random.uniform(0, lowest, shape)
        values[random.random(shape) < 0.05] = 0.0
        values[..., 0] += (values.sum(axis=-1) == 0).astype(float)
        net.set_cpt(name, values / values.sum(axis=-1, keepdims=True))
    return net


def cells(net: bayou.Network, found: Codes, soft: Weights) -> Iterator[tuple[dict[str, int], Fraction]]:
    """Every assignment that agrees with the findings, and its exact weight."""
    frozen = net.frozen
    names = [str(name) for name in net.names]
    ranges = [[found[n]] if n in found else range(frozen.schema[n].cardinality) for n in names]
    for codes in itertools.product(*ranges):
        cell = dict(zip(names, codes, strict=True))
        weight = Fraction(1)
        for name in names:
            place = (*(cell[str(parent.name)] for parent in frozen.parents(name)), cell[name])
            weight *= Fraction(float(frozen.table(name)[place]))
        for name, weights in soft.items():
            weight *= Fraction(float(weights[cell[name]]))
        if weight:
            yield cell, weight


def log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf


def exact_posterior(
    net: bayou.Network, target: str, found: Codes, soft: Weights
) -> tuple[list[float], float]:
    sums = [Fraction(0)] * net.frozen.schema[target].cardinality
    for cell, weight in cells(net, found, soft):
        sums[cell[target]] += weight
    total = sum(sums, Fraction(0))
    return [float(part / total) if total else math.nan for part in sums], log(total)


def findings(net: bayou.Network, random: np.random.Generator, share: float, but: str = "") -> dict[str, int]:
    return {
        str(name): int(random.integers(net.frozen.schema[name].cardinality))
        for name in net.names
        if name != but and random.random() < share
    }


def soft_findings(net: bayou.Network, random: np.random.Generator, lowest: float) -> dict[str, Any]:
    return {
        str(name): 10.0 ** random.uniform(-lowest, 0, net.frozen.schema[name].cardinality)
        for name in net.names
        if random.random() < 0.5
    }


def labels(net: bayou.Network, found: Codes) -> dict[str, Any]:
    return {name: net.frozen.schema[name].states[code] for name, code in found.items()}


def assert_same(ask: Callable[[], Any], exact: list[float], exact_log: float) -> None:
    """The answer of ``ask`` is exact, or the findings are impossible and it says so."""
    if exact_log == -math.inf:
        with pytest.raises(ImpossibleEvidence):
            ask()
        return
    posterior = ask()
    np.testing.assert_allclose(posterior.to_array(), exact, rtol=1e-9, atol=TINY)


@given(networks(), st.integers(0, 2**32))
@law
def test_queries_cold_new_and_kept(net: bayou.Network, seed: int) -> None:
    random = np.random.default_rng(seed)
    target = str(net.names[0])
    found = findings(net, random, 0.7, but=target)
    exact, exact_log = exact_posterior(net, target, found, {})
    state = labels(net, found)
    net.query(target, {})  # the first question compiles a plan, new names are answered on the network's tree
    for _ in range(3):
        assert_same(lambda: net.query(target, state), exact, exact_log)
        assert_same(lambda: net.marginals(state)[target], exact, exact_log)
        if exact_log > -math.inf and found:
            assert net.query(target, state).log_evidence == pytest.approx(exact_log, rel=1e-12, abs=1e-12)
            assert net.marginals(state).log_evidence == pytest.approx(exact_log, rel=1e-12, abs=1e-12)


@given(networks(), st.integers(0, 2**32), st.sampled_from([1.0, 200.0, 320.0]))
@law
def test_soft_findings(net: bayou.Network, seed: int, lowest: float) -> None:
    random = np.random.default_rng(seed)
    target = str(net.names[-1])
    found = findings(net, random, 0.3, but=target)
    soft = soft_findings(net, random, lowest)
    exact, exact_log = exact_posterior(net, target, found, soft)
    state = labels(net, found)
    assert_same(lambda: net.query(target, state, likelihood=soft), exact, exact_log)
    assert_same(lambda: net.marginals(state, likelihood=soft)[target], exact, exact_log)
    if exact_log > -math.inf and (found or soft):
        assert net.log_evidence(state, likelihood=soft) == pytest.approx(exact_log, rel=1e-12, abs=1e-12)


@given(networks(), st.integers(0, 2**32), st.sampled_from([0.1, 0.4, 0.8]))
@law
def test_rows_with_few_gaps_and_with_many(net: bayou.Network, seed: int, gaps: float) -> None:
    random = np.random.default_rng(seed)
    rows, target = 70, str(net.names[1])
    kept = [findings(net, random, 1 - gaps) for _ in range(10)]
    table = {
        str(name): np.array([kept[row % 10].get(str(name), GAP) for row in range(rows)], dtype=np.uint8)
        for name in net.names
    }
    logs, answers = rows_posterior(
        net.frozen, list(net.names), target, {n: c for n, c in table.items() if n != target}, rows
    )
    all_logs = net.log_probability(
        {
            n: [None if c == GAP else net.frozen.schema[n].states[c] for c in codes]
            for n, codes in table.items()
        }
    )
    for row, found in enumerate(kept):
        others = {name: code for name, code in found.items() if name != target}
        exact, exact_log = exact_posterior(net, target, others, {})
        assert logs[row] == pytest.approx(exact_log, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(answers[row], exact, rtol=1e-9, atol=TINY)
        assert all_logs[row] == pytest.approx(
            exact_posterior(net, target, found, {})[1], rel=1e-12, abs=1e-12
        )


@given(networks(), st.integers(0, 2**32), st.sampled_from([0.2, 0.5]))
@law
def test_expected_counts(net: bayou.Network, seed: int, gaps: float) -> None:
    random = np.random.default_rng(seed)
    for _ in range(10):
        check_expected_counts(net, findings(net, random, 1 - gaps))


def check_expected_counts(net: bayou.Network, found: Codes) -> None:
    batch = Batch(1, {str(n): np.array([found.get(str(n), GAP)], np.uint8) for n in net.names}, {})
    exact = list(cells(net, found, {}))
    if not exact:
        with pytest.raises(ImpossibleEvidence):
            expected_counts(net.frozen, batch)
        return
    total = sum((weight for _, weight in exact), Fraction(0))
    got = expected_counts(net.frozen, batch)
    assert got.log_likelihood == pytest.approx(log(total), rel=1e-12, abs=1e-12)
    for name in net.names:
        members = (*(str(parent.name) for parent in net.frozen.parents(name)), str(name))
        wanted = np.zeros([net.frozen.schema[member].cardinality for member in members])
        for cell, weight in exact:
            wanted[tuple(cell[member] for member in members)] += float(weight / total)
        values = got.statistics[CountTable(members)].values
        np.testing.assert_allclose(values, wanted, rtol=1e-9, atol=TINY)


@given(networks(), st.integers(0, 2**32))
@law
def test_all_explanations_are_found_however_improbable(net: bayou.Network, seed: int) -> None:
    random = np.random.default_rng(seed)
    targets = [str(name) for name in net.names[:2]]
    found = findings(net, random, 0.5)
    found = {name: code for name, code in found.items() if name not in targets}
    sums: dict[tuple[int, ...], Fraction] = {}
    for cell, weight in cells(net, found, {}):
        key = tuple(cell[name] for name in targets)
        sums[key] = sums.get(key, Fraction(0)) + weight
    if not sums:
        return
    total = sum(sums.values(), Fraction(0))
    wanted = sorted((log(weight / total) for weight in sums.values()), reverse=True)
    got = net.most_probable(labels(net, found), targets, k=len(wanted) + 1)
    assert len(got) == len(wanted)
    logs = [one.log_probability for one in got]
    np.testing.assert_allclose(logs, wanted, rtol=1e-9, atol=1e-9)
    for one in got:
        key = tuple(net.frozen.schema[name].code(one.states[name]) for name in targets)
        assert one.log_probability == pytest.approx(log(sums[key] / total), rel=1e-9, abs=1e-9)
