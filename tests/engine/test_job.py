"""The job is written exactly as the engine reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.jobs import MakeJob
from tests.support.wording import raises_worded
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
    assert target["transactions"][0] == {"operation": "create", "parameter_set": 0, "rounds": [[0]]}
    assert written["output"] == str(tmp_path)
    assert Job.model_validate_json((tmp_path / "job.json").read_bytes()) == job


def test_a_replayed_load_ends_by_itself(make_job: MakeJob) -> None:
    replayed = make_job(stop=Stop(), pacer=Replay(times_us=(0, 5.5)))
    assert replayed.stop is not None
    assert not replayed.stop.ends


def slices(*permutations: tuple[int, ...]) -> dict[str, Any]:
    return {"permutations": permutations, "stop": {"seconds": 1}}


def rounds(*requests: int) -> list[TransactionRounds]:
    return [TransactionRounds(operation="x", rounds=(requests,))]


@pytest.mark.parametrize(
    "task",
    [
        {"stop": Stop()},
        {"stop": Stop(seconds=1), "control": True},
        {"stop": Stop(seconds=1), "slices": slices((0,))},
        {"stop": None},
        {"control": True, "warm_up": {"transactions": 1}},
        {"slices": slices((1,))},
        {"slices": slices(())},
        {"transactions": rounds(1)},
        {"transactions": rounds(-1)},
        {"transactions": rounds()},
    ],
)
def test_a_job_that_contradicts_itself_is_refused(make_job: MakeJob, task: dict[str, Any]) -> None:
    with raises_worded(ValidationError):
        make_job(**task)


def test_a_job_with_commands_defines_no_work(make_job: MakeJob) -> None:
    driven = make_job(control=True)

    assert json.loads(driven.as_json()).keys().isdisjoint({"warm_up", "stop", "slices"})


def test_targets_have_unique_names(make_job: MakeJob) -> None:
    job = make_job().model_dump()

    with raises_worded(ValidationError):
        Job.model_validate({**job, "targets": [*job["targets"], *job["targets"]]})


def test_a_precision_needs_a_longest_time() -> None:
    with raises_worded(ValidationError):
        Stop(precision=Precision(half_width=0.02))


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
