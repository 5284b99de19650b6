"""What a question is answered with: a table of probabilities, or a mixture of Gaussians."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.inference.mixtures import JointMixture, Mixture
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Answer:
    """A normalised table over the targets (or a mixture, for continuous ones) and log P(evidence).

    ``log_evidence`` is -inf where the findings are impossible; the table is then None or meaningless.
    """

    targets: tuple[Name, ...]
    table: FloatArray | None
    mixture: Mixture | None
    log_evidence: float
    joint: JointMixture | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the findings can occur."""
        return bool(np.isfinite(self.log_evidence))
