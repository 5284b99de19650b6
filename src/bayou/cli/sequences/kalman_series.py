"""What ``bayou fit --kalman``, ``filter``, ``smooth`` and ``sample`` do with linear Gaussian series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.sequences.learning import SequenceFit, learn_and_tell
from bayou.cli.sequences.sequence_options import header_of
from bayou.cli.terminal.paths import is_kalman
from bayou.documents.sequence_documents import kalman_document
from bayou.errors import UnknownVariable, listed

if TYPE_CHECKING:
    from bayou.models.sequences.kalman.kalman_model import KalmanModel

LEVEL, TREND, VELOCITY, AUTOREGRESSION = "level", "trend", "velocity", "autoregression"
_FOREIGN = (
    "structure",
    "target",
    "model",
    "features",
    "cuts",
    "share",
    "weights",
    "states",
    "emissions",
    "covariance",
    "duration",
    "label",
    "prior",
    "continuous",
)
"""Options of ``bayou fit`` for other models."""
_FLAGS = {"structure": "network"}
_MOST_LAGS = 500
_METHODS = ("em", "plain-em")
_AT_FIRST = ("kalman", "method", "restarts", "seed", "max_iterations", "checkpoint", "ignore")
"""Options that a model keeps when more series are added."""


def learns_series(options: Mapping[str, Any], started_from: Any) -> bool:
    """Whether the options ask for a linear Gaussian model of series."""
    return options["kalman"] is not None or is_kalman(started_from)


def fit_series(
    data: str, output: str | None, as_json: bool, started_from: Any, options: dict[str, Any]
) -> None:
    """Learn a linear Gaussian model, or continue that of --add; save and describe it."""
    for name in _FOREIGN:
        if options[name]:
            raise click.UsageError(f"--{_FLAGS.get(name, name)} cannot be combined with --kalman.")
    if started_from is not None:
        _refuse(options)
    fit = SequenceFit(
        lambda table, keys: _unfitted(options["kalman"], _columns(table, keys, options["ignore"])),
        lambda: _learning(options),
        kalman_document,
    )
    learn_and_tell(data, output, as_json, started_from, options, fit)


def _refuse(options: Mapping[str, Any]) -> None:
    for name in _AT_FIRST:
        if options[name]:
            raise click.UsageError(
                f"With --add the model keeps its own settings: omit --{name.replace('_', '-')}."
            )


def _columns(table: str, keys: list[str], ignored: tuple[str, ...]) -> list[str]:
    """The columns that are measured: all but keys and those of --ignore."""
    header = header_of(table)
    for name in ignored:
        if name not in header:
            raise UnknownVariable.named(name, tuple(header), "in the table")
    columns = [name for name in header if name not in (*keys, *ignored)]
    if not columns:
        raise click.UsageError(f"No column is left that is measured: the table has {', '.join(header)}.")
    return columns


def _unfitted(word: str, columns: list[str]) -> KalmanModel:
    """The model that --kalman names, for these columns."""
    from bayou.models.sequences.kalman.kalman_model import KalmanModel

    kind, _, lags = word.partition(":")
    if kind not in (LEVEL, TREND, VELOCITY, AUTOREGRESSION) or (lags and kind != AUTOREGRESSION):
        raise click.BadParameter(
            f"{word!r}: use level, trend, velocity, or autoregression:2 (the number of lags).",
            param_hint="--kalman",
        )
    if kind == VELOCITY:
        return KalmanModel.constant_velocity(columns=columns)
    if len(columns) > 1:
        raise click.UsageError(
            f"--kalman {kind} is a model of one column, but the table has {listed(columns)}: leave others "
            "out with --ignore, or name the keys with --sequence and --time."
        )
    if kind == AUTOREGRESSION:
        count = int(lags or "1") if (lags or "1").isdecimal() and len(lags) <= len(str(_MOST_LAGS)) else 0
        if not 1 <= count <= _MOST_LAGS:
            raise click.BadParameter(
                f"{word!r}: give the number of lags, as in autoregression:2, up to {_MOST_LAGS}.",
                param_hint="--kalman",
            )
        start = [0.5, *[0.0] * (count - 1)]
        return KalmanModel.autoregression(start, mean=None, column=columns[0])
    made = KalmanModel.local_level if kind == LEVEL else KalmanModel.local_trend
    return made(column=columns[0])


def _learning(options: Mapping[str, Any]) -> dict[str, Any]:
    method = options["method"]
    if method is not None and method not in _METHODS:
        raise click.UsageError(f"--method {method} is for other models; use {', '.join(_METHODS)}.")
    names = ("method", "restarts", "seed", "max_iterations", "checkpoint")
    return {name: options[name] for name in names if options[name] is not None}


def refuse_inputs(model: KalmanModel, what: str) -> None:
    """Raise if a model needs inputs that the command line cannot give."""
    if model.inputs:
        raise click.UsageError(
            f"This model needs its inputs {listed(model.inputs)} to {what}: do it in Python."
        )
