"""Dynamic networks in GeNIe's XDSL files: read, written, and refused where they have no form there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.random_templates import random_model, random_rows

import bayou
from bayou.errors import BadFile
from bayou.formats.dynamic.xdsl_slices import dynamic_xdsl_text, parse_dynamic_xdsl
from bayou.formats.genie.xdsl import parse_xdsl
from bayou.loading import load_network
from bayou.models.dynamic.dynamic_drafts import draft_of_dynamic, dynamic_of_draft

# The network of SMILE's sixth tutorial, as SMILE 1.6 and 2.0 write it.
UMBRELLA = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="Unnamed" numsamples="10000" discsamples="10000">
    <nodes>
        <cpt id="Location">
            <state id="Pittsburgh" /><state id="Sahara" />
            <probabilities>0.5 0.5</probabilities>
        </cpt>
        <cpt id="Rain" dynamic="plate">
            <state id="true" /><state id="false" />
            <parents>Location</parents>
            <probabilities>0.7 0.3 0.01 0.99</probabilities>
        </cpt>
        <cpt id="Umbrella" dynamic="plate">
            <state id="true" /><state id="false" />
            <parents>Rain</parents>
            <probabilities>0.9 0.1 0.2 0.8</probabilities>
        </cpt>
    </nodes>
    <dynamic numslices="5">
        <cpt id="Rain" order="1">
            <parents>Rain</parents>
            <probabilities>0.7 0.3 0.3 0.7 0.001 0.999 0.01 0.99</probabilities>
        </cpt>
    </dynamic>
</smile>
"""


def read(text: str) -> bayou.DynamicNetwork:
    draft = parse_dynamic_xdsl(text, "net.xdsl")
    assert draft is not None
    return dynamic_of_draft(draft)


def test_the_tutorial_of_smile(tmp_path: Path) -> None:
    file = tmp_path / "tutorial6.xdsl"
    file.write_text(UMBRELLA)
    net = bayou.load(file)
    assert isinstance(net, bayou.DynamicNetwork)
    assert net.template.constant == {"Location"}
    assert net.arcs == (("Location", "Rain", 0), ("Rain", "Rain", 1), ("Rain", "Umbrella", 0))
    assert net.cpt("Rain'").to_array()[1].tolist() == [[0.001, 0.999], [0.01, 0.99]]
    # What a calculation by hand gives: rain on day 1 is 0.355, on day 2 in Pittsburgh 0.58, else 0.00991.
    ahead = net.forecast(None, 2, ask="Rain")["Rain"].probabilities[:, 0]
    assert ahead == pytest.approx([0.355, (0.58 + 0.00991) / 2])


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_round_trips_keep_every_answer(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    if any(arc.parent in model.template.first and arc.lag for arc in model.template.arcs):
        with pytest.raises(BadFile, match=r"first slice only.*\.bayou"):
            draft_of_dynamic(model)
        return
    once = read(dynamic_xdsl_text(draft_of_dynamic(model)))
    rows = random_rows(chance, model, 4)
    assert once.names == model.names
    assert set(once.arcs) == set(model.arcs)
    assert once.score(rows) == pytest.approx(model.score(rows), abs=1e-12)
    assert read(dynamic_xdsl_text(draft_of_dynamic(once))).same_as(once)


def test_names_and_states_come_back(tmp_path: Path) -> None:
    net = bayou.DynamicNetwork(
        {"wet grass'": ["wet grass", "größe"], "größe": []},
        states={"wet grass": [True, False], "größe": [1, 2.5, 3]},
        tables={"wet grass": [0.25, 0.75], "größe": [0.2, 0.3, 0.5], "wet grass'": np.full((2, 3, 2), 0.5)},
    )
    net.save(tmp_path / "net.xdsl.gz")
    again = bayou.load(tmp_path / "net.xdsl.gz")
    assert again.names == net.names
    assert again.variables["größe"].states == (1, 2.5, 3)
    assert again.variables["wet grass"].states == (True, False)


def test_longer_lags_have_their_own_tables() -> None:
    net = bayou.DynamicNetwork(
        "X -> X''; A -> X; X -> T",
        constant=[],
        first=["A"],
        last=["T"],
        states={"X": ["a", "b"], "A": ["a", "b"], "T": ["a", "b"]},
    )
    chance = np.random.default_rng(0)
    for table in net.tables:
        net.set_cpt(table, chance.dirichlet([1, 1], size=(2,) * len(net.parents(table))))
    text = dynamic_xdsl_text(draft_of_dynamic(net))
    assert 'id="A" dynamic="anchor"' in text
    assert 'id="T" dynamic="terminal"' in text
    assert text.count('<cpt id="X" order=') == 2
    again = read(text)
    rows = {"X": ["a", None, "b", "b", None], "T": [None] * 4 + ["b"]}
    assert again.score(rows) == pytest.approx(net.score(rows), abs=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('dynamic="plate"', 'dynamic="dish"', "'Rain' has dynamic='dish'; expected one of plate"),
        ('order="1"', 'order="0"', "order='0'.*from 1 to 255"),
        ('order="1"', f'order="{"9" * 5000}"', "order='99999.*from 1 to 255"),
        ('order="1"', "", "expected a number from 1 to 255"),
        ('<cpt id="Rain" order', '<cpt id="Snow" order', "'Snow', which is no node"),
        ('<cpt id="Rain" order', '<cpt id="Location" order', "'Location'.*not in the plate"),
        ("<parents>Rain</parents>\n            <probabilities>0.7", "<probabilities>0.7", "no arc over 1"),
        ("0.001 0.999 0.01 0.99", "0.001 0.999", "6 numbers; expected 8"),
        ("0.7 0.3 0.3 0.7", "0.7 0.4 0.3 0.7", r"Rain\[t-1\]=true\) of .* sums to 1.1"),
        (
            "<parents>Rain</parents>\n            <probabilities>0.7",
            "<parents>Location</parents>\n            <probabilities>0.7",
            "'Location' of 'Rain' in an earlier slice is not in the plate",
        ),
    ],
)
def test_files_that_make_no_sense_are_refused(old: str, new: str, problem: str) -> None:
    assert old in UMBRELLA
    with pytest.raises(BadFile, match=problem):
        read(UMBRELLA.replace(old, new, 1))


def test_an_anchor_needs_a_table_for_later_slices() -> None:
    start, end = UMBRELLA.index("<dynamic"), UMBRELLA.index("</smile>")
    text = UMBRELLA.replace('id="Location"', 'id="Location" dynamic="anchor"', 1)
    with pytest.raises(BadFile, match=r"'Rain' has a parent .* no table for the slices after it"):
        read(text.replace(UMBRELLA[start:end], ""))


def test_who_reads_which_file(tmp_path: Path) -> None:
    file = tmp_path / "net.xdsl"
    file.write_text(UMBRELLA)
    with pytest.raises(BadFile, match=r"is a dynamic network, not a static one; open it with bayou\.load"):
        parse_xdsl(UMBRELLA)
    with pytest.raises(BadFile, match=r"dynamic network, not a network; open it with bayou\.load"):
        load_network(file)
    static = tmp_path / "static.xdsl"
    bayou.Network(
        "A -> dynamic", tables={"A": {0: 0.5, 1: 0.5}, "dynamic": {0: {0: 1, 1: 0}, 1: {0: 0, 1: 1}}}
    ).save(static)
    assert isinstance(bayou.load(static), bayou.Network)
    net: Any = bayou.load(file)
    with pytest.raises(BadFile, match=r"ends in \.bayou, \.json \(a text\) or \.xdsl"):
        net.save(tmp_path / "net.bif")
