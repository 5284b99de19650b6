"""The ``bayou`` command: the group of subcommands, and the handling of errors."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import click

from bayou.cli.about.completion import completion, with_files
from bayou.cli.about.info import info
from bayou.cli.check import check
from bayou.cli.convert import convert
from bayou.cli.counting.count import count
from bayou.cli.counting.merge import merge
from bayou.cli.demo import demo
from bayou.cli.editing.edit import edit
from bayou.cli.evaluate import evaluate
from bayou.cli.explain import explain
from bayou.cli.explore import explore, serve
from bayou.cli.export import export
from bayou.cli.findings.conflict import conflict
from bayou.cli.findings.next_finding import next_finding
from bayou.cli.learning.fit import fit
from bayou.cli.learning.structure import structure
from bayou.cli.predict import predict
from bayou.cli.query import query
from bayou.cli.sample import sample
from bayou.cli.sensitivity import sensitivity
from bayou.cli.sequences.beliefs import filter_rows, smooth_rows
from bayou.cli.sequences.decode import decode
from bayou.cli.sequences.forecast import forecast
from bayou.cli.sequences.score import score
from bayou.cli.show import show
from bayou.cli.terminal.reporting import json_first_option, tell_error, tell_warning, wants_json
from bayou.cli.terminal.stopping import (
    INTERRUPTED,
    TERMINATED,
    Terminated,
    forget_interrupt,
    watch_signals,
)
from bayou.cli.terminal.streams import output_failed, prepare_streams, silence_output
from bayou.errors import BayouError, shortened
from bayou.version import __version__

PIPE_CLOSED = 141
"""The exit code if the reader of a pipe closed it: 128 + SIGPIPE."""


class BayouGroup(click.Group):
    """A group that prints errors as messages: exit code 1 for errors, 130 for Ctrl-C, 143 for SIGTERM."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which a new user needs them, not alphabetically."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors that a user can fix are printed without a traceback."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = tell_warning
                result = super().invoke(ctx)
                # Flush now, while an error can still be reported; at interpreter exit it is too late.
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
                if len(error.message) > len(short := shortened(error.message)):
                    raise click.UsageError(short, error.ctx) from None
                raise
            tell_error(ctx, "Usage", shortened(error.format_message()))
            ctx.exit(error.exit_code)
        except UnicodeEncodeError as error:
            tell_error(ctx, "BadFile", _unwritable(error))
            ctx.exit(1)
        except OSError as error:
            tell_error(ctx, "BadFile", _error_text(error))
            ctx.exit(1)
        except MemoryError:
            tell_error(ctx, "TooWide", "There is not enough memory; use fewer rows or variables at a time.")
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
    """Bayesian networks, classifiers, models of sequences: learn them from tables, query them.

    Every command takes --json (one JSON document on standard output) and --help (with examples).
    Exit codes: 0 success, 1 error (with a message that says why), 2 wrong usage, 130 interrupted,
    143 terminated.
    """


_LEARNING = (demo, check, fit, structure, count, merge)
_ASKING = (predict, evaluate, explain, query, sensitivity, next_finding, conflict)
_SEQUENCES = (decode, filter_rows, smooth_rows, forecast, score)
_REST = (sample, show, convert, edit, export, explore, serve, info, completion)
for command in (*_LEARNING, *_ASKING, *_SEQUENCES, *_REST):
    cli.add_command(with_files(command))


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
        # Text that click prints itself (--help) could not be written to standard output.
        output_failed()
        click.echo(f"Error: {_error_text(error)}", err=True)
        sys.exit(1)
    finally:
        forget_interrupt()


def _error_text(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}."


def _unwritable(error: UnicodeEncodeError) -> str:
    return (
        f"Standard output is {error.encoding} and cannot encode {error.object[error.start : error.end]!r}; "
        "set PYTHONIOENCODING=utf-8, or write a file with -o."
    )


if __name__ == "__main__":
    main()
