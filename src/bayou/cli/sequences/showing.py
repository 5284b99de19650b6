"""What was learned from sequences, and a hidden Markov model, on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import print_json
from bayou.errors import counted
from bayou.text.tables import seconds_text

if TYPE_CHECKING:
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.models.sequences.hidden_markov.hmm import HMM


def show_learned(
    trace: LearningTrace,
    done: str,
    seconds: float,
    output: str | None,
    *,
    document: Callable[[], Any] | None,
    show: Callable[[Screen], None],
    gaps: bool = False,
) -> None:
    """Say what was learned from sequences, and where it was saved; as JSON, if there is a ``document``.
    ``gaps`` says whether their number is told.
    """
    if document is not None:
        learning = {"method": trace.method, "verdict": trace.verdict, "iterations": trace.iterations}
        if trace.particles:
            learning |= {"particles": trace.particles, "error": trace.error}
        found: dict[str, Any] = {"rows": trace.rows, "seconds": seconds, "saved": output}
        found["learning"] = {**learning, "log_likelihood": trace.log_likelihood}
        print_json({**found, "model": document()})
        return
    screen = Screen()
    rows = counted(round(trace.rows), "row")
    screen.text(f"{done} {rows} in {seconds_text(seconds)}.", style="bold green")
    if trace.objectives:
        screen.text(f"{counted(trace.gaps, 'gap')}. {trace.summary}" if gaps else trace.summary)
    show(screen)
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")


def show_hmm(screen: Screen, hmm: HMM) -> None:
    """Print the states, the columns and the small tables of a model of sequences."""
    from bayou.models.sequences.hidden_markov.hmm_printing import headline, hmm_tables

    screen.text(headline(hmm))
    for table in hmm_tables(hmm):
        screen.text("")
        screen.table(table)
