"""Checkpoints: files of other problems are refused, and no failure loses what was learned."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest

import bayou
from bayou.errors import BadFile, BayouWarning
from bayou.fitting import checkpoint
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.learning.em.training_rows import TrainingRows

GAPS = {
    "A": [0, 1, None, 1, 0, 1, None, 0] * 3,
    "B": [0, 0, 1, 1, None, 1, 0, None] * 3,
    "C": [0, 1, 1, None, 0, 1, 1, 0] * 3,
}
STATES = {name: [0, 1] for name in GAPS}


def both(**nodes: Any) -> bayou.Network:
    return bayou.Network("A, B -> C", states=STATES, nodes=nodes)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"C": bayou.NoisyOr}),
        ({"C": bayou.NoisyOr}, {}),
        ({"C": bayou.NoisyOr}, {"C": bayou.NoisyAnd}),
    ],
)
def test_other_kinds_of_nodes_are_another_network(
    first: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "kinds.bayou"
    done = both(**first).fit(GAPS, checkpoint=file)
    with pytest.raises(BadFile, match=r"another network .*kinds of nodes.* delete this one"):
        both(**second).fit(GAPS, checkpoint=file)
    assert both(**first).fit(GAPS, checkpoint=file).same_as(done)


def test_another_function_is_another_network(tmp_path: Path) -> None:
    file = tmp_path / "function.bayou"
    data = {"A": [0, 1, None, 1, 0], "C": [None] * 5}

    def net(function: dict[int, int]) -> bayou.Network:
        states = {"A": [0, 1], "C": [0, 1]}
        return bayou.Network("A -> C", states=states, tables={"C": bayou.Deterministic(function)})

    done = net({0: 0, 1: 1}).fit(data, checkpoint=file)
    with pytest.raises(BadFile, match="functions differ"):
        net({0: 1, 1: 0}).fit(data, checkpoint=file)
    assert net({0: 0, 1: 1}).fit(data, checkpoint=file).same_as(done)


def test_other_values_in_a_file_that_is_read_anew_are_other_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrainingRows, "__init__", partialmethod(TrainingRows.__init__, most=1))
    table, kept = tmp_path / "rows.csv", tmp_path / "c.bayou"
    table.write_text("A,B\n" + "x,0\ny,1\nx,\n" * 20)
    done = bayou.Network("A -> B").fit(table, checkpoint=kept)
    assert bayou.Network("A -> B").fit(table, checkpoint=kept).same_as(done)
    table.write_text("A,B\n" + "x,1\ny,0\nx,\n" * 20)
    with pytest.raises(BadFile, match="other data"):
        bayou.Network("A -> B").fit(table, checkpoint=kept)


class Write:
    """Writes normally, except for the calls that are to fail."""

    def __init__(self, wrong: dict[int, BaseException]) -> None:
        self.wrong, self.calls, self.right = wrong, 0, checkpoint.write_bundle

    def __call__(self, *given: Any) -> None:
        self.calls += 1
        if self.calls in self.wrong:
            raise self.wrong[self.calls]
        self.right(*given)


def test_a_write_broken_off_by_ctrl_c_is_made_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "c.bayou"
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "write_bundle", Write({3: KeyboardInterrupt()}))
    with pytest.warns(BayouWarning, match="interrupted"):
        net = both().fit(GAPS, checkpoint=file)
    # The third tables were extrapolated and not evaluated yet: those before them are kept.
    assert net.learning.iterations == 2
    assert bayou.load(file).same_as(net)


def test_a_write_that_fails_on_the_way_does_not_end_learning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "c.bayou"
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    full = BadFile.at(file, "can not be written: No space left on device.")
    monkeypatch.setattr(checkpoint, "write_bundle", Write({3: full}))
    with pytest.warns(BayouWarning, match=r"No space left.* Learning goes on"):
        net = both().fit(GAPS, checkpoint=file)
    assert net.learning.converged
    assert bayou.load(file).same_as(net)
    monkeypatch.setattr(checkpoint, "write_bundle", Write({1: full}))
    with pytest.raises(BadFile, match="No space left"):
        both().fit(GAPS, seed=0, checkpoint=tmp_path / "other.bayou")


@pytest.mark.parametrize("part", ["data", "choices", "finished", "worth", "best", "current", "stopped", None])
def test_a_checkpoint_that_lacks_a_part_is_refused(part: str | None, tmp_path: Path) -> None:
    file = tmp_path / "c.bayou"
    both().fit(GAPS, checkpoint=file)
    kind, state = read_bundle(file)
    del (state if part is None else state["checkpoint"])[part or "learned"]
    write_bundle(file, kind, state)
    with pytest.raises(BadFile, match=r"c\.bayou: is damaged"):
        both().fit(GAPS, checkpoint=file)


def test_a_checkpoint_without_the_statistics_of_a_variable_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.bayou"
    both().fit(GAPS, checkpoint=file)
    kind, state = read_bundle(file)
    del state["checkpoint"]["best"]["network"]["learned"]["statistics"][0]
    write_bundle(file, kind, state)
    with pytest.raises(BadFile, match="the statistics of 'A' are lacking"):
        both().fit(GAPS, checkpoint=file)
