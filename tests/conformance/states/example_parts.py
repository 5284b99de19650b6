"""An example of everything that models are made of: results, priors, distributions, declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bayou
from bayou import statistics
from bayou.distributions import (
    BDeu,
    Dirichlet,
    FunctionOfParents,
    KernelDensity,
    Laplace,
    LinearGaussian,
    MaxOfCauses,
    MEstimate,
    NodeKind,
    Poisson,
    Table,
    Words,
)
from bayou.distributions.gaussian.virtual_rows import VirtualRows
from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.estimators.pooled.frozen.member_tables import MemberTables
from bayou.estimators.pooled.frozen.node_counts import NodeCounts
from bayou.estimators.pooled.frozen.structure_counts import CountedStructure
from bayou.graphs import Dag
from bayou.networks import Structure
from bayou.schema import Cuts, Variable
from bayou.statistics import (
    Counts,
    GapCounts,
    GroupMoments,
    PairTables,
    Proposals,
    RowCounts,
    SampledRows,
    ValueCounts,
    WeightSums,
    WholeNumbers,
    count_tokens,
)
from bayou.statistics.bump_counts import BumpCounts
from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments
from bayou.statistics.matrix.matrix_sample import MatrixSample

SIZE = Variable("Größe 1", ["s", 1, "1", True])
YES = Variable("yes", ["no", "yes"], ordered=True)


def class_moments(form: Any) -> ClassMoments:
    squares = {"columns": np.ones((2, 2)), "matrices": np.ones((2, 2, 2)), "pooled": np.eye(2)}[form]
    cube = np.ones((2, 2, 2))
    sample = MatrixSample.of(
        np.array([[1.0, 2.0], [3.0, 4.0]]), ["no", "yes"], np.array([0, 1]), np.array([1.0, 2.5])
    )
    parts = np.array([2.0, 1.0]), np.ones((2, 2)), np.full((2, 2), 0.1), squares
    spread = FourthMoments(cube, cube * 3) if form == "matrices" else None
    return ClassMoments((7, "x"), YES, form, *parts, spread, sample)


RESULTS: dict[str, Callable[[], Any]] = {
    "counts": lambda: Counts((YES, SIZE), np.arange(8).reshape(2, 4)),
    "counts with weights": lambda: Counts((YES,), np.array([0.5, 2.25])),
    "counts without axes": lambda: Counts((), np.array(3)),
    "pairs": lambda: PairTables((YES, SIZE), (YES,), np.arange(16).reshape(2, 8)),
    "moments": lambda: GroupMoments(("x",), (YES,), np.ones(2), np.ones((2, 1)), np.ones((2, 1, 1))),
    "moments without groups": lambda: GroupMoments(
        ("x", 2), (), np.array(3.0), np.array([1.0, 0.5]), np.array([[2.0, 1.0], [1.0, 4.0]])
    ),
    "proposals": lambda: Proposals((np.eye(2), np.ones((3, 2))), np.array([1.0, 2.0])),
    "rows": lambda: RowCounts((YES, SIZE), np.array([[0, 1], [1, 3]]), np.array([2, 1])),
    "sample": lambda: SampledRows.from_values(
        {"a": ["x", 1, None, True], ("b", 1): [1.5, None, 2.5, -0.0]}, np.array([1.0, 2.0, 1.0, 0.5]), 10
    ),
    "values": lambda: ValueCounts.of("x", (YES,), np.array([2.0, 1.0, 2.0]), np.array([0, 1, 1])),
    "gaps": lambda: GapCounts(("x", 2), 10, (3, 0)),
    "weights": lambda: WeightSums("x", 4.0, 10.0),
    "bump counts": lambda: BumpCounts("x", ("state", "component"), np.arange(12.0).reshape(2, 2, 3)),
    "whole numbers": lambda: WholeNumbers("x", {1: 2, -3: 1}, 3, 1),
    "other numbers": lambda: WholeNumbers(("x", 1), None, 3, 1),
    "words": lambda: count_tokens(["buy now", "now ü"], ["spam", "ham"]),
    "words of a vocabulary": lambda: count_tokens(
        ["buy now", "now"], ["spam", "ham"], vocabulary=bayou._native.Vocabulary(["now", "you"])
    ),
    "counts of an ensemble": lambda: CountedStructure(
        "key",
        YES,
        ("a", 1),
        None,
        MemberTables(
            np.array([3.0, 1.0]),
            (np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([[3.0, 0.5]])),
            NodeCounts(3, 2, np.array([0, 5]), np.array([3.0, 1.0])),
        ),
    ),
    "class moments": lambda: class_moments("columns"),
    "class moments with matrices": lambda: class_moments("matrices"),
    "class moments with one matrix": lambda: class_moments("pooled"),
}
PRIORS = {
    "laplace": Laplace(0.25),
    "bdeu": BDeu(4),
    "m-estimate": MEstimate(2),
    "m-estimate by state": MEstimate(2, {1: 0.5, "1": 0.25, False: 0.25}),
    "dirichlet": Dirichlet(np.array([[1.0, 2.0], [0.5, 0.0]])),
    "dirichlet with one number": Dirichlet(0.5),
    "dirichlet by state": Dirichlet({"no": 1, "yes": 0.5}),
    "virtual rows": VirtualRows(
        statistics.GroupMoments(
            ("x",),
            (Variable("a", ["no", "yes"]),),
            np.array([2.5, 0.5]),
            np.array([[1.0], [2.0]]),
            np.array([[[4.0]], [[0.25]]]),
        )
    ),
}
DISTRIBUTIONS = {
    "table": Table(np.array([[0.25, 0.75], [1.0, 0.0]])),
    "gaussian": LinearGaussian(np.array([1.0, 2.0]), np.ones((2, 1)), np.array([0.5, 1.0])),
    "causes": MaxOfCauses((np.array([[1.0, 0.0], [0.2, 0.8]]),), np.array([0.9, 0.1]), (0, 1), (0,), "or"),
    "function": FunctionOfParents(np.array([[0, 1], [1, -1]]), 2),
    "poisson": Poisson(np.array([0.5, 4.0])),
    "bumps": BumpMixture(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0.0, 2.0]), np.array([1.0, 0.5])),
    "kernel": KernelDensity(
        (np.array([0.0, 1.5]),), (np.array([1.0, 2.0]),), np.array(0.5), 1e-9, 1.0, 0.5, 3.0
    ),
    "words": Words(("kauf", "ü"), np.log([[0.25, 0.5], [0.75, 0.5]])),
}
DECLARATIONS = {
    "variable": SIZE,
    "variable with an order": YES,
    "continuous variable": Variable(("x", 1)),
    "variable of cuts": Variable("age", cuts=Cuts(30, 50, low=0)),
    "kind of node": NodeKind("or", {"Größe 1": True, 3: "yes"}),
    "kind of node everywhere": NodeKind("max", {}, ("no",)),
    "structure": Structure(
        Dag.from_text("a -> b; a -> c; b, c -> d"),
        {"a": Variable("a", [0, 1]), "b": Variable("b", [0, 1])},
        {"p": ("b", "c")},
        {"d": NodeKind("or")},
    ),
}
