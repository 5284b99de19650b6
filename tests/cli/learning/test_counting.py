"""bayou count, bayou merge and bayou fit --from-stats: parts on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import bayou
from bayou.cli.main import cli


def table() -> pd.DataFrame:
    random = np.random.default_rng(13)
    ill = random.choice(["no", "yes"], 400)
    return pd.DataFrame(
        {
            "smoke": random.choice(["never", "daily"], 400),
            "pulse": random.normal(70, 8, 400) + 5 * (ill == "yes"),
            "ill": ill,
        }
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = table()
    rows[:150].to_parquet("part1.parquet")
    rows[150:].to_csv("part2.csv", index=False)
    bayou.Network("ill -> smoke; ill -> pulse").fit(rows).save("net.bayou")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.output


def test_parts_of_a_network(folder: Path) -> None:
    assert "Counted 150 rows" in done("count", "part1.parquet", "--network", "net.bayou", "-o", "a.stats")
    done("count", "part2.csv", "--network", "net.bayou", "-o", "b.stats")
    assert "400 rows from 2 files" in done("merge", "a.stats", "b.stats", "-o", "all.stats")
    assert "Learned from 400 rows" in done(
        "fit", "--from-stats", "all.stats", "--prior", "0.5", "-o", "m.bayou"
    )
    expected = bayou.Network("ill -> smoke; ill -> pulse").fit(table(), prior=0.5)
    found = bayou.load("m.bayou")
    np.testing.assert_array_equal(found.frozen.table("smoke"), expected.frozen.table("smoke"))
    np.testing.assert_allclose(
        found.statistics["pulse"].scatter, expected.statistics["pulse"].scatter, rtol=1e-10
    )
    done("merge", "all.stats", "--subtract", "b.stats", "-o", "again.stats")
    assert bayou.load("again.stats").statistics["smoke"] == bayou.load("a.stats").statistics["smoke"]
    answer = json.loads(done("fit", "--from-stats", "all.stats", "--json"))
    assert answer["rows"] == 400
    assert answer["network"]


def test_parts_of_a_classifier(folder: Path) -> None:
    cuts = ("--target", "ill", "--model", "tan", "--cuts", "pulse=65,75")
    done("count", "part1.parquet", *cuts, "-o", "a.stats")
    done("count", "part2.csv", "--like", "a.stats", "-o", "b.stats")
    done("merge", "a.stats", "b.stats", "-o", "all.stats")
    assert "TAN" in done("fit", "--from-stats", "all.stats", "-o", "m.bayou")
    done("count", "part1.parquet", "part2.csv", *cuts, "-o", "both.stats")
    expected = bayou.TAN(states={"pulse": bayou.Cuts([65, 75])}).fit(table(), "ill").predict_proba(table())
    for model in (bayou.load("m.bayou"), bayou.load("both.stats").model()):
        np.testing.assert_array_equal(model.predict_proba(table()), expected)
    assert json.loads(done("merge", "a.stats", "b.stats", "-o", "all.stats", "--json"))["rows"] == 400


def test_inputs_are_overwritten_with_force_only(folder: Path) -> None:
    done("count", "part1.parquet", "--network", "ill -> smoke", "-o", "a.stats")
    done("count", "part2.csv", "--like", "a.stats", "-o", "b.stats")
    before = Path("a.stats").read_bytes()
    for words in (
        ("merge", "a.stats", "b.stats"),
        ("merge", "b.stats", "b.stats", "--subtract", "a.stats"),
        ("count", "part2.csv", "--like", "a.stats"),
    ):
        refused = run(*words, "-o", "a.stats")
        assert refused.exit_code == 1
        assert "would overwrite its own input" in " ".join(refused.output.split())
        assert Path("a.stats").read_bytes() == before
    done("count", "part2.csv", "--like", "a.stats", "-o", "a.stats", "--force")
    assert Path("a.stats").read_bytes() == Path("b.stats").read_bytes()
    done("merge", "a.stats", "b.stats", "-o", "a.stats", "--force")
    assert bayou.load("a.stats").rows == 2 * bayou.load("b.stats").rows


def test_sites_agree_on_cuts_first(folder: Path) -> None:
    for place, part in enumerate(("part1.parquet", "part2.csv")):
        done("count", part, "--target", "ill", "--features", "pulse=discretised", "-o", f"v{place}.stats")
    done("merge", "v0.stats", "v1.stats", "-o", "values.stats")
    tan = ("--target", "ill", "--model", "tan")
    for place, part in enumerate(("part1.parquet", "part2.csv")):
        done("count", part, *tan, "--cuts-from", "values.stats", "-o", f"t{place}.stats")
        done("count", part, *tan, "-o", f"own{place}.stats")
    done("merge", "t0.stats", "t1.stats", "-o", "all.stats")
    found = bayou.load("all.stats").model().predict_proba(table())
    np.testing.assert_array_equal(found, bayou.TAN().fit(table(), "ill").predict_proba(table()))
    refused = run("merge", "own0.stats", "own1.stats", "-o", "all.stats").output
    assert "different cuts of 'pulse'" in " ".join(refused.split())
    assert "--cuts-from" in refused
    for words, told in {
        ("--network", "ill -> smoke", "--cuts-from", "values.stats"): "--cuts-from is for classifiers",
        ("--target", "ill", "--cuts-from", "none.stats"): "no such file",
        ("--target", "ill", "--model", "gaussian", "--cuts-from", "values.stats"): "cuts no columns",
        (*tan, "--cuts-from", "net.bayou"): "holds a model, not statistics",
    }.items():
        assert told in run("count", "part1.parquet", *words, "-o", "x.stats").output


def test_an_interrupted_count_resumes(folder: Path) -> None:
    good = pd.concat([table()] * 1500, ignore_index=True)[["ill", "smoke"]]
    lines = good.to_csv(index=False).splitlines()
    Path("big.csv").write_text("\n".join([*lines, "too,many,cells,here"]) + "\n")
    Path("a.stats").write_bytes(b"the file of yesterday")
    counting = ("count", "part1.parquet", "big.csv", "--network", "ill -> smoke", "-o", "a.stats")
    failed = run(*counting)
    assert failed.exit_code == 1
    assert "kept in a.stats.part" in failed.output
    assert "--resume" in failed.output
    assert Path("a.stats").read_bytes() == b"the file of yesterday"
    assert "interrupted count" in run("fit", "--from-stats", "a.stats.part").output
    Path("big.csv").write_text("\n".join(lines) + "\n")
    assert f"Counted {150 + len(good):,} rows" in done(*counting, "--resume")
    assert not Path("a.stats.part").exists()
    both = pd.concat([table()[:150], good])
    assert bayou.load("a.stats").model().same_as(bayou.Network("ill -> smoke").fit(both))
    assert "from the beginning" in done(*counting, "--resume")


def test_wrong_usage(folder: Path) -> None:
    for words, told in {
        ("count", "part1.parquet", "-o", "a.stats"): "--network",
        (
            "count",
            "part1.parquet",
            "--network",
            "ill -> smoke",
            "--prior",
            "1",
            "-o",
            "a.stats",
        ): "--prior is for",
        ("count", "part1.parquet", "--network", "ill -> smoke", "-o", "a.bayou"): ".stats",
        (
            "count",
            "part1.parquet",
            "--target",
            "ill",
            "--share",
            "p=a,b",
            "-o",
            "a.stats",
        ): "--share is for networks",
        (
            "count",
            "part1.parquet",
            "--like",
            "net.bayou",
            "--cuts",
            "pulse=3",
            "-o",
            "a.stats",
        ): "its own settings",
        ("count", "none.csv", "--network", "ill -> smoke", "-o", "a.stats"): "no such file",
        ("merge", "net.bayou", "-o", "all.stats"): "holds a model, not statistics",
        ("fit",): "DATA",
        ("fit", "part1.parquet", "--from-stats", "a.stats"): "leave DATA out",
        ("fit", "--from-stats", "a.stats", "--network", "A -> B"): "--network was decided",
    }.items():
        result = run(*words)
        assert result.exit_code in (1, 2), words
        assert told in result.output, (words, result.output)
    done("count", "part1.parquet", "--network", "ill -> smoke", "-o", "a.stats")
    done("count", "part1.parquet", "--network", "smoke -> ill", "-o", "b.stats")
    assert "b.stats: Statistics of two networks" in run("merge", "a.stats", "b.stats", "-o", "c.stats").output
    assert not Path("c.stats").exists()
