"""A hidden Markov model on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayou.cli.terminal.rendering import Screen
    from bayou.models.sequences.hmm import HMM


def show_hmm(screen: Screen, hmm: HMM) -> None:
    """Print the states, the columns and the small tables of a model of sequences."""
    from bayou.models.sequences.hmm_printing import headline, hmm_tables

    screen.text(headline(hmm))
    for table in hmm_tables(hmm):
        screen.text("")
        screen.table(table)
