"""bayou edit: a network changed from the shell is the network changed from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayou
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def asia(tmp_path: Path) -> Path:
    path = tmp_path / "asia.bayou"
    bayou.examples.asia().save(path)
    return path


def test_every_edit(run: Run, asia: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.bayou"
    edits = (
        "add-node fever: no, yes | tub",
        "set-row fever | tub=yes: 1/5, 80%",
        "add-arc smoke -> fever",
        "remove-arc asia -> tub",
        "reverse-arc smoke -> bronc",
        "rename-node xray: 'chest x-ray, film'",
        "add-state dysp: severe",
        "rename-state dysp: no=none",
        "remove-node asia",
        "absorb-node either",
        "add-node 'rating': 1, 2, 3",
        "remove-state rating: 2",
        "set-row smoke | bronc=yes: 0.25 0.75",
        "rename-node rating: 'a -> b'",
        "add-arc 'a -> b' -> tub",
    )
    printed = run("edit", str(asia), str(target), *edits).stdout
    assert "8 variables" in printed
    net = bayou.examples.asia()
    net.add_node("fever", ["no", "yes"], "tub", table="uniform")
    net.set_row("fever", [0.2, 0.8], {"tub": "yes"})
    net.add_arc("smoke", "fever").remove_arc("asia", "tub").reverse_arc("smoke", "bronc")
    net.rename_node("xray", "chest x-ray, film").add_state("dysp", "severe").rename_state(
        "dysp", "no", "none"
    )
    net.remove_node("asia").absorb_node("either")
    net.add_node("rating", [1, 2, 3], table="uniform").remove_state("rating", 2)
    net.set_row("smoke", [0.25, 0.75], {"bronc": "yes"})
    net.rename_node("rating", "a -> b").add_arc("a -> b", "tub")
    assert bayou.load(target).same_as(net)
    assert bayou.load(target).states("a -> b") == (1, 3)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("add-arrow a -> b", "There is no edit 'add-arrow'. Did you mean 'add-arc'?"),
        ("add-arc asia", 'write for example "add-arc flu -> fever"'),
        ("add-arc asia -> bronx", "Did you mean 'bronc'?"),
        ("add-arc xray -> smoke", "would close a cycle"),
        ("set-row asia: a b", 'write for example "set-row fever | flu=yes: 0.2, 0.8"'),
        ("set-row asia: 0.5 0.6", "asia"),
        ("set-row asia: 1e400, 1", 'write for example "set-row fever | flu=yes: 0.2, 0.8"'),
        ("set-row asia: 5%x 95%", 'write for example "set-row fever | flu=yes: 0.2, 0.8"'),
        ("add-state asia: p, q", 'write for example "add-state fever: high"'),
        ("rename-state asia: yes=a,b", 'write for example "rename-state fever: yes=low"'),
        ("add-node n: a,, b", 'write for example "add-node fever: no, yes | flu"'),
        ("rename-state smoke: maybe=often", "maybe"),
        ("remove-node", 'write for example "remove-node fever"'),
    ],
)
def test_what_is_refused_writes_nothing(run: Run, asia: Path, tmp_path: Path, wrong: str, told: str) -> None:
    target = tmp_path / "new.bif"
    failed = run("edit", str(asia), str(target), "remove-node dysp", wrong, exit_code=1)
    assert told in " ".join(failed.stderr.split())
    assert not target.exists()


def test_the_file_itself_needs_force_and_losses_are_told(run: Run, run_json: RunJson, asia: Path) -> None:
    before = asia.read_bytes()
    assert "--force" in run("edit", str(asia), str(asia), "remove-node dysp", exit_code=1).stderr
    assert asia.read_bytes() == before
    told = run_json("edit", str(asia), str(asia), "--force", "remove-node dysp")
    assert (told["variables"], told["not_kept"]) == (7, [])
    assert "dysp" not in bayou.load(asia).names
