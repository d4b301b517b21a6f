"""An engine that speaks the protocol of events and misbehaves as the operation's name says."""

import json
import sys
import time
from pathlib import Path
from typing import Any

SUMMARY = dict.fromkeys(
    ["count", "mean", "sd", "min", "p50", "p90", "p95", "p99", "p999", "max"], 1
)
LIFETIME = {
    "connections": 1,
    "sent": 50,
    "received": 60,
    "segments_out": 7,
    "segments_in": 6,
    "retransmitted": 0,
}
TARGET: dict[str, Any] = {
    "name": "contender",
    "window": {"started_unix_ns": 1, "ended_unix_ns": 2, "duration_s": 0.5},
    "engine": {"cpu_us_per_transaction": 0.2, "busy_share": 0.5},
    "idle_cpu_share": {},
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
        "lifetime": LIFETIME,
    },
    "mismatches": [],
}
"""What was measured of a target."""
RESULT: dict[str, Any] = {
    "format": "wirelab-result/2",
    "interrupted": False,
    "engine": {
        "version": "0",
        "cpus": [],
        "clock": "tsc",
        "memory_peak_bytes": 1,
        "cpu_user_us": 1,
        "cpu_system_us": 1,
    },
    "slices": [],
}
WARM: dict[str, Any] = {
    "seconds": 0.1,
    "failed": 0,
    "errors": {},
    "status": None,
    "mean_us": 100.0,
    "median_us": 90.0,
    "p99_us": 300.0,
}
SLICE: dict[str, Any] = {
    "first": 0,
    "started_ns": 1,
    "ended_ns": 2,
    "guard_ns": 0,
    "drain_ns": 0,
    "transactions": 10,
    "failed": 0,
    "errors": {},
    "late": 0,
    "never_sent": 0,
    "dropped": 0,
    "mean_us": 100.0,
    "median_us": 90.0,
    "p90_us": 200.0,
    "p99_us": 300.0,
    "min_us": 80.0,
    "max_us": 300.0,
    "first_byte_mean_us": 70.0,
    "bytes_sent": 5,
    "bytes_received": 6,
    "engine_cpu_us": 2.0,
    "cpu_us": {},
    "share_recorded": 1.0,
    "clock_gap_us": 0.0,
    "steal_us": [],
}


def write_event(event: str, **more: object) -> None:
    print(json.dumps({"event": event, **more}), flush=True)


def obey(behaviour: str) -> None:
    """Do what the commands say, until the last one."""
    number = 0
    for line in sys.stdin:
        command = json.loads(line)
        if command["command"] == "finish":
            return
        put_load(behaviour)
        if command["command"] == "warm_up":
            expected = command["transactions"]
            write_event("warm", target=command["target"], transactions=expected, **WARM)
            continue
        for each in command["slices"]:
            recorded = command["recorded"]
            write_event("slice", number=number, target=each["target"], recorded=recorded, **SLICE)
            number += 1
        write_event("idle")


def put_load(behaviour: str) -> None:
    """Report as one does who puts load on a target."""
    if behaviour == "die":
        print("out of descriptors", file=sys.stderr)
        sys.exit(1)
    if behaviour == "hang":
        time.sleep(300)
    if behaviour == "babble":
        print("Segmentation fault", flush=True)
    for moment in range(300 if behaviour == "go_on" else 2):
        time.sleep(0.1)
        write_event("progress", target=0, transactions=5, errors=0, seconds=moment / 10)


def measured(behaviour: str, output: str) -> dict[str, Any]:
    """Return the result; retransmissions are those of every job, or of each first attempt."""
    target = dict(TARGET)
    if behaviour == "fail":
        one = {"succeeded": 9, "failed": 1, "errors": {"status": 1}}
        target["counts"] = TARGET["counts"] | one
    if behaviour == "retransmit" or (behaviour == "retransmit_once" and output.endswith("-1")):
        target["bytes"] = TARGET["bytes"] | {"lifetime": LIFETIME | {"retransmitted": 2}}
    if behaviour == "half_a_result":
        del target["counts"]
    return RESULT | {"targets": [target]}


def main() -> int:
    job = json.loads(Path(sys.argv[1]).read_text())
    behaviour = job["targets"][0]["transactions"][0]["operation"]
    if behaviour == "reject":
        print("error: job.json: stop: has no condition", file=sys.stderr)
        print("error: job.json: targets[0].transport: nonsense", file=sys.stderr)
        return 2
    if behaviour == "never_connect":
        time.sleep(300)
    write_event("connected")
    if job["control"]:
        obey(behaviour)
    else:
        put_load(behaviour)
    if behaviour == "never_finish":
        time.sleep(300)
    path = Path(job["output"]) / "result.json"
    path.write_text(json.dumps(measured(behaviour, job["output"])))
    write_event("result", path=str(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
