"""What an engine would say of a synthetic session: rows of slices, samples, a result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from wirelab.engine import events, result
from wirelab.planning.schedule import Run

from .circumstances import Circumstances
from .models import Model

CPUS = 2
SHARE_RECORDED = 0.9
"""The rest of a slice's transactions belong to its guard."""
SENT_BYTES = 180
FIRST_BYTE = 0.93
"""After this part of a response time."""
STARTED_UNIX_NS = 1_790_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Target:
    """One run of a session, and how its contender behaves."""

    run: Run
    model: Model
    size: int
    """The workload's place in the model's figures."""
    clients: int
    offered_rate_per_s: float | None
    busy_share: float
    cpu_noise: float
    """What its CPU time is multiplied with."""

    @property
    def received_bytes(self) -> int:
        """What comes back for a request."""
        return self.model.payload[self.size] + self.model.overhead


@dataclass(frozen=True, slots=True)
class Measurements:
    """The recorded slices of a session.

    `latency_us` has a layer for each permutation, a row for each target and a column for each
    request; `order` lists the targets of a permutation as they had their turns.
    """

    targets: Sequence[Target]
    latency_us: NDArray[np.float64]
    order: NDArray[np.int64]
    stolen: NDArray[np.float64]
    """The share that the host took, by permutation."""
    guard_us: int
    drain_us: int

    def rows(self) -> list[events.SliceRow]:
        """Return a row for each slice, in the order of turns."""
        requests = self.latency_us.shape[2]
        means, sums = self.latency_us.mean(axis=2), self.latency_us.sum(axis=2)
        quantiles = (0.5, 0.9, 0.99, 0.0, 1.0)
        reached = np.quantile(self.latency_us, quantiles, axis=2, method="inverted_cdf")
        rows: list[events.SliceRow] = []
        clock_ns = 1_000_000
        for permutation, targets in enumerate(self.order):
            for index in targets:
                target = self.targets[index]
                median_us, p90_us, p99_us, min_us, max_us = reached[:, permutation, index].tolist()
                total_us = float(sums[permutation, index])
                recorded_ns = round(1000 * total_us / target.clients)
                started_ns = clock_ns + 1000 * self.guard_us
                clock_ns = started_ns + recorded_ns + 1000 * self.drain_us
                whole_us = (clock_ns - started_ns) / 1000 + self.guard_us
                rows.append(
                    events.SliceRow(
                        number=len(rows),
                        target=int(index),
                        recorded=True,
                        first=0,
                        started_ns=started_ns,
                        ended_ns=started_ns + recorded_ns,
                        guard_ns=1000 * self.guard_us,
                        drain_ns=1000 * self.drain_us,
                        transactions=requests,
                        failed=0,
                        errors={},
                        late=0,
                        never_sent=0,
                        dropped=0,
                        mean_us=float(means[permutation, index]),
                        median_us=median_us,
                        p90_us=p90_us,
                        p99_us=p99_us,
                        min_us=min_us,
                        max_us=max_us,
                        first_byte_mean_us=FIRST_BYTE * float(means[permutation, index]),
                        bytes_sent=SENT_BYTES * requests,
                        bytes_received=target.received_bytes * requests,
                        engine_cpu_us=_engine_us(target) * requests / SHARE_RECORDED,
                        cpu_us={
                            role: share * total_us * target.cpu_noise / SHARE_RECORDED
                            for role, share in (
                                ("contender", 0.62),
                                ("store", 0.11 if target.size else 0.0),
                            )
                        },
                        share_recorded=SHARE_RECORDED,
                        clock_gap_us=float(self.stolen[permutation]) * whole_us,
                        steal_us=(float(self.stolen[permutation]) * whole_us,) * CPUS,
                    )
                )
        return rows

    def samples(self, rows: Sequence[events.SliceRow]) -> pd.DataFrame:
        """Return one row per request, as samples.parquet has it."""
        places = np.repeat(np.arange(len(self.order)), len(self.targets))
        latency_ns = 1000 * self.latency_us[places, self.order.ravel()]
        requests = latency_ns.shape[1]

        def of_slices(values: Iterable[Any]) -> NDArray[Any]:
            return np.repeat(np.array(list(values)), requests)

        targets = [self.targets[row.target] for row in rows]
        clients = np.array([[target.clients] for target in targets])
        since = (np.cumsum(latency_ns, axis=1) - latency_ns) / clients
        starts = of_slices(row.started_ns for row in rows) + since.ravel()
        took = latency_ns.ravel()
        frame = pd.DataFrame(
            {
                "target": of_slices(target.run.id for target in targets),
                "slice": of_slices(row.number for row in rows),
                "operation": of_slices(target.run.cell.workload for target in targets),
                "parameter_set": np.uint32(0),
                "client": (np.arange(requests) % clients).ravel(),
                "start_ns": starts.astype(np.int64),
                "first_byte_ns": (starts + FIRST_BYTE * took).astype(np.int64),
                "end_ns": (starts + took).astype(np.int64),
                "bytes_sent": np.uint32(SENT_BYTES),
                "bytes_received": of_slices(target.received_bytes for target in targets),
                "payload_bytes": of_slices(t.model.payload[t.size] for t in targets),
                "status": np.uint16(200),
                "error": "",
            }
        )
        return frame.assign(intended_ns=frame["start_ns"])

    def engine_result(self, rows: Sequence[events.SliceRow]) -> result.EngineResult:
        """Return what the engine writes at the end."""
        return result.EngineResult(
            format="wirelab-result/2",
            interrupted=False,
            engine=result.EngineUse(
                version="0.1.0",
                cpus=(1,),
                clock="tsc",
                memory_peak_bytes=9_000_000,
                cpu_user_us=0.4 * sum(row.engine_cpu_us for row in rows),
                cpu_system_us=0.6 * sum(row.engine_cpu_us for row in rows),
            ),
            targets=tuple(
                self._target(index, [row for row in rows if row.target == index])
                for index in range(len(self.targets))
            ),
            slices=tuple(rows),
        )

    def _target(self, index: int, rows: Sequence[events.SliceRow]) -> result.TargetResult:
        target = self.targets[index]
        latency_us = self.latency_us[:, index].ravel()
        count = len(latency_us)
        duration_s = sum(row.ended_ns - row.started_ns for row in rows) / 1e9
        summary, histogram = _summary(latency_us), _histogram(latency_us)
        payload = target.model.payload[target.size]
        return result.TargetResult(
            name=target.run.id,
            window=result.MeasuredWindow(
                started_unix_ns=STARTED_UNIX_NS + rows[0].started_ns,
                ended_unix_ns=STARTED_UNIX_NS + rows[-1].ended_ns,
                duration_s=duration_s,
            ),
            engine=result.TargetUse(
                cpu_us_per_transaction=_engine_us(target), busy_share=target.busy_share
            ),
            idle_cpu_share={},
            counts=result.Counts(
                transactions=count,
                succeeded=count,
                failed=0,
                errors={},
                late=0,
                dropped=0,
                never_sent=0,
            ),
            throughput_per_s=count / duration_s,
            offered_rate_per_s=target.offered_rate_per_s,
            little_closure=0.998,
            latency_us=result.Latencies(
                response=summary,
                service=summary,
                first_byte=_summary(FIRST_BYTE * latency_us),
                connect=_summary(np.array([130.0])),
                lag=_summary(np.zeros(count)),
            ),
            histograms=result.Histograms(response=histogram, service=histogram),
            series=_series(latency_us, target.clients) if len(rows) == 1 else (),
            bytes=result.Bytes(
                window=result.WindowBytes(
                    sent=SENT_BYTES * count,
                    received=target.received_bytes * count,
                    payload_sent=90 * count,
                    payload_received=(payload - 90) * count,
                ),
                lifetime=result.LifetimeBytes(
                    connections=1,
                    sent=SENT_BYTES * count + 300,
                    received=target.received_bytes * count + 340,
                    segments_out=2 * count,
                    segments_in=2 * count,
                    retransmitted=0,
                ),
            ),
            mismatches=(),
        )


def measure(
    targets: Sequence[Target],
    typical_us: Sequence[float],
    *,
    permutations: int,
    requests: int,
    separate: bool,
    happens: Circumstances,
    random: np.random.Generator,
) -> Measurements:
    """Draw the times of a session around what is typical of each target."""
    shape = (permutations, len(targets))
    contenders = [target.run.cell.contender for target in targets]
    order = random.permuted(np.tile(np.arange(len(targets)), (permutations, 1)), axis=1)
    hit = random.random(permutations) < happens.stolen_permutations
    logs = (
        np.log(typical_us)
        + random.normal(0, happens.permutation_noise, permutations)[:, np.newaxis]
        + random.normal(0, happens.slice_noise, shape)
        - np.outer(hit, np.full(len(targets), np.log1p(-happens.stolen_share)))
        + np.outer(hit, [happens.hit_harder.get(name, 0.0) for name in contenders])
    )
    turns = order.ravel()
    for before, index, permutation in zip(
        turns, turns[1:], np.arange(1, turns.size) // len(targets), strict=False
    ):
        logs[permutation, index] += happens.carry_over.get(contenders[before], 0.0)
    latency_us = np.exp(logs)[:, :, np.newaxis] * random.lognormal(-0.02, 0.13, (*shape, requests))
    slow = random.random(latency_us.shape) < 0.012
    latency_us[slow] *= random.uniform(1.8, 5.5, int(slow.sum()))
    tails = np.array([happens.tails.get(name, 0.0) for name in contenders])
    latency_us[random.random(latency_us.shape) < tails[np.newaxis, :, np.newaxis]] *= 20.0
    return Measurements(
        targets,
        latency_us,
        order,
        stolen=np.where(hit, happens.stolen_share, 0.001),
        guard_us=0 if separate else 5_000,
        drain_us=1_000,
    )


def _engine_us(target: Target) -> float:
    return 14.0 + target.model.payload[target.size] / 9000


def _summary(values_us: NDArray[np.float64]) -> result.DurationSummary:
    quantiles = np.quantile(values_us, [0.5, 0.9, 0.95, 0.99, 0.999], method="inverted_cdf")
    p50, p90, p95, p99, p999 = quantiles.tolist()
    return result.DurationSummary(
        count=len(values_us),
        mean=float(values_us.mean()),
        sd=float(values_us.std(ddof=1)) if len(values_us) > 1 else 0.0,
        min=float(values_us.min()),
        p50=p50,
        p90=p90,
        p95=p95,
        p99=p99,
        p999=p999,
        max=float(values_us.max()),
    )


def _histogram(latency_us: NDArray[np.float64]) -> str:
    histogram = HdrHistogram(1000, 60_000_000_000, 3)
    # To the histogram's own precision: so there are fewer values than requests.
    steps, counts = np.unique(np.round(1000 * np.log(latency_us)), return_counts=True)
    for value_us, count in zip(np.exp(steps / 1000).tolist(), counts.tolist(), strict=True):
        histogram.record_value(int(1000 * value_us), count)
    encoded: str = histogram.encode().decode()
    return encoded


def _series(latency_us: NDArray[np.float64], clients: int) -> tuple[result.Second, ...]:
    seconds = np.floor(np.cumsum(latency_us) / 1e6 / clients).astype(int)
    found = []
    for second in range(int(seconds[-1]) + 1):
        inside = latency_us[seconds == second]
        if inside.size:
            p99_us = float(np.quantile(inside, 0.99))
            found.append(
                result.Second(
                    second=second,
                    transactions=inside.size,
                    errors=0,
                    service_p50_us=float(np.median(inside)),
                    service_p99_us=p99_us,
                    response_p99_us=p99_us,
                )
            )
    return tuple(found)
