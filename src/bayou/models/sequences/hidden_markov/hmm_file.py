"""Hidden Markov models in bayou's own files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayou.errors import BadFile
from bayou.fitting.sequences.sequence_fit import FittedChain
from bayou.formats.bundle import write_bundle
from bayou.formats.file_content import FilePath, path_text
from bayou.formats.format_registry import OWN_ENDINGS
from bayou.learning import PriorChoice
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics import Statistics
from bayou.temporal.chain_model import ChainModel

if TYPE_CHECKING:
    from bayou.models.sequences.hidden_markov.hmm import HMM


def write_hmm(path: FilePath, hmm: HMM) -> None:
    """Write a model to a ``.bayou`` or ``.json`` file."""
    if not path_text(path).lower().endswith(OWN_ENDINGS):
        raise BadFile.at(
            path,
            "a hidden Markov model is saved in bayou's own format: use a name that ends in .bayou, or in "
            ".json for a text.",
        )
    write_bundle(path, "hmm", hmm.state())


def learned_state(learned: FittedChain | None) -> dict[str, Any] | None:
    """The statistics and the prior of a fit, as plain values."""
    if learned is None:
        return None
    from bayou.distributions import prior_state

    return {
        **learned.statistics.state(),
        "expected": learned.expected,
        "prior": prior_state(learned.priors.default),
        "steps": learned.steps,
        "kept": [encode_value(name) for name in learned.kept],
        "bounds": [[encode_value(name), low, high] for name, (low, high) in learned.bounds.items()],
    }


def learned_from_state(model: ChainModel, state: Mapping[str, Any] | None) -> FittedChain | None:
    """Read :func:`learned_state`."""
    if state is None:
        return None
    from bayou.distributions import prior_from_state

    return FittedChain(
        model,
        Statistics.from_state(state),
        PriorChoice(prior_from_state(state["prior"])),
        bool(state["expected"]),
        int(state.get("steps", 0)),
        frozenset(decode_value(name) for name in state.get("kept", [])),
        {decode_value(name): (low, high) for name, low, high in state.get("bounds", [])},
    )
