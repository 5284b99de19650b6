"""Barren cells of rows with numbers: each row is expected under the network without its barren variables.

A variable that is missing in a row together with all its descendants sums to 1 (see
:mod:`bayou.inference.expectation.barren_cells`), so the row can be learned from as if the network did not
have it. Rows without the same variables go together. Every such set of rows costs a pass of its own, so only
variables are left out that are barren in many rows (there EM would crawl); the others are filled in.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayou.distributions import DENSITY
from bayou.graphs import Dag
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.inference.expectation.expected_statistics import Expectation, expectation_of
from bayou.inference.expectation.expected_sums import ExpectedSums, real_families
from bayou.inference.mixed.gap_patterns import by_pattern
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.statistics import Batch, Request, Result, Statistics
from bayou.typing import BoolArray, Name

MOST_PATTERNS = 8
"""The most sets of rows that are expected one by one."""
LEAST_SHARE = 0.5
"""Variables that are barren in fewer rows are filled in: EM is quick there, and sets of rows cost time."""


def moments_without_barren(network: FrozenNetwork, batch: Batch) -> Expectation:
    """Return the expected counts and moments of rows with gaps, without those of barren variables.

    >>> import bayou
    >>> from bayou.statistics import Moments
    >>> net = bayou.Network("x -> y").fit({"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0]})
    >>> batch = Batch(2, {}, {"x": np.array([1.0, 2.0]), "y": np.array([3.0, np.nan])})
    >>> found = moments_without_barren(net.frozen, batch).statistics
    >>> found[Moments(("x",))].n.item(), found[Moments(("x", "y"))].n.item()
    (2.0, 1.0)
    """
    chosen = _chosen(network, barren_cells(network, batch))
    if not chosen:
        return expected_moments(network, batch)
    nothing = expectation_of(network, 0.0, ExpectedSums(network, real_families(network)).answers(), 0.0)
    total: dict[Request, Result] = dict(nothing.statistics)
    log_likelihood = 0.0
    for pattern, rows in by_pattern(np.stack(list(chosen.values()), axis=-1)):
        left_out = [name for name, barren in zip(chosen, pattern, strict=True) if barren]
        some = batch if len(rows) == batch.rows else batch.taken(rows)
        found = expected_moments(_without(network, left_out), some)
        log_likelihood += found.log_likelihood
        for request, answer in found.statistics.items():
            total[request] = total[request] + answer
    return Expectation(log_likelihood, Statistics(total, batch.total))


def barren_cells(network: FrozenNetwork, batch: Batch) -> dict[Name, BoolArray]:
    """Return a mask of the rows in which a variable is barren, for each variable that has such rows."""
    silent: dict[Name, BoolArray] = {}
    for name in reversed(network.dag.topological_order):
        children = network.dag.children(name)
        if any(child not in silent for child in children):
            continue
        known = name in batch.codes or name in batch.numbers
        mask = batch.missing(name).copy() if known else np.ones(batch.rows, dtype=bool)
        for child in children:
            mask &= silent[child]
        if mask.any():
            silent[name] = mask
    return silent


def _chosen(network: FrozenNetwork, silent: dict[Name, BoolArray]) -> dict[Name, BoolArray]:
    """The variables that are left out: those that are barren in the most rows, while patterns are few.

    A leaf that is neither discrete nor Gaussian says nothing where it is missing, so it need not be left out.
    """
    chosen: dict[Name, BoolArray] = {}
    patterns = None
    # Parents are barren in no more rows than their children, which come first here.
    for name in sorted(silent, key=lambda name: -int(np.count_nonzero(silent[name]))):
        if network.distribution(name).form == DENSITY or np.mean(silent[name]) < LEAST_SHARE:
            continue
        children = [n for n in network.dag.children(name) if network.distribution(n).form != DENSITY]
        if any(child not in chosen for child in children):
            continue
        more = silent[name].astype(np.int64) if patterns is None else 2 * patterns + silent[name]
        kinds, more = np.unique(more, return_inverse=True)
        if len(kinds) <= MOST_PATTERNS:
            chosen[name], patterns = silent[name], more
    return chosen


def _without(network: FrozenNetwork, names: list[Name]) -> FrozenNetwork:
    """The network without these variables and their descendants."""
    left_out = set(names)
    for name in network.dag.topological_order:
        if not left_out.isdisjoint(network.dag.parents(name)):
            left_out.add(name)
    if not left_out:
        return network
    kept = [name for name in network.dag.nodes if name not in left_out]
    users = {block: tuple(u for u in used if u not in left_out) for block, used in network.sharing.items()}
    slots = {network.slots[name] for name in kept}
    return replace(
        network,
        schema=Schema(network.schema[name] for name in kept),
        dag=Dag(kept, {name: network.dag.parents(name) for name in kept}),
        sharing={block: used for block, used in users.items() if used},
        blocks={block: node for block, node in network.blocks.items() if block in slots},
        kinds={name: kind for name, kind in network.kinds.items() if name not in left_out},
    )
