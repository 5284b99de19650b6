"""Sequences in memory, under the name that chains use."""

from __future__ import annotations

from bayou.statistics.rows.sequence_batch import SequenceBatch as SequenceBatch
