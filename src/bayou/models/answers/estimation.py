"""What queries do about answers that are estimated, and rows drawn given findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from bayou import inference
from bayou.errors import warn_user
from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, Name

if TYPE_CHECKING:
    from bayou.inference import Bounds, Estimate, Question


def warn_if_distrusted(estimates: Iterable[Estimate | Bounds | None]) -> None:
    """Warn once if one of the estimates is not to be trusted; its reasons are in ``estimate.reasons``."""
    for estimate in estimates:
        if estimate is not None and not estimate.trusted:
            warn_user(f"This estimate is not to be trusted: {'; '.join(estimate.reasons)}.")
            return


def given_rows(
    network: FrozenNetwork, question: Question
) -> Callable[[FrozenNetwork, int, int], Mapping[Name, ColumnArray]]:
    """A function that draws rows given the findings of a question."""
    rows = inference.ConditionalRows(network, question)
    return lambda network, n, seed: rows.draw(n, seed)
