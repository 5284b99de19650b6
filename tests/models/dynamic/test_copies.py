"""Dynamic networks that have answered questions can be copied and pickled."""

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
