"""What class trees and boosted trees have in common: a kernel's trees, and what they say of rows left out."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.uint8]
Classes: TypeAlias = npt.NDArray[np.int32]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Shape = TypeVar("Shape")
Kernel = TypeVar("Kernel")
Judged = TypeVar("Judged")


class GrownTrees(Generic[Shape, Kernel, Judged]):
    """Trees of a kernel, with the shape that was fixed before they grew."""

    def __init__(self, shape: Shape, kernel: Kernel, held_out: Judged | None = None) -> None:
        self.shape = shape
        self._kernel = kernel
        self._held_out = held_out

    @property
    def held_out(self) -> Judged:
        """log P(class | row) of the rows kept while growing, as if these rows had not been seen."""
        if self._held_out is None:
            raise ValueError("these trees kept no rows: grow them with kept=, or call held_out_rows")
        return self._held_out
