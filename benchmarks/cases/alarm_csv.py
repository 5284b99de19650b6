"""Parameters of alarm from a CSV file."""

from __future__ import annotations

from case import Case, Work
from data import sample
from peers import bayou_squares, pyagrum_fit, pyagrum_load, pyagrum_squares, pyagrum_template

ROWS = 1_000_000


def bayou_fit(scale: float) -> Work:
    """``Network.fit`` on a path: duckdb reads, batches are counted as they come."""
    import bayou

    data = sample("alarm", int(ROWS * scale))
    path = data.csv()
    network = bayou.load(data.bif)
    return Work(lambda: network.fit(path), bayou_squares)


def pyagrum_csv(scale: float) -> Work:
    """pyAgrum reads the file itself."""
    data = sample("alarm", int(ROWS * scale))
    path = str(data.csv())
    template = pyagrum_template(data)
    return Work(lambda: pyagrum_fit(pyagrum_load(path, template), template), pyagrum_squares)


CASE = Case(
    "alarm-csv",
    "parameters of alarm, 1,000,000 × 37, from CSV",
    {"bayou": bayou_fit, "pyAgrum": pyagrum_csv},
    targets={"pyAgrum": 6},
)
