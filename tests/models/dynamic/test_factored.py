"""The factored filter: exact where variables are independent, the reference of Boyen and Koller elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from tests.models.dynamic.random_templates import random_model, random_rows

import bayou
from bayou._native.reference.temporal import slices as reference
from bayou.errors import BadQuestion, TooWide


def ring(count: int, seed: int = 0) -> bayou.DynamicNetwork:
    """Binary chains in a ring, each with an observed child."""
    arcs = [(f"X{(k + d) % count}", f"X{k}'") for k in range(count) for d in (-1, 0, 1)]
    arcs += [(f"X{k}", f"Y{k}") for k in range(count)]
    states = {f"{letter}{k}": [0, 1] for letter in "XY" for k in range(count)}
    net = bayou.DynamicNetwork(arcs, states=states)
    chance = np.random.default_rng(seed)
    for table in net.tables:
        net.set_cpt(table, chance.dirichlet([2, 2], size=[2] * len(net.parents(table))))
    return net


def observed(net: bayou.DynamicNetwork, length: int) -> dict[str, list[int]]:
    return {name: cells for name, cells in net.sample(length, seed=1).items() if name.startswith("Y")}


def test_too_wide_names_the_size_and_the_remedy() -> None:
    net = ring(30)
    rows = observed(net, 50)
    with pytest.raises(TooWide, match=r'1,073,741,824 entries.*30 variables.*engine="factored"'):
        net.filter(rows)
    beliefs = net.filter(rows, engine="factored")
    assert beliefs.approximate
    assert "approximately" in str(beliefs)
    for name in beliefs:
        np.testing.assert_allclose(beliefs[name].probabilities.sum(axis=1), 1)
    assert np.isfinite(net.forecast(rows, 3, engine="factored").log_likelihood)
    with pytest.raises(TooWide, match="engine"):
        net.smooth(rows)
    assert net.smooth(rows, engine="factored").approximate


def test_close_to_exact_where_chains_hardly_depend_on_each_other() -> None:
    net = ring(5)
    rows = observed(net, 40)
    exact, factored = net.filter(rows), net.filter(rows, engine="factored")
    for name in exact:
        np.testing.assert_allclose(factored[name].probabilities, exact[name].probabilities, atol=0.05)
    assert factored.log_likelihood == pytest.approx(exact.log_likelihood, rel=0.01)


def test_exact_for_a_single_chain() -> None:
    world = bayou.examples.umbrella_world()
    rows = {"Umbrella": ["yes", None, "no", "yes"]}
    one, two = world.filter(rows), world.filter(rows, engine="factored")
    np.testing.assert_allclose(one["Rain"].probabilities, two["Rain"].probabilities, atol=1e-14)
    assert one.log_likelihood == pytest.approx(two.log_likelihood)


@pytest.mark.parametrize("seed", range(10))
def test_equals_the_reference(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    rows = [random_rows(chance, model, 6), random_rows(chance, model, 2)]
    _, evidence, _ = model._asked(rows, {})
    wanted = tuple(n for n in model.names if not model._always_known(evidence, n))
    found = model.model
    kinds, (_, *others) = found._call(evidence, wanted, factored=True)
    programs = [
        reference.SliceProgram(
            tables=[use.values(found.network) for use in found.plan(kind).uses], **found.plan(kind).arguments
        )
        for kind in kinds
    ]
    states = [found.variables[name].cardinality for name in wanted]
    logs, steps, beliefs = reference.filter_slices(programs, *others, states)
    own = found.filtered(evidence, wanted, factored=True)
    np.testing.assert_allclose(own[0], logs, atol=1e-10)
    np.testing.assert_allclose(own[1], steps, atol=1e-10)
    for name, want in zip(wanted, beliefs, strict=True):
        free = evidence.status[evidence.index(name)] % 4 == 0
        np.testing.assert_allclose(own[2][name][free], want[free], atol=1e-10)


def test_other_engines_are_refused() -> None:
    world = bayou.examples.umbrella_world()
    with pytest.raises(BadQuestion, match="engine"):
        world.filter({"Umbrella": ["yes"]}, engine="loopy")
    with pytest.raises(BadQuestion, match="engine"):
        world.smooth({"Umbrella": ["yes"]}, engine="loopy")
