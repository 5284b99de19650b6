"""The ``bayou`` command: the group of commands, and what becomes of errors."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from bayou.cli.check import check
from bayou.cli.convert import convert
from bayou.cli.demo import demo
from bayou.cli.evaluate import evaluate
from bayou.cli.explain import explain
from bayou.cli.fit import fit
from bayou.cli.predict import predict
from bayou.cli.query import query
from bayou.cli.sample import sample
from bayou.cli.show import show
from bayou.cli.structure import structure
from bayou.cli.terminal.reporting import json_first_option, tell_error, tell_warning, wants_json
from bayou.cli.terminal.stopping import INTERRUPTED, TERMINATED, Terminated, watch_signals
from bayou.cli.terminal.streams import output_is_lost, prepare_streams, silence_output
from bayou.errors import BayouError
from bayou.version import __version__

PIPE_CLOSED = 141


class BayouGroup(click.Group):
    """A group whose errors are messages: exit code 1 for what went wrong, 130 for Ctrl-C, 143 for SIGTERM."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of a first visit, not of the alphabet."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the user can put right never ends in a traceback."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = tell_warning
                result = super().invoke(ctx)
                # Now, while an error can still be told: at the end of the interpreter it is too late.
                sys.stdout.flush()
                return result
        except BayouError as error:
            tell_error(ctx, type(error).__name__, str(error))
            ctx.exit(1)
        except BrokenPipeError:
            silence_output()
            ctx.exit(PIPE_CLOSED)
        except click.UsageError as error:
            if not wants_json(ctx):
                raise
            tell_error(ctx, "Usage", error.format_message())
            ctx.exit(error.exit_code)
        except UnicodeEncodeError as error:
            tell_error(ctx, "BadFile", _unwritable(error))
            ctx.exit(1)
        except OSError as error:
            tell_error(ctx, "BadFile", _told(error))
            ctx.exit(1)
        except MemoryError:
            tell_error(ctx, "TooWide", "There is not enough memory for this; ask for less at a time.")
            ctx.exit(1)
        except Terminated:
            click.echo("Terminated.", err=True)
            ctx.exit(TERMINATED)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(
    cls=BayouGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: bayou demo",
)
@click.version_option(__version__, prog_name="bayou", message="%(prog)s %(version)s")
@json_first_option
def cli() -> None:
    """Bayesian networks and classifiers: learn them from tables, ask them, see the working.

    Every command takes --json (one JSON document on standard output) and --help (with examples).
    Exit codes: 0 done, 1 it could not be done (the message says why), 2 the command was mistyped,
    130 interrupted, 143 terminated.
    """


for command in (demo, check, fit, structure, predict, evaluate, explain, query, sample, show, convert):
    cli.add_command(command)


def main() -> None:
    """The entry point of the ``bayou`` command."""
    prepare_streams()
    try:
        watch_signals()
        cli.main(prog_name="bayou", standalone_mode=True)
    except Terminated:
        sys.exit(TERMINATED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        silence_output()
        sys.exit(PIPE_CLOSED)
    except OSError as error:
        # What click prints itself (--help) did not reach standard output.
        output_is_lost()
        click.echo(f"Error: {_told(error)}", err=True)
        sys.exit(1)


def _told(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}."


def _unwritable(error: UnicodeEncodeError) -> str:
    return (
        f"Standard output is {error.encoding} and can not hold {error.object[error.start : error.end]!r}; "
        "set PYTHONIOENCODING=utf-8, or write a file with -o."
    )


if __name__ == "__main__":
    main()
