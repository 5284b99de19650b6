"""The compiled scores of families against their numpy reference."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.strategies import EDGES, Coded, coded_column

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import CodeArray, FloatArray

RNG = np.random.default_rng
RULES = [
    ("loglik", 0.0),
    ("aic", 0.0),
    ("bic", 0.0),
    ("bdeu", 10.0),
    ("bdeu", 0.001),
    ("bds", 1.0),
    ("laplace", 1.0),
    ("laplace", 7.25),
]


@st.composite
def tables(draw: st.DrawFn) -> Coded:
    """Skewed columns of which some depend on others; some with gaps, some without any value."""
    cards = draw(st.lists(st.integers(1, 30), min_size=1, max_size=7))
    rows = draw(st.one_of(st.sampled_from(EDGES), st.integers(0, 300)))
    random = RNG(draw(st.integers(0, 2**32)))
    gaps = [draw(st.sampled_from([0.0, 0.0, 0.0, 0.1, 1.0])) for _ in cards]
    columns = []
    for card, share in zip(cards, gaps, strict=True):
        column = coded_column(random, rows, card, share, wide=bool(random.random() < 0.2))
        # Most rows in few states: so there are both masks and lists.
        rare = random.random(rows) < draw(st.sampled_from([0.0, 0.02, 0.3, 1.0]))
        missing = column == np.iinfo(column.dtype).max
        columns.append(np.where(rare | missing, column, 0).astype(column.dtype))
    return Coded(columns, cards)


def agree(mine: FloatArray, theirs: FloatArray, rows: int) -> None:
    assert mine.dtype == np.float64
    assert mine.shape == theirs.shape
    # Where a variable is determined the score is near 0: then what counts is the rounding of the terms.
    np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-13 * (rows + 10) * np.log(rows + 10))


@settings(max_examples=120, deadline=None)
@given(tables(), st.data())
def test_families_and_additions_have_the_scores_of_the_reference(table: Coded, data: st.DataObject) -> None:
    n = len(table.cards)
    kind, parameter = data.draw(st.sampled_from(RULES))
    threads = data.draw(st.integers(1, 3))
    order = data.draw(st.permutations(range(n)))
    child, others = order[0], order[1:]
    held = data.draw(st.integers(0, min(4, max(len(others) - 1, 0))))
    parents, candidates = others[:held], np.array(others[held:], dtype=np.int64)
    while parents and np.prod([table.cards[i] for i in [child, *parents]]) * 30 > 1_000_000:
        parents = parents[:-1]
    mine = _core.FamilyScorer(table.columns, table.cards, threads)
    theirs = reference.FamilyScorer(table.columns, table.cards)
    wanted = theirs.additions(child, parents, candidates, kind, parameter)
    agree(mine.additions(child, parents, candidates, kind, parameter), wanted, table.rows)
    sets = [(child, []), *((child, [*parents, other]) for other in candidates.tolist()), (child, parents)]
    children = np.array([one for one, _ in sets])
    offsets = np.concatenate([[0], np.cumsum([len(some) for _, some in sets])])
    flat = np.array([parent for _, some in sets for parent in some], dtype=np.int64)
    got = mine.families(children, offsets, flat, kind, parameter)
    agree(got, theirs.families(children, offsets, flat, kind, parameter), table.rows)
    np.testing.assert_array_equal(got[1:-1], mine.additions(child, parents, candidates, kind, parameter))


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(RULES), st.integers(1, 3))
def test_all_pairs_have_the_scores_of_the_reference(
    table: Coded, rule: tuple[str, float], threads: int
) -> None:
    got = _core.FamilyScorer(table.columns, table.cards, threads).pairs(*rule)
    agree(got, reference.FamilyScorer(table.columns, table.cards).pairs(*rule), table.rows)


def skewed(rows: int, cards: list[int], seed: int, gaps: float = 0.0) -> list[CodeArray]:
    random = RNG(seed)
    columns = []
    for card in cards:
        codes = np.minimum(random.geometric(0.6, rows) - 1, card - 1)
        column: CodeArray = codes.astype(np.uint8 if card <= 255 else np.uint16)
        column[random.random(rows) < gaps] = np.iinfo(column.dtype).max
        columns.append(column)
    return columns


@pytest.mark.parametrize("gaps", [0.0, 0.03])
@pytest.mark.parametrize("rule", RULES)
def test_masks_and_lists_of_many_rows_with_wide_columns(rule: tuple[str, float], gaps: float) -> None:
    cards = [2, 3, 4, 20, 21, 256, 300, 2, 5]
    columns = skewed(70_001, cards, 3, gaps)
    columns[5] = RNG(9).integers(0, 256, 70_001).astype(np.uint16)
    mine, theirs = _core.FamilyScorer(columns, cards, 2), reference.FamilyScorer(columns, cards)
    for child, parents in [(0, [1, 2]), (3, [0, 7]), (1, [5]), (5, [0]), (8, [2, 4]), (6, [])]:
        others = np.array([i for i in range(9) if i not in (child, *parents)])
        got = mine.additions(child, parents, others, *rule)
        agree(got, theirs.additions(child, parents, others, *rule), 70_001)


def test_a_family_has_one_score_to_the_last_bit_however_it_is_asked_for() -> None:
    cards = [2, 3, 4, 5, 2, 3, 25]
    columns = skewed(20_000, cards, 5, 0.01)
    ways: list[Callable[[_core.FamilyScorer], FloatArray]] = [
        lambda scorer: scorer.additions(0, [1, 2, 6], np.array([3]), "bdeu", 10.0),
        lambda scorer: scorer.additions(0, [3, 6, 1], np.array([2, 4, 5]), "bdeu", 10.0)[:1],
        lambda scorer: scorer.additions(0, [2, 3, 1], np.array([6]), "bdeu", 10.0),
        lambda scorer: scorer.families(np.array([0]), np.array([0, 4]), np.array([6, 3, 2, 1]), "bdeu", 10.0),
    ]
    found = {way(_core.FamilyScorer(columns, cards, threads)).item() for way in ways for threads in (1, 2, 7)}
    assert len(found) == 1


def test_tables_too_large_to_allocate_are_scored_from_the_rows_that_occur() -> None:
    random = RNG(2)
    columns: list[CodeArray] = [random.integers(0, 60_000, 500).astype(np.uint16) for _ in range(6)]
    scorer = _core.FamilyScorer(columns, [60_000] * 6, 2)
    (score,) = scorer.additions(0, [1, 2, 3, 4], np.array([5]), "loglik")
    assert score == 0.0
    (price,) = scorer.additions(0, [1, 2, 3, 4], np.array([5]), "aic")
    assert price == pytest.approx(-(60_000.0**5) * 59_999)
    (marginal,) = scorer.additions(0, [1, 2, 3, 4], np.array([5]), "laplace", 1.0)
    assert marginal == pytest.approx(-500 * np.log(60_000))


def test_a_column_without_states_or_rows_scores_nothing() -> None:
    gone = np.full(10, 255, np.uint8)
    scorer = _core.FamilyScorer([gone, np.zeros(10, np.uint8)], [0, 1])
    assert scorer.pairs("bic").tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert scorer.pairs("bdeu", 1.0).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    none = np.zeros(0, np.uint8)
    assert _core.FamilyScorer([none, none], [2, 3]).pairs("bds", 1.0).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert _core.FamilyScorer([], []).pairs("aic").shape == (0, 0)


def test_what_the_caller_does_to_its_columns_afterwards_changes_nothing() -> None:
    columns = skewed(3000, [2, 3], 1)
    scorer = _core.FamilyScorer(columns, [2, 3])
    before = scorer.pairs("bic")
    columns[0][:] = 77
    np.testing.assert_array_equal(scorer.pairs("bic"), before)


def test_bad_arguments_are_refused() -> None:
    codes = np.zeros(4, np.uint8)
    one = np.array([1])
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match="column 0, row 2: code 5 is not below"):
            kernels.FamilyScorer([np.array([0, 1, 5], np.uint8)], [2])
        with pytest.raises(ValueError, match="threads is -1"):
            kernels.FamilyScorer([codes], [2], -1)
        scorer = kernels.FamilyScorer([codes, codes, codes], [2, 2, 2])
        with pytest.raises(ValueError, match="kind is 'bick'"):
            scorer.additions(0, [], one, "bick")
        for parameter in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(ValueError, match="parameter is"):
                scorer.additions(0, [], one, "bdeu", parameter)
        for child, parents, candidate in [
            (3, [], 1),
            (-1, [], 1),
            (0, [1], 1),
            (0, [], 0),
            (0, [], 3),
            (0, [2, 2], 1),
        ]:
            with pytest.raises(ValueError):
                scorer.additions(child, parents, np.array([candidate]), "bic")
        for offsets in ([0], [1, 1], [0, 2], [0, -1]):
            with pytest.raises(ValueError, match="offsets"):
                scorer.families(np.array([0]), np.array(offsets), one, "bic")
        with pytest.raises(ValueError, match="family 0"):
            scorer.families(np.array([1]), np.array([0, 1]), one, "bic")


@pytest.mark.parametrize("kernels", [_core, reference])
def test_what_was_scored_is_remembered(kernels: Any) -> None:
    random = np.random.default_rng(8)
    columns = [random.integers(0, 3, 50).astype(np.uint8) for _ in range(4)]
    scorer = kernels.FamilyScorer(columns, [3] * 4)
    memory = kernels.FamilyMemory(scorer, "bdeu", 2.0)
    wanted = [(0, ()), (0, (1, 2)), (3, (0,)), (0, (1, 2))]
    direct = [
        scorer.families(np.array([child]), np.array([0, len(ps)]), np.array(ps, np.int64), "bdeu", 2.0)[0]
        for child, ps in wanted
    ]
    assert memory.families(wanted).tolist() == direct
    assert memory.remembered() == 3
    added = memory.additions(2, (0,), np.array([3, 1]))
    assert added.tolist() == scorer.additions(2, (0,), np.array([3, 1]), "bdeu", 2.0).tolist()
    assert memory.families([(2, (0, 3)), (2, (0, 1))]).tolist() == added.tolist()
    assert memory.remembered() == 3  # additions are known already
    assert memory.families([]).tolist() == []


@pytest.mark.parametrize("kernels", [_core, reference])
def test_families_that_can_not_be_meant_are_not_looked_up(kernels: Any) -> None:
    memory = kernels.FamilyMemory(kernels.FamilyScorer([np.zeros(3, np.uint8)] * 3, [2] * 3), "bic")
    for family in [(0, (0,)), (0, (2, 1)), (0, (1, 1))]:
        with pytest.raises(ValueError, match="ascending"):
            memory.families([family])
    for family in [(3, ()), (0, (3,)), (-1, ())]:
        with pytest.raises(ValueError, match="expected a number from 0"):
            memory.families([family])
    with pytest.raises(ValueError, match="already"):
        memory.additions(0, (1,), np.array([1]))
    with pytest.raises(ValueError, match="expected"):
        kernels.FamilyMemory(kernels.FamilyScorer([], []), "nonsense")


def test_threads_of_a_scorer_are_not_waited_for_after_a_fork() -> None:
    # Enough work that the threads of the scorer are called.
    random = np.random.default_rng(2)
    columns = [random.integers(0, 4, 40_000).astype(np.uint8) for _ in range(12)]
    scorer = _core.FamilyScorer(columns, [4] * 12, 2)
    others = np.arange(2, 12)
    expected = scorer.additions(0, (1,), others, "bic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons warn of forks beside threads: that is what is tried
        child = os.fork()
    if child == 0:
        same = np.array_equal(scorer.additions(0, (1,), others, "bic"), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_two_threads_may_ask_one_scorer() -> None:
    random = np.random.default_rng(3)
    columns = [random.integers(0, 4, 30_000).astype(np.uint8) for _ in range(10)]
    memory = _core.FamilyMemory(_core.FamilyScorer(columns, [4] * 10, 2), "bic")
    expected = _core.FamilyMemory(_core.FamilyScorer(columns, [4] * 10, 1), "bic")
    asked = [(child, (parent,)) for child in range(4) for parent in range(4, 8)]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda one: memory.additions(*one, np.array([8, 9])), asked))
    for one, scores in zip(asked, got, strict=True):
        assert np.array_equal(scores, expected.additions(*one, np.array([8, 9])))
