"""``bayou fit --states 3 --sequence id``: learn a hidden Markov model from a table of sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import named_lists, prior_from_text, spells_whole_number, states_from_text
from bayou.cli.sequences.learning import SequenceFit, learn_and_tell
from bayou.cli.sequences.sequence_options import header_of
from bayou.cli.sequences.showing import show_hmm
from bayou.cli.terminal.paths import is_hmm
from bayou.documents.sequence_documents import hmm_document
from bayou.errors import UnknownVariable
from bayou.text.quotes import split_unquoted, unquoted

if TYPE_CHECKING:
    from bayou.models.sequences.hidden_markov.hmm import HMM

SEQUENCE_OPTIONS = ("sequence", "time", "emissions", "covariance", "duration", "label")
"""The options of ``bayou fit`` that only models of sequences have."""
SEQUENCE_METHODS = ("em", "baum-welch", "viterbi", "count")
_FOREIGN = ("structure", "target", "model", "features", "cuts", "share", "weights")
"""Options of ``bayou fit`` for networks and classifiers."""
_FLAGS = {"structure": "network"}
_ONLY_AT_FIRST = (
    "states",
    "emissions",
    "covariance",
    "duration",
    "label",
    "prior",
    "method",
    "restarts",
    "seed",
    "checkpoint",
)


def learns_sequences(options: Mapping[str, Any], started_from: Any) -> bool:
    """Whether the options ask for a model of sequences: they name its keys or labels, or states without a
    variable.
    """
    if is_hmm(started_from) or options["sequence"] or options["time"] or options["label"]:
        return True
    found = any("=" not in text for text in options["states"]) and not options["structure"]
    if found and not options["target"] and not options["add"]:
        return True
    for name in SEQUENCE_OPTIONS:
        if options[name]:
            raise click.UsageError(
                f"--{name} is for hidden Markov models: add --states 3, the number of hidden states."
            )
    return False


def fit_sequences(
    data: str, output: str | None, as_json: bool, started_from: Any, options: dict[str, Any]
) -> None:
    """Learn a hidden Markov model, or continue that of --add; save and describe it."""
    for name in _FOREIGN:
        if options[name]:
            raise click.UsageError(
                f"--{_FLAGS.get(name, name)} cannot be combined with a hidden Markov model (--sequence, "
                "--time, --states 3)."
            )
    if started_from is not None:
        _refuse(options)
    fit = SequenceFit(
        lambda table, keys: _unfitted(table, keys, options),
        lambda: _learning(options),
        hmm_document,
        show_hmm,
    )
    learn_and_tell(data, output, as_json, started_from, options, fit)


def _refuse(options: dict[str, Any]) -> None:
    for name in (*_ONLY_AT_FIRST, "checkpoint"):
        if options[name]:
            raise click.UsageError(f"With --add the model keeps its own settings: omit --{name}.")


def _unfitted(table: str, keys: list[str], options: dict[str, Any]) -> HMM:
    """The model that the options describe."""
    from bayou.models.sequences.hidden_markov.hmm import HMM

    bare = [text for text in options["states"] if "=" not in text]
    if len(bare) > 1:
        raise click.UsageError("--states without a name says what the hidden states are: give it once.")
    hidden = hidden_states(bare[0]) if bare else None
    name = options["label"] or "state"
    symbols = states_from_text([text for text in options["states"] if "=" in text])
    if name in symbols:
        hidden = symbols.pop(name) if hidden is None else hidden
    left_out = [*keys, name, *options["ignore"]]
    emissions = _emissions(header_of(table), left_out, symbols, options)
    _check_keys(table, [column for column, said in emissions.items() if said is None])
    duration = durations(options["duration"])
    return HMM(hidden, emissions, covariance=options["covariance"] or "full", duration=duration, name=name)


def _check_keys(table: str, columns: list[str]) -> None:
    """Refuse dates, and warn of columns that look like keys, among those of which nothing was said."""
    from bayou.models.sequences.input.unnamed_keys import refuse_unnamed_keys
    from bayou.sources import open_source

    if columns:
        refuse_unnamed_keys(open_source(table), columns, leave_out="leave it out: ignore=[{0!r}]")


def durations(texts: Sequence[str]) -> Any:
    """Parse ``--duration``: one rule for all states, or a mapping from states to rules; None without any.

    >>> durations(["3"]), durations(["calm=2-5", "storm=0.5,0.5"])
    ((3, None), {'calm': (2, 5), 'storm': [0.5, 0.5]})
    """
    if not texts:
        return None
    pairs = [split_unquoted(text, "=") for text in texts]
    if len(pairs) == 1 and len(pairs[0]) == 1:
        return _duration(texts[0])
    if any(len(pair) != 2 for pair in pairs):
        raise click.BadParameter(
            "give one rule for all states (--duration 3), or one for each (--duration calm=3 --duration "
            "storm=2-5).",
            param_hint="--duration",
        )
    names = [unquoted(name.strip()) for name, _ in pairs]
    return {
        int(name) if spells_whole_number(name) else name: _duration(rule)
        for name, (_, rule) in zip(names, pairs, strict=True)
    }


def _duration(text: str) -> Any:
    """One rule: ``3``, ``2-5`` or ``0.2,0.5,0.3``."""
    ends = [piece.strip() for piece in text.split("-")]
    if all(map(spells_whole_number, ends)) and len(ends) <= 2:
        return (int(ends[0]), int(ends[1]) if len(ends) == 2 else None)
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} cannot be read; write 3 (at least 3 steps), 2-5, or the shares of 1, 2, … steps: "
            "0.2,0.5,0.3.",
            param_hint="--duration",
        ) from None


def hidden_states(text: str) -> int | list[Any]:
    """Parse ``--states``: a number of hidden states, or their names.

    >>> hidden_states("3"), hidden_states("fair, loaded")
    (3, ['fair', 'loaded'])
    """
    items = [piece.strip() for piece in split_unquoted(text, ",")]
    if not all(items) or (len(items) == 1 and _is_number(items[0]) and not spells_whole_number(items[0])):
        raise click.BadParameter(
            f"{text!r} cannot be read; write for example --states 3 or --states fair,loaded.",
            param_hint="--states",
        )
    if len(items) == 1 and spells_whole_number(items[0]):
        return int(items[0])
    return (
        [int(item) for item in items]
        if all(map(spells_whole_number, items))
        else [unquoted(i) for i in items]
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _emissions(
    header: list[str], left_out: list[str], symbols: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """What each column emits: its symbols, its kind, or None for what the data show."""
    for name in (*symbols, *options["ignore"]):
        if name not in header:
            raise UnknownVariable.named(name, tuple(header), "in the table")
    columns = [name for name in header if name not in left_out]
    if not columns:
        raise click.UsageError(
            f"No column is left to be emitted by the states: the table has {', '.join(header)}."
        )
    whole = [text for text in options["emissions"] if "=" not in text]
    named = named_lists([t for t in options["emissions"] if "=" in t], "--emissions", "temperature=gaussian")
    named |= {name: ["gaussian"] for name in options["continuous"]}
    for name in named:
        if name not in columns:
            raise UnknownVariable.named(name, tuple(columns), "among the columns that are emitted")
    found: dict[str, Any] = {name: unquoted(whole[-1]) if whole else None for name in columns}
    found |= {name: unquoted(kinds[0]) for name, kinds in named.items()}
    return {**found, **symbols}


def _learning(options: dict[str, Any]) -> dict[str, Any]:
    """The options of learning that were given."""
    method = options["method"]
    if method is not None and method not in SEQUENCE_METHODS:
        raise click.UsageError(f"--method {method} is for networks; use {', '.join(SEQUENCE_METHODS)}.")
    names = ("method", "restarts", "seed", "max_iterations", "checkpoint")
    chosen = {name: options[name] for name in names if options[name] is not None}
    return chosen if options["prior"] is None else {**chosen, "prior": prior_from_text(options["prior"])}
