"""The k-dependence members together: the mean of their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou import _native
from bayou.errors import BadFile
from bayou.estimators.naive_bayes.column_weights import WeighedRows
from bayou.estimators.pooled.added_shares import AddedShares, mean_log
from bayou.estimators.pooled.feature_codes import Codes
from bayou.estimators.pooled.fitted_weights import Halves, best_exponent, best_ridge, used_rows
from bayou.estimators.pooled.members.dependence_member import (
    CountedTables,
    DependenceMember,
    LeftOutTerms,
    grown_member,
)
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns
from bayou.estimators.pooled.saved_arrays import narrow, reals, wholes
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.memory import require_memory
from bayou.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DependenceEnsemble:
    """Members with random cuts and orders; P(class | row) is the mean of theirs."""

    prepared: PreparedColumns
    members: tuple[DependenceMember, ...]

    def log_proba(self, fine: Codes) -> FloatArray:
        """log P(class | row), [row, class]."""
        found = [member.joint(self.prepared.of_member(member.number, fine)) for member in self.members]
        return mean_log([_native.softmax_rows(joint) for joint in found])

    def shares(self, fine: Codes, of: int, against: int) -> AddedShares:
        """The log-odds of one row, split among the prior and the columns."""
        odds, chances = [], []
        for member in self.members:
            codes = self.prepared.of_member(member.number, fine)
            terms = member.terms(codes)[0]
            gaps = terms[of] - terms[against]
            prior = float(member.log_prior[of] - member.log_prior[against])
            odds.append(AddedShares(prior, gaps))
            chances.append(_native.softmax_rows(member.joint(codes))[0])
        return AddedShares.of_mean(odds, np.array(chances)[:, [of, against]])

    def state(self) -> dict[str, Any]:
        """Plain data for a file: the counts of all members, from which their tables are made again."""
        members = self.members
        return {
            "parents": np.stack([member.parents for member in members]).astype(np.int64),
            "counts": narrow(np.concatenate([member.counts for member in members])),
            "sizes": np.array([len(member.counts) for member in members], dtype=np.int64),
            "strengths": np.stack([member.strengths for member in members]),
            "weights": np.stack([member.weights for member in members]),
            "log_prior": members[0].log_prior,
        }

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], prepared: PreparedColumns, classes: int
    ) -> DependenceEnsemble:
        """Read :meth:`state`; the kernel refuses counts that do not fit the parents."""
        many, columns = prepared.cards.shape
        parents = wholes(state, "parents", (many, columns, 2), -1, columns - 1).astype(np.int32)
        strengths = reals(state, "strengths", (many, columns, 3))
        weights, log_prior = reals(state, "weights", (many, columns)), reals(state, "log_prior", (classes,))
        require_memory(24 * state["counts"].size, "The tables of an ensemble", "Open it with more memory.")
        counts = reals(state, "counts", (None,))
        ends = np.cumsum(wholes(state, "sizes", (many,), 0, counts.size))
        if ends[-1] != len(counts) or np.any(strengths <= 0) or np.any(counts < 0):
            raise BadFile("the counts of an ensemble are impossible.")
        parts = np.split(counts, ends[:-1])
        return cls(
            prepared,
            tuple(
                DependenceMember.of_counts(
                    number, cards, CountedTables(parents[number], part, strengths[number]), log_prior, own
                )
                for number, (cards, part, own) in enumerate(zip(prepared.cards, parts, weights, strict=True))
            ),
        )


def grown_ensemble(
    prepared: PreparedColumns,
    fine: Codes,
    rows: TrainingRows,
    kept: IntArray,
    halves: Halves,
    settings: PoolSettings,
) -> tuple[DependenceEnsemble, FloatArray]:
    """Return the members with fitted weights, and log P(class | row) of the kept rows, all held out.

    The weights that judge a row were fitted on the other half of the kept rows, by that half alone.
    """
    grown = (
        grown_member(number, prepared, fine, rows, kept, settings.seed) for number in range(settings.members)
    )
    return weighed_ensemble(prepared, grown, rows, kept, halves)


def weighed_ensemble(
    prepared: PreparedColumns,
    grown: Iterable[tuple[DependenceMember, LeftOutTerms]],
    rows: TrainingRows,
    kept: IntArray,
    halves: Halves,
) -> tuple[DependenceEnsemble, FloatArray]:
    """Give the members the weights of their columns, as :func:`grown_ensemble` does."""
    members, held_out = [], []
    own = rows.own[kept].astype(np.int64)
    ridge = 0.0
    for number, (member, left_out) in enumerate(grown):
        every = WeighedRows(left_out.log_prior, left_out.terms, own, rows.weights[kept])
        few = np.arange(used_rows(*every.terms.shape))
        some = every.part(few)
        alone = replace(some, terms=left_out.alone[few])
        start = best_exponent(some)
        if number == 0:  # the members are alike: the first one chooses for all
            ridge = best_ridge(some, alone, start, halves.part(few))
        _, by_half = halves.part(few).judged(some, start, ridge, alone)
        held_out.append(_native.softmax_rows(halves.scores(every, by_half)))
        members.append(member.weighed(some.fitted(start, ridge)))
    return DependenceEnsemble(prepared, tuple(members)), mean_log(held_out)
