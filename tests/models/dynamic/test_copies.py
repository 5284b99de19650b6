"""Dynamic networks are copied, pickled and made from their tables."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

import bayou

UMBRELLAS = {"Umbrella": ["yes", None, "no"]}


@pytest.mark.parametrize(
    "twin_of", [lambda net: pickle.loads(pickle.dumps(net)), copy.deepcopy, bayou.DynamicNetwork.copy]
)
def test_a_network_that_has_answered(
    twin_of: Callable[[bayou.DynamicNetwork], bayou.DynamicNetwork],
) -> None:
    world = bayou.examples.umbrella_world()
    before = world.score(UMBRELLAS)
    twin = twin_of(world)
    assert twin.score(UMBRELLAS) == before
    assert twin.smooth(UMBRELLAS)["Rain"][1] == world.smooth(UMBRELLAS)["Rain"][1]
    twin.fit([{"Rain": ["no", "no"], "Umbrella": ["no", "no"]}])
    assert twin.score(UMBRELLAS) != before == world.score(UMBRELLAS)


def test_tables_and_variables_that_are_lacking_are_named() -> None:
    world = bayou.examples.umbrella_world()
    tables = {name: world.cpt(name).to_array() for name in world.template.tables}
    for kind, variables, some in (
        ("variable for 'Rain', 'Umbrella'", {}, tables),
        ("table for 'Umbrella'", world.variables, {name: tables[name] for name in ("Rain", "Rain'")}),
    ):
        with pytest.raises(bayou.errors.BadTable, match=f"There is no {kind}; the template needs"):
            bayou.DynamicNetwork.from_tables(world.template, variables, some)
