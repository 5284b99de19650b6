"""Checkpoints: learning that was interrupted goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fitting.test_fit_with_gaps import COMPLETE, GAPS

import bayou
from bayou.errors import (
    BadFile,
    BayouWarning,
)
from bayou.learning.em.training_rows import TrainingRows


class Stop:
    """Interrupts the E-step in one call."""

    def __init__(self, at: int) -> None:
        self.at, self.calls, self.right = at, 0, TrainingRows.expect

    def __call__(self, rows: TrainingRows, network: Any) -> Any:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.right(rows, network)


@pytest.mark.parametrize(("restarts", "at"), [(1, 4), (3, 4), (3, 20)])
def test_a_checkpoint_goes_on_as_if_nothing_had_happened(
    restarts: int, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "half way.bayou"
    whole = bayou.Network("A -> B -> C").fit(GAPS, restarts=restarts, seed=9)
    stop = Stop(at)
    monkeypatch.setattr(TrainingRows, "expect", lambda rows, network: stop(rows, network))
    with pytest.warns(BayouWarning, match="interrupted"):
        bayou.Network("A -> B -> C").fit(GAPS, restarts=restarts, seed=9, checkpoint=file)
    monkeypatch.undo()
    assert bayou.load(file).query("A").to_dict().keys() == {"x", "y"}
    resumed = bayou.Network("A -> B -> C").fit(GAPS, restarts=restarts, seed=9, checkpoint=file)
    assert resumed.same_as(whole)
    assert resumed.learning == whole.learning
    # A finished checkpoint is returned unchanged.
    assert bayou.Network("A -> B -> C").fit(GAPS, restarts=restarts, seed=9, checkpoint=file).same_as(whole)


def test_a_checkpoint_that_ran_out_of_iterations_may_do_more(tmp_path: Path) -> None:
    file = tmp_path / "short.bayou"
    with pytest.warns(BayouWarning, match="max_iterations=3"):
        bayou.Network("A -> B -> C").fit(GAPS, max_iterations=3, checkpoint=file)
    more = bayou.Network("A -> B -> C").fit(GAPS, checkpoint=file)
    assert more.learning == bayou.Network("A -> B -> C").fit(GAPS).learning


@pytest.mark.parametrize("steps", [2, 12])
def test_every_start_that_ran_out_of_iterations_may_do_more(steps: int, tmp_path: Path) -> None:
    file = tmp_path / "short starts.bayou"
    how: dict[str, Any] = {"restarts": 4, "seed": 3, "prior": 0.1}
    whole = bayou.Network("H -> A, B, C", states={"H": [0, 1]}).fit(GAPS, **how)
    with pytest.warns(BayouWarning, match="max_iterations"):
        short = bayou.Network("H -> A, B, C", states={"H": [0, 1]}).fit(
            GAPS, **how, max_iterations=steps, checkpoint=file
        )
    assert "stopped at max_iterations" in [one.verdict for one in short.learning.starts]
    more = bayou.Network("H -> A, B, C", states={"H": [0, 1]}).fit(GAPS, **how, checkpoint=file)
    assert more.learning == whole.learning
    assert more.same_as(whole)
    # As many iterations as before change nothing.
    assert (
        bayou.Network("H -> A, B, C", states={"H": [0, 1]}).fit(GAPS, **how, checkpoint=file).same_as(whole)
    )


def test_checkpoints_of_another_start_are_refused(tmp_path: Path) -> None:
    file, other = tmp_path / "data.bayou", tmp_path / "present.bayou"
    bayou.Network("A -> B -> C").fit(GAPS, checkpoint=file)
    counted = bayou.Network("A -> B -> C").fit(GAPS, method="count")
    with pytest.raises(BadFile, match="another start:"):
        counted.copy().fit(GAPS, start="present", checkpoint=file)
    first = counted.copy().fit(GAPS, start="present", checkpoint=other)
    assert counted.copy().fit(GAPS, start="present", checkpoint=other).same_as(first)
    with pytest.raises(BadFile, match="another start:"):
        counted.copy().set_cpt("A", [0.1, 0.9]).fit(GAPS, start="present", checkpoint=other)


def test_checkpoints_of_something_else_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.bayou"
    bayou.Network("A -> B -> C").fit(GAPS, checkpoint=file)
    bytes_before = file.read_bytes()
    for structure, data, how, told in [
        ("A -> C -> B", GAPS, {}, "another network"),
        ("A -> B -> C", {k: v[:-1] for k, v in GAPS.items()}, {}, "other data"),
        ("A -> B -> C", GAPS, {"seed": 1}, "another seed:"),
        ("A -> B -> C", GAPS, {"prior": 2}, "another prior:"),
        ("A -> B -> C", GAPS, {"tolerance": 1e-3, "seed": 2}, "another seed and tolerance:"),
        ("A -> B -> C", GAPS, {"weights": [2.0, *[1.0] * 38, 0.0]}, "other data"),
    ]:
        with pytest.raises(BadFile, match=told):
            bayou.Network(structure).fit(data, checkpoint=file, **how)
    assert file.read_bytes() == bytes_before
    bayou.Network("A").fit(COMPLETE).save(tmp_path / "model.bayou")
    with pytest.raises(BadFile, match="is not a checkpoint"):
        bayou.Network("A -> B -> C").fit(GAPS, checkpoint=tmp_path / "model.bayou")
    with pytest.raises(BadFile, match=r"ends in \.bayou"):
        bayou.Network("A -> B -> C").fit(GAPS, checkpoint=tmp_path / "model.txt")
