"""``bayou query``: query a network."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from bayou.cli.argument_parsing import add_findings, findings_from_text, likelihood_from_text
from bayou.cli.describing import posterior_rows
from bayou.cli.terminal.paths import load_network
from bayou.cli.terminal.progress_bar import progress
from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.documents.model_documents import posterior_document
from bayou.errors import BadQuestion

if TYPE_CHECKING:
    from bayou.inference import Bounds, Estimate
    from bayou.inference.loopy.convergence import Convergence
    from bayou.models.answers.marginals import Marginals
    from bayou.models.answers.posterior import AnyPosterior
    from bayou.models.network import Network
    from bayou.typing import Name

EXAMPLES = """\b
Examples:
  bayou query asia.bif "lung | smoke=yes, dysp=yes"
  bayou query asia.bif "lung, bronc | xray=yes"           (their joint posterior)
  bayou query asia.bif "lung, bronc | xray=yes" --each    (one posterior each)
  bayou query asia.bif --all --given smoke=yes
  bayou query asia.bif lung --do smoke=no --likelihood "dysp=yes:0.8,no:0.3"
  bayou query asia.bif "P(lung | smoke=yes, xray!=no, do(asia=no))" --working
  bayou query wide.bif "lung | smoke=yes" --engine auto --time 10
"""

ENGINES = (
    "compiled",
    "elimination",
    "enumeration",
    "loopy",
    "messages",
    "auto",
    "bounds",
    "gibbs",
    "rejection",
    "weighting",
)
"""The names in bayou.inference.engines, repeated so that --help need not import it; a test compares them."""
ESTIMATING = ("auto", "bounds", "gibbs", "rejection", "weighting")


@click.command(short_help="Ask a network for probabilities.", epilog=EXAMPLES)
@click.argument("model", metavar="NETWORK")
@click.argument("question", required=False)
@click.option(
    "--given",
    multiple=True,
    metavar="NAME=STATE",
    help="A finding; also NAME!=STATE or 'NAME in {A, B}'. Repeatable.",
)
@click.option("--do", multiple=True, metavar="NAME=STATE", help="Set by intervention. Repeatable.")
@click.option(
    "--likelihood",
    multiple=True,
    metavar="NAME=STATE:W,...",
    help="An uncertain finding: a weight for each state. Repeatable.",
)
@click.option(
    "--marginal",
    multiple=True,
    metavar="NAME=STATE:P,...",
    help="The probabilities that a variable has after the update (Jeffrey's rule). Repeatable.",
)
@click.option("--each", is_flag=True, help="The posterior of each target, not their joint.")
@click.option("--all", "everything", is_flag=True, help="The posterior of every variable that is not given.")
@click.option("--working", is_flag=True, help="Show the calculation, line by line.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="auto, gibbs, rejection and weighting estimate, with the error of each probability; bounds gives "
    "guaranteed lower and upper ends.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="The same seed gives the same estimate.")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    help="Estimate from this many draws; bounds: from this many tuples.",
)
@click.option(
    "--accuracy", type=float, help="Estimate until all 99 % intervals (or bounds) are within ± this."
)
@click.option("--time", type=float, help="Estimate, or bound, for at most this many seconds.")
@json_option
def query(
    model: str,
    question: str | None,
    everything: bool,
    each: bool,
    working: bool,
    engine: str,
    seed: int | None,
    samples: int | None,
    accuracy: float | None,
    time: float | None,
    as_json: bool,
    **findings: tuple[str, ...],
) -> None:
    """Ask NETWORK (a .bif, .bif.gz or .bayou file) for exact or estimated probabilities.

    QUESTION names the targets and, after a bar, the findings: "lung | smoke=yes, dysp=yes". Quote it, or
    the shell takes the bar for a pipe. A finding is NAME=STATE, NAME!=STATE, "NAME in {A, B}" or
    do(NAME=STATE). Names and states with commas or blanks may be quoted inside: "'chest x-ray' | smoke=yes".
    """
    if (question is None) != everything:
        raise click.UsageError("Give a QUESTION such as 'lung | smoke=yes', or use --all for every variable.")
    if working and (everything or each):
        raise click.UsageError("--working shows one calculation: omit --all and --each.")
    if working and engine in (*ESTIMATING, "loopy"):
        raise click.UsageError(
            f"--working shows an exact calculation, and --engine {engine} makes none: omit one of them."
        )
    net = load_network(model)
    how = {"engine": engine, "seed": seed, "samples": samples, "accuracy": accuracy, "time": time}
    asked = _ParsedQuestion(net, question, findings, how)
    with progress("Computing"):
        posteriors = asked.marginals(everything) if everything or each else [asked.joint()]
        steps = asked.working() if working else None
    if as_json:
        print_json(_document(asked, posteriors, steps))
    else:
        _show(asked, posteriors, steps, apart=everything or each)


class _ParsedQuestion:
    """The question and the findings of the command line, in the names and states of the network."""

    def __init__(
        self, net: Network, question: str | None, findings: dict[str, tuple[str, ...]], how: dict[str, Any]
    ) -> None:
        from bayou.models.query_parser import QueryText, parse_question

        self.net, self.how = net, how
        self.findings = findings_from_text(net, findings["given"])
        by_option = findings_from_text(net, findings["do"])
        if by_option.do or by_option.sets:
            raise BadQuestion(f"--do {findings['do'][0]}: name one state, such as --do smoke=no.")
        add_findings(self.findings, QueryText([], {}, by_option.given, {}))
        self.likelihood = likelihood_from_text(net, findings["likelihood"])
        self.marginal = likelihood_from_text(net, findings["marginal"], "--marginal")
        self.targets: list[Name] = []
        if question is not None:
            in_text = parse_question(net.frozen, question)
            self.targets = in_text.targets
            add_findings(self.findings, in_text)

    @property
    def is_uncertain(self) -> bool:
        """Whether anything is given in another way than by an observed state."""
        return bool(self.findings.do or self.likelihood or self.marginal)

    @property
    def finds_density(self) -> bool:
        """Whether a finding is a number or a text: then the evidence is a density, which can exceed 1."""
        return any(self.net.variables[name].is_continuous for name in self.findings.given)

    def joint(self) -> AnyPosterior:
        return self._ask(self.targets)

    def marginals(self, everything: bool) -> list[AnyPosterior]:
        from bayou.progress import tracked

        fixed = {*self.findings.given, *self.findings.do}
        free = [name for name in self.net.names if name not in fixed]
        names = free if everything else self.targets
        if self.how["engine"] in ESTIMATING and not self.marginal:
            found = self._estimated()
            return [found[name] for name in names if name in found]
        return [self._ask([name]) for name in tracked(names, "Computing posteriors")]

    def _estimated(self) -> Marginals:
        """All posteriors from the same draws: one estimate takes as long as it may for all of them."""
        given: dict[Name, Any] = dict(self.findings.given)
        for name, found in self.findings.sets.items():
            weights = zip(self.net.states(name), found.weights.tolist(), strict=True)
            given[name] = [state for state, weight in weights if weight]
        return self.net.marginals(
            given, likelihood=self.likelihood or None, do=self.findings.do or None, **self.how
        )

    def working(self) -> str:
        return self.net.working(self._of(self.targets), likelihood=self.likelihood, marginal=self.marginal)

    def _ask(self, targets: list[Name]) -> AnyPosterior:
        return self.net.query(
            self._of(targets), likelihood=self.likelihood, marginal=self.marginal, **self.how
        )

    def _of(self, targets: list[Name]) -> Any:
        """The parsed query for these targets."""
        return self.findings._replace(targets=targets)


def _document(asked: _ParsedQuestion, posteriors: list[AnyPosterior], steps: str | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "given": asked.findings.given,
        "do": asked.findings.do,
        "sets": {name: found.text for name, found in asked.findings.sets.items() if not found.says_nothing},
        "likelihood": asked.likelihood,
        "marginal": asked.marginal,
        "evidence_is_density": asked.finds_density,
        "posteriors": [posterior_document(posterior) for posterior in posteriors],
    }
    return document if steps is None else {**document, "working": steps.splitlines()}


def _show(asked: _ParsedQuestion, posteriors: list[AnyPosterior], steps: str | None, apart: bool) -> None:
    screen = Screen()
    if steps is not None:
        screen.board(steps)
        screen.text("")
    if apart:
        names = [document["targets"][0] for document in map(posterior_document, posteriors)]
        screen.table(posterior_rows(zip(names, posteriors, strict=True)))
    else:
        screen.table(posteriors[0].to_table())
    verdict = _verdict(posteriors)
    if verdict is not None:
        screen.text("", str(verdict))
    for line in _notes_on_estimates(posteriors):
        screen.text(line)
    if (asked.findings.given or asked.findings.sets) and posteriors and not asked.is_uncertain:
        log = posteriors[0].log_evidence
        from bayou.text.tables import power_text

        chance = f"{math.exp(log):.6g}" if log > -690 or log == -math.inf else power_text(log, 6)
        kind, why = "probability", _how_found(_estimates(posteriors))
        if asked.finds_density:
            kind, why = "density", " (not a probability: a finding is a number or a text)"
        about = "" if verdict is None or verdict.is_exact else "about "
        screen.text("", f"The findings have {kind} {about}{chance}{why}.", style="dim")


def _verdict(posteriors: list[AnyPosterior]) -> Convergence | None:
    """How loopy propagation ended, over all these answers; None if another engine answered."""
    found = [getattr(posterior, "convergence", None) for posterior in posteriors]
    verdicts = [one for one in found if one is not None]
    return type(verdicts[0]).of_all(verdicts) if verdicts else None


def _estimates(posteriors: list[AnyPosterior]) -> list[Estimate | Bounds]:
    found = [getattr(posterior, "estimate", None) for posterior in posteriors]
    return [estimate for estimate in found if estimate is not None]


def _how_found(estimates: list[Estimate | Bounds]) -> str:
    """What stands behind the probability of the findings, if it is not exact."""
    if not estimates:
        return ""
    return " (half way between its bounds)" if estimates[0].engine == "bounds" else " (estimated)"


def _notes_on_estimates(posteriors: list[AnyPosterior]) -> list[str]:
    """The lines below the table: how the numbers were estimated, and the doubts about the worst of them."""
    from bayou.models.answers.estimate_texts import worst_estimate

    worst = worst_estimate(_estimates(posteriors))
    return [] if worst is None else str(worst).splitlines()
