"""What ``bayou fit`` learns: a classifier, or a network, new or continued."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import declared_from_text, prior_from_text, share_from_text
from bayou.cli.learning.fit_classifier import fit_classifier, learn_on
from bayou.cli.network_text import structured_network
from bayou.cli.terminal.wording import shell_word
from bayou.errors import BadData, NotFitted

if TYPE_CHECKING:
    from bayou.models.network import Network


LEARNING = ("method", "restarts", "seed", "max_iterations", "checkpoint")
"""The options of learning from rows with gaps."""


def fit_or_continue(
    data: str, output: str | None, as_json: bool, started_from: Any, options: dict[str, Any]
) -> None:
    """Learn a classifier, or continue the one of --add (``started_from``)."""
    for name in LEARNING:
        if options[name] is not None:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for networks; it cannot be combined with --target."
            )
    if options["add"] is not None:
        if options["structure"] is not None or not hasattr(started_from, "classes_"):
            raise click.UsageError("--add with --target continues a classifier; this is a network.")
        learn_on(started_from, data, output, as_json, options)
        return
    structure = options["structure"]
    if structure is not None:
        net = structured_network(structure, {}, (), {})
        structure = {name: list(net.parents(name)) for name in net.names}
    fit_classifier(data, output, as_json, structure, options)


def unfitted_network(
    started_from: Any,
    structure: str | None,
    add: str | None,
    prior: str | None,
    states: tuple[str, ...],
    cuts: tuple[str, ...],
    continuous: tuple[str, ...],
    share: tuple[str, ...],
    weights: str | None,
    **of_classifiers: Any,
) -> tuple[Network, Any]:
    """Return the network to fit and its prior (None: the default)."""
    for name, given in of_classifiers.items():
        if given and name not in LEARNING:
            raise click.UsageError(
                f"--{name} is for classifiers: name the column to predict with --target COLUMN."
            )
    chosen = None if prior is None else prior_from_text(prior)
    if (structure is None) == (add is None) or (structure is not None and not structure.strip()):
        raise click.UsageError(
            "Give the network's structure (--network), the column to predict (--target), or a model to add "
            "to (--add)."
        )
    if add is not None:
        if states or cuts or continuous or share:
            raise click.UsageError("With --add the network keeps its own states and sharing.")
        net = started_from
        if net.parts()[1] is None:
            raise NotFitted(
                f"{add} has no counts to add to; learn from all the data with --network {shell_word(add)}."
            )
    else:
        assert structure is not None
        net = structured_network(
            structure, declared_from_text(states, cuts), continuous, share_from_text(share)
        )
    if any(str(name) == weights for name in net.names):
        raise BadData(f"--weights {weights}: this column is a variable of the network; it cannot be both.")
    return net, chosen
