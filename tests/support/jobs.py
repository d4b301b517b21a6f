"""Jobs of the load engine for tests: one target, and an output of the test's own."""

from pathlib import Path
from typing import Protocol

import pytest

from wirelab.engine.job import Endpoint, Job, Target


def one_target(endpoint: Endpoint | str, output: Path, **more: object) -> Job:
    """Build a job with one target; `more` are keys of a target or of a job.

    `endpoint`: "host:port" stands for HTTP/1.1. Unless it is said otherwise, the target is sent one
    transaction for each of its requests, ten in all.
    """
    if isinstance(endpoint, str):
        endpoint = Endpoint(transport="http1", address=endpoint)
    target = {key: more.pop(key) for key in tuple(more) if key in Target.model_fields}
    requests = target.setdefault("requests", [{}])
    assert isinstance(requests, list | tuple)
    each = [{"operation": "fetch", "rounds": [[number]]} for number in range(len(requests))]
    whole = {**endpoint.model_dump(), "name": "contender", "transactions": each, **target}
    job = {"targets": [whole], "output": output, **more}
    if not ({"stop", "slices"} & job.keys() or job.get("control")):
        job["stop"] = {"transactions": 10}
    return Job.model_validate(job)


class MakeJob(Protocol):
    """Makes a job with one target."""

    def __call__(
        self, operation: str = "behave", address: str = "127.0.0.1:1", **more: object
    ) -> Job: ...


@pytest.fixture
def make_job(tmp_path: Path) -> MakeJob:
    """Make a job whose output is a folder of the test's own."""

    def make(operation: str = "behave", address: str = "127.0.0.1:1", **more: object) -> Job:
        transactions = [{"operation": operation, "rounds": [[0]]}]
        return one_target(address, tmp_path, **{"transactions": transactions, **more})

    return make
