"""Check files named on the command line before any long work starts, and load models."""

from __future__ import annotations

import contextlib
import difflib
import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bayou.errors import BadFile
from bayou.files.replacement import put_in_place, temporary_stem

if TYPE_CHECKING:
    from bayou.models.network import Network


TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
"""The file endings of tables that are written."""
_READ = (*TABLES, ".csv.zst", ".tsv.zst", ".jsonl", ".ndjson", ".jsonl.gz", ".arrow", ".feather", ".ipc")
"""The file endings of tables that are read."""


def require_file(path: str) -> None:
    """Raise if a file does not exist, with the most similar name in its folder."""
    if not path:
        raise BadFile("The name of a file is empty; name a file.")
    file = Path(path)
    if file.is_dir():
        raise BadFile.at(path, "is a folder; name a file.")
    if file.exists():
        return
    folder = file.parent
    if not folder.is_dir():
        raise BadFile.at(path, f"there is no folder {str(folder)!r}.")
    beside = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    near = difflib.get_close_matches(file.name, beside, n=1, cutoff=0.75)
    hint = f" Did you mean {str(folder / near[0])!r}?" if near else ""
    raise BadFile.at(path, f"there is no such file.{hint}")


def require_table(path: str) -> None:
    """Raise if there is no such table: a file, a folder or a pattern of files, or an address."""
    if "://" in path or (path and os.path.isdir(path)) or (glob.has_magic(path) and glob.glob(path)):
        return
    require_file(path)


def load_network(path: str) -> Network:
    """Read a network file of any format."""
    _require_model(path, "a network")
    from bayou import loading

    try:
        return loading.load_network(path)
    except BadFile:
        _refuse_sequences(loading.load(path), path)
        raise


def load_model(path: str) -> Any:
    """Read a network of any format, or a classifier."""
    found = load_any_model(path)
    _refuse_sequences(found, path)
    return found


def load_network_or_sequences(path: str) -> Any:
    """Read a network of any format, or a model of sequences."""
    found = load_shown_model(path)
    return load_network(path) if hasattr(found, "classes_") else found  # refuses the classifier


def load_sequence_model(path: str) -> Any:
    """Read a hidden Markov model, a dynamic network or a linear Gaussian model of series."""
    found = load_shown_model(path)
    if is_hmm(found) or is_dynamic(found) or is_kalman(found):
        return found
    what = "a classifier (bayou predict)" if hasattr(found, "classes_") else "a network (bayou query)"
    raise BadFile.at(path, f"holds {what}, not a hidden Markov model; learn one with bayou fit … --states 3.")


def load_any_model(path: str) -> Any:
    """Read a model of any kind that the command line can ask."""
    found = load_shown_model(path)
    refuse_kalman(found, path)
    return found


def load_shown_model(path: str) -> Any:
    """Read a model of any kind at all."""
    _require_model(path, "a model")
    from bayou import load

    return load(path)


def is_hmm(model: Any) -> bool:
    """Whether a loaded model is a hidden Markov model."""
    return hasattr(model, "decode_rows")


def is_kalman(model: Any) -> bool:
    """Whether a loaded model is one of linear Gaussian series."""
    return hasattr(model, "start_covariance")


def is_dynamic(model: Any) -> bool:
    """Whether a loaded model is a dynamic network."""
    return hasattr(model, "template")


def _require_model(path: str, what: str) -> None:
    require_file(path)
    if path.lower().endswith(_READ):
        raise BadFile.at(path, f"is a table, not {what}; learn one from it with bayou fit.")


def refuse_kalman(model: Any, path: str) -> None:
    """Raise for a linear Gaussian model of series, naming the commands that take it."""
    if is_kalman(model):
        raise BadFile.at(
            path,
            f"holds a linear Gaussian model of series: ask it with bayou smooth {path} DATA (its means are "
            "the most probable states), bayou filter, bayou forecast or bayou score; bayou show and bayou "
            "sample take it, too.",
        )


def _refuse_sequences(model: Any, path: str) -> None:
    refuse_kalman(model, path)
    if is_dynamic(model):
        raise BadFile.at(
            path,
            f"holds a dynamic network: ask it with bayou smooth {path} DATA, bayou filter, bayou decode, "
            "bayou forecast or bayou score; bayou show and bayou sample take it, too.",
        )
    if is_hmm(model):
        raise BadFile.at(
            path,
            f"holds a hidden Markov model of sequences: ask it with bayou decode {path} DATA or bayou "
            f"forecast {path} DATA; bayou show and bayou sample take it, too.",
        )


def check_output(path: str, endings: Sequence[str], inputs: Sequence[str], force: bool) -> None:
    """Raise if an output cannot be written, or is one of the inputs (unless ``force``)."""
    file = Path(path)
    if not file.name.lower().endswith(tuple(endings)):
        raise BadFile.at(path or "''", f"the ending chooses the format; use one of {', '.join(endings)}.")
    if file.is_dir():
        raise BadFile.at(path, "cannot be written: it is a folder.")
    if not file.parent.is_dir():
        raise BadFile.at(path, f"cannot be written: there is no folder {str(file.parent)!r}.")
    if not os.access(file.parent, os.W_OK):
        raise BadFile.at(path, f"cannot be written: the folder {str(file.parent)!r} is read-only.")
    for given in inputs:
        if not force and _same(file, Path(given)):
            raise BadFile.at(path, "would overwrite its own input; name another file, or add --force.")


def _same(first: Path, second: Path) -> bool:
    # os.path.exists is false for names that no file can have, such as a long arrow text.
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)


@contextlib.contextmanager
def replacing(path: str) -> Iterator[Path]:
    """Yield a temporary file that replaces the target on success and is removed on failure."""
    target = Path(os.path.realpath(path))
    try:
        with temporary_stem(target) as stem:
            temporary = Path(f"{stem}.tmp")
            try:
                temporary.touch(exist_ok=False)
                yield temporary
                put_in_place(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BadFile.at(path, f"cannot be written: {error.strerror or error}.") from None


force_option = click.option("--force", is_flag=True, help="Allow the output to overwrite an input file.")
