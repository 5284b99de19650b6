"""A linear Gaussian model in print, and in bayou's own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import BadFile
from bayou.formats.bundle import write_bundle
from bayou.formats.file_content import FilePath, path_text
from bayou.formats.format_registry import OWN_ENDINGS
from bayou.schema import label
from bayou.text.tables import TextTable, with_deviation
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayou.models.sequences.kalman.kalman_model import KalmanModel

_LARGEST = 8
"""The most states, and the most columns, that are printed."""


def write_kalman(path: FilePath, model: KalmanModel) -> None:
    """Write a model to a ``.bayou`` or ``.json`` file."""
    if not path_text(path).lower().endswith(OWN_ENDINGS):
        raise BadFile.at(
            path,
            "a linear Gaussian model is saved in bayou's own format: use a name that ends in .bayou, or in "
            ".json for a text.",
        )
    write_bundle(path, "kalman", model.state())


def described(model: KalmanModel) -> str:
    """The sizes and, of small models, the matrices."""
    columns, states = ", ".join(map(label, model.columns)), len(model.states)
    inputs = f", moved by {', '.join(map(label, model.inputs))}" if model.inputs else ""
    head = f"KalmanModel with {states} state{'s' if states > 1 else ''}, observing {columns}{inputs}"
    if max(states, len(model.columns)) > _LARGEST:
        return head
    return "\n\n".join([head, *map(str, model_tables(model))])


def model_tables(model: KalmanModel) -> list[TextTable]:
    """How the states move, and what is seen of them."""
    move = _equations(
        "next state",
        model.states,
        [*model.states, *model.inputs],
        np.hstack([model.transition, model.control]),
        model.transition_noise,
        {
            "start": [
                with_deviation(float(mean), float(own))
                for mean, own in zip(
                    model.start_mean, np.sqrt(np.diagonal(model.start_covariance)), strict=True
                )
            ]
        },
    )
    seen = _equations(
        "column",
        model.columns,
        [*model.states, *model.inputs],
        np.hstack([model.observation, model.direct]),
        model.observation_noise,
        {},
    )
    return [move, seen]


def _equations(
    title: str,
    names: Sequence[Name],
    given: Sequence[Name],
    weights: FloatArray,
    noise: FloatArray,
    further: dict[str, list[str]],
) -> TextTable:
    """One line for each equation: the weights, the deviation of the noise, and its correlations if any."""
    spread = np.sqrt(np.diagonal(noise))
    header = [title, *(f"{label(name)} ×" for name in given), "noise ±", *further]
    rows = [
        [
            label(name),
            *(f"{weight:.4g}" for weight in weights[k]),
            f"{spread[k]:.4g}",
            *(cells[k] for cells in further.values()),
        ]
        for k, name in enumerate(names)
    ]
    return TextTable(header, rows)
