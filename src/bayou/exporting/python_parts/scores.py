"""log P(class, row) as sums of terms, added up over components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.exporting.python_parts.cells import cells_of, log_sum, shares_of
from bayou.exporting.python_parts.terms import component_scores, possible, weighed


def probabilities(model: Mapping[str, Any], row: Mapping[Any, Any]) -> list[float]:
    """P(class | row) of each class."""
    cells = cells_of(model, row)
    taking_part = [each for each in model["components"] if takes_part(each, cells)]
    scores = [component_scores(component, cells) for component in taking_part]
    logs = [log_sum(list(logs)) for logs in zip(*scores)]
    return shares_of(possible(weighed(logs, model), model["log_prior"]))


def takes_part(component: Mapping[str, Any], cells: list[Any]) -> bool:
    """Whether a cell of some has a marked code (with ``unless``: none has); without such cells: always."""
    only = component["only"]
    return not only or any(cells[place] in codes for place, codes in only) != component["unless"]
