"""The job is written exactly as the engine reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.jobs import MakeJob
from wirelab.engine.job import (
    Closed,
    Expect,
    Job,
    Poisson,
    Precision,
    Replay,
    Request,
    Stop,
    Tls,
    TransactionRounds,
)


def test_the_file_is_what_the_engine_reads(make_job: MakeJob, tmp_path: Path) -> None:
    job = make_job(
        "create",
        pacer=Poisson(rate_per_s=100, seed=3),
        requests=[
            Request(
                method="POST",
                path="/games",
                headers=(("content-type", "application/json"),),
                body=b'{"a": "\xc3\xbf\xff>?"}',
                expect=Expect(status=201, body_xxh3="0123456789abcdef"),
            )
        ],
        cpus=[1],
    )
    job.write(tmp_path / "job.json")

    written = json.loads((tmp_path / "job.json").read_text())

    assert written["format"] == "wirelab-job/2"
    (target,) = written["targets"]
    assert target["pacer"] == {"kind": "poisson", "rate_per_s": 100.0, "seed": 3}
    assert target["order"] == {"kind": "cycle"}
    assert target["requests"][0]["headers"] == [["content-type", "application/json"]]
    assert target["requests"][0]["body"] == "eyJhIjogIsO//z4/In0=", "the standard alphabet"
    assert target["transactions"][0] == {
        "operation": "create",
        "parameter_set": 0,
        "rounds": [[0]],
    }
    assert written["output"] == str(tmp_path)
    assert Job.model_validate_json((tmp_path / "job.json").read_bytes()) == job


def test_a_job_must_end(make_job: MakeJob) -> None:
    with pytest.raises(ValidationError, match="transactions, seconds or transactions_per_client"):
        make_job(stop=Stop())
    replayed = make_job(stop=Stop(), pacer=Replay(times_us=(0, 5.5)))
    assert replayed.stop is not None
    assert not replayed.stop.ends


@pytest.mark.parametrize(
    "task",
    [
        {"stop": Stop(seconds=1), "control": True},
        {"stop": Stop(seconds=1), "slices": {"permutations": [[0]], "stop": {"seconds": 1}}},
        {"stop": None},
    ],
)
def test_a_job_defines_its_work_in_exactly_one_way(make_job: MakeJob, task: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="exactly one of stop, slices and control"):
        make_job(**task)


def test_a_job_with_commands_defines_no_work(make_job: MakeJob) -> None:
    driven = make_job(control=True)

    assert json.loads(driven.as_json()).keys().isdisjoint({"warm_up", "stop", "slices"})
    with pytest.raises(ValidationError, match="a command for it"):
        make_job(control=True, warm_up={"transactions": 1})


def test_targets_have_unique_names(make_job: MakeJob) -> None:
    job = make_job().model_dump()

    with pytest.raises(ValidationError, match="names that are unique"):
        Job.model_validate({**job, "targets": [*job["targets"], *job["targets"]]})


def test_permutations_are_of_targets(make_job: MakeJob) -> None:
    for permutations in (((1,),), ((),)):
        with pytest.raises(ValidationError, match="indices into the 1 targets"):
            make_job(slices={"permutations": permutations, "stop": {"seconds": 1}})


def test_a_precision_needs_a_longest_time() -> None:
    with pytest.raises(ValidationError, match="the longest time"):
        Stop(precision=Precision(half_width=0.02))


def test_rounds_point_at_requests(make_job: MakeJob) -> None:
    for rounds in (((1,),), ((-1,),), ((),)):
        with pytest.raises(ValidationError, match="indices into the 1 requests"):
            make_job(transactions=[TransactionRounds(operation="x", rounds=rounds)])


@pytest.mark.parametrize(
    "wrong",
    [
        {"pacer": {"kind": "closed", "clients": 0}},
        {"pacer": {"kind": "constant", "rate_per_s": 0}},
        {"pacer": {"kind": "ramp"}},
        {"pacer": {"kind": "stages", "stages": []}},
        {"pacer": {"kind": "replay", "times_us": [3, 2]}},
        {"pacer": {"kind": "replay", "times_us": []}},
        {"wait": "tock"},
        {"arrival": "network"},
        {"arrival": "kernel", "pacer": {"kind": "closed"}},
        {"connections": {"cuont": 1}},
        {"requests": []},
        {"requests": [{"body": "not base64!"}]},
        {"requests": [{"expect": {"body_xxh3": "12"}}]},
    ],
)
def test_mistakes_are_found_before_the_engine_is_started(
    make_job: MakeJob, wrong: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        make_job(**wrong)


def test_trust_is_in_a_file_or_declared_absent() -> None:
    assert Tls(insecure=True).ca is None
    with pytest.raises(ValidationError, match="not both"):
        Tls(insecure=True, ca=Path("ca.pem"))


def test_a_closed_load_is_the_default(make_job: MakeJob) -> None:
    assert make_job().targets[0].pacer == Closed(clients=1)
