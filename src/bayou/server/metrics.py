"""Numbers about the server in the text format of Prometheus: never a name, a finding or a token."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate

from bayou.memory import resident_memory

BOUNDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0)


class Metrics:
    """Requests by route and status, and how long they took; those that came to no route; memory."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._refusals: Counter[int] = Counter()
        self._durations: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answers[route, status] += 1
        places = self._durations.setdefault(route, [0] * (len(BOUNDS) + 1))
        places[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def refused(self, status: int) -> None:
        """Count a request that came to no address: refused at the gate, or there is none."""
        self._refusals[status] += 1

    def text(self, gauges: dict[str, float]) -> str:
        """All numbers; ``gauges`` are those that others know."""
        lines = ["# TYPE bayou_requests_total counter"]
        for (route, status), number in sorted(self._answers.items()):
            lines.append(f'bayou_requests_total{{route="{route}",status="{status}"}} {number}')
        lines.append("# TYPE bayou_refusals_total counter")
        lines += [
            f'bayou_refusals_total{{status="{status}"}} {number}'
            for status, number in sorted(self._refusals.items())
        ]
        lines.append("# TYPE bayou_request_seconds histogram")
        for route, places in sorted(self._durations.items()):
            for bound, number in zip((*BOUNDS, "+Inf"), accumulate(places), strict=True):
                lines.append(f'bayou_request_seconds_bucket{{route="{route}",le="{bound}"}} {number}')
            lines.append(f'bayou_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'bayou_request_seconds_count{{route="{route}"}} {sum(places)}')
        for name, value in gauges.items():
            lines += [f"# TYPE bayou_{name} gauge", f"bayou_{name} {value:g}"]
        memory = resident_memory()
        if memory:
            lines += ["# TYPE process_resident_memory_bytes gauge", f"process_resident_memory_bytes {memory}"]
        return "\n".join(lines) + "\n"
