"""fortio: HTTP/1.1 in Go, with a client of its own and a result in JSON."""

import json
from dataclasses import dataclass

from benches.peers.case import Case
from benches.peers.generator import Order, Reported


@dataclass(frozen=True, slots=True)
class Fortio:
    """With its defaults, or with the starts of its threads spread evenly."""

    uniform: bool = False
    program: str = "fortio"

    @property
    def name(self) -> str:
        """The name in the results."""
        return "fortio -uniform" if self.uniform else "fortio"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case; spreading threads makes sense at a rate only."""
        return case.protocol == "http1" and (case.rate_per_s is not None or not self.uniform)

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "load", "-quiet", "-json", "-", "-p", "50,99", "-r", "0.000001"]
        command += ["-c", str(case.connections), "-qps", str(case.rate_per_s or 0)]
        command += ["-n", str(order.requests)] if order.requests else ["-t", f"{order.seconds:g}s"]
        if self.uniform:
            command.append("-uniform")
        return [*command, order.url]

    def read(self, order: Order) -> Reported:
        """Read the JSON."""
        result = json.loads(order.output.read_text())
        times = result["DurationHistogram"]
        percentiles = {row["Percentile"]: row["Value"] * 1e6 for row in times["Percentiles"]}
        succeeded = result["RetCodes"].get("200", 0)
        return Reported(
            requests=succeeded,
            errors=times["Count"] - succeeded,
            seconds=result["ActualDuration"] / 1e9,
            mean_us=times["Avg"] * 1e6,
            p50_us=percentiles[50],
            p99_us=percentiles[99],
        )
