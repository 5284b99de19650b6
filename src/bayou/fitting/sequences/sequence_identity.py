"""What a checkpoint of a hidden Markov model must agree in: the sequences, and options of the model."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping

import numpy as np

from bayou.learning.em.training_rows import checksum
from bayou.temporal.bounded_tables import Bounds
from bayou.temporal.chain_structure import ChainStructure
from bayou.temporal.stored_sequences import AnySequences
from bayou.typing import Name


def choices_of(
    chain: ChainStructure, kept: Collection[Name], bounds: Mapping[Name, Bounds]
) -> dict[str, str]:
    """The options that change the result, beside those of networks."""
    return {
        "covariance": chain.covariance,
        "tie": str(chain.tied),
        "duration": "" if chain.stays is None else str((chain.stays.lengths, chain.stays.open_ended)),
        "keep": str(sorted(map(str, kept))),
        "bounds": str({block: [part.tolist() for part in pair] for block, pair in bounds.items()}),
    }


def fingerprint(rows: AnySequences) -> str:
    """A text that identifies sequences: their number, lengths, weights, and a checksum of the rows."""
    check = zlib.crc32(np.ascontiguousarray(rows.starts).tobytes())
    if rows.weights is not None:
        check = zlib.crc32(rows.weights.tobytes(), check)
    check += sum(checksum(part.batch) for part in rows.row_parts())
    return f"{rows.count} {rows.rows} {check:08x}"
