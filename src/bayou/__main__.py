"""``python -m bayou``: the command line, for machines where the command ``bayou`` is not on the path."""

from __future__ import annotations

from bayou.cli.main import main

if __name__ == "__main__":
    main()
