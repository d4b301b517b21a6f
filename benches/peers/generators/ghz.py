"""ghz: gRPC in Go, with a result in JSON."""

import json
from pathlib import Path

from benches.peers.case import Case
from benches.peers.generator import Order, Reported
from benches.peers.material import grpc_json_path

PROTO = Path(__file__).parents[1] / "servers" / "echo.proto"


class Ghz:
    """It encodes and decodes every message."""

    name = "ghz"
    program = "ghz"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case."""
        return case.protocol == "grpc"

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "--insecure", "--proto", str(PROTO), "--call", "echo.Echo.Unary"]
        command += ["-D", str(grpc_json_path(order.material, case.body))]
        command += ["-c", str(case.clients), "--connections", str(case.connections)]
        command += ["-z", f"{order.seconds:g}s", "--duration-stop", "wait", "-O", "json"]
        return [*command, f"127.0.0.1:{order.port}"]

    def read(self, order: Order) -> Reported:
        """Read the JSON."""
        result = json.loads(order.output.read_text())
        percentiles = {row["percentage"]: row["latency"] for row in result["latencyDistribution"]}
        succeeded = result["statusCodeDistribution"].get("OK", 0)
        return Reported(
            requests=succeeded,
            errors=result["count"] - succeeded,
            seconds=result["total"] / 1e9,
            mean_us=result["average"] / 1e3,
            p50_us=percentiles[50] / 1e3,
            p99_us=percentiles[99] / 1e3,
        )
