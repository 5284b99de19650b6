from collections.abc import Sequence

from bayou.typing import FloatArray

# BIF files (cpp/bindings/bif.cpp)
class BifError(ValueError):
    args: tuple[str, str, int, int, str, str, list[str]]

BIF_ROW_TOLERANCE: float
_BifVariable = tuple[str, tuple[str, ...], tuple[str, ...], tuple[int, ...], FloatArray]

def parse_bif(data: bytes) -> tuple[str, tuple[str, ...], list[_BifVariable]]: ...
def bif_rows(table: FloatArray, cardinality: int, parent_states: Sequence[Sequence[str]]) -> str: ...
