"""The limit client: plain system calls, minimal framing, two readings of the clock."""

import json

from benches.peers.case import Case
from benches.peers.generator import Order, Reported
from benches.peers.material import body_path


class Floor:
    """At a rate it never sleeps."""

    name = "floor"
    program = "wirelab-floor"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""
        return case.protocol in {"http1", "websocket"} and case.requests is None

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "client", case.protocol, f"127.0.0.1:{order.port}"]
        if case.protocol == "websocket":
            command += ["--message", str(body_path(order.material, case.body))]
        else:
            command += ["--path", f"/{case.body}"]
        if case.rate_per_s:
            command += ["--rate", str(case.rate_per_s)]
        return [
            *command,
            "--connections",
            str(case.connections),
            "--seconds",
            f"{order.seconds:g}",
        ]

    def read(self, order: Order) -> Reported:
        """Read the JSON: it ends with an error rather than count one."""
        result = json.loads(order.output.read_text())
        return Reported(errors=0, **result)
