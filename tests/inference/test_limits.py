"""What is too large is refused at once with remedies, and users can say how large that is."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, TooWide
from bayou.inference import current_limits

GIB = 2**30


def grid(side: int) -> bayou.Network:
    """Variables on a square, each caused by its upper and its left neighbour."""
    parents = {
        (i, j): [place for place in ((i - 1, j), (i, j - 1)) if min(place) >= 0]
        for i in range(side)
        for j in range(side)
    }
    alike: dict[int, list[tuple[int, int]]] = {}
    for name, above in parents.items():
        alike.setdefault(len(above), []).append(name)
    share = {f"{count} parents": names for count, names in alike.items() if count}
    net = bayou.Network(parents, states={name: ["no", "yes"] for name in parents}, share=share)
    for count, names in alike.items():
        net.set_cpt(names[0], np.full([2] * (count + 1), 0.5))
    return net


@pytest.fixture(scope="module")
def wide() -> bayou.Network:
    return grid(30)


REMEDIES = ("Observe more variables", "fewer targets", 'engine="auto", time=10', "bayou.limits")


def test_a_grid_of_900_variables_is_refused_with_remedies(wide: bayou.Network) -> None:
    with pytest.raises(TooWide) as caught:
        wide.query([(29, 29)])
    assert all(remedy in str(caught.value) for remedy in REMEDIES)
    assert isinstance(caught.value, MemoryError)


@pytest.mark.parametrize("count", [60, 64, 400])
def test_a_joint_posterior_of_many_targets_is_refused_by_its_own_size(
    wide: bayou.Network, count: int
) -> None:
    with pytest.raises(TooWide, match=f"joint posterior of these {count} targets") as caught:
        wide.query(wide.names[:count])
    assert all(remedy in str(caught.value) for remedy in REMEDIES)


@pytest.mark.parametrize("engine", ["compiled", "elimination"])
def test_the_limit_holds_inside_and_not_after(engine: str) -> None:
    net = grid(4)
    target = [(3, 3)]
    before = net.query(target, engine=engine)
    with bayou.limits(memory=50), pytest.raises(TooWide, match=r"limit.*: ?50 bytes|the limit is 25 bytes"):
        # The plan was made and kept before: the limit must be asked again.
        net.query(target, engine=engine)
    assert net.query(target, engine=engine).to_dict() == before.to_dict()


def test_the_amount_of_work_is_limited_too() -> None:
    with bayou.limits(work=10), pytest.raises(TooWide, match="and 10"):
        grid(4).query([(3, 3)])


def test_a_raised_limit_lets_more_through_and_limits_nest() -> None:
    with bayou.limits(memory="8 GB") as outer:
        assert outer.memory == 8 * GIB
        with bayou.limits(work=1e6) as inner:
            assert (inner.memory, inner.work) == (8 * GIB, 1e6)
        assert current_limits() == outer
    assert current_limits().memory == 4 * GIB


def test_another_thread_keeps_its_own_limits() -> None:
    seen: list[float] = []
    with bayou.limits(memory="1 KiB"):
        thread = threading.Thread(target=lambda: seen.append(current_limits().memory))
        thread.start()
        thread.join()
    assert seen == [4 * GIB]


@pytest.mark.parametrize(
    ("text", "size"), [("512 MiB", 2**29), ("1.5g", 1.5 * GIB), ("77", 77), ("2 TB", 2**41)]
)
def test_amounts_as_text(text: str, size: float) -> None:
    with bayou.limits(memory=text) as chosen:
        assert chosen.memory == size


@pytest.mark.parametrize("amount", ["lots", "-3 GB", 0, -1, float("nan"), [5]])
def test_amounts_that_are_none_are_refused(amount: object) -> None:
    with pytest.raises(BadQuestion, match="limits\\(memory="), bayou.limits(memory=amount):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("engine", ["compiled", "elimination", "enumeration", "messages"])
def test_a_joint_larger_than_any_float_is_refused_in_words(engine: str) -> None:
    coin = {"heads": 0.5, "tails": 0.5}
    coins = bayou.Network(dict.fromkeys(range(1100), ()), tables=dict.fromkeys(range(1100), coin))
    with pytest.raises(TooWide, match=r"e\+3[23]\d") as caught:
        coins.query(list(range(1100)), engine=engine)
    assert len(str(caught.value)) < 400
    assert coins.plan(list(range(1100))).refused is not None


def test_a_plan_for_nothing_is_refused_as_the_query_is() -> None:
    net = bayou.examples.storm()
    for ask in (net.query, net.plan):
        with pytest.raises(BadQuestion, match="Name at least one variable"):
            ask([])
