"""wrk: HTTP/1.1 in C, with its latencies as text; and programs with its options, such as wrk2."""

import re
from dataclasses import dataclass

from benches.peers.case import Case
from benches.peers.generator import Order, Reported, duration_us, find


@dataclass(frozen=True, slots=True)
class Wrk:
    """Closed loop only, for a time only; a program of another name also takes a rate as -R."""

    name: str = "wrk"

    @property
    def program(self) -> str:
        """The program it is."""
        return self.name

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""
        takes_rate = self.name != "wrk"
        is_supported = not case.requests and (takes_rate or not case.rate_per_s)
        return case.protocol in {"http1", "tls"} and is_supported

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        connections, seconds = order.case.connections, round(order.seconds)
        rate = [f"-R{order.case.rate_per_s}"] if order.case.rate_per_s else []
        return [
            order.program,
            "-t1",
            f"-c{connections}",
            f"-d{seconds}s",
            *rate,
            "--latency",
            order.url,
        ]

    def read(self, order: Order) -> Reported:
        """Read the summary."""
        text = order.output.read_text()
        totals = find(r"^\s+(\d+) requests in ([\d.]+\w+),", text)
        wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        broken = re.search(r"connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
        errors = int(wrong[1]) if wrong else 0
        return Reported(
            requests=int(totals[1]) - errors,
            errors=errors + (sum(map(int, broken.groups())) if broken else 0),
            seconds=duration_us(totals[2]) / 1e6,
            mean_us=duration_us(find(r"^\s+Latency\s+([\d.]+\w+)", text)[1]),
            p50_us=duration_us(find(r"^\s*50(?:\.0+)?%\s+([\d.]+\w+)", text)[1]),
            p99_us=duration_us(find(r"^\s*99(?:\.0+)?%\s+([\d.]+\w+)", text)[1]),
        )
