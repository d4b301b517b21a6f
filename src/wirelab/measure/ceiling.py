"""Measure the engine's ceilings: each transport against a null server, round by round."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wirelab.engine.errors import EngineError
from wirelab.engine.job import (
    Closed,
    Connections,
    Expect,
    Job,
    JobWarmUp,
    Request,
    Stop,
    Stream,
    Target,
    Tls,
    TransactionRounds,
    Transport,
)
from wirelab.engine.result import TargetResult
from wirelab.installation.programs import find_program
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.lab.processes.process import start_guarded
from wirelab.measure.driver import run_engine
from wirelab.measure.qualification import Ceiling
from wirelab.terminal.words import plural

BYTES = 64
"""Length of every answer, or of each item of it."""
ITEMS = 1_000
"""Items of a stream that the server pushes: enough that the request itself hardly counts."""
ITEMS_IN_TURN = 20
"""Items of a stream in which each item must be requested, at the cost of a round trip each."""
WARM_UP_S = 0.3


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement. `server` is the null server's protocol; clients = connections x streams."""

    name: str
    transport: Transport
    server: str
    connections: int = 64
    streams: int = 1
    items: int = 1
    in_turn: bool = False
    tls: bool = False

    @property
    def stream(self) -> Stream | None:
        """The stream that a request asks for, if its answer is a stream."""
        if self.items == 1:
            return None
        return Stream(
            send=self.items if self.in_turn else 1,
            in_turn=self.in_turn,
            until_items=self.items if self.transport == "websocket" else None,
        )


CASES = (
    Case("HTTP/1.1", "http1", "http"),
    Case("HTTP/2", "http2", "http"),
    Case("HTTP/2, multiplexed", "http2", "http", connections=1, streams=64),
    Case("gRPC", "grpc", "grpc"),
    Case("gRPC, multiplexed", "grpc", "grpc", connections=1, streams=64),
    Case("WebSocket", "websocket", "ws"),
    Case("HTTP/1.1 over TLS", "http1", "http", tls=True),
    Case("HTTP/2 over TLS", "http2", "http", tls=True),
    Case("gRPC over TLS", "grpc", "grpc", tls=True),
    Case("WebSocket over TLS", "websocket", "ws", tls=True),
    Case("HTTP/3", "http3", "http3", tls=True),
    Case("HTTP/3, multiplexed", "http3", "http3", connections=1, streams=64, tls=True),
    Case("HTTP/1.1, events", "http1", "sse", items=ITEMS),
    Case("HTTP/2, events", "http2", "sse", items=ITEMS),
    Case("gRPC, stream", "grpc", "grpc", items=ITEMS),
    Case("gRPC, in turn", "grpc", "grpc", items=ITEMS_IN_TURN, in_turn=True),
    Case(
        "gRPC, in turn, multiplexed",
        "grpc",
        "grpc",
        connections=1,
        streams=64,
        items=ITEMS_IN_TURN,
        in_turn=True,
    ),
    Case("WebSocket, stream", "websocket", "ws", items=ITEMS),
)


def measure_ceilings(
    plan: CpuPlan,
    *,
    seconds: float,
    rounds: int,
    folder: Path,
    begin: Callable[[Case], None],
    observe: Callable[[Case, TargetResult], None],
    cases: Sequence[Case] = CASES,
) -> tuple[Ceiling, ...]:
    """Measure every case `rounds` times, for `seconds` each, reversing the order every round.

    This way, a temporary slowdown of the machine affects all cases. `folder` receives jobs and
    logs. `begin` is called before every measurement, `observe` after it. Raises `LabError` or
    `EngineError`.
    """
    results: dict[Case, list[TargetResult]] = {case: [] for case in cases}
    for number in range(rounds):
        for case in cases if number % 2 == 0 else reversed(cases):
            begin(case)
            result = _measure(case, plan, seconds, folder)
            results[case].append(result)
            observe(case, result)
    return tuple(_ceiling(case, each) for case, each in results.items())


def _measure(case: Case, plan: CpuPlan, seconds: float, folder: Path) -> TargetResult:
    expect = Expect(body_length=BYTES)
    options: tuple[str, ...] = ()
    if case.stream is not None:
        expect = Expect(items=case.items)
        options = ("--each",) if case.in_turn else ("--messages", str(case.items))
    with null_server(case.server, plan.system, folder, tls=case.tls, options=options) as server:
        target = Target(
            name="null",
            transport=case.transport,
            address=server.address,
            tls=server.tls,
            connections=Connections(count=case.connections, streams_per_connection=case.streams),
            pacer=Closed(clients=case.connections * case.streams),
            requests=(
                Request(
                    method="POST" if case.transport == "grpc" else "GET",
                    path="/null.Null/Answer",
                    stream=case.stream,
                    expect=expect,
                ),
            ),
            transactions=(TransactionRounds(operation="null", rounds=((0,),)),),
        )
        job = Job(
            targets=(target,),
            warm_up=JobWarmUp(seconds=WARM_UP_S),
            stop=Stop(seconds=seconds),
            cpus=plan.engine,
            real_time=plan.is_disjoint,
            output=folder,
            samples=False,
        )
        result = run_engine(job, folder).only
    if result.counts.failed or not result.counts.transactions:
        raise EngineError(
            f"{case.name}: {result.counts.failed} of"
            f" {plural(result.counts.transactions, 'transaction')} failed against the null server:"
            f" {dict(result.counts.errors)}"
        )
    return result


@dataclass(frozen=True, slots=True)
class NullServer:
    """The server's address and process."""

    address: str
    pid: int | None
    tls: Tls | None = None
    """The client's TLS settings, if the server uses TLS."""


@contextmanager
def null_server(
    protocol: str,
    cpus: Collection[int],
    folder: Path,
    *,
    tls: bool = False,
    options: Sequence[str] = (),
) -> Iterator[NullServer]:
    """Run a null server on these CPUs until the end of the `with` block; log into `folder`.

    `protocol` and `options` are arguments of `wirelab-load null`. Raises `LabError` or
    `EngineError`.
    """
    process = start_guarded(
        [
            *(find_program("wirelab-load"), "null", protocol, "--port", "0"),
            *("--bytes", str(BYTES), *(("--tls",) if tls else ()), *options),
        ],
        role="null server",
        log_path=folder / "null.log",
        cpus=cpus,
        piped=True,
    )
    try:
        line = process.stdout.readline().decode().strip()
        _, found, address = line.partition("://")
        if not found:
            raise EngineError(f"the null server did not start: {process.log_tail() or line}")
        trusted = None
        if tls:
            _, _, certificate = process.stdout.readline().decode().strip().partition(" ")
            trusted = Tls(ca=Path(certificate))
        yield NullServer(address.rstrip("/"), process.root_pid, trusted)
    finally:
        process.stop()
        process.stdin.close()
        process.stdout.close()


def _ceiling(case: Case, results: Sequence[TargetResult]) -> Ceiling:
    fastest = max(results, key=lambda result: result.throughput_per_s)
    return Ceiling(
        name=case.name,
        transport=case.transport,
        tls=case.tls,
        connections=case.connections,
        streams_per_connection=case.streams,
        items_per_transaction=case.items,
        in_turn=case.in_turn,
        transactions_per_s=fastest.throughput_per_s,
        engine_cpu_us_per_transaction=median(r.engine.cpu_us_per_transaction for r in results),
        engine_busy_share=fastest.engine.busy_share,
        latency_p50_us=median(result.latency_us.service.p50 for result in results),
        little_closure=median(result.little_closure for result in results),
        rounds=len(results),
    )
