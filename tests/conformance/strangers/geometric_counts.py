"""A distribution as somebody else would write it: one class, and nothing else anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from bayou._native import sample_normal
from bayou.distributions import Distribution, Family, FamilyRows, Prior, RandomStream, virtual_records
from bayou.errors import BadData, BadFile, BadTable
from bayou.statistics import GroupMoments, Moments
from bayou.typing import ColumnArray, FloatArray


@dataclass(frozen=True, eq=False)
class GeometricCounts(Distribution):
    """P(x) = p (1 − p)ˣ: how often one tries in vain before the first success."""

    kind: ClassVar[str] = "test geometric"
    title: ClassVar[str] = "Geometric"
    uses_prior: ClassVar[bool] = True
    smallest: ClassVar[float] = 0.0
    chance: FloatArray

    @classmethod
    def needs(cls, family: Family) -> Moments:
        return Moments((family.child.name,), tuple(parent.name for parent in family.discrete))

    @classmethod
    def estimate(cls, answer: GroupMoments, family: Family, prior: Prior) -> GeometricCounts:
        whole = answer.marginal([])
        if whole.n <= 0:
            raise BadData(f"There is no row to learn {family.child.name!r} from.")
        n, strength = answer.n, virtual_records(prior)
        events = n * answer.mean[..., 0] + strength * whole.mean[0]
        mean = np.where(n + strength > 0, events / np.maximum(n + strength, 1e-300), whole.mean[0])
        return cls(1 / (1 + mean))

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        return family.groups, family.groups

    @property
    def free_parameters(self) -> int:
        return int(self.chance.size)

    @property
    def group_shape(self) -> tuple[int, ...]:
        return self.chance.shape

    @property
    def parameters_by_group(self) -> dict[str, FloatArray]:
        return {"chance": self.chance}

    def check_shape(self, family: Family) -> None:
        if self.chance.shape != family.shape:
            raise BadTable(f"{family.child.name!r} has {self.chance.shape} chances, not {family.shape}.")

    def log_density_by_group(self, values: ColumnArray, inputs: FloatArray | None = None) -> FloatArray:
        x, chance = np.asarray(values, dtype=np.float64)[:, None], self.chance.reshape(1, -1)
        with np.errstate(divide="ignore"):
            logs = np.log(chance) + np.nan_to_num(x) * np.log1p(-chance)
        return np.where(np.isnan(x), 0.0, np.where(x < 0, -np.inf, logs))

    def sample(self, rows: FamilyRows, stream: RandomStream) -> FloatArray:
        groups = rows.groups(self.group_shape)
        chance = self.chance.ravel()[0 if groups is None else groups.astype(np.intp)]
        share = ndtr(sample_normal(stream.seed, stream.stream, stream.first_row, rows.rows))
        drawn: FloatArray = np.floor(np.log1p(-share) / np.log1p(-chance))
        return drawn

    def state(self) -> dict[str, Any]:
        return {"kind": self.kind, "chance": self.chance}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GeometricCounts:
        chance = np.asarray(state["chance"], dtype=np.float64)
        if not np.all((chance > 0) & (chance <= 1)):
            raise BadFile("the chances of a geometric distribution are not between 0 and 1.")
        return cls(chance)
