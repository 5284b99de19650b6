"""What every local distribution promises: densities, draws, learning, leaving rows out, files, refusals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest
from tests.conformance.strangers.geometric_counts import GeometricCounts

from bayou.distributions import (
    CODES,
    DISTRIBUTIONS,
    TEXTS,
    CodedTexts,
    Distribution,
    Family,
    FamilyRows,
    FunctionOfParents,
    KernelDensity,
    Laplace,
    LinearGaussian,
    NodeKind,
    Poisson,
    RandomStream,
    Table,
    Words,
)
from bayou.errors import BayouError, BayouWarning
from bayou.schema import Variable
from bayou.statistics import Batch

SIZE, COLOUR = Variable("Größe", ["s", "m", "l"]), Variable("Farbe", ["rot", 1])
X, Z, YES = Variable("x y"), Variable("z"), Variable("ja?", ["nein", "ja"])
TEXT = Variable("Text", ["kauf jetzt", "kauf kauf", "bis bald", "jetzt ü", "bald", "kauf bald ü"])
PRIOR = Laplace(0.5)
Draw = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True)
class Case:
    """A kind, a family that it can have, and how rows of the child come about given the group's number."""

    kind: Any
    family: Family
    draw: Callable[[np.random.Generator, Any], Any]
    whole: bool = False
    """Whether its numbers are whole."""
    exact: bool = True
    """Whether leaving a row out is exactly learning without it: bandwidths and vocabularies stay."""


def codes(states: int) -> Callable[[np.random.Generator, Any], Any]:
    return lambda random, group: np.minimum(random.poisson(0.4 + 0.3 * group), states - 1).astype(np.uint8)


def numbers(random: np.random.Generator, group: Any) -> Any:
    return random.normal(size=len(group)) * (1 + 0.5 * group) + group


def counts(random: np.random.Generator, group: Any) -> Any:
    return random.poisson(1 + group).astype(float)


CASES = {
    "table": Case(Table, Family(YES, (SIZE, COLOUR)), codes(2)),
    "table without parents": Case(Table, Family(SIZE), codes(3)),
    "Gaussian": Case(LinearGaussian, Family(X, (SIZE,)), numbers),
    "Gaussian without parents": Case(LinearGaussian, Family(X), numbers),
    "Gaussian of a number": Case(LinearGaussian, Family(X, (SIZE, Z)), numbers),
    "noisy-OR": Case(NodeKind("or"), Family(YES, (COLOUR, Variable("B", [0, 1]))), codes(2)),
    "noisy-AND": Case(NodeKind("and"), Family(YES, (COLOUR, Variable("B", [0, 1]))), codes(2)),
    "noisy-MAX": Case(NodeKind("max"), Family(SIZE, (COLOUR, YES)), codes(3)),
    "function": Case(
        NodeKind("function"), Family(SIZE, (COLOUR, YES)), lambda random, group: (group % 3).astype(np.uint8)
    ),
    "Poisson": Case(Poisson, Family(X, (SIZE, COLOUR)), counts, whole=True),
    "Poisson without parents": Case(Poisson, Family(X), counts, whole=True),
    "kernel": Case(KernelDensity, Family(X, (SIZE,)), numbers, exact=False),
    "kernel without parents": Case(KernelDensity, Family(X), numbers, exact=False),
    "words": Case(Words, Family(TEXT, (SIZE,)), codes(6), exact=False),
    "geometric": Case(GeometricCounts, Family(X, (COLOUR, SIZE)), counts, whole=True),
}
DRAWN = [name for name in CASES if name != "words"]
ROWS = 240


def drawn_rows(case: Case, rows: int, seed: int = 0) -> FamilyRows:
    """Rows of a family."""
    random, family = np.random.default_rng(seed), case.family
    parents = [random.integers(0, states, rows).astype(np.uint8) for states in family.shape]
    inputs = random.normal(size=(rows, len(family.continuous)))
    group = np.ravel_multi_index(parents, family.shape) if parents else np.zeros(rows, dtype=np.int64)
    values = case.draw(random, group)
    return FamilyRows(rows, parents, inputs, values + inputs.sum(axis=1) if inputs.size else values)


def answer_of(case: Case, rows: FamilyRows, kept: Any = None, weights: Any = None) -> Any:
    """The statistic that the kind needs, of some of the rows."""
    family = case.family
    inside = np.arange(rows.rows) if kept is None else kept
    known: Any = {p.name: c[inside] for p, c in zip(family.discrete, rows.codes, strict=True)}
    measured = {p.name: rows.inputs[inside, k] for k, p in enumerate(family.continuous)}
    (measured if family.child.is_continuous else known)[family.child.name] = rows.observed[inside]
    variables = {variable.name: variable for variable in family.variables}
    batch = Batch(len(inside), known, measured, weights)
    return case.kind.needs(family).answer(batch, variables)


def estimate(case: Case, answer: Any) -> Distribution:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        return case.kind.estimate(answer, case.family, PRIOR)  # type: ignore[no-any-return]


@cache
def fitted(name: str) -> Distribution:
    return estimate(CASES[name], answer_of(CASES[name], drawn_rows(CASES[name], ROWS)))


def as_values(case: Case, values: Any) -> Any:
    """The child's column as the distribution reads it."""
    if case.kind is Words:
        return CodedTexts(values, tuple(map(str, case.family.child.states)))
    return values


def support(case: Case) -> Any:
    """Values that have all of the probability, and how far they are apart."""
    if case.kind is Words:
        words = sorted({word for text in TEXT.states for word in str(text).split()})
        return np.array(words, dtype=object), 1.0
    if not case.family.child.is_continuous:
        return np.arange(case.family.child.cardinality), 1.0
    if case.whole:
        return np.arange(400.0), 1.0
    values = np.linspace(-90, 90, 60_001)
    return values, values[1] - values[0]


def assert_alike(left: Distribution, right: Distribution, rtol: float = 1e-9) -> None:
    """The same kind with the same numbers, up to the order of sums."""
    one, two = left.state(), right.state()
    assert list(one) == list(two)
    for key, part in one.items():
        for a, b in zip(_parts(part), _parts(two[key]), strict=True):
            if isinstance(a, str):
                assert a == b
            else:
                np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


@pytest.mark.parametrize("name", CASES)
def test_it_normalises_in_every_group(name: str) -> None:
    values, step = support(CASES[name])
    inputs = np.zeros((len(values), len(CASES[name].family.continuous)))
    logs = fitted(name).log_density_by_group(values, inputs)
    assert logs.shape == (len(values), CASES[name].family.groups)
    np.testing.assert_allclose(np.exp(logs).sum(axis=0) * step, 1.0, atol=1e-6)


@pytest.mark.parametrize("name", DRAWN)
def test_draws_come_from_the_density_in_any_split(name: str) -> None:
    case, distribution = CASES[name], fitted(name)
    n = 6000
    for group in range(case.family.groups):
        place = np.unravel_index(group, case.family.shape or (1,))
        parents = [np.full(n, code, dtype=np.uint8) for code in place][: len(case.family.shape)]
        rows = FamilyRows(n, parents, np.zeros((n, len(case.family.continuous))))
        drawn = distribution.sample(rows, RandomStream(11, 2))
        half = FamilyRows(n // 2, [c[: n // 2] for c in parents], rows.inputs[: n // 2])
        late = distribution.sample(half, RandomStream(11, 2, n // 2))
        np.testing.assert_array_equal(late, drawn[n // 2 :])
        values, step = support(case)
        chances = np.exp(distribution.log_density_by_group(values, np.zeros((len(values), 1)))[:, group])
        if step == 1.0:
            share = np.bincount(drawn.astype(int), minlength=len(values))[: len(values)] / n
            assert np.abs(share - chances).max() < 5 * 0.5 / np.sqrt(n)
        else:
            assert kstest(drawn, np.interp, (values, np.cumsum(chances) * step)).pvalue > 1e-4


@pytest.mark.parametrize("name", CASES)
def test_learning_in_parts_is_learning_at_once(name: str) -> None:
    case = CASES[name]
    rows = drawn_rows(case, ROWS)
    parts = [answer_of(case, rows, np.arange(ROWS)[k::3]) for k in range(3)]
    assert_alike(estimate(case, parts[2] + parts[0] + parts[1]), fitted(name))


@pytest.mark.parametrize("name", CASES)
def test_a_weight_is_a_repetition_and_weight_zero_is_absence(name: str) -> None:
    case = CASES[name]
    rows = drawn_rows(case, ROWS)
    times = np.random.default_rng(3).integers(0, 4, ROWS)
    repeated = answer_of(case, rows, np.repeat(np.arange(ROWS), times))
    for weights in (times, times.astype(float)):
        assert_alike(estimate(case, answer_of(case, rows, weights=weights)), estimate(case, repeated), 1e-6)


@pytest.mark.parametrize("name", CASES)
def test_a_row_has_the_density_of_its_own_group(name: str) -> None:
    case, distribution = CASES[name], fitted(name)
    rows = drawn_rows(case, 90, seed=5)
    every = distribution.log_density_by_group(as_values(case, rows.observed), rows.inputs)
    groups = rows.groups(distribution.group_shape)
    own = every[np.arange(90), 0 if groups is None else groups.astype(np.intp)]
    given = FamilyRows(90, rows.codes, rows.inputs, as_values(case, rows.observed))
    np.testing.assert_allclose(distribution.log_density(given), own, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_a_missing_value_says_nothing(name: str) -> None:
    case, distribution = CASES[name], fitted(name)
    inputs = np.zeros((2, len(case.family.continuous)))
    gap: Any = {CODES: np.array([0, 255], np.uint8), TEXTS: np.array(["kauf", None], dtype=object)}
    values = gap.get(distribution.values_are, np.array([1.0, np.nan]))
    logs = distribution.log_density_by_group(values, inputs)
    np.testing.assert_array_equal(logs[1], 0.0)
    assert np.all(logs[0] != 0) or name == "function"


@pytest.mark.parametrize("name", CASES)
def test_leaving_a_row_out_is_learning_without_it(name: str) -> None:
    case, distribution = CASES[name], fitted(name)
    rows = drawn_rows(case, ROWS)
    given = FamilyRows(ROWS, rows.codes, rows.inputs, as_values(case, rows.observed))
    answer = answer_of(case, rows)
    found = distribution.left_out(given, np.ones(ROWS), answer, case.family, PRIOR)
    for row in range(0, ROWS, 40):
        others = estimate(case, answer_of(case, rows, np.delete(np.arange(ROWS), row)))
        one = FamilyRows(
            1,
            [code[row : row + 1] for code in rows.codes],
            rows.inputs[row : row + 1],
            as_values(case, rows.observed[row : row + 1]),
        )
        expected = others.log_density(one)[0]
        assert found[row] == pytest.approx(expected, abs=1e-8 if case.exact else 0.2)


@pytest.mark.parametrize("name", CASES)
def test_its_state_comes_back(name: str) -> None:
    distribution = fitted(name)
    state = distribution.state()
    again = DISTRIBUTIONS.find(state["kind"]).from_state(state)
    assert again.same_as(distribution)
    other = estimate(CASES[name], answer_of(CASES[name], drawn_rows(CASES[name], ROWS, seed=9)))
    assert isinstance(other, FunctionOfParents) or not other.same_as(distribution)


@pytest.mark.parametrize("name", CASES)
def test_it_says_how_many_parameters_it_has_and_how_it_looks(name: str) -> None:
    case, distribution = CASES[name], fitted(name)
    assert distribution.free_parameters <= distribution.parameters or name == "function"
    if case.kind not in (KernelDensity, Words):
        assert case.kind.count_parameters(case.family)[1] == distribution.free_parameters
    for column in distribution.parameters_by_group.values():
        assert np.size(column) == case.family.groups


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_by_name(name: str) -> None:
    case = CASES[name]
    child = case.family.child
    real = Family(child, (*case.family.parents, Variable("eine Zahl")))
    if case.kind is not LinearGaussian:
        with pytest.raises(BayouError, match=child.name.replace("?", r"\?")):
            case.kind.check_family(real)
    wider = Family(child, (*case.family.parents, Variable("noch eins", [0, 1])))
    with pytest.raises(BayouError, match=child.name.replace("?", r"\?")):
        fitted(name).check_shape(wider)
    if child.is_continuous:
        nothing = answer_of(case, drawn_rows(case, ROWS), np.arange(0))
        with pytest.raises(BayouError, match=child.name):
            case.kind.estimate(nothing, case.family, PRIOR)


def test_every_kind_of_distribution_has_an_example() -> None:
    # Which bump a row belongs to is not in the data: tests/models/sequences/learning/test_hmm_kernels.py.
    own = {kind for kind in DISTRIBUTIONS if not kind.startswith("test ") and kind != "bumps"}
    assert own <= {fitted(name).kind for name in CASES}
