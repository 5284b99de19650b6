"""``bayou demo``: learn, ask, explain, in a second, from a table that comes with the package."""
from __future__ import annotations
import click
@click.command()
def demo() -> None:
    """x"""
