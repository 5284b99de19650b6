"""Run by test_ctrl_c in a process of its own: fits of one file, each stopped by Ctrl-C at another moment.

Writes one line of JSON: what came of every fit, whether a model changed, errors that Python had to ignore,
the threads and temporary files that are left.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

import bayou
from bayou.sources.files import file_source

TRIALS = 20
ignored: list[str] = []


def outcome(net: bayou.Network, path: str, wait: float) -> str:
    """What comes of a fit that gets Ctrl-C after some seconds."""
    sent = threading.Event()

    def send() -> None:
        if not over.wait(wait):
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    over, thread, done = threading.Event(), threading.Thread(target=send), False
    try:
        thread.start()
        net.partial_fit(path)
        done = True
        over.set()
        thread.join()
        time.sleep(0.001)  # a Ctrl-C sent in the last moment comes out here
        return "lost" if sent.is_set() else "finished before it"
    except KeyboardInterrupt:
        return "finished before it" if done else "stopped"
    except BaseException as problem:
        return f"{type(problem).__name__}: {problem}"
    finally:
        over.set()
        thread.join()


def main(path: str) -> dict[str, Any]:
    """All trials on one file."""
    file_source.LARGEST_WHOLE = -1
    file_source.BATCH_ROWS = 1000
    sys.unraisablehook = lambda found: ignored.append(repr(found.exc_value))
    seconds = []
    for _ in range(3):  # the first fit also loads packages
        started = time.perf_counter()
        bayou.Network("a -> b").fit(path)
        seconds.append(time.perf_counter() - started)
    outcomes, changed = [], []
    for trial in range(TRIALS):
        net = bayou.Network("a -> b").fit({"a": ["0", "1"], "b": ["1", "0"]})
        before = (str(net.statistics["b"]), str(net.query("b")))
        outcomes.append(outcome(net, path, min(seconds) * (trial + 0.5) / TRIALS))
        after = (str(net.statistics["b"]), str(net.query("b")))
        changed.append(before != after)
    left = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("bayou")]
    return {
        "outcomes": outcomes,
        "changed": changed,
        "ignored": ignored,
        "threads": threading.active_count(),
        "left": left,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1])))
