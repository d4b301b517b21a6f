"""What the engine can do at most: measured, kept, found again, and noticed when it is stale."""

import functools
import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.measure.fake_engine import TARGET
from tests.support.jobs import one_target
from tests.support.wording import assert_worded
from wirelab.cli import app
from wirelab.engine.job import Closed, Connections, Endpoint, Request, Stream, TransactionRounds
from wirelab.engine.result import TargetResult
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.measure.ceiling import CASES, Case, measure_ceilings
from wirelab.measure.qualification import (
    Ceiling,
    CeilingSetting,
    Qualification,
    load_qualification,
    save_qualification,
)

SETTING = CeilingSetting(
    cpu="EPYC",
    logical_cpus=2,
    kernel="6.1",
    engine_cpus=(1,),
    system_cpus=(0,),
    engine_version="0.1.0",
    engine_sha256="a" * 64,
)


def ceiling(
    transport: str, streams: int = 1, busy: float = 1.0, items: int = 1, *, in_turn: bool = False
) -> Ceiling:
    return Ceiling(
        name=transport,
        transport=transport,
        connections=64,
        streams_per_connection=streams,
        items_per_transaction=items,
        in_turn=in_turn,
        transactions_per_s=100_000.0,
        engine_cpu_us_per_transaction=10.0 * busy,
        engine_busy_share=busy,
        latency_p50_us=500.0,
        little_closure=1.0,
        rounds=3,
    )


def qualification(*ceilings: Ceiling) -> Qualification:
    return Qualification(measured_utc="2026-01-01", setting=SETTING, ceilings=ceilings)


def test_a_stored_qualification_is_found(tmp_path: Path) -> None:
    written = qualification(ceiling("http1"))

    save_qualification(written, tmp_path)

    assert load_qualification(SETTING, tmp_path) == (written, "")


def test_a_machine_that_was_never_qualified(tmp_path: Path) -> None:
    found, reason = load_qualification(SETTING, tmp_path)

    assert found is None
    assert "not qualified" in reason
    assert "wirelab qualify" in reason


@pytest.mark.parametrize(
    "change", [{"kernel": "6.2"}, {"engine_cpus": (2, 3)}, {"engine_sha256": "b" * 64}]
)
def test_a_stale_qualification_is_noticed(tmp_path: Path, change: dict[str, object]) -> None:
    save_qualification(qualification(ceiling("http1")), tmp_path)

    found, reason = load_qualification(SETTING.model_copy(update=change), tmp_path)

    assert found is None
    assert_worded(reason)


def test_a_truncated_file_is_no_qualification(tmp_path: Path) -> None:
    path = save_qualification(qualification(ceiling("http1")), tmp_path)
    path.write_text(path.read_text()[:50])

    found, reason = load_qualification(SETTING, tmp_path)

    assert found is None
    assert "cannot read" in reason


def test_a_qualification_without_streams_is_stale_but_readable_in_bundles(tmp_path: Path) -> None:
    old = qualification(ceiling("http1")).model_dump(mode="json")
    old["format"] = "wirelab-qualification/1"
    for each in old["ceilings"]:
        del each["items_per_transaction"], each["in_turn"]
    read = Qualification.model_validate(old)
    save_qualification(read, tmp_path)

    found, reason = load_qualification(SETTING, tmp_path)

    assert read.ceilings == (ceiling("http1"),)
    assert found is None
    assert "without streams" in reason
    assert "wirelab qualify" in reason


def test_a_run_is_compared_with_the_ceiling_of_its_transport(tmp_path: Path) -> None:
    known = qualification(ceiling("http1"), ceiling("grpc", busy=0.5), ceiling("grpc", 64))
    (target,) = one_target(
        Endpoint(transport="grpc", address="127.0.0.1:1"),
        tmp_path,
        connections=Connections(count=8),
        pacer=Closed(clients=8),
        transactions=(
            TransactionRounds(operation="one", rounds=((0,),)),
            TransactionRounds(operation="three", rounds=((0, 0), (0,))),
        ),
    ).targets
    result = TargetResult.model_validate(TARGET | {"throughput_per_s": 50_000.0})

    # Two requests a transaction in the mean; half busy at 100,000/s, the engine could do 200,000.
    assert known.share_reached(target, result) == pytest.approx(0.5)
    websocket = target.model_copy(update={"transport": "websocket"})
    assert known.share_reached(websocket, result) is None


@pytest.mark.parametrize(
    ("stream", "streams", "share"),
    [
        # 50,000 requests/s of 100,000, and with them items: 1,050,000/s there and back of 10
        # million, 1,000,000/s in turn of 2 million, or of 4 million over fewer connections.
        (Stream(), 1, 0.5 + 0.105),
        (Stream(), 64, 0.25 + 0.105),
        (Stream(in_turn=True, send=20), 1, 0.5 + 0.5),
        (Stream(in_turn=True, send=20), 64, 0.25 + 0.25),
    ],
)
def test_a_run_of_streams_is_compared_with_the_ceiling_of_its_items(
    tmp_path: Path, stream: Stream, streams: int, share: float
) -> None:
    known = qualification(
        ceiling("grpc"),
        ceiling("grpc", 64, busy=0.5),
        ceiling("grpc", items=100),
        ceiling("grpc", items=20, in_turn=True),
        ceiling("grpc", 64, busy=0.5, items=20, in_turn=True),
    )
    (target,) = one_target(
        Endpoint(transport="grpc", address="127.0.0.1:1"),
        tmp_path,
        connections=Connections(count=8, streams_per_connection=streams),
        requests=[Request(stream=stream)],
    ).targets
    items = {
        "received": 1_000_000,
        "sent": 50_000,
        "received_per_s": 1_000_000.0,
        "sent_per_s": 50_000.0,
        "first_us": TARGET["latency_us"]["service"],
        "gap_us": TARGET["latency_us"]["service"],
        "stalls": 0,
        "last_us": TARGET["latency_us"]["service"],
    }
    result = TargetResult.model_validate(TARGET | {"throughput_per_s": 50_000.0, "items": items})

    assert known.share_reached(target, result) == pytest.approx(share)
    unary = qualification(*(each for each in known.ceilings if not each.is_stream))
    assert unary.share_reached(target, result) is None


def test_every_transport_is_qualified_against_its_null_server(tmp_path: Path) -> None:
    begun: list[Case] = []
    seen: list[Case] = []
    plan = plan_cpus()

    ceilings = measure_ceilings(
        plan,
        seconds=0.2,
        rounds=1,
        folder=tmp_path,
        begin=begun.append,
        observe=lambda case, _: seen.append(case),
    )

    assert tuple(seen) == tuple(begun) == CASES
    for each in ceilings:
        # As few as remain if the host stalls for most of such a short window.
        assert each.items_per_s > 100, each.name
        assert 0 < each.engine_cpu_us_per_item < 1_000
        assert each.items_ceiling_per_s >= each.items_per_s
        assert each.little_closure == pytest.approx(1.0, abs=0.03)


def test_the_command_measures_and_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "WIRELAB_CACHE", str(tmp_path))
    cases = [case for case in CASES if case.transport in {"http1", "websocket"}]
    some = functools.partial(measure_ceilings, cases=cases)
    monkeypatch.setattr("wirelab.commands.machine.qualify.measure_ceilings", some)

    done = CliRunner().invoke(app, ["qualify", "--seconds", "0.2", "--rounds", "1", "--json"])

    assert done.exit_code == 0, done.output
    plan = plan_cpus()
    found, reason = load_qualification(CeilingSetting.read(read_host(plan), plan))
    assert reason == ""
    assert found == Qualification.model_validate(json.loads(done.stdout))
    assert {each.transport for each in found.ceilings} == {case.transport for case in cases}


def test_a_stored_qualification_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "WIRELAB_CACHE", str(tmp_path))
    path = save_qualification(qualification())

    removed = CliRunner().invoke(app, ["qualify", "--forget", "--json"])
    again = CliRunner().invoke(app, ["qualify", "--forget", "--json"])

    assert json.loads(removed.stdout) == {"path": str(path), "removed": True}
    assert json.loads(again.stdout) == {"path": str(path), "removed": False}
    assert not path.exists()
