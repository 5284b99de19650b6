"""``bayou fit --from-stats``: the model of statistics that were counted before."""

from __future__ import annotations

import time
from typing import Any

import click

from bayou.cli.argument_parsing import prior_from_text
from bayou.cli.counting.merge import load_statistics
from bayou.cli.describing import show_network
from bayou.cli.terminal.paths import check_output
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import print_json
from bayou.documents.model_documents import classifier_document, network_document
from bayou.errors import counted
from bayou.text.tables import seconds_text


def fit_counted(
    path: str, data: str | None, output: str | None, force: bool, as_json: bool, options: dict[str, Any]
) -> None:
    """Estimate the model, save and describe it; only --prior of a network can be chosen now."""
    if data is not None:
        raise click.UsageError("--from-stats learns from statistics counted before: leave DATA out.")
    for name, value in options.items():
        if value and name != "prior":
            option = {"structure": "network"}.get(name, name).replace("_", "-")
            raise click.UsageError(
                f"--{option} was decided when rows were counted: omit it with --from-stats."
            )
    found = load_statistics(path)
    started = time.perf_counter()
    model = found.model(None if options["prior"] is None else prior_from_text(options["prior"]))
    seconds = time.perf_counter() - started
    classifies = hasattr(model, "classes_")
    if output is not None:
        from bayou.formats.format_registry import OWN_ENDINGS
        from bayou.models.verbs.files import ENDINGS

        check_output(output, OWN_ENDINGS if classifies else ENDINGS, [path], force)
        model.save(output)
    if as_json:
        make = {"classifier": classifier_document} if classifies else {"network": network_document}
        what = {kind: document(model) for kind, document in make.items()}
        print_json({"rows": found.rows, "seconds": seconds, "saved": output, **what})
        return
    screen = Screen()
    screen.text(f"Learned from {counted(found.rows, 'row')} in {seconds_text(seconds)}.", style="bold green")
    if classifies:
        screen.text(str(model))
    else:
        show_network(screen, model)
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")
