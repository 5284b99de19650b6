"""Hidden Markov models in bayou's own files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayou.errors import BadFile
from bayou.fitting.sequence_fit import FittedChain
from bayou.formats.bundle import write_bundle
from bayou.formats.files import FilePath, path_text
from bayou.learning import PriorChoice

if TYPE_CHECKING:
    from bayou.models.sequences.hmm import HMM


def write_hmm(path: FilePath, hmm: HMM) -> None:
    """Write a model to a ``.bayou`` file."""
    if not path_text(path).lower().endswith(".bayou"):
        raise BadFile.at(
            path, "a hidden Markov model is saved in bayou's own format: use a name that ends in .bayou."
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
    }


def learned_priors(state: Mapping[str, Any]) -> PriorChoice:
    """The priors of a fit in a file."""
    from bayou.distributions import prior_from_state

    return PriorChoice(prior_from_state(state["prior"]))
