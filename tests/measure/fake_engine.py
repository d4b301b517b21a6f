"""An engine that speaks the protocol of events and misbehaves as the operation's name says."""

import json
import sys
import time
from pathlib import Path
from typing import Any

SUMMARY = dict.fromkeys(
    ["count", "mean", "sd", "min", "p50", "p90", "p95", "p99", "p999", "max"], 1
)
RESULT: dict[str, Any] = {
    "format": "wirelab-result/1",
    "interrupted": False,
    "engine": {
        "version": "0",
        "cpus": [],
        "cpu_user_us": 1,
        "cpu_system_us": 1,
        "busy_share": 0.5,
        "cpu_us_per_transaction": 0.2,
        "memory_peak_bytes": 1,
        "clock": "tsc",
    },
    "window": {"started_unix_ns": 1, "ended_unix_ns": 2, "duration_s": 0.5},
    "counts": {
        "transactions": 10,
        "succeeded": 10,
        "failed": 0,
        "errors": {},
        "late": 0,
        "dropped": 0,
        "never_sent": 0,
    },
    "throughput_per_s": 20,
    "offered_rate_per_s": None,
    "little_closure": 1.0,
    "latency_us": {
        "response": SUMMARY,
        "service": SUMMARY,
        "first_byte": SUMMARY,
        "connect": None,
        "lag": SUMMARY,
    },
    "histograms": {"response": "", "service": ""},
    "series": [],
    "bytes": {
        "window": {"sent": 5, "received": 6, "payload_sent": 1, "payload_received": 2},
        "lifetime": {
            "connections": 1,
            "sent": 50,
            "received": 60,
            "segments_out": 7,
            "segments_in": 6,
            "retransmitted": 0,
        },
    },
    "mismatches": [],
}


def say(event: str, **more: object) -> None:
    print(json.dumps({"event": event, **more}), flush=True)


def main() -> int:
    job = json.loads(Path(sys.argv[1]).read_text())
    behaviour = job["transactions"][0]["operation"]
    if behaviour == "reject":
        print("error: job.json: stop: without any condition", file=sys.stderr)
        print("error: job.json: target.transport: nonsense", file=sys.stderr)
        return 2
    if behaviour == "unreachable":
        print("error: 127.0.0.1:1: connection refused", file=sys.stderr)
        return 3
    say("connected")
    if behaviour == "hang_in_warm_up":
        time.sleep(300)
    if job["handshake"]:
        say("warm")
        if sys.stdin.readline() != "go\n":
            return 1
    say("window_start", unix_ns=1)
    if behaviour == "die":
        print("out of descriptors", file=sys.stderr)
        return 1
    if behaviour == "hang_in_window":
        time.sleep(300)
    if behaviour == "babble":
        print("Segmentation fault", flush=True)
    for seconds in range(30 if behaviour == "go_on" else 2):
        time.sleep(0.1)
        say("progress", transactions=5, errors=0, seconds=seconds / 10)
    say("window_end", unix_ns=2)
    result = dict(RESULT)
    if behaviour == "fail":
        result["counts"] = {
            **RESULT["counts"],
            "succeeded": 9,
            "failed": 1,
            "errors": {"status": 1},
        }
    first = job["output"].endswith("-1")
    if behaviour == "retransmit" or (behaviour == "retransmit_once" and first):
        life = {**RESULT["bytes"]["lifetime"], "retransmitted": 2}
        result["bytes"] = {**RESULT["bytes"], "lifetime": life}
    if behaviour == "half_a_result":
        del result["counts"]
    path = Path(job["output"]) / "result.json"
    path.write_text(json.dumps(result))
    say("result", path=str(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
