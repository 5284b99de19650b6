"""The members of an ensemble whose cuts, parents and trees stay: from counts of all rows and kept rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayou import _native
from bayou.errors import without_warnings
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.frozen.frozen_structure import FrozenStructure
from bayou.estimators.pooled.frozen.member_tables import MemberTables
from bayou.estimators.pooled.members.boosted_member import BoostedMember
from bayou.estimators.pooled.members.dependence_ensemble import weighed_ensemble
from bayou.estimators.pooled.members.dependence_member import (
    STRENGTHS,
    CountedTables,
    DependenceMember,
    LeftOutTerms,
    left_out_shares,
    log_class_shares,
)
from bayou.estimators.pooled.members.later_classes import LaterClasses
from bayou.estimators.pooled.members.table_members import TableMembers
from bayou.estimators.pooled.members.tree_inputs import tree_codes
from bayou.estimators.pooled.members.tree_member import TreeMember
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.pooled_members import PooledMembers, pooled
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.memory import release_memory
from bayou.schema import Variable
from bayou.typing import FloatArray, IntArray, Name


def frozen_members(
    structure: FrozenStructure,
    tables: MemberTables,
    rows: TrainingRows,
    classes: Variable,
    texts: list[Name],
    settings: PoolSettings,
) -> PooledMembers | None:
    """Return the members with the counts of all rows; None if no row is left to fit weights on.

    ``rows`` are those of the sample; weights are fitted on the ones in the half that parents did not see.
    """
    prepared = structure.prepared
    with without_warnings():
        fine = prepared.coded(FeatureTable(rows.columns))
    kept = rows.kept(settings.kept_of(rows.classes, len(prepared.columns)), ~rows.half)
    if not len(kept):
        return None
    halves = Halves.of(rows.hashes[kept])
    grown = _grown(structure, tables, fine, rows, kept)
    dependences, logs = weighed_ensemble(prepared, grown, rows, kept, halves)
    release_memory()
    trees = structure.trees(*tables.nodes.lists(), classes.cardinality)
    judged = np.ascontiguousarray(fine[:, kept])
    own = rows.own[kept].astype(np.int32)
    trees.judge(tree_codes(prepared, judged), own, rows.hashes[kept], rows.weights[kept])
    pools = trees.held_out
    boosted = _boosted(structure, tables, classes)
    of_boosted = boosted.of_all_classes(
        boosted.trees.held_out_rows(tree_codes(prepared, judged), rows.hashes[kept])
    )
    held_out = [logs, pools.arithmetic, pools.geometric, of_boosted]
    members = TableMembers(dependences, TreeMember(prepared, trees), boosted)
    judged_rows = rows, kept, halves
    return pooled(prepared, fine, members, held_out, texts, judged_rows, tables.by_class)


def _grown(
    structure: FrozenStructure, tables: MemberTables, fine: Codes, rows: TrainingRows, kept: IntArray
) -> Iterator[tuple[DependenceMember, LeftOutTerms]]:
    """The k-dependence members, with the terms of the kept rows less their own counts."""
    prepared, by_class = structure.prepared, tables.by_class
    own, part = rows.own[kept], rows.parts[kept]
    log_prior, ones = log_class_shares(by_class), np.ones(len(prepared.columns))
    shares = left_out_shares(by_class, own, part)
    for number, (cards, parents, cells) in enumerate(
        zip(prepared.cards, structure.parents.astype(np.int32), tables.cells, strict=True)
    ):
        counts: FloatArray = np.ascontiguousarray(cells).reshape(-1)
        many = len(by_class)
        strengths = _native.backoff_strengths(counts, cards, parents, many, STRENGTHS)
        counted = CountedTables(parents, counts, strengths)
        member = DependenceMember.of_counts(number, cards, counted, log_prior, ones)
        codes = np.ascontiguousarray(prepared.of_member(number, fine[:, kept]))
        known = np.where(codes == UNKNOWN, 0, codes).astype(np.uint8)
        terms = _native.left_out_dependences(counts, cards, parents, many, strengths, known, own, part)
        _set_terms_of_unknown_cells(terms, member, codes)
        yield member, LeftOutTerms(shares, terms, terms)


def _set_terms_of_unknown_cells(terms: FloatArray, member: DependenceMember, codes: Codes) -> None:
    """Set the terms [row, class, column] that read an unknown cell: their tables never counted the row.

    So nothing is taken off, and they are what the member says of a new row.
    """
    unknown = codes == UNKNOWN
    reads = unknown.copy()
    for parents in member.parents.T:
        reads |= unknown[parents] & (parents >= 0)[:, None]
    rows = np.flatnonzero(unknown.any(axis=0))
    if len(rows):
        as_new = member.terms(np.ascontiguousarray(codes[:, rows]))
        terms[rows] = np.where(reads.T[rows, None], as_new, terms[rows])


def _boosted(structure: FrozenStructure, tables: MemberTables, classes: Variable) -> BoostedMember:
    """The boosted trees as they were learned; classes that came later get their share."""
    boosted = structure.boosted
    if classes == structure.classes:
        return boosted
    found = [classes.find(state) for state in structure.classes.states]
    places = np.array([-1 if place is None else place for place in found], dtype=np.int64)
    return BoostedMember(
        boosted.prepared, boosted.trees, LaterClasses(places, log_class_shares(tables.by_class))
    )
