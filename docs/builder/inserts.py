"""What the build puts into pages: figures, which therefore are those of the last run, and a live network.

A comment ``<!-- insert: speed -->`` in a page's Markdown is replaced by what is made here.
"""

from __future__ import annotations

import re

from docs.builder.figures import accuracy_table, speed_table
from docs.builder.losses import less_accurate_table, slower_table

LIVE = "live.html"
_INSERT = re.compile(r"<!-- insert: ([\w ]+) -->")


def inserted(text: str) -> str:
    """Markdown with every insert in its place."""
    made = {
        "speed": speed_table,
        "accuracy": accuracy_table,
        "slower": slower_table,
        "less accurate": less_accurate_table,
        "live": live_frame,
    }
    return _INSERT.sub(lambda found: made[found[1]](), text)


def live_frame() -> str:
    """The live page inside another one."""
    frame = f'<iframe src="site:{LIVE}" title="The explorer with the network asia" loading="lazy"></iframe>'
    return f"{frame}\n\n[The same on a page of its own](site:{LIVE})"


def live_page() -> str:
    """The explorer in one file, with a small network in it."""
    import bayou

    return bayou.examples.asia().describe(title="Chest clinic").to_html()
