"""Scores from rows in memory and from one scatter matrix against those by statistics requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.strangers.list_source import ListSource

import bayou.learning.scores.native_scores as native_scores
from bayou.distributions import Laplace
from bayou.learning.scores.gaussian_scores import GaussianScores
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores, SourceScores
from bayou.learning.scores.native_scores import NativeScores, local_scores
from bayou.learning.scores.scores import BDs, score_from
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.statistics import Batch

WORDS = ["bic", "aic", "loglik", "bdeu", "bds", "k2", Laplace(0.5), BDs(3)]
NAMES = ["größe", "eine lange Überschrift", 3, "x y", "z"]


def every_family(n: int, most: int) -> list[FamilyNumbers]:
    return [
        (child, parents)
        for child in range(n)
        for size in range(most + 1)
        for parents in combinations([other for other in range(n) if other != child], size)
    ]


def assert_same(mine: LocalScores, theirs: LocalScores, most: int = 3) -> None:
    n = len(theirs.variables)
    wanted = every_family(n, most)
    expected = theirs.families(wanted)
    assert mine.families(wanted) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    known = dict(zip(wanted, expected.tolist(), strict=True))
    for child, parents in every_family(n, most - 1):
        candidates = [other for other in range(n) if other != child and other not in parents]
        for some in (candidates[1:], candidates, candidates[::-1]):
            found = mine.additions(child, parents, some)
            added = [known[child, tuple(sorted((*parents, other)))] for other in some]
            assert found == pytest.approx(np.array(added), rel=1e-9, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(WORDS), st.integers(0, 60))
def test_native_scores_are_those_of_requests(data: st.DataObject, word: object, rows: int) -> None:
    cards = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    cells = [st.one_of(st.none(), st.integers(0, card - 1)) for card in cards]
    columns = [data.draw(st.lists(cell, min_size=rows, max_size=rows)) for cell in cells]
    names = NAMES[: len(cards)]
    source = open_source(dict(zip(names, columns, strict=True)))
    variables = [Variable(name, range(card)) for name, card in zip(names, cards, strict=True)]
    score = score_from(word)
    mine = local_scores(source, variables, score)
    assert isinstance(mine, NativeScores)
    assert_same(mine, SourceScores(source, variables, score))


def test_files_in_many_batches_and_data_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(4)
    path = tmp_path / "zwei Spalten.csv"
    rows = [f"{a},{b},{c}" for a, b, c in random.integers(0, 3, (400, 3)).tolist()]
    path.write_text("\n".join(["a,b,c", *rows]), encoding="utf-8")
    monkeypatch.setattr("bayou.sources.files.file_source.BATCH_ROWS", 37)
    source = open_source(path)
    variables = [source.variable(name) for name in "abc"]
    score = score_from("bdeu")
    mine = local_scores(source, variables, score)
    assert isinstance(mine, NativeScores)
    assert_same(mine, SourceScores(source, variables, score), 2)
    monkeypatch.setattr(native_scores, "LARGEST_DATA", 100)
    assert isinstance(local_scores(source, variables, score), SourceScores)


def test_the_limit_is_on_codes_and_bit_planes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    source = open_source({"weiß": [0, 1] * 40, "schwarz": list(range(16)) * 5})
    variables = [source.variable("weiß"), source.variable("schwarz")]
    # Per row: one byte of code per column, and 2/8 and 16/8 bytes of planes.
    needed = 80 * (2 + 2 / 8 + 16 / 8)
    monkeypatch.setattr(native_scores, "LARGEST_DATA", needed)
    assert isinstance(local_scores(source, variables, score_from("bic")), NativeScores)
    monkeypatch.setattr(native_scores, "LARGEST_DATA", needed - 1)
    assert isinstance(local_scores(source, variables, score_from("bic")), SourceScores)


def test_weighted_and_mixed_data_are_scored_by_requests() -> None:
    data = {"A": [0, 1, 1, 0], "B": [1, 1, 0, 0], "x": [0.5, 1.5, 2.0, 4.0]}
    score = score_from("bic")
    weighted = open_source(data, weights=np.array([1, 2, 3, 4]))
    ab = [weighted.variable("A"), weighted.variable("B")]
    assert isinstance(local_scores(weighted, ab, score), SourceScores)
    source = open_source(data)
    mixed = [source.variable("A"), source.variable("x")]
    assert isinstance(local_scores(source, mixed, score), SourceScores)
    assert isinstance(local_scores(source, ab, score), NativeScores)


def numbers(rows: int, seed: int) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    base = random.normal(size=(rows, 5)) @ random.normal(size=(5, 5)) * [1, 1e6, 1e-6, 3, 1] + [
        0,
        1e5,
        0,
        7,
        -2,
    ]
    return {f"größe {at}": base[:, at].tolist() for at in range(5)}


@pytest.mark.parametrize("rows", [2, 3, 5, 40, 3000])
@pytest.mark.parametrize("word", ["bic", "aic", "loglik"])
def test_gaussian_scores_are_those_of_requests(rows: int, word: str) -> None:
    source = open_source(numbers(rows, rows))
    variables = [source.variable(name) for name in source.names]
    mine = local_scores(source, variables, score_from(word))
    assert isinstance(mine, GaussianScores)
    assert_same(mine, SourceScores(source, variables, score_from(word)))


def test_gaussian_scores_of_repeated_constant_and_summed_columns() -> None:
    data = numbers(50, 1)
    first = np.array(data["größe 0"])
    data["wieder"] = (first * 3).tolist()
    data["fest"] = [2.5] * 50
    data["Summe"] = (first + np.array(data["größe 3"])).tolist()
    source = open_source(data)
    variables = [source.variable(name) for name in source.names]
    mine = local_scores(source, variables, score_from("bic"))
    assert isinstance(mine, GaussianScores)
    assert_same(mine, SourceScores(source, variables, score_from("bic")), 2)


def test_gaussian_data_with_a_gap_are_scored_by_requests() -> None:
    data = numbers(30, 2)
    data["größe 1"][3] = float("nan")
    source = open_source(data)
    variables = [source.variable(name) for name in source.names]
    assert isinstance(local_scores(source, variables, score_from("bic")), SourceScores)


class Counted(ListSource):
    """A stream that counts the passes over its rows."""

    passes = 0

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        self.passes += 1
        return super().batches(variables)


def test_a_stream_is_not_read_again_for_what_a_larger_table_tells() -> None:
    source = Counted({"a": [0, 1, 1, 0] * 9, "b": ["x", "y", "x", "x"] * 9, 3: [0, 0, 1, 1] * 9})
    variables = [source.variable(name) for name in source.names]
    scores = SourceScores(source, variables, score_from("bic"))
    scores.families([(2, (0, 1))])
    asked = [(0, (1, 2)), (1, ()), (0, (1,)), (2, (0,))]
    found = scores.families(asked)
    assert source.passes == 1
    table = open_source(source.columns)
    assert found.tolist() == SourceScores(table, variables, score_from("bic")).families(asked).tolist()
