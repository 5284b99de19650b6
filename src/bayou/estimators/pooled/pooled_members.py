"""All members and their pool: grown from training rows, answering about new ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes, NumberCodes
from bayou.estimators.pooled.fitted_weights import Halves
from bayou.estimators.pooled.log_pool import LogPool, fitted_pool
from bayou.estimators.pooled.members.dependence_member import log_class_shares
from bayou.estimators.pooled.members.gaussian_member import GaussianMember, grown_gaussian
from bayou.estimators.pooled.members.table_members import TABLES, TableMembers, grown_tables
from bayou.estimators.pooled.members.text_member import TextMember, grown_text
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns, prepared_columns
from bayou.estimators.pooled.saved_arrays import narrow, reals, wholes
from bayou.estimators.pooled.training_rows import TEXTS, TrainingRows
from bayou.schema import Variable
from bayou.typing import FloatArray, IntArray, Name

GAUSSIANS = {False: "Gaussian classes", True: "Gaussian classes of normal scores"}
WORDS = ("words", "words without the class shares")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The kept rows: their classes, weights, and log P(class | row) of the pool, all held out."""

    own: IntArray
    weights: FloatArray
    log_proba: FloatArray

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return {"own": narrow(self.own), "weights": narrow(self.weights), "log_proba": self.log_proba}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int) -> HeldOut:
        """Read :meth:`state`: a class, a weight and probabilities of each row."""
        log_proba = reals(state, "log_proba", (None, classes))
        own = wholes(state, "own", (len(log_proba),), 0, classes - 1)
        return cls(own, reals(state, "weights", (len(log_proba),)), log_proba)


@dataclass(frozen=True, eq=False)
class PooledMembers:
    """The members, their pool, and how it does on rows that were held out.

    ``tables`` is None where all columns are texts, ``texts`` where none is.
    """

    prepared: PreparedColumns
    tables: TableMembers | None
    gaussians: Mapping[str, GaussianMember]
    texts: TextMember | None
    pool: LogPool
    held_out: HeldOut

    @property
    def exponents(self) -> dict[str, float]:
        """The exponent of each member in the pool."""
        names = _names(self.tables, self.gaussians, self.texts)
        return dict(zip(names, self.pool.exponents.tolist(), strict=True))

    @property
    def size(self) -> str:
        """How large it is, in words; empty where all columns are texts."""
        return "" if self.tables is None else self.tables.size

    def log_proba(self, rows: FeatureTable) -> FloatArray:
        """log P(class | row), [row, class]."""
        logs, hidden = self._member_logs(rows, self.prepared.coded(rows))
        return self.pool.log_proba(logs, hidden)

    def log_odds_parts(self, row: FeatureTable, of: int, against: int) -> tuple[float, dict[Name, float]]:
        """The log-odds of one row: what no column says, and the part of each column."""
        fine = self.prepared.coded(row)
        read, written = len(self.prepared.columns), 0 if self.texts is None else len(self.texts.columns)
        shares = (
            [] if self.tables is None else self.tables.shares(fine, self.pool.log_class_shares, of, against)
        )
        shares += [one.shares(row, fine, of, against) for one in self.gaussians.values()]
        shares = [one.widened(0, written) for one in shares]
        names = [column.name for column in self.prepared.columns]
        if self.texts is not None:
            shares += [one.widened(read, 0) for one in self.texts.shares(row, of, against)]
            names += [column.name for column in self.texts.columns]
        logs, hidden = self._member_logs(row, fine)
        first = [found[0] for found in logs]
        pooled: AddedShares = self.pool.shares(shares, first, float(hidden[0]), of, against)
        return pooled.rest, dict(zip(names, pooled.columns.tolist(), strict=True))

    def state(self) -> dict[str, Any]:
        """Plain data for a file: each member once, and the columns that all of them share."""
        return {
            "prepared": self.prepared.state(),
            "tables": None if self.tables is None else self.tables.state(),
            "gaussians": {name: one.state() for name, one in self.gaussians.items()},
            "texts": None if self.texts is None else self.texts.state(),
            "pool": self.pool.state(),
            "held_out": self.held_out.state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], classes: int) -> PooledMembers:
        """Read :meth:`state`; each part checks that it fits the columns and the number of classes."""
        prepared = PreparedColumns.from_state(state["prepared"])
        given = state["tables"]
        tables = None if given is None else TableMembers.from_state(given, prepared, classes)
        gaussians = {
            name: GaussianMember.from_state(one, prepared, classes)
            for name, one in state["gaussians"].items()
        }
        texts = None if state["texts"] is None else TextMember.from_state(state["texts"], classes)
        if not set(gaussians) <= set(GAUSSIANS.values()):
            raise BadFile("an ensemble has an unknown member.")
        if (tables is None) != (not prepared.columns) or (tables is None and texts is None):
            raise BadFile("an ensemble lacks the members that read its columns.")
        pool = LogPool.from_state(state["pool"], len(_names(tables, gaussians, texts)), classes)
        return cls(prepared, tables, gaussians, texts, pool, HeldOut.from_state(state["held_out"], classes))

    def _member_logs(self, rows: FeatureTable, fine: Codes) -> tuple[list[FloatArray], FloatArray]:
        """log P(class | row) of every member, and the part of each row's columns whose values are unknown.

        Of members that the pool does not use, zeros. A text without a known word is unknown, too.
        """
        unknown, columns = (fine == UNKNOWN).sum(axis=0).astype(np.float64), len(fine)
        used, shares = self.exponents, self.pool.log_class_shares
        nothing = np.zeros((rows.rows, len(shares)))
        found = [] if self.tables is None else self.tables.log_proba(fine, used, shares)
        for name, one in self.gaussians.items():
            found.append(one.log_proba(rows, fine) if used[name] else nothing)
        if self.texts is not None:
            scores, silent = self.texts.read(rows)
            found += self.texts.log_proba(scores)
            unknown, columns = unknown + silent, columns + len(self.texts.columns)
        return found, unknown / columns


def _names(
    tables: TableMembers | None, gaussians: Mapping[str, GaussianMember], texts: TextMember | None
) -> tuple[str, ...]:
    """The members in the order of their exponents."""
    return (*(() if tables is None else TABLES), *gaussians, *(() if texts is None else WORDS))


def grown_members(
    rows: TrainingRows, variables: Mapping[Name, Variable], kinds: Mapping[Name, str], settings: PoolSettings
) -> PooledMembers | None:
    """Return all members and their pool; None if no column tells rows apart or no row may be left out."""
    coded = {name: kind for name, kind in kinds.items() if kind != TEXTS}
    prepared, fine, kept = prepared_columns(rows, variables, coded, settings)
    if not len(kept):
        return None
    halves, tables, held_out = Halves.of(rows.hashes[kept]), None, list[FloatArray]()
    if prepared.columns:
        tables, held_out = grown_tables(prepared, fine, rows, kept, halves, settings)
    texts = [name for name, kind in kinds.items() if kind == TEXTS]
    return pooled(prepared, fine, tables, held_out, texts, (rows, kept, halves), rows.class_weights)


def pooled(
    prepared: PreparedColumns,
    fine: Codes,
    tables: TableMembers | None,
    of_tables: list[FloatArray],
    texts: list[Name],
    judged_rows: tuple[TrainingRows, IntArray, Halves],
    by_class: FloatArray,
) -> PooledMembers | None:
    """Add Gaussian classes and words, and fit the exponents of all members on the kept rows.

    ``of_tables``: what those that are there say of the kept rows; ``by_class``: the weight of all rows of
    each class. None if there is no member.
    """
    rows, kept, halves = judged_rows
    gaussians, of_gaussians = _grown_gaussians(prepared, fine, rows, kept)
    words = grown_text(rows, texts, kept, halves)
    held_out = [*of_tables, *of_gaussians, *(() if words is None else words[1])]
    if not held_out:
        return None
    own, weights = rows.own[kept].astype(np.int64), rows.weights[kept]
    total, shares = float(by_class.sum()), log_class_shares(by_class)
    hidden = (fine[:, kept] == UNKNOWN).sum(axis=0) / (len(fine) + len(texts))
    pool, judged = fitted_pool(held_out, own, weights, shares, total, halves, hidden)
    found = None if words is None else words[0]
    return PooledMembers(prepared, tables, gaussians, found, pool, HeldOut(own, weights, judged))


def _grown_gaussians(
    prepared: PreparedColumns, fine: Codes, rows: TrainingRows, kept: IntArray
) -> tuple[dict[str, GaussianMember], list[FloatArray]]:
    """Return the Gaussian members by name, and their log P(class | row) of the kept rows."""
    gaussians, held_out = dict[str, GaussianMember](), list[FloatArray]()
    if not prepared.columns:
        return gaussians, held_out
    has_numbers = any(isinstance(column, NumberCodes) for column in prepared.columns)
    for scored, name in GAUSSIANS.items():
        if scored and not has_numbers:
            continue  # the same as the first
        grown = grown_gaussian(prepared, fine, rows, kept, scored)
        if grown is not None:
            gaussians[name] = grown[0]
            held_out.append(grown[1])
    return gaussians, held_out
