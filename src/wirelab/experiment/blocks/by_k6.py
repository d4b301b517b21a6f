"""A window in which k6 sends the requests, after the engine has warmed the server up."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import json_format, message_factory

from wirelab.engine.events import SliceRow
from wirelab.engine.job import Job, Target
from wirelab.engine.result import RESULT, EngineResult
from wirelab.errors import MeasureError
from wirelab.experiment.blocks.slice_table import Turn
from wirelab.experiment.laboratory import Laboratory
from wirelab.measure.k6 import K6Job, K6Window, k6_window
from wirelab.planning.schedule import Run
from wirelab.protocol.grpc import GrpcCodec
from wirelab.protocol.message import WireRequest
from wirelab.study import ClosedLoad, Window
from wirelab.verify import Plan

LONGEST = "1h"
"""How long k6 may take for a number of transactions."""
WRONG = "status"
"""The class of failure of an answer that k6 refuses."""


@dataclass
class ByK6:
    """The window of one run, and what it makes of the engine's result, which has no slices."""

    laboratory: Laboratory
    run: Run
    load: ClosedLoad
    window: Window
    plans: Sequence[Plan]
    folder: Path
    found: K6Window | None = None
    turns: list[Turn] = field(default_factory=list)

    def measure(self, job: Job) -> None:
        """Let k6 send for a window. Raises `MeasureError`."""
        (target,) = job.targets
        started_ns = time.monotonic_ns()
        self.found = k6_window(
            self._job(target), self.folder, cpus=job.cpus, roles=dict(target.roles)
        )
        ended_ns = time.monotonic_ns()
        self.turns.append(Turn(self.run, 1, 1, _row(self.found, started_ns, ended_ns)))

    def amend(self, result: EngineResult) -> EngineResult:
        """Put what k6 measured into the engine's result, and write it."""
        found, target = self.found, result.only
        if found is None:
            return result
        wrong = {WRONG: found.wrong} if found.wrong else {}
        seconds = found.transactions / found.throughput_per_s
        own_us = found.client_cpu_us
        counts = {
            "transactions": found.transactions,
            "succeeded": found.transactions - found.wrong,
            "failed": found.wrong,
            "errors": wrong,
        }
        cycle_us = 1e6 * self.load.clients / found.throughput_per_s
        accounted_us = found.response_us.mean + self.load.think_time_us
        latencies = {"response": found.response_us, "service": found.response_us}
        use = {
            "cpu_us_per_transaction": own_us / max(1, found.transactions),
            "busy_share": min(1.0, own_us / (1e6 * seconds * max(1, len(result.engine.cpus)))),
        }
        amended = target.model_copy(
            update={
                "counts": target.counts.model_copy(update=counts),
                "window": target.window.model_copy(update={"duration_s": seconds}),
                "throughput_per_s": found.throughput_per_s,
                "little_closure": accounted_us / cycle_us,
                "latency_us": target.latency_us.model_copy(update=latencies),
                "engine": target.engine.model_copy(update=use),
            }
        )
        whole = result.model_copy(update={"targets": (amended,)})
        (self.folder / RESULT).write_text(whole.model_dump_json())
        return whole

    def _job(self, target: Target) -> K6Job:
        codec = self.laboratory.codecs.codec(self.run.cell.contender)
        proto = None
        if isinstance(codec, GrpcCodec):
            domain = self.laboratory.codecs.domain_of(self.run.cell.contender)
            proto = domain.folder / domain.interface.files["grpc"]
        if target.transport not in ("http1", "grpc") or target.is_secure:
            raise MeasureError("k6 sends only HTTP/1.1 and gRPC here, in clear text")
        requests = [self._request(each, target.address, codec) for each in self.plans]
        return K6Job(
            address=target.address,
            requests=requests,
            scenario=self._scenario(),
            users=self.load.clients,
            proto=proto,
            think_s=self.load.think_time_us / 1e6,
        )

    def _request(self, plan: Plan, address: str, codec: Any) -> dict[str, Any]:
        """Return a transaction's only request for k6. Raises `MeasureError` if it has several."""
        planned = [each for together in plan.rounds for each in together]
        if len(planned) != 1 or planned[0].request.stream:
            raise MeasureError("k6 sends transactions of one request and one answer only")
        request = planned[0].request
        if isinstance(codec, GrpcCodec):
            return _call(request, codec)
        return {
            "method": request.method,
            "url": f"http://{address}{request.path}",
            "headers": dict(request.headers),
            "body": request.body.decode() if request.body else None,
            "status": planned[0].expectation.status or 200,
        }

    def _scenario(self) -> dict[str, Any]:
        """Return k6's scenario for the window: as many users, and the same end."""
        users, window = self.load.clients, self.window
        count = window.transactions_of(len(self.plans))
        if window.transactions_per_client is not None:
            ends = {"executor": "per-vu-iterations", "iterations": window.transactions_per_client}
            return {**ends, "vus": users, "maxDuration": LONGEST}
        if count is not None:
            ends = {"executor": "shared-iterations", "iterations": max(count, users)}
            return {**ends, "vus": users, "maxDuration": LONGEST}
        return {"executor": "constant-vus", "vus": users, "duration": f"{window.seconds:g}s"}


def _call(request: WireRequest, codec: GrpcCodec) -> dict[str, Any]:
    """Return a call of gRPC with its message as JSON, which k6 encodes."""
    name = request.path.removeprefix("/")
    message = message_factory.GetMessageClass(codec.services.methods[name].input_type)()
    message.ParseFromString(request.body)
    return {"call": name, "message": json_format.MessageToDict(message)}


def _row(found: K6Window, started_ns: int, ended_ns: int) -> SliceRow:
    times = found.response_us
    return SliceRow(
        number=0,
        target=0,
        recorded=True,
        first=0,
        started_ns=started_ns,
        ended_ns=ended_ns,
        guard_ns=0,
        drain_ns=0,
        transactions=found.transactions,
        failed=found.wrong,
        errors={WRONG: found.wrong} if found.wrong else {},
        late=0,
        never_sent=0,
        dropped=0,
        mean_us=times.mean,
        median_us=times.p50,
        p90_us=times.p90,
        p99_us=times.p99,
        min_us=times.min,
        max_us=times.max,
        first_byte_mean_us=None,
        bytes_sent=found.sent,
        bytes_received=found.received,
        engine_cpu_us=found.client_cpu_us,
        cpu_us=found.cpu_us,
        share_recorded=1.0,
        clock_gap_us=0.0,
        steal_us=(),
    )
