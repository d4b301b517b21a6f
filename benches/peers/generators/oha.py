"""oha: HTTP/1.1, HTTP/2 and HTTP/3 on tokio, with a result in JSON."""

import json

from benches.peers.case import Case
from benches.peers.generator import Order, Reported

UNFINISHED = "aborted due to deadline"
"""What was under way at the end: no error."""


class Oha:
    """It keeps every sample in memory."""

    name = "oha"
    program = "oha"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""
        return case.protocol in {"http1", "tls", "http2", "http3"}

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "--no-tui", "--output-format", "json"]
        command += ["-c", str(case.connections)]
        command += ["-n", str(order.requests)] if order.requests else ["-z", f"{order.seconds:g}s"]
        if case.rate_per_s:
            command += ["-q", str(case.rate_per_s), "--latency-correction"]
        if case.protocol in {"tls", "http3"}:
            command.append("--insecure")
        if case.protocol == "http2":
            command.append("--http2")
        if case.protocol == "http3":
            command += ["--http-version", "3"]
        if case.streams > 1:
            command += ["-p", str(case.streams)]
        return [*command, order.url]

    def read(self, order: Order) -> Reported:
        """Read the JSON."""
        result = json.loads(order.output.read_text())
        summary, percentiles = result["summary"], result["latencyPercentiles"]
        statuses = result["statusCodeDistribution"]
        failures = {
            reason: count
            for reason, count in result["errorDistribution"].items()
            if reason != UNFINISHED
        }
        return Reported(
            requests=statuses.get("200", 0),
            errors=sum(failures.values()) + sum(statuses.values()) - statuses.get("200", 0),
            seconds=summary["total"],
            mean_us=summary["average"] * 1e6,
            p50_us=percentiles["p50"] * 1e6,
            p99_us=percentiles["p99"] * 1e6,
        )
