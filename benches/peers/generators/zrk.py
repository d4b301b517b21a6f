"""zrk: HTTP/1.1 in Zig on io_uring, paced in nanoseconds, with a result in JSON."""

import json

from benches.peers.case import Case
from benches.peers.generator import Order, Reported


class Zrk:
    """At a rate, or from version 2.2 on in a closed loop; for a time only."""

    name = "zrk"
    program = "zrk"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""
        return case.protocol in {"http1", "tls"} and not case.requests

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        load = f"-R{case.rate_per_s}" if case.rate_per_s else "--closed"
        command = [order.program, "-t1", f"-c{case.connections}", f"-d{order.seconds:g}s", load]
        if case.protocol == "tls":
            command.append("--insecure")
        return [*command, "--format", "json", order.url]

    def read(self, order: Order) -> Reported:
        """Read the JSON."""
        result = json.loads(order.output.read_text())
        wrong = result["errors"]["non_2xx_3xx"]
        times = result["latency_us"]
        return Reported(
            requests=result["requests"] - wrong,
            errors=sum(result["errors"].values()),
            seconds=result["duration_s"],
            mean_us=times["mean"],
            p50_us=times["p50"],
            p99_us=times["p99"],
        )
