"""A PostgreSQL server for the benchmarks, in a temporary folder that is kept for the next run."""

from __future__ import annotations

import atexit
import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SETTINGS = ["listen_addresses=", "shared_buffers=2GB", "fsync=off", "max_wal_size=4GB", "autovacuum=off"]


def database(name: str, fill: Callable[[Any], None]) -> str:
    """Return the URL of a server whose database ``fill`` has filled (once); it is stopped at the end."""
    folder = Path(tempfile.gettempdir()) / f"bayou-benchmark-{name}"
    user, options = getpass.getuser(), {}
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        user, options = "postgres", {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    url = f"postgresql://{user}@/postgres?host={folder}"
    new = not (folder / "filled").exists()
    if new:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if options:
            os.chown(folder, options["user"], options["group"])
        make = [
            _program("initdb"),
            "-D",
            folder / "data",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
            "--locale=C",
        ]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=folder, **options)
    if not _answers(url):
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        run = [_program("postgres"), "-D", folder / "data", "-k", folder, *settings]
        server = subprocess.Popen(
            run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **options
        )
        atexit.register(_stop, server)
        _wait(server, url)
    if new:
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            fill(connection)
        (folder / "filled").touch()
    return url


def _wait(server: subprocess.Popen[bytes], url: str) -> None:
    """Wait until the server answers; a server that ends, or does not answer within a minute, is an error."""
    end = time.monotonic() + 60
    while not _answers(url):
        if server.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"PostgreSQL did not start (exit code {server.poll()}): {url}")
        time.sleep(0.1)


def _answers(url: str) -> bool:
    import psycopg

    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    server.wait()


def _program(name: str) -> str:
    found = shutil.which(name) or next(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), None)
    if found is None:
        raise RuntimeError(f"{name} of PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return str(Path(found).resolve())
