"""The one file that a server may write: the path it was started with, never a path from a request."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bayou.files.replacement import put_in_place, temporary_stem
from bayou.models.verbs.files import ENDINGS
from bayou.server.messages import Message
from bayou.server.problems import Problem


class SaveRequest(Message):
    """The revision that the client believes to be in the file: another one is not overwritten unasked."""

    revision_on_disk: str | None = None
    overwrite: bool = False


class SaveAnswer(Message):
    """The revision that is in the file now, and what the format of the file could not hold of it."""

    revision: str
    losses: list[str]


class SavedFile:
    """A network file that is written back; it knows the content that was read or written last.

    Create it before the network is read: then a change during the reading is found, too.

    >>> import bayou, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "rain.bif")
    ...     net = bayou.examples.rain_and_wet_grass()
    ...     net.save(path)
    ...     file = SavedFile(path)
    ...     net.rename_node("Rain", "Shower").save(Path(folder, "new.bif"))
    ...     file.replace(Path(folder, "new.bif"))
    ...     bayou.load(path).names
    ('Shower', 'WetGrass')
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self.name = Path(path).name
        self._content = self._hash()

    @property
    def can_be_written(self) -> bool:
        """Whether its ending is that of a format that is written, not only read."""
        return self.name.lower().endswith(ENDINGS)

    def replace(self, written: Path, overwrite: bool = False) -> None:
        """Replace the content by that of another file: readers find the old or the new.

        Raises the problem 409 if somebody else has changed the file, unless ``overwrite``.
        """
        content = written.read_bytes()
        if not overwrite and self._hash() != self._content:
            raise self.changed()
        try:
            self._replace(content)
        except OSError as problem:
            reason = problem.strerror or type(problem).__name__
            raise Problem(
                422, "cannot-write", f"{self.name} cannot be written: {reason}. Download a copy instead."
            ) from None
        self._content = hashlib.sha256(content).digest()

    def changed(self) -> Problem:
        """The problem that the file is not what the client believes."""
        return Problem(
            409,
            "changed-on-disk",
            f"{self.name} has changed on disk since it was read or saved. Overwrite it, or download a copy "
            "of your network.",
        )

    def _replace(self, content: bytes) -> None:
        with temporary_stem(self.path) as stem:
            temporary = Path(f"{stem}.tmp")
            try:
                with temporary.open("xb") as file:  # never a file, or a link, that somebody else put there
                    file.write(content)
                put_in_place(temporary, self.path)
            finally:
                temporary.unlink(missing_ok=True)

    def _hash(self) -> bytes | None:
        """The hash of what the file has now; None if it is gone."""
        try:
            return hashlib.sha256(self.path.read_bytes()).digest()
        except OSError:
            return None
