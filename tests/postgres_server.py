"""A PostgreSQL server of the tests' own: started when a test first needs it, stopped when the process ends.

The server runs in a temporary folder and listens on a socket in it only. As root it is started as an
unprivileged user, since PostgreSQL refuses root. Tests connect as the role "reader", which may read the
tables that are made for it and nothing else: it cannot make temporary tables, and its transactions only read.
"""

from __future__ import annotations

import atexit
import getpass
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE

_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "autovacuum": "off",
    "timezone": "Asia/Kolkata",
}
_numbers = itertools.count(1)


class PostgresServer:
    """A running server: ``url(role)`` connects to it, ``make_table`` makes tables for the reader."""

    def __init__(self, programs: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bayou-postgres-"))
        self.user, options = getpass.getuser(), {}
        if os.geteuid() == 0:
            self.user = next(name for name in ("postgres", "nobody") if _is_user(name))
            entry = pwd.getpwnam(self.user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            options = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.folder.chmod(0o755)
        data = self.folder / "data"
        quiet = {"stdout": subprocess.DEVNULL, "cwd": self.folder, "env": plain_environment(), **options}
        make = [programs / "initdb", "-D", data, "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
        subprocess.run(make, check=True, timeout=PATIENCE, **quiet)
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        run = [programs / "postgres", "-D", data, "-k", self.folder, *settings]
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(run, stderr=log, **quiet)
        atexit.register(self.stop)
        self._wait()
        self.run(
            "CREATE ROLE reader LOGIN",
            "ALTER ROLE reader SET default_transaction_read_only = on",
            "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        )

    def url(self, role: str = "reader") -> str:
        """Where a role connects."""
        return f"postgresql://{role}@/postgres?host={self.folder}&connect_timeout=20"

    def run(self, *statements: str, values: Sequence[Any] = ()) -> None:
        """Run statements as the owner of the database."""
        import psycopg

        with psycopg.connect(self.url(self.user), autocommit=True) as connection:
            connection.execute(f"SET statement_timeout = '{PATIENCE}s'")
            for statement in statements:
                connection.execute(statement, values or None)

    def make_table(self, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> str:
        """Make a table of these columns and types, readable by the reader; return its name."""
        import psycopg

        name = f"table{next(_numbers)}"
        declared = ", ".join('"' + each.replace('"', '""') + f'" {kind}' for each, kind in columns.items())
        with psycopg.connect(self.url(self.user), autocommit=True) as connection:
            connection.execute(f"CREATE TABLE {name} ({declared})")
            places = ", ".join(["%s"] * len(columns))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
            connection.execute(f"GRANT SELECT ON {name} TO reader")
        return name

    def _wait(self) -> None:
        import psycopg

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                psycopg.connect(self.url(self.user), connect_timeout=5).close()
            except psycopg.OperationalError:
                if self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(
            f"PostgreSQL did not start within {PATIENCE} s; its log:\n{(self.folder / 'log').read_text()}"
        )

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


def server() -> PostgresServer:
    """The server of this process; the test is skipped where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return _started(programs)


@cache
def _started(programs: Path) -> PostgresServer:
    return PostgresServer(programs)


@cache
def _programs() -> Path | None:
    """The folder of initdb and postgres: on the path, or where Debian has it."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "postgres").exists()), None)


def plain_environment() -> dict[str, str]:
    """The environment without what sanitized runs put into it: the programs of the server do not know it."""
    sanitizers = ("LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS")
    return {name: value for name, value in os.environ.items() if name not in sanitizers}


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
