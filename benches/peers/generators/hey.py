"""hey: HTTP/1.1 in Go, with its latencies as text."""

import re

from benches.peers.case import Case
from benches.peers.generator import Order, Reported, find


class Hey:
    """Its rate is one of every worker."""

    name = "hey"
    program = "hey"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case; it keeps a million samples at most."""
        return case.protocol == "http1" and case.requests is None

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "-z", f"{order.seconds:g}s", "-c", str(case.connections)]
        if case.rate_per_s:
            command += ["-q", f"{case.rate_per_s / case.connections:g}"]
        return [*command, order.url]

    def read(self, order: Order) -> Reported:
        """Read the summary."""
        text = order.output.read_text()
        statuses = {
            status: int(count)
            for status, count in re.findall(r"^\s+\[(\d+)\]\s+(\d+) responses", text, re.MULTILINE)
        }
        succeeded = statuses.pop("200", 0)

        def seconds(pattern: str) -> float:
            return float(find(pattern, text)[1])

        return Reported(
            requests=succeeded,
            errors=sum(statuses.values()),
            seconds=seconds(r"^\s+Total:\s+([\d.]+) secs"),
            mean_us=seconds(r"^\s+Average:\s+([\d.]+) secs") * 1e6,
            p50_us=seconds(r"^\s+50%+ in ([\d.]+) secs") * 1e6,
            p99_us=seconds(r"^\s+99%+ in ([\d.]+) secs") * 1e6,
        )
