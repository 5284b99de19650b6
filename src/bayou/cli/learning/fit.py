"""``bayou fit``: learn the parameters of a network, or a classifier, from a table."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.counting.fit_counted import fit_counted
from bayou.cli.describing import show_network
from bayou.cli.learning.fit_classifier import MODELS
from bayou.cli.learning.learning_checks import check_before_fit, note_gap_words
from bayou.cli.learning.model_options import column_options, feature_options
from bayou.cli.learning.what_is_learned import LEARNING, fit_or_continue, unfitted_network
from bayou.cli.network_text import NETWORK_ENDINGS, OWN_ENDINGS
from bayou.cli.sequences.fit_sequences import SEQUENCE_OPTIONS, fit_sequences, learns_sequences
from bayou.cli.sequences.fit_template import (
    TEMPLATE_OPTIONS,
    fit_template,
    learns_template,
    template_options,
)
from bayou.cli.sequences.kalman_series import fit_series, learns_series
from bayou.cli.sequences.sequence_options import sequence_options
from bayou.cli.terminal.paths import (
    check_output,
    force_option,
    load_shown_model,
    require_table,
)
from bayou.cli.terminal.piped_tables import is_piped, table_file
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.cli.terminal.stopping import stopped_code
from bayou.cli.terminal.table_options import table_options
from bayou.documents.model_documents import network_document
from bayou.errors import counted
from bayou.text.tables import seconds_text

if TYPE_CHECKING:
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.models.network import Network


EXAMPLES = """\b
Examples:
  bayou fit weather.csv --network "Storm -> Lightning -> Thunder" -o weather.bayou
  bayou fit patients.parquet --network asia.bif --prior bdeu:10 -o asia.bayou
  bayou fit ratings.csv --network "R1 <- Genre -> R2" --share "p_R=R1,R2" --states "R1=1,2,3,4,5"
  zcat weather.csv.gz | bayou fit - --network "Storm -> Lightning" -o weather.bayou
  bayou fit more.csv --add weather.bayou -o weather2.bayou
  bayou fit --from-stats all.stats -o weather.bayou                    (see bayou count)
  bayou fit answers.csv --network "Kind -> q1, q2, q3" --states "Kind=a,b" --restarts 5   (hidden)
  bayou fit patients.csv --target ill -o ill.bayou                     (a classifier)
  bayou fit patients.csv --target ill --model tan --ignore id -o ill.bayou
  bayou fit patients.csv --target ill --states "smokes=no,yes,formerly" -o ill.bayou
  bayou fit days.csv --sequence city --time day --states 3 -o weather.bayou   (hidden Markov model)
  bayou fit days.csv --sequence city --time day --template "Rain -> Rain'; Rain -> Umbrella" -o rain.bayou
  bayou fit sales.csv --kalman trend --sequence shop --time day -o sales.bayou   (level and slope)
  bayou fit rolls.csv --states fair,loaded --states roll=1,2,3,4,5,6 --restarts 5 -o casino.bayou
"""


@click.command(short_help="Learn a network or a classifier from a table.", epilog=EXAMPLES)
@click.argument("data", metavar="[DATA]", required=False)
@click.option(
    "--network",
    "structure",
    metavar="ARROWS|FILE",
    help="The structure: arrow text such as 'A, B -> C; D', a .txt file with such text, or a network file "
    "(its arcs, states and sharing are used; its parameters are learned).",
)
@click.option("--target", metavar="COLUMN", help="Learn a classifier that predicts this column.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    help="Which classifier (with --target).  [default: see --prefer, or network with --network]",
)
@click.option(
    "--prefer",
    type=click.Choice(["simple", "best"]),
    help="How to choose without --model: the simplest within one standard error, and 5 percent, of the "
    "best, or the best.  "
    "[default: simple]",
)
@feature_options
@click.option(
    "--add", metavar="FILE", help="Continue learning: add the data to the counts of this .bayou file."
)
@click.option(
    "--from-stats",
    metavar="FILE",
    help="Learn from a .stats file of bayou count or bayou merge, without DATA.",
)
@click.option(
    "--keep-rows",
    is_flag=True,
    help="Keep the training rows of an ensemble in its file: --add needs them. (Other models keep counts.)",
)
@click.option("-o", "--output", metavar="FILE", help="Save here (.bayou; a network also as .bif, .net, …).")
@click.option(
    "--prior",
    metavar="PRIOR",
    help="laplace (the default), laplace:0.5, ml (raw fractions), bdeu:10, m:4, or a number to add to "
    "every count.",
)
@click.option(
    "--states",
    multiple=True,
    metavar="[NAME=]A,B",
    help="Declare states, in order. Repeatable. Without a name: the hidden states of sequences (3, or their "
    "names).",
)
@column_options
@click.option(
    "--method",
    type=click.Choice(["em", "plain-em", "gradient", "count", "baum-welch", "viterbi"]),
    help="How to learn from rows with gaps; the last two are for sequences.  [default: em, or count without "
    "gaps]",
)
@click.option(
    "--restarts", type=click.IntRange(1), help="With gaps: learn from several starts and keep the best."
)
@click.option("--seed", type=click.IntRange(0), help="The seed of random starts.  [default: 0]")
@click.option(
    "--max-iterations", type=click.IntRange(1), help="The most iterations per start.  [default: 1000]"
)
@click.option(
    "--checkpoint", metavar="FILE", help="A .bayou file that keeps progress, to resume after a stop."
)
@sequence_options
@template_options
@click.option(
    "--emissions",
    multiple=True,
    metavar="[COLUMN=]KIND",
    help="What hidden states emit: table, gaussian, poisson or words, in all columns or in one. Repeatable.",
)
@click.option(
    "--covariance",
    type=click.Choice(["full", "diagonal", "spherical", "shared", "shared diagonal"]),
    help="The covariance of columns of numbers in sequences.  [default: full]",
)
@click.option(
    "--duration",
    multiple=True,
    metavar="[STATE=]STEPS",
    help="How long a stay in hidden states lasts: 3 (at least), 2-5, or shares of 1, 2, … steps (0.2,0.8). "
    "Repeatable.",
)
@click.option(
    "--kalman",
    metavar="MODEL",
    help="Learn a linear Gaussian model of series: level, trend, velocity or autoregression:2.",
)
@click.option(
    "--label",
    metavar="COLUMN",
    help="The name of the hidden state; a column of this name holds known states.  [default: state]",
)
@force_option
@table_options
@json_option
def fit(
    data: str | None, from_stats: str | None, output: str | None, force: bool, as_json: bool, **options: Any
) -> None:
    """Learn from DATA: a file (.csv, .tsv, .jsonl, .parquet, .arrow, .cas), a folder or a pattern of files.

    With --network the parameters of that network are learned: columns are found by name, others are ignored.
    With --target a classifier is learned, and all other columns are features; with both, the network is the
    classifier. Without --model several are compared on held-out rows, and the table of them is shown. Empty
    fields are gaps: a network learns from all rows by EM, also variables without a column (declare their
    --states); Ctrl-C keeps the best parameters so far. If DATA is -, the table is read from standard input.

    With --states 3 (or names) and without --network and --target, the rows are steps of sequences, and a
    hidden Markov model with so many states is learned; --sequence and --time name the columns that tell which
    rows belong together, and in which order. With --template a dynamic network is learned from them. With
    --kalman the columns are measurements of something that moves: a level, a level with a slope, positions of
    a thing with a speed, or a mix of its last values.

    With --from-stats there are no DATA: the model is learned from the statistics that bayou count and bayou
    merge have written.
    """
    if from_stats is not None:
        fit_counted(from_stats, data, output, force, as_json, options)
        return
    keeps_rows = options.pop("keep_rows")
    if data is None:
        raise click.UsageError("Missing argument 'DATA' (or --from-stats FILE).")
    if not is_piped(data):
        require_table(data)
    inputs = [data, *(options[key] for key in ("structure", "add") if options[key])]
    started_from = load_shown_model(options["add"]) if options["add"] else None
    if learns_template(options, started_from):
        if output is not None:
            check_output(output, (*OWN_ENDINGS, ".xdsl", ".xdsl.gz"), inputs, force)
        fit_template(data, output, as_json, started_from, options)
        return
    series = learns_series(options, started_from)
    if series or learns_sequences(options, started_from):
        if output is not None:
            check_output(output, OWN_ENDINGS, inputs, force)
        learn = fit_series if series else fit_sequences
        learn(data, output, as_json, started_from, options)
        return
    others = (*SEQUENCE_OPTIONS, *TEMPLATE_OPTIONS, "kalman")
    options = {name: value for name, value in options.items() if name not in others}
    classifies = options["target"] is not None or hasattr(started_from, "classes_")
    if keeps_rows and not classifies:
        raise click.UsageError("--keep-rows is for classifiers (--target): networks keep counts.")
    if output is not None:
        check_output(output, OWN_ENDINGS if classifies else NETWORK_ENDINGS, inputs, force)
    if classifies:
        fit_or_continue(data, output, as_json, started_from, {**options, "keep_rows": keeps_rows})
        return
    net, prior = unfitted_network(started_from, **options)
    started = time.perf_counter()
    with progress(f"Learning from {data}"), table_file(data) as table:
        check_before_fit(table, net, output)
        learn_net = net.partial_fit if options["add"] else net.fit
        learn_net(table, prior=prior, weights=options["weights"], **_gap_options(options))
        seconds = time.perf_counter() - started
        if output is not None:
            net.save(output)
    declared = net.structure.declared
    note_gap_words(variable for variable in net.variables if variable.name not in declared)
    _show(net, seconds, output, as_json)
    if net.learning is not None and net.learning.verdict == "interrupted":
        click.get_current_context().exit(stopped_code())


def _gap_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of learning with gaps; those that choose a start do not go with --add."""
    chosen = {key: options[key] for key in LEARNING if options[key] is not None}
    refused = set(chosen) & {"restarts", "seed", "checkpoint"}
    if options["add"] and refused:
        raise click.UsageError(f"--{min(refused)} cannot be combined with --add.")
    return chosen


def _show(net: Network, seconds: float, output: str | None, as_json: bool) -> None:
    rows, trace = net.statistics.rows, net.learning
    assert trace is not None
    if as_json:
        document = {"rows": rows, "seconds": seconds, "saved": output, "learning": _learning_document(trace)}
        print_json({**document, "network": network_document(net)})
        return
    screen = Screen()
    screen.text(f"Learned from {counted(rows, 'row')} in {seconds_text(seconds)}.", style="bold green")
    if trace.objectives:
        screen.text(f"{counted(trace.gaps, 'gap')}. {trace.summary}")
        if trace.hidden:
            screen.wrapped(f"Never observed: {', '.join(map(str, trace.hidden))}")
        if len(trace.starts) > 1:
            screen.table(trace.to_table())
            screen.text("")
    show_network(screen, net)
    screen.text("", f"Saved to {output}" if output else "Not saved: name a file with -o model.bayou")


def _learning_document(trace: LearningTrace) -> dict[str, Any]:
    document = {"method": trace.method, "verdict": trace.verdict, "iterations": trace.iterations}
    return {**document, "log_likelihood": trace.log_likelihood, "hidden": trace.hidden, "gaps": trace.gaps}
