"""A real-valued parent goes alone only where nothing else tells about it."""

from __future__ import annotations

import pytest

import bayou
from bayou.errors import BadQuestion


def chain(with_arc: bool) -> bayou.Network:
    """S -> Y <- X, and S -> X or not: Y = X + noise."""
    arcs = "S -> Y; X -> Y" + ("; S -> X" if with_arc else "")
    net = bayou.Network(arcs, states={"S": ["a", "b"]}, continuous=["X", "Y"])
    net.set_cpt("S", [0.5, 0.5])
    rows = {"S": ["a"] * 50 + ["b"] * 50, "X": [float(k % 5) + 10 * (k >= 50) * with_arc for k in range(100)]}
    rows["Y"] = [x + 0.25 * (k % 2) for k, x in enumerate(rows["X"])]
    return net.fit(rows)


@pytest.mark.parametrize("edit", ["remove_arc", "remove_node", "subnetwork"])
def test_a_parent_that_depends_on_another_parent_stays(edit: str) -> None:
    net = chain(with_arc=True)
    before = {s: net.query("Y", {"S": s}).mean for s in ("a", "b")}
    work = {
        "remove_arc": lambda: net.remove_arc("X", "Y"),
        "remove_node": lambda: net.remove_node("X"),
        "subnetwork": lambda: net.subnetwork(["S", "Y"]),
    }
    with pytest.raises(BadQuestion, match=r"net\.absorb_node\('X'\)"):
        work[edit]()
    after = net.absorb_node("X")
    for state, mean in before.items():
        assert after.query("Y", {"S": state}).mean == pytest.approx(mean)


def test_an_independent_parent_may_go() -> None:
    net = chain(with_arc=False)
    before = {s: net.query("Y", {"S": s}) for s in ("a", "b")}
    net.remove_arc("X", "Y")
    for state, posterior in before.items():
        assert net.query("Y", {"S": state}).mean == pytest.approx(posterior.mean)
        assert net.query("Y", {"S": state}).variance == pytest.approx(posterior.variance)
