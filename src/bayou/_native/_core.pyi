from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Data in: Arrow streams and Python objects (cpp/bindings/arrow.cpp, objects.cpp).

class ArrowReader:
    def __init__(self, source: Any, threads: int = 0) -> None: ...
    @property
    def fields(self) -> list[tuple[str, str]]: ...
    def select(self, positions: Sequence[int], empty_is_missing: bool = False) -> None: ...
    def read(
        self, max_rows: int = ...
    ) -> tuple[int, list[tuple[str, npt.NDArray[Any], list[Any] | None, str, bool, bool, bool]]] | None: ...

def encode_objects(
    columns: Sequence[Any], identify: Callable[[Any], tuple[Hashable, Hashable] | None], threads: int = 0
) -> list[tuple[npt.NDArray[np.unsignedinteger[Any]], list[Any], int]]: ...
def encode_fixed_width(
    array: npt.NDArray[Any],
) -> tuple[npt.NDArray[np.unsignedinteger[Any]], npt.NDArray[np.int64]]: ...
def encode_text_file(
    path: bytes,
    separator: str,
    fields: int,
    wanted: Sequence[int],
    numeric: Sequence[int],
    has_header: bool,
    threads: int = 0,
) -> tuple[int, list[tuple[npt.NDArray[Any], list[str] | None]]] | None: ...

# End of data in.
