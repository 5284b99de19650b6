"""What a structure may and must look like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.typing import BoolArray


@dataclass(frozen=True, eq=False)
class Constraints:
    """Arcs that may be there and arcs that must, as matrices (parent, child), and a limit on parents.

    Required arcs are allowed, without circles, and within the limit: whoever makes this checks it.
    """

    allowed: BoolArray
    required: BoolArray
    max_parents: int

    @classmethod
    def none(cls, size: int) -> Constraints:
        """Everything goes."""
        return cls(~np.eye(size, dtype=bool), np.zeros((size, size), dtype=bool), size)
