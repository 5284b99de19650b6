"""Questions about networks as code answer what the library answers."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, UnknownVariable
from tests.exporting.running import DATABASES, in_node, in_python, in_sql, needs_node

EXACT = 1e-12
HOSTILE = [
    "'",
    '"',
    '"; DROP TABLE rows; --',
    "__import__('os').abort()",
    "</script>",
    "\n",
    "\\",
    "\u2028",
    "select",
    "`${0}`",
    "__proto__",
    "constructor",
    '"""',
    "%s",
    "*/",
]


def random_network(seed: int, names: list[str]) -> bayou.Network:
    """Variables of two to three states with up to three parents; some entries are 0."""
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    net = bayou.Network(
        {name: chance.sample(names[:k], min(k, chance.randint(0, 3))) for k, name in enumerate(names)},
        states={name: HOSTILE[k : k + chance.randint(2, 3)] for k, name in enumerate(names)},
    )
    for name in names:
        shape = [len(net.states(each)) for each in (*net.dag.parents(name), name)]
        table = numbers.dirichlet(np.full(shape[-1], 0.7), size=shape[:-1])
        table[table < 0.02] = 0
        net.set_cpt(name, table / table.sum(axis=-1, keepdims=True))
    return net


def random_rows(net: bayou.Network, inputs: list[str], seed: int, count: int) -> list[dict[str, Any]]:
    """Rows drawn from the network with gaps: they are possible."""
    chance = random.Random(seed)
    drawn = net.sample(count, seed=seed)
    return [
        {name: None if chance.random() < 0.4 else drawn[name][k] for name in inputs} for k in range(count)
    ]


def expected(net: bayou.Network, target: str, rows: list[dict[str, Any]]) -> list[Any]:
    known = [{name: state for name, state in row.items() if state is not None} for row in rows]
    return [net.query(target, given=row).to_array().tolist() for row in known]


def run_here(text: str, rows: list[dict[str, Any]]) -> list[list[float]]:
    """The exported Python in this process, which is quicker than a new one."""
    names: dict[str, Any] = {}
    exec(compile(text, "exported", "exec"), names)
    return [names["predict_proba"](row) for row in rows]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.integers(2, 7), st.data())
def test_small_networks_in_python(seed: int, size: int, data: st.DataObject) -> None:
    names = HOSTILE[:size]
    net = random_network(seed, names)
    target = data.draw(st.sampled_from(names))
    inputs = data.draw(st.lists(st.sampled_from(names), unique=True))
    inputs = [name for name in inputs if name != target]
    rows = random_rows(net, inputs, seed, 5)
    found = run_here(net.export(target, inputs), rows)
    assert np.allclose(found, expected(net, target, rows), rtol=0, atol=EXACT)


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("seed", range(4))
def test_small_networks_in_sql(seed: int, dialect: str) -> None:
    names = HOSTILE[:8]
    net = random_network(seed, names)
    target = names[seed]
    inputs = [name for name in names if name != target]
    rows = random_rows(net, inputs, seed, 40)
    query = net.export(target, language="sql", dialect=dialect, keep="id")
    assert np.allclose(in_sql(query, rows, dialect), expected(net, target, rows), rtol=0, atol=EXACT)


@needs_node
@pytest.mark.parametrize("seed", range(6))
def test_small_networks_in_javascript(seed: int, tmp_path: Path) -> None:
    net = random_network(seed, HOSTILE)
    target = HOSTILE[seed]
    rows = random_rows(net, [name for name in HOSTILE if name != target], seed, 60)
    text = net.export(target, language="javascript")
    assert "</script" not in text
    assert text.isascii() or "\u2028" not in text
    assert np.allclose(in_node(text, rows, tmp_path), expected(net, target, rows), rtol=0, atol=EXACT)


@needs_node
@pytest.mark.parametrize("name", ["alarm", "insurance", "child", "sachs"])
def test_classic_networks(name: str, tmp_path: Path) -> None:
    net = getattr(bayou.examples, name)()
    target, rest = net.names[len(net.names) // 2], list(net.names)
    rest.remove(target)
    inputs = random.Random(name).sample(rest, 8)
    rows = random_rows(net, inputs, 5, 40)
    truth = expected(net, target, rows)
    assert np.allclose(in_python(net.export(target, inputs), rows, tmp_path), truth, rtol=0, atol=EXACT)
    found = in_node(net.export(target, inputs, "javascript"), rows, tmp_path)
    assert np.allclose(found, truth, rtol=0, atol=EXACT)
    query = net.export(target, inputs, "sql", dialect="duckdb", keep="id")
    assert np.allclose(in_sql(query, rows, "duckdb"), truth, rtol=0, atol=EXACT)


def test_noisy_nodes_and_shared_tables() -> None:
    net = bayou.Network(
        "Flu -> Fever; Cold -> Fever; Flu -> Cough",
        states={key: ["no", "yes"] for key in ["Flu", "Cold", "Fever", "Cough"]},
        share={"prior": ["Flu", "Cold"]},
        tables={
            "Flu": [0.9, 0.1],
            "Fever": bayou.NoisyOr({"Flu": 0.8, "Cold": 0.3}, leak=0.05),
            "Cough": [[0.9, 0.1], [0.3, 0.7]],
        },
    )
    rows = [
        dict(zip(["Fever", "Cough"], row, strict=True))
        for row in itertools.product([None, "no", "yes"], repeat=2)
    ]
    found = run_here(net.export("Flu", ["Fever", "Cough"]), rows)
    assert np.allclose(found, expected(net, "Flu", rows), rtol=0, atol=EXACT)


@needs_node
def test_states_keep_their_types(tmp_path: Path) -> None:
    net = bayou.Network(
        "A -> B",
        states={"A": [1, "1", True], "B": [0, 1]},
        tables={"A": [0.2, 0.3, 0.5], "B": [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]},
    )
    rows = [{"A": 1}, {"A": "1"}, {"A": True}, {"A": 1.0}]
    truth = [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    assert np.allclose(in_python(net.export("B"), rows, tmp_path), truth)
    assert np.allclose(in_node(net.export("B", language="javascript"), rows, tmp_path), truth)
    with pytest.raises(BadQuestion, match="such as 1 and True"):
        net.export("A")


def test_impossible_rows_and_values_that_are_no_states(tmp_path: Path) -> None:
    net = bayou.Network(
        "A -> B", states={key: ["no", "yes"] for key in "AB"}, tables={"A": [1, 0], "B": [[1, 0], [0, 1]]}
    )
    with pytest.raises(ImpossibleEvidence):
        net.query("A", given={"B": "yes"})
    with pytest.raises(ValueError, match="cannot occur together"):
        run_here(net.export("A"), [{"B": "yes"}])
    with pytest.raises(ValueError, match="'maybe' is no value of 'B'"):
        run_here(net.export("A"), [{"B": "maybe"}])
    assert run_here(net.export("A", unknown="missing"), [{"B": "maybe"}]) == [[1.0, 0.0]]
    query = net.export("A", language="sql", dialect="duckdb", keep="id")
    impossible, usual = in_sql(query, [{"B": "yes"}, {"B": "no"}], "duckdb")
    assert impossible == [None, None]
    assert usual == pytest.approx([1.0, 0.0], abs=1e-300)


def test_inputs_that_need_little_make_a_short_export() -> None:
    net = bayou.examples.alarm()
    target = net.names[0]
    assert len(net.export(target, [])) < len(net.export(target)) / 2


def test_refusals_name_the_way_out() -> None:
    net = bayou.examples.asia()
    with pytest.raises(UnknownVariable, match="Did you mean 'bronc'"):
        net.export("bronch")
    with pytest.raises(BadQuestion, match=r"'lung' is asked for, so it cannot be an input"):
        net.export("lung", ["lung"])
    with pytest.raises(BadQuestion, match=r"language='pyhton' is unknown. Did you mean 'python'"):
        net.export("lung", language="pyhton")
    with pytest.raises(BadQuestion, match="dialect='oracle' is unknown"):
        net.export("lung", language="sql", dialect="oracle")
    with pytest.raises(BadQuestion, match=r"table= is for language='sql'"):
        net.export("lung", table="t")
    with pytest.raises(BadQuestion, match="unknown='ignore' is unknown"):
        net.export("lung", unknown="ignore")
    numbers = bayou.Network("a -> b", continuous=["a", "b"])
    with pytest.raises(
        BadQuestion, match=r"Networks of tables are exported; 'b', 'a' would be numbers|'a', 'b'"
    ):
        numbers.export("b", ["a"])


def test_what_is_too_large_is_refused_with_its_size() -> None:
    names = [f"x{k}" for k in range(21)]
    net = bayou.Network(
        {"y": names, **{name: [] for name in names}}, states={name: [0, 1] for name in [*names, "y"]}
    )
    with pytest.raises(BadQuestion, match=r"4,194,304 entries; at most 1,000,000 .* Name fewer inputs"):
        net.export("y")
    few = names[:14]
    big = bayou.Network(
        {"y": few, **{name: [] for name in few}}, states={name: [0, 1] for name in [*few, "y"]}
    )
    for name in few:
        big.set_cpt(name, [0.5, 0.5])
    big.set_cpt("y", np.full([2] * 15, 0.5))
    assert len(big.export("y")) > 500_000
    with pytest.raises(BadQuestion, match=r"would need [0-9,]+ operations for a row; at most 300,000"):
        big.export("y", language="sql")
