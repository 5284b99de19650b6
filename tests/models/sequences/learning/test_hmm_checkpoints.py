"""Fits of hidden Markov models that are stopped: they go on from a checkpoint, and Ctrl-C keeps the best."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.patience import PATIENCE, until

import bayou
from bayou.errors import BadFile, BadQuestion, BayouWarning
from bayou.fitting.sequences import sequence_fit
from bayou.temporal.starts import contest

CASINO = bayou.examples.casino()
GAMES = [one["roll"] for one in CASINO.sample(80, sequences=8, seed=1)]
SIX = {"roll": [1, 2, 3, 4, 5, 6]}


class Stopped(Exception):
    pass


def stopped_after(monkeypatch: pytest.MonkeyPatch, steps: int, error: BaseException) -> None:
    """Let the E-step fail after so many calls."""
    right, calls = sequence_fit.expected_of, [0]

    def expected(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] > steps:
            raise error
        return right(*given)

    monkeypatch.setattr(sequence_fit, "expected_of", expected)


@pytest.fixture(autouse=True)
def poor_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning starts from a poor place, so that it needs many steps."""
    monkeypatch.setattr(contest, "STARTS", ((1, 1),))
    monkeypatch.setattr(contest, "TRIES", 0)
    monkeypatch.setattr(contest, "LAST_STEPS", 1)


@pytest.mark.parametrize(
    ("method", "steps"), [("em", 3), ("em", 15), ("baum-welch", 3), ("baum-welch", 30), ("viterbi", 3)]
)
def test_a_stopped_fit_goes_on_to_the_same_result(
    method: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, how = tmp_path / "fit.bayou", {"method": method, "restarts": 2, "seed": 3}
    whole = bayou.HMM(2, SIX).fit(GAMES, **how)
    with monkeypatch.context() as patched:
        stopped_after(patched, steps, Stopped())
        with pytest.raises(Stopped):
            bayou.HMM(2, SIX).fit(GAMES, **how, checkpoint=file)
    if method != "viterbi":  # which climbs by another measure
        assert bayou.load(file).log_likelihood(GAMES) <= whole.log_likelihood(GAMES) + 1e-9
    again = bayou.HMM(2, SIX).fit(GAMES, **how, checkpoint=file)
    assert again.same_as(whole)
    assert again.learning.objectives == whole.learning.objectives
    assert bayou.HMM(2, SIX).fit(GAMES, **how, checkpoint=file).same_as(whole)


def test_more_iterations_continue_a_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "fit.bayou"
    numbers = np.random.default_rng(2).normal(size=300)
    with pytest.warns(BayouWarning, match="max_iterations=2"):
        bayou.HMM(3).fit(numbers, max_iterations=2, checkpoint=file)
    assert bayou.HMM(3).fit(numbers, checkpoint=file).same_as(bayou.HMM(3).fit(numbers))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 4}, "another seed"),
        ({"method": "viterbi"}, "another method"),
        ({"prior": 1}, "another prior"),
        ({"bounds": {"transition": (0.01, None)}}, "another bounds"),
    ],
)
def test_a_checkpoint_of_another_fit_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "fit.bayou"
    bayou.HMM(2, SIX).fit(GAMES, checkpoint=file)
    with pytest.raises(BadFile, match=said):
        bayou.HMM(2, SIX).fit(GAMES, **change, checkpoint=file)


def test_other_data_models_and_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "fit.bayou"
    bayou.HMM(2, SIX).fit(GAMES, checkpoint=file)
    with pytest.raises(BadFile, match="other data"):
        bayou.HMM(2, SIX).fit([*GAMES[:-1], GAMES[-1][:-1]], checkpoint=file)
    with pytest.raises(BadFile, match="another hmm"):
        bayou.HMM(3, SIX).fit(GAMES, checkpoint=file)
    CASINO.save(tmp_path / "plain.bayou")
    with pytest.raises(BadFile, match="is not a checkpoint"):
        bayou.HMM(2, SIX).fit(GAMES, checkpoint=tmp_path / "plain.bayou")
    with pytest.raises(BadQuestion, match="Leave it out"):
        bayou.HMM(2, SIX).fit(GAMES, method="count", checkpoint=file)


def test_an_interrupt_keeps_the_best_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_after(monkeypatch, 4, KeyboardInterrupt())
    with pytest.warns(BayouWarning, match="interrupted: these are the best parameters so far"):
        found = bayou.HMM(2, SIX).fit(GAMES, method="baum-welch", seed=1)
    assert found.learning.verdict == "interrupted"
    assert np.isfinite(found.log_likelihood(GAMES))
    assert np.allclose(found.transition.sum(axis=1), 1)
    monkeypatch.undo()  # before a module that is loaded now keeps the interrupted E-step
    assert found.partial_fit(GAMES[0]).learning.method == "stepwise"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_ends_a_fit_in_time_with_a_model(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(400_000, 2)))
    script = (
        "import sys, bayou, numpy as np\n"
        "x, file = np.load(sys.argv[1] + '/x.npy'), sys.argv[1] + '/fit.bayou'\n"
        "found = bayou.HMM(4).fit(x, lengths=[1000] * 400, tolerance=0, max_iterations=10**6, "
        "checkpoint=file)\n"
        "print(found.learning.verdict)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(bayou.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    until(lambda: process.poll() is not None or (tmp_path / "fit.bayou").exists(), "no checkpoint is written")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, b"interrupted\n"), err
    assert bayou.load(tmp_path / "fit.bayou").transition.shape == (4, 4)
