"""The declaration of a kernel density: its options, before anything is learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bayou.distributions.base import Distribution
from bayou.distributions.declaration import Declaration
from bayou.distributions.family import Family
from bayou.distributions.kernel.bandwidth_rules import bandwidth_from, spelled
from bayou.distributions.kernel.kernel_density import KernelDensity
from bayou.distributions.priors import VIRTUAL_RECORDS, Prior, checked_records
from bayou.statistics import ValueCounts


@dataclass(frozen=True)
class KernelFeature(Declaration):
    """A kernel density, for numbers of any distribution. ``bandwidth`` is a rule, its name, or a number.

    ``virtual_records`` add one wide kernel around the values of all classes; 0: Parzen's estimate itself.

    ``relative_error`` is how far a density may be from the exact one.

    Raises ``BadData`` for a column that holds no numbers.

    >>> KernelFeature("scott").declaration()
    {'kind': 'kernel', 'bandwidth': 'scott', 'relative_error': 1e-09}
    """

    word: ClassVar[str] = "kernel"
    learned_as: ClassVar[type[Distribution]] = KernelDensity
    bandwidth: Any = "silverman"
    relative_error: float = 1e-9
    virtual_records: float = VIRTUAL_RECORDS

    def estimate(self, answer: ValueCounts, family: Family, prior: Prior) -> KernelDensity:
        """Estimate one bandwidth per group; a group without values takes the values of all groups."""
        rule, strength = bandwidth_from(self.bandwidth), checked_records(self.virtual_records)
        return KernelDensity.learned(answer, family, rule, self.relative_error, strength)[0]

    def declaration(self) -> dict[str, Any]:
        """The kind, the bandwidth rule, the relative error, and virtual records if not the default number."""
        rule = spelled(bandwidth_from(self.bandwidth))
        options = {"bandwidth": rule, "relative_error": self.relative_error}
        if self.virtual_records != VIRTUAL_RECORDS:
            options["virtual_records"] = self.virtual_records
        return {**super().declaration(), **options}
