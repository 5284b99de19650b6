"""The fitted ensemble: the pool of members, and the plain naive Bayes that small tables lean on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.decisions.scoring_rules import Scores, scores_of
from bayou.errors import BadFile
from bayou.estimators.class_prior import log_ratio
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.plain_bayes import PlainBayes
from bayou.estimators.pooled.pooled_members import PooledMembers
from bayou.estimators.pooled.possible_values import numbers_of, variables_of
from bayou.estimators.pooled.saved_arrays import real, reals
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.special_functions import log_sum_exp
from bayou.typing import BoolArray, FloatArray, Name

FEWEST_ROWS = 50
SMALL_CLASS = 200.0
"""The pool needs this number more rows divided by those of the smallest class before it answers alone."""


@dataclass(frozen=True, eq=False)
class PooledModel:
    """log P(class | row) = trust · (that of the pool) + (1 − trust) · (that of naive Bayes), normalised."""

    classes: Variable
    log_prior: FloatArray
    members: PooledMembers | None
    plain: PlainBayes | None
    trust: float
    learned_prior: FloatArray | None = None
    """log P(class) as it was learned, where ``log_prior`` was given instead."""
    gaps: Mapping[Name, float] = field(default_factory=dict)
    """The weight of the training rows without a number in a column, where it is known."""

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class | row) (of naive Bayes alone: log P(class, row)), under the given class prior."""
        logs = self._pooled(rows)
        return logs if self.learned_prior is None else logs + self.shift

    @property
    def shift(self) -> FloatArray:
        """log given − log learned of the class probabilities; 0 where none were given."""
        if self.learned_prior is None:
            return np.zeros(len(self.log_prior))
        return log_ratio(self.log_prior, self.learned_prior)

    def _pooled(self, rows: FeatureTable) -> FloatArray:
        if self.members is None:
            assert self.plain is not None
            return self.plain.model.joint_log(rows)
        logs = self.members.log_proba(rows)
        if self.plain is None:
            return logs
        joint = self.plain.model.joint_log(rows)
        usable: BoolArray = np.isfinite(joint.sum(axis=1))
        plain = np.where(usable[:, None], joint, 0.0)
        mixed = self.trust * logs + (1 - self.trust) * (plain - log_sum_exp(plain))
        mixed = np.where(usable[:, None], mixed, logs)
        return mixed - log_sum_exp(mixed)

    def with_log_prior(self, log_prior: FloatArray) -> PooledModel:
        """The same model under other class probabilities: the result times new / old."""
        return replace(self, log_prior=log_prior, learned_prior=self.log_prior)

    def log_odds_parts(self, row: FeatureTable, of: int, against: int) -> tuple[float, dict[Name, float]]:
        """The log-odds of one row: what no column says (the class prior), and the part of each column."""
        rest, parts = 0.0, dict[Name, float]()
        shift = float(self.shift[of] - self.shift[against])
        trust = self.trust
        plain = None if self.plain is None else self.plain.model
        if plain is not None and (self.members is None or np.isfinite(plain.joint_log(row)).all()):
            rest = (1 - trust) * float(plain.log_prior[of] - plain.log_prior[against])
            for density, weight in zip(plain.densities, plain.weights.tolist(), strict=True):
                logs = density.log_density(row)[0]
                parts[density.variable.name] = (1 - trust) * weight * float(logs[of] - logs[against])
        elif plain is not None:
            trust = 1.0
        if self.members is not None:
            pooled, by_column = self.members.log_odds_parts(row, of, against)
            rest += trust * pooled
            for name, part in by_column.items():
                parts[name] = parts.get(name, 0.0) + trust * part
        return rest + shift, parts

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The columns that are used, with their states."""
        return variables_of(self.members, None if self.plain is None else self.plain.model)

    def numbers_of(self, name: Name, points: int) -> Sequence[float]:
        """Numbers that a column could have: on both sides of every cut, and ``points`` over its range."""
        return numbers_of(self.members, None if self.plain is None else self.plain.model, name, points)

    def notes(self) -> Iterator[str]:
        """What was chosen, in sentences."""
        if self.members is None:
            yield f"Fewer than {FEWEST_ROWS} rows, or nothing that tells them apart: this is NaiveBayes."
            return
        if self.members.size:
            yield f"Size: {self.members.size}."
        exponents = ", ".join(f"{name} {exponent:.2f}" for name, exponent in self.members.exponents.items())
        yield f"Exponents of the members in the pool: {exponents}."
        if self.trust < 1:
            yield f"So few rows that naive Bayes counts for {1 - self.trust:.0%} beside the pool."

    def state(self) -> dict[str, Any]:
        """Plain data for a file: what was learned, without the rows."""
        return {
            "log_prior": self.log_prior,
            "members": None if self.members is None else self.members.state(),
            "plain": None if self.plain is None else self.plain.state(),
            "trust": float(self.trust),
            "gaps": [[encode_value(name), rows] for name, rows in self.gaps.items()],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: Variable) -> PooledModel:
        """Read :meth:`state`; raise BadFile if its parts do not fit together."""
        many = classes.cardinality
        members = None if state["members"] is None else PooledMembers.from_state(state["members"], many)
        plain = None if state["plain"] is None else PlainBayes.from_state(state["plain"], classes)
        trust = real(state, "trust", 0.0, 1.0)
        if many < 1 or (members is None and plain is None) or (trust < 1 and plain is None):
            raise BadFile("an ensemble lacks its members, or the naive Bayes that they lean on.")
        log_prior = reals(state, "log_prior", (many,))
        if state.get("shift") is not None:  # a file of an earlier version, in which log_prior was given
            log_prior = log_prior - reals(state, "shift", (many,))
        gaps = {decode_value(name): float(rows) for name, rows in state.get("gaps", [])}
        return cls(classes, log_prior, members, plain, trust, gaps=gaps)

    def held_out_scores(self) -> Scores | None:
        """How the pool does on rows that were held out; None where it is not (alone) what answers."""
        if self.members is None or self.trust < 1:
            return None
        found = self.members.held_out
        weights = None if (found.weights == 1).all() else found.weights
        return scores_of(found.own, np.exp(found.log_proba), self.classes.states, weights)


def trust_in(by_class: FloatArray) -> float:
    """How much the pool counts beside naive Bayes, by the weight of the rows of each class.

    0 below 50 rows, 1 from 100 rows on; later, if the smallest class has few rows.

    >>> tables = np.array([[25.0, 24.0], [40.0, 40.0], [90.0, 5.0], [60.0, 60.0]])
    >>> [round(trust_in(by_class), 2) for by_class in tables]
    [0.0, 0.55, 0.5, 1.0]
    """
    seen = by_class[by_class > 0]
    total = float(seen.sum())
    if total < FEWEST_ROWS or len(seen) < 2:
        return 0.0
    return float(min(1.0, (total - FEWEST_ROWS) / (FEWEST_ROWS + SMALL_CLASS / seen.min())))
