"""learn_structure(share=…) against all graphs in which the users of a table have the same parents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.structures.tied_graphs import (
    ONE,
    THREE_USERS,
    TWO,
    Blocks,
    Graph,
    Table,
    check_tied,
    graph_of,
    is_acyclic,
    one_change_away,
    ratings,
    scored_by_hand,
    shared,
    tied_graphs,
)

import bayou
from bayou.errors import BadData, BadGraph, BadQuestion, BadVariable, UnknownVariable
from bayou.learning.sharing import tied_exact_search
from bayou.learning.sharing.unit_scores import UnitScores


@pytest.mark.parametrize("score", ["bic", "aic", "k2"])
@pytest.mark.parametrize("blocks", [ONE, TWO, THREE_USERS])
@pytest.mark.parametrize("seed", range(4))
def test_exact_search_finds_the_best_of_all_tied_graphs(seed: int, blocks: Blocks, score: str) -> None:
    table = ratings(seed, blocks)
    by_hand = scored_by_hand(table, blocks, score)
    net = bayou.learn_structure(table, share=shared(blocks), score=score, method="exact")
    assert net.learned_structure is not None
    check_tied(net, blocks)
    assert net.learned_structure.score == pytest.approx(by_hand(graph_of(net)), rel=1e-10)
    assert net.learned_structure.score == pytest.approx(max(map(by_hand, tied_graphs(blocks))), rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_constraints_hold_for_all_users(seed: int) -> None:
    table = ratings(seed, ONE)
    by_hand = scored_by_hand(table, ONE, "bic")

    def is_legal(graph: Graph) -> bool:
        arcs = {(parent, child) for child, parents in graph.items() for parent in parents}
        return (
            ("X", "R1") in arcs
            and not {("G", "R1"), ("G", "R2"), ("Y", "G")} & arcs
            and max(map(len, graph.values())) <= 2
        )

    known: Mapping[str, Any] = {"require": "X -> R2", "forbid": "G -> R1; Y -> G", "max_parents": 2}
    best = max(by_hand(graph) for graph in tied_graphs(ONE) if is_legal(graph))
    for method in ("exact", "hill-climbing"):
        net = bayou.learn_structure(table, share=shared(ONE), method=method, **known)
        assert net.learned_structure is not None
        assert is_legal(graph_of(net))
        assert net.learned_structure.score == pytest.approx(by_hand(graph_of(net)), rel=1e-10)
        if method == "exact":
            assert net.learned_structure.score == pytest.approx(best, rel=1e-10)


@pytest.mark.parametrize("blocks", [ONE, TWO])
@pytest.mark.parametrize("seed", range(4))
def test_no_single_change_improves_what_climbing_finds(seed: int, blocks: Blocks) -> None:
    table = ratings(seed, blocks)
    by_hand = scored_by_hand(table, blocks, "aic")
    net = bayou.learn_structure(
        table, share=shared(blocks), score="aic", method="hill-climbing", restarts=seed % 2
    )
    assert net.learned_structure is not None
    check_tied(net, blocks)
    assert net.learned_structure.score == pytest.approx(by_hand(graph_of(net)), rel=1e-10)
    near = one_change_away(graph_of(net), blocks)
    assert near
    assert max(map(by_hand, near)) <= net.learned_structure.score + 1e-6
    assert net.learned_structure.steps


def test_turns_of_single_arcs_are_steps_too() -> None:
    """From X -> R1, R2 the reversal R1 -> X gains where R1 alone depends on X."""
    random = np.random.default_rng(3)
    first, other = random.integers(0, 2, 400), random.integers(0, 2, 400)
    table = {"R1": first, "R2": other, "X": np.where(random.random(400) < 0.95, first, 1 - first)}
    net = bayou.learn_structure(
        table, share={"p": ["R1", "R2"]}, method="hill-climbing", start="X -> R1; X -> R2", restarts=0
    )
    assert net.arcs == (("R1", "X"),)
    assert net.learned_structure is not None
    assert [step.kind for step in net.learned_structure.steps] == ["turn"]


@pytest.mark.parametrize("seed", range(3))
def test_gains_are_those_of_all_arcs_into_a_block(seed: int) -> None:
    table = ratings(seed, ONE, 200)
    by_hand = scored_by_hand(table, ONE, "aic")
    net = bayou.learn_structure(table, share=shared(ONE), score="aic")
    graph = graph_of(net)
    assert net.learned_structure is not None
    assert len(net.learned_structure.arcs) == len(net.arcs) > 0
    for arc in net.learned_structure.arcs:
        users = next(users for users in ONE if arc.child in users)
        less = {
            name: tuple(p for p in own if name not in users or p != arc.parent) for name, own in graph.items()
        }
        assert arc.gain == pytest.approx(by_hand(graph) - by_hand(less), abs=1e-7)
        assert arc.behind >= -1e-7  # exact search: nothing is better
        if arc.instead == "turned":
            above = next(users for users in ONE if arc.parent in users)
            turned = {name: (*own, arc.child) if name in above else own for name, own in less.items()}
            assert is_acyclic(turned)
            assert arc.behind == pytest.approx(by_hand(graph) - by_hand(turned), abs=1e-7)
        if arc.instead == "other parent":
            swapped = {name: (*own, arc.other) if name in users else own for name, own in less.items()}
            assert arc.behind == pytest.approx(by_hand(graph) - by_hand(swapped), abs=1e-7)
    assert "come and go together" in str(net.learned_structure)


def test_the_tables_are_those_of_a_network_with_these_arcs(tmp_path: Path) -> None:
    table = ratings(1, ONE, 200)
    net = bayou.learn_structure(table, share=shared(ONE), require="G -> R1", prior={"p_R": 2})
    by_hand = bayou.Network(net.dag, share=shared(ONE)).fit(table, prior={"p_R": 2})
    assert net.same_as(by_hand)
    net.save(tmp_path / "net.bayou")
    assert bayou.load(tmp_path / "net.bayou").sharing == {"p_R": ("R1", "R2")}


@pytest.mark.parametrize("score", ["bic", "aic", "k2"])
def test_the_score_of_a_given_network_with_shared_tables(score: str) -> None:
    table = ratings(3, ONE)
    by_hand = scored_by_hand(table, ONE, score)
    for graph in tied_graphs(ONE)[::997]:
        net = bayou.Network({name: list(parents) for name, parents in graph.items()}, share=shared(ONE))
        assert net.score(table, score) == pytest.approx(by_hand(graph), rel=1e-10)


def test_the_movies_of_the_lectures() -> None:
    films = bayou.examples.jim_and_martha()
    states = {"G": ["c", "d"], "R1": [1, 2, 3, 4, 5]}
    net = bayou.learn_structure(
        films, share={"p_R": ["R1", "R2"]}, require="G -> R1", states=states, prior=0, max_parents=1
    )
    assert set(net.arcs) == {("G", "R1"), ("G", "R2")}
    assert net.cpt("R2")["d", 4] == 3 / 6
    assert list(net.states("R2")) == [1, 2, 3, 4, 5]


def test_users_have_the_states_of_all_of_them() -> None:
    table = {"G": ["c", "d"] * 20, "R1": [1, 2] * 20, "R2": [1, 3] * 20}
    net = bayou.learn_structure(table, share={"p_R": ["R1", "R2"]})
    assert list(net.states("R1")) == list(net.states("R2")) == [1, 2, 3]
    assert set(net.arcs) == {("G", "R1"), ("G", "R2")}
    assert net.learned_structure is not None
    by_hand = scored_by_hand(table, (("G",), ("R1", "R2")), "bic")
    assert net.learned_structure.score == pytest.approx(by_hand(graph_of(net)), rel=1e-10)


@pytest.mark.parametrize("method", ["exact", "hill-climbing"])
def test_files_and_weights_give_the_same_network(tmp_path: Path, method: str) -> None:
    table = ratings(2, ONE, 150)
    path = tmp_path / "ratings.csv"
    rows = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    alike: dict[str, Any] = {"share": shared(ONE), "method": method}
    whole = bayou.learn_structure({name: column * 2 for name, column in table.items()}, **alike)
    weighed = bayou.learn_structure(table, weights=[2] * 150, **alike)
    plain, read = bayou.learn_structure(table, **alike), bayou.learn_structure(path, **alike)
    for one, other in ((whole, weighed), (plain, read)):
        assert one.arcs == other.arcs
        assert one.learned_structure is not None
        assert other.learned_structure is not None
        assert one.learned_structure.score == pytest.approx(other.learned_structure.score, rel=1e-10)
        assert [arc.gain for arc in one.learned_structure.arcs] == pytest.approx(
            [arc.gain for arc in other.learned_structure.arcs], rel=1e-8
        )


def test_numbers_share_one_regression() -> None:
    random = np.random.default_rng(0)
    height = random.normal(size=80)
    table = {"height": height, "a": height + random.normal(size=80), "b": height + random.normal(size=80)}
    blocks: Blocks = (("height",), ("a", "b"))

    def line(users: Sequence[str], parents: Sequence[str]) -> float:
        values = np.concatenate([table[user] for user in users])
        columns = [np.tile(table[parent], len(users)) for parent in parents]
        design = np.column_stack([np.ones(len(values)), *columns])
        left = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
        variance = float(left @ left) / len(values)
        fit = -0.5 * len(values) * (math.log(2 * math.pi * variance) + 1)
        return fit - 0.5 * math.log(len(values)) * (design.shape[1] + 1)

    def by_hand(graph: Graph) -> float:
        return sum(line(users, sorted(graph[users[0]])) for users in blocks)

    for method in ("exact", "hill-climbing"):
        net = bayou.learn_structure(table, share=shared(blocks), method=method)
        assert net.learned_structure is not None
        assert net.learned_structure.score == pytest.approx(max(map(by_hand, tied_graphs(blocks))), rel=1e-9)
        check_tied(net, blocks)


def test_more_variables_are_climbed() -> None:
    random = np.random.default_rng(5)
    first = random.integers(0, 2, 500)
    table = {f"x{k}": np.where(random.random(500) < 0.8, first, 1 - first) for k in range(15)}
    net = bayou.learn_structure(table, share={"p": ["x3", "x9"], "q": ["x0", "x1", "x2"]})
    assert net.learned_structure is not None
    assert net.learned_structure.method == "hill climbing"
    assert net.parents("x3") == net.parents("x9")
    with pytest.raises(BadQuestion, match="takes up to 14 variables, and there are 15"):
        bayou.learn_structure(table, share={"p": ["x3", "x9"]}, method="exact")


def test_an_interrupted_exact_search_gives_what_climbing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tied_exact_search, "_best_parents", interrupted)
    net = bayou.learn_structure(ratings(0, ONE), share=shared(ONE), method="exact")
    assert net.learned_structure is not None
    assert not net.learned_structure.finished
    check_tied(net, ONE)


def test_an_interrupt_keeps_the_steps_that_were_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ratings(0, ONE, 200)
    by_hand = scored_by_hand(table, ONE, "aic")
    plain, calls = UnitScores.families, iter(range(100))

    def interrupted(scores: UnitScores, wanted: Any) -> Any:
        if next(calls) == 2:  # the gains after the second step
            raise KeyboardInterrupt
        return plain(scores, wanted)

    monkeypatch.setattr(UnitScores, "families", interrupted)
    net = bayou.learn_structure(table, share=shared(ONE), score="aic", method="hill-climbing")
    assert net.learned_structure is not None
    assert not net.learned_structure.finished
    assert len(net.learned_structure.steps) == 1
    assert net.arcs
    assert net.learned_structure.score == pytest.approx(by_hand(graph_of(net)), rel=1e-10)


@pytest.mark.parametrize("method", ["tabu", "ges", "order", "k2", "pc", "chow-liu", "tan", "structural-em"])
def test_other_methods_refuse_shared_tables(method: str) -> None:
    with pytest.raises(BadQuestion, match=f"share= goes with .*'hill-climbing'.*, not '{method}'"):
        bayou.learn_structure(ratings(0, ONE), share=shared(ONE), method=method)


def test_what_cannot_be_is_refused_by_name() -> None:
    table = ratings(0, ONE)
    share = shared(ONE)
    gappy = {**table, "X": [None, *table["X"][1:]]}
    with pytest.raises(BadData, match=r"gaps \('X'\) by structural EM only"):
        bayou.learn_structure(gappy, share=share, missing="available")
    with pytest.raises(BadGraph, match=r"'R1' to another user of the shared table 'p_R'"):
        bayou.learn_structure(table, share=share, require="R1 -> R2")
    with pytest.raises(BadGraph, match=r"'G' into the shared table 'p_R' is required"):
        bayou.learn_structure(table, share=share, require="G -> R1", forbid="G -> R2")
    with pytest.raises(BadGraph, match="required arcs"):
        bayou.learn_structure(table, share=share, require="G -> R1; R2 -> G")
    with pytest.raises(BadGraph, match="'R1' and 'R2' different parents"):
        bayou.learn_structure(table, share=share, start="G -> R1", method="hill-climbing")
    with pytest.raises(UnknownVariable, match=r"'R9'.*in share\['p_R'\]"):
        bayou.learn_structure(table, share={"p_R": ["R1", "R9"]})
    with pytest.raises(BadGraph, match="a variable has that name"):
        bayou.learn_structure(table, share={"G": ["R1", "R2"]})
    with pytest.raises(BadVariable, match="same states"):
        bayou.learn_structure(table, share=share, states={"R1": ["s0", "s1", "s2"], "R2": ["s0", "z"]})
    with pytest.raises(BadVariable, match="is continuous and 'R1' is discrete"):
        bayou.learn_structure({**table, "X": np.linspace(0, 1, 60)}, share={"p": ["R1", "X"]})


def with_gaps(table: Table, share: float, seed: int = 1) -> Table:
    random = np.random.default_rng(seed)
    return {
        name: [
            None if gone else value
            for value, gone in zip(column, random.random(len(column)) < share, strict=True)
        ]
        for name, column in table.items()
    }


def of_observed_cells(table: Table, blocks: Blocks, graph: Graph) -> float:
    """BIC of the cells that are there: the likelihood of an EM fit, and every table paid once."""
    arcs = {name: list(parents) for name, parents in graph.items()}
    net = bayou.Network(arcs, share=shared(blocks)).fit(table, prior=0, tolerance=1e-8)
    rows, free = len(table["G"]), 0.0
    for users in blocks:
        parents = math.prod(len(net.states(parent)) for parent in graph[users[0]])
        free += 0.5 * math.log(rows * len(users)) * (len(net.states(users[0])) - 1) * parents
    return float(net.log_likelihood(table)) - free


@pytest.mark.parametrize("method", ["auto", "hill-climbing"])
def test_rows_with_gaps_give_the_arcs_of_the_complete_rows(method: str) -> None:
    table = ratings(3, ONE, 600)
    gappy = with_gaps(table, 0.05)
    whole = bayou.learn_structure(table, share=shared(ONE), method=method)
    net = bayou.learn_structure(gappy, share=shared(ONE), method=method)
    check_tied(net, ONE)
    assert graph_of(net) == graph_of(whole)
    report = net.learned_structure
    assert report.method.startswith("structural EM")
    assert report.score == pytest.approx(of_observed_cells(gappy, ONE, graph_of(net)), abs=0.01)
    assert "'R1', 'R2' share the table 'p_R'" in str(report)
    both = [arc for arc in report.arcs if arc.child in ("R1", "R2")]
    assert len({round(arc.gain, 6) for arc in both if arc.parent == both[0].parent}) == 1
    assert net.learning.converged


def test_the_score_of_a_stated_graph_with_gaps() -> None:
    gappy = with_gaps(ratings(4, ONE, 200), 0.1)
    graph: Graph = {"G": (), "R1": ("G",), "R2": ("G",), "X": ("R1",), "Y": ()}
    net = bayou.Network({name: list(own) for name, own in graph.items()}, share=shared(ONE))
    assert net.score(gappy) == pytest.approx(of_observed_cells(gappy, ONE, graph), abs=0.01)
