"""The page on sequences: its shell commands, and the right column of its table for users of hmmlearn."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import bayou
from tests.cli.conftest import Run

PAGE = Path(__file__).parents[2] / "docs" / "sequences.md"
TEXT = PAGE.read_text(encoding="utf-8")
HERE = re.findall(r"^\|[^|]*\| `((?:HiddenMarkov|model\.)[^`]*)`", TEXT, flags=re.MULTILINE)


def test_the_commands_of_the_page_run(run: Run, folder: Path) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = ["city,day,sky,state", "Rome,2,rain,wet", "Oslo,1,rain,wet", "Rome,1,sun,dry"]
    lines += ["Oslo,3,sun,dry", "Rome,3,rain,wet", "Oslo,2,rain,"]
    (folder / "days.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    printed = [run(*shlex.split(line)[2:]).stdout for line in block.splitlines() if line.startswith("$ ")]
    assert len(printed) == 5
    first = [line.rstrip("…") for line in block.splitlines() if line.startswith(("city,", "Rome,"))]
    for line in first:
        assert line in printed[1]
    assert (folder / "drawn.csv").read_text(encoding="utf-8").count("\n") == 501


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
def test_every_line_for_users_of_hmmlearn_runs() -> None:
    chance = np.random.default_rng(0)
    X, lengths = np.r_[chance.normal(0, 1, (40, 2)), chance.normal(4, 2, (40, 2))], [30, 50]
    model = bayou.HiddenMarkov(2, covariance="diagonal").fit(X, lengths)
    names = {"HiddenMarkov": bayou.HiddenMarkov, "model": model, "X": X, "lengths": lengths}
    assert len(HERE) == 20
    for line in HERE:
        made = eval(line, names)
        if isinstance(made, bayou.HiddenMarkov) and not hasattr(made, "hmm_"):
            rows = X if made.emissions is None else np.abs(X).astype(int)
            assert np.isfinite(made.fit(rows, lengths).score(rows, lengths)), line
