"""Rows drawn under Jeffrey's rule have the required marginal, and what depends on it follows."""

from __future__ import annotations

import bayou


def test_rows_have_the_required_marginal() -> None:
    net = bayou.examples.rain_and_wet_grass()
    name = net.names[-1]
    first, second = net.states(name)[:2]
    wanted = dict.fromkeys(net.states(name), 0.0) | {first: 0.7, second: 0.3}
    rows = net.sample(40_000, marginal={name: wanted}, seed=1)
    assert abs(float((rows[name] == first).mean()) - 0.7) < 0.01
    for other, posterior in net.marginals(marginal={name: wanted}).items():
        for state in net.states(other):
            assert abs(float((rows[other] == state).mean()) - posterior[state]) < 0.012
