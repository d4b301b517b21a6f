"""wirelab-load: our engine, with every sample recorded and every answer checked."""

import json
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from xxhash import xxh3_64_hexdigest

from benches.peers.case import Case
from benches.peers.generator import NotUnderstoodError, Order, Reported
from benches.peers.material import CALL, body_bytes, grpc_message

TRANSPORTS = {"tls": "http1"}
"""Cases whose protocol is called otherwise in a job."""
TLS = {"insecure": True}
"""The servers' certificate is self-signed, and created for the session."""


@dataclass(frozen=True, slots=True)
class WirelabLoad:
    """With its defaults, or another way to wait for the next intended time, or another version."""

    wait: Literal["precise", "spin"] = "precise"
    program: str = "wirelab-load"

    @property
    def name(self) -> str:
        """The name in the results."""
        return self.program if self.wait == "precise" else f"{self.program} {self.wait}"

    def carries(self, case: Case) -> bool:
        """Return whether the case may be tried: the engine reports what it does not support."""
        return case.rate_per_s is not None or self.wait == "precise"

    def command(self, order: Order) -> list[str]:
        """Write the job and return the command line."""
        job = order.folder / "job.json"
        job.write_text(json.dumps(self._job(order), indent=1))
        return [order.program, str(job)]

    def read(self, order: Order) -> Reported:
        """Read the result that the engine wrote."""
        path = _result_folder(order) / "result.json"
        if not path.exists():
            raise NotUnderstoodError("the engine wrote no result")
        result = json.loads(path.read_text())
        (target,) = result["targets"]
        counts, response = target["counts"], target["latency_us"]["response"]
        return Reported(
            requests=counts["succeeded"],
            errors=counts["failed"],
            seconds=target["window"]["duration_s"],
            mean_us=response["mean"],
            p50_us=response["p50"],
            p99_us=response["p99"],
            unsent=counts["never_sent"] + counts["dropped"],
        )

    def _job(self, order: Order) -> dict[str, Any]:
        case = order.case
        pacer: dict[str, Any] = {"kind": "closed", "clients": case.clients}
        if case.rate_per_s:
            pacer = {"kind": "constant", "rate_per_s": case.rate_per_s}
        stop = {"transactions": order.requests} if order.requests else {"seconds": order.seconds}
        encrypted = case.protocol in {"tls", "http3"}
        return {
            "format": "wirelab-job/2",
            "targets": [
                {
                    "name": case.id,
                    "transport": TRANSPORTS.get(case.protocol, case.protocol),
                    "address": f"127.0.0.1:{order.port}",
                    "tls": TLS if encrypted else None,
                    "connections": {
                        "count": case.connections,
                        "streams_per_connection": case.streams,
                    },
                    "pacer": pacer,
                    "wait": self.wait,
                    "requests": [_request(case)],
                    "transactions": [{"operation": case.id, "rounds": [[0]]}],
                }
            ],
            # As the laboratory runs it on a CPU of its own, where a schedule is to be kept.
            "real_time": case.rate_per_s is not None,
            "stop": stop,
            "cpus": [order.cpu],
            "output": str(_result_folder(order)),
            "samples": True,
        }


def _request(case: Case) -> dict[str, Any]:
    match case.protocol:
        case "grpc":
            message = grpc_message(case.body)
            sent = {"method": "POST", "path": f"/{CALL}", "body": b64encode(message).decode()}
            return {**sent, "expect": {"status": 0, "body_xxh3": xxh3_64_hexdigest(message)}}
        case "websocket":
            message = body_bytes(case.body)
            sent = {"body": b64encode(message).decode()}
            return {**sent, "expect": {"body_xxh3": xxh3_64_hexdigest(message)}}
        case _:
            expected = {"status": 200, "body_xxh3": xxh3_64_hexdigest(body_bytes(case.body))}
            return {"method": "GET", "path": f"/{case.body}", "expect": expected}


def _result_folder(order: Order) -> Path:
    return order.folder / "result"
