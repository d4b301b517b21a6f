"""k6: scripts in JavaScript; here the shortest that do each case."""

import json
from pathlib import Path
from string import Template

from benches.peers.case import Case
from benches.peers.generator import NotUnderstoodError, Order, Reported
from benches.peers.generators.ghz import PROTO
from benches.peers.material import CALL, body_path, grpc_json_path

SCRIPTS = Path(__file__).parent / "k6_scripts"
TIMES = {"http1": "http_req_duration", "grpc": "grpc_req_duration", "websocket": "round_trip"}
"""The metric that holds the latencies, in milliseconds, by protocol."""


class K6:
    """Its clients are interpreters."""

    name = "k6"
    program = "k6"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case: it keeps one stream on a connection."""
        return case.protocol in TIMES and case.streams == 1 and case.requests is None

    def command(self, order: Order) -> list[str]:
        """Write the script and return the command line."""
        case = order.case
        template = Template((SCRIPTS / f"{case.protocol}.js").read_text())
        sent = grpc_json_path if case.protocol == "grpc" else body_path
        script = order.folder / "script.js"
        script.write_text(
            template.substitute(
                options=json.dumps(_options(order)),
                url=order.url,
                address=f"127.0.0.1:{order.port}",
                message=str(sent(order.material, case.body)),
                seconds=f"{order.seconds:g}",
                proto_folder=str(PROTO.parent),
                proto=PROTO.name,
                call=CALL,
            )
        )
        quiet = ["-q", "--no-thresholds", "--no-usage-report", "--address="]
        return [order.program, "run", *quiet, f"--summary-export={_summary(order)}", str(script)]

    def read(self, order: Order) -> Reported:
        """Read the exported summary."""
        if not _summary(order).exists():
            raise NotUnderstoodError("k6 wrote no summary")
        metrics = json.loads(_summary(order).read_text())["metrics"]
        times, answered = metrics[TIMES[order.case.protocol]], metrics["answered"]
        return Reported(
            requests=answered["passes"],
            errors=answered["fails"],
            seconds=order.seconds,
            mean_us=times["avg"] * 1e3,
            p50_us=times["med"] * 1e3,
            p99_us=times["p(99)"] * 1e3,
            unsent=metrics.get("dropped_iterations", {}).get("count", 0),
        )


def _summary(order: Order) -> Path:
    return order.folder / "summary.json"


def _options(order: Order) -> dict[str, object]:
    case, duration = order.case, f"{order.seconds:g}s"
    scenario: dict[str, object] = {
        "executor": "constant-vus",
        "vus": case.connections,
        "duration": duration,
    }
    if case.rate_per_s:
        scenario = {
            "executor": "constant-arrival-rate",
            "rate": case.rate_per_s,
            "timeUnit": "1s",
            "preAllocatedVUs": case.connections,
            "duration": duration,
        }
    if case.protocol == "websocket":  # every client stays on its connection for the whole time
        scenario = {
            "executor": "per-vu-iterations",
            "vus": case.connections,
            "iterations": 1,
            "maxDuration": f"{order.seconds + 10:g}s",
        }
    scenario["gracefulStop"] = "2s"
    return {
        "scenarios": {"load": scenario},
        "discardResponseBodies": True,
        "summaryTrendStats": ["avg", "med", "p(99)"],
    }
