"""A distribution that inference knows nothing about: how many failures there are before a success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from bayou._native import sample_normal
from bayou.distributions import Distribution, Family, FamilyRows, Prior, RandomStream
from bayou.statistics import GroupMoments, Moments


@dataclass(frozen=True, eq=False)
class GeometricLeaf(Distribution):
    """P(k) = (1 − p)ᵏ p, with a p for each combination of the parents' states."""

    kind: ClassVar[str] = "test geometric leaf"
    chances: np.ndarray

    @classmethod
    def needs(cls, family: Family) -> Moments:
        return Moments((family.child.name,), tuple(parent.name for parent in family.parents))

    @classmethod
    def estimate(cls, answer: GroupMoments, family: Family, prior: Prior) -> GeometricLeaf:
        return cls(1 / (1 + answer.mean[..., 0]))

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        return family.groups, family.groups

    @property
    def free_parameters(self) -> int:
        return int(self.chances.size)

    @property
    def group_shape(self) -> tuple[int, ...]:
        return self.chances.shape

    def check_shape(self, family: Family) -> None:
        assert self.chances.shape == family.shape

    def log_density_by_group(self, values: Any, inputs: Any = None) -> np.ndarray:
        k, p = np.asarray(values, dtype=np.float64)[:, None], self.chances.ravel()[None]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where((k >= 0) & (k == np.floor(k)), k * np.log(1 - p) + np.log(p), -np.inf)
        return np.where(np.isnan(k), 0.0, logs)

    def sample(self, rows: FamilyRows, stream: RandomStream) -> np.ndarray:
        groups = rows.groups(self.group_shape)
        p = self.chances.ravel()[0 if groups is None else groups.astype(int)]
        uniform = ndtr(sample_normal(stream.seed, stream.stream, stream.first_row, rows.rows))
        return np.floor(np.log(uniform) / np.log(1 - p))

    def state(self) -> dict[str, Any]:
        return {"kind": self.kind, "chances": self.chances}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> GeometricLeaf:
        return cls(state["chances"])
