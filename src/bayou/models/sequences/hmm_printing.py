"""A hidden Markov model in print: its tables while they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.schema import label
from bayou.text_table import TextTable

if TYPE_CHECKING:
    from bayou.models.sequences.hmm import HMM

_LARGEST = 12


def described(hmm: HMM) -> str:
    """The states, the columns and, for few states, start and transition probabilities."""
    size = len(hmm.states)
    head = f"HMM with {size} states" if size else "HMM (states not known yet)"
    try:
        model = hmm.model
    except Exception:  # a model without parameters still has a name and states
        return f"{head}, without parameters"
    chain = model.chain
    columns = ", ".join(f"{label(name)} ({model.network.distribution(name).title})" for name in chain.columns)
    lines = [f"{head}, emitting {columns}"]
    if size <= _LARGEST:
        names = [label(state) for state in hmm.states]
        table = hmm.transition
        rows = [
            [name, float(hmm.start[k]), *table[k].tolist(), float(hmm.expected_stay[k])]
            for k, name in enumerate(names)
        ]
        lines.append(
            str(TextTable([label(chain.state.name), "start", *(f"→ {n}" for n in names), "mean stay"], rows))
        )
    return "\n".join(lines)
