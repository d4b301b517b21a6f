"""The engine's job, as it follows from a study and its design."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from wirelab.engine.job import Constant, Endpoint, Precision, Role, Stop, Stream, Target, Transport
from wirelab.experiment.blocks.jobs import engine_job, engine_target, stop_of
from wirelab.lab.processes.cpu import CpuPlan
from wirelab.protocol import Expectation, WireRequest
from wirelab.study import ClosedLoad, Load, OpenLoad, Window
from wirelab.verify import Plan, PlannedRequest


def planned(path: str) -> PlannedRequest:
    return PlannedRequest(WireRequest(method="GET", path=path), Expectation(status=200))


def target_of(load: Load, transport: Transport = "http1") -> Target:
    plans = [
        Plan("fetch", "fetch", 0, rounds=((planned("/a"), planned("/b")), (planned("/c"),))),
        Plan("fetch", "fetch", 1, rounds=((planned("/d"),),)),
    ]
    endpoint = Endpoint(transport=transport, address="127.0.0.1:1", path="/api")
    return engine_target(
        "fetch-1-rest",
        plans,
        endpoint,
        load=load,
        seed=7,
        request_timeout_s=4.0,
        roles={"contender": 12, "store": 13},
    )


CLIENTS = ClosedLoad(kind="closed", title="two", clients=2, think_time_us=10)


def stream_of(request: WireRequest) -> Stream | None:
    plan = Plan("fetch", "fetch", 0, rounds=((PlannedRequest(request, Expectation(status=0)),),))
    endpoint = Endpoint(transport="grpc", address="127.0.0.1:1")
    return engine_target("a", [plan], endpoint, load=CLIENTS, seed=7).requests[0].stream


def test_streams_of_either_side_are_streams_to_the_engine() -> None:
    one = WireRequest("POST", "/any.Any/Ask")

    assert stream_of(one) is None
    assert stream_of(replace(one, stream=True)) == Stream()
    assert stream_of(replace(one, send=7)) == Stream(send=7)
    both = replace(one, stream=True, send=7, in_turn=True)
    assert stream_of(both) == Stream(send=7, in_turn=True)


def test_a_target_sends_the_plans_in_their_order() -> None:
    target = target_of(CLIENTS)

    assert (target.name, target.address, target.path) == ("fetch-1-rest", "127.0.0.1:1", "/api")
    assert [request.path for request in target.requests] == ["/a", "/b", "/c", "/d"]
    assert [each.rounds for each in target.transactions] == [((0, 1), (2,)), ((3,),)]
    assert {request.expect.status for request in target.requests} == {200}
    assert target.roles == {"contender": Role(pid=12), "store": Role(pid=13)}


def test_clients_have_a_connection_each_and_the_time_out_of_the_study() -> None:
    target = target_of(CLIENTS)

    assert (target.connections.count, target.connections.request_timeout_ms) == (2, 4000)
    assert target.pacer.model_dump() == {"kind": "closed", "clients": 2, "think_time_us": 10}


@pytest.mark.parametrize(
    ("transport", "connections", "streams"), [("grpc", 1, 10), ("grpc", 3, 4), ("http1", 3, 1)]
)
def test_clients_may_share_connections_if_the_transport_has_streams(
    transport: Transport, connections: int, streams: int
) -> None:
    load = ClosedLoad(kind="closed", title="ten", clients=10, connections=connections)

    target = target_of(load, transport)

    assert target.connections.count == connections
    assert target.connections.streams_per_connection == streams


@pytest.mark.parametrize(("connections", "reuse"), [(11, True), (2, False)])
def test_sharing_connections_without_streams_is_refused(connections: int, reuse: bool) -> None:
    with pytest.raises(ValidationError, match="connections"):
        ClosedLoad(
            kind="closed", title="ten", clients=10, connections=connections, reuse_connections=reuse
        )


def test_an_open_load_must_have_its_rate() -> None:
    load = OpenLoad(kind="constant", title="half", share_of_capacity=0.5, connections=4)

    with pytest.raises(ValueError, match="rate"):
        target_of(load)
    given = load.model_copy(update={"rate_per_s": 100.0, "share_of_capacity": None})
    assert target_of(given).pacer == Constant(rate_per_s=100.0)


def test_a_job_is_driven_by_commands() -> None:
    job = engine_job([target_of(CLIENTS)], Path("out"), CpuPlan(engine=(1,), system=(0,)))

    assert job.control
    assert (job.cpus, job.output) == ((1,), Path("out"))
    assert job.real_time  # its CPU is one that nothing under test needs
    one_cpu = CpuPlan(engine=(0,), system=(0,), warning="there is one CPU for both")
    assert not engine_job([target_of(CLIENTS)], Path("out"), one_cpu).real_time


@pytest.mark.parametrize(
    ("window", "stop"),
    [
        ({"seconds": 5}, Stop(seconds=5)),
        ({"repetitions": 3}, Stop(transactions=6)),
        (
            {"seconds": 60, "precision": {"of": "p99", "half_width": 0.05}},
            Stop(seconds=60, precision=Precision(of="p99", half_width=0.05)),
        ),
        (
            {"seconds": 60, "transactions": 10, "precision": {"half_width": 0.02}},
            Stop(seconds=60, transactions=10, precision=Precision(half_width=0.02)),
        ),
    ],
)
def test_a_window_ends_as_the_design_declares(window: dict[str, object], stop: Stop) -> None:
    assert stop_of(Window.model_validate(window), parameter_sets=2) == stop


@pytest.mark.parametrize(
    "window",
    [
        {"transactions": 10, "precision": {"half_width": 0.02}},
        {"seconds": 5, "precision": {}},
        {"seconds": 5, "precision": {"of": "p42", "half_width": 0.02}},
        {"seconds": 5, "precision": {"half_width": 2}},
    ],
)
def test_an_impossible_precision_is_refused(window: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"seconds|half_width|of"):
        Window.model_validate(window)
