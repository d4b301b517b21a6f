"""A contender of several services in containers: they reach each other, and end together."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.lab.conftest import server
from tests.support.running import FAR_AWAY, NAMED, SHOP, MakeContender, expecting
from wirelab.lab.contenders.running import wait_for
from wirelab.lab.contenders.service import Services
from wirelab.lab.contenders.services import StartingServices
from wirelab.lab.environments.environment import LOOPBACK, InContainer
from wirelab.lab.environments.kinds import ENVIRONMENTS


@pytest.mark.parametrize("name", ["container", "container-host"])
def test_they_reach_each_other_and_end_together(
    name: str,
    base: str,
    nothing_left: Callable[[], list[str]],
    make_contender: MakeContender,
    tmp_path: Path,
) -> None:
    environment = ENVIRONMENTS[name]
    program = NAMED + server("connection.sendall(b'ok' if name == 'orders' else b'no')")
    contender = replace(
        make_contender(program), services=TypeAdapter(Services).validate_python(SHOP)
    )
    assert environment.cannot_run(contender) == ""

    running = wait_for(
        StartingServices(
            environment.build(contender, tmp_path / "build"),
            environment,
            database=FAR_AWAY,
            ready=expecting(b"ok"),
            log_path=tmp_path / "log",
            deadline_s=60.0,
        )
    )

    assert running.host == LOOPBACK
    counted = [running.counted[f"contender-{service}"] for service in SHOP]
    assert all(isinstance(each, InContainer) for each in counted)
    assert len(set(counted)) == len(SHOP), "a container each"
    output = (tmp_path / "log").read_text()
    assert output.splitlines()[0].startswith("orders ")
    assert {"WIRELAB_PEER_PRICE_LIST", "WIRELAB_PEER_USERS"} <= set(re.findall(r"\w+", output))
    running.stop()
    assert nothing_left() == []
