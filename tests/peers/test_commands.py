"""What is asked of the generators: the same work of all of them."""

import json
import re
from base64 import b64decode
from pathlib import Path

import pytest
import xxhash
from typer.testing import CliRunner

from benches.peers.__main__ import app
from benches.peers.case import CASES
from benches.peers.generator import Generator
from benches.peers.generators import FLOOR, GENERATORS, OURS
from benches.peers.generators.h2load import H2load
from benches.peers.generators.k6 import K6
from benches.peers.generators.oha import Oha
from benches.peers.generators.wirelab_load import WirelabLoad
from benches.peers.generators.wrk import Wrk
from benches.peers.goal import GOALS, RatioGoal
from benches.peers.material import BODY_BYTES, body_bytes, grpc_message, write_material
from tests.peers.outputs import order
from wirelab.engine.job import Job

BAD_INPUT = 2
GENERATOR = {generator.name: generator for generator in GENERATORS}


@pytest.mark.parametrize(
    ("generator", "case"),
    [(each, case.id) for each in GENERATORS for case in CASES if each.carries(case)],
    ids=lambda it: it if isinstance(it, str) else it.name,
)
def test_a_command_names_the_server_and_the_amount_of_load(
    generator: Generator, case: str, tmp_path: Path
) -> None:
    requested = order(case, tmp_path)

    command = generator.command(requested)

    written = "".join(path.read_text() for path in tmp_path.iterdir())
    assert command[0] == requested.program
    assert str(requested.port) in " ".join(command) + written
    amount = requested.requests or requested.seconds
    assert re.search(rf"\b{amount:g}|{amount}", " ".join(command[1:]) + written)


def test_rates_of_clients_add_up() -> None:
    for program in ("h2load", "hey"):
        requested = order("schedule", Path("/nowhere"))
        command = " ".join(GENERATOR[program].command(requested))
        assert "156.25" in command
    assert 156.25 * requested.case.connections == requested.case.rate_per_s


def test_a_program_with_the_options_of_wrk_takes_a_rate() -> None:
    requested = order("schedule", Path("/nowhere"))
    assert not Wrk().carries(requested.case)
    other = Wrk("wrk2")
    assert other.carries(requested.case)
    assert "-R10000" in other.command(requested)


@pytest.mark.parametrize("given", ["zrk", "=/bin/true", "zrk=/no/such/file", "zrk=/tmp"])
def test_a_given_program_must_exist(given: str) -> None:
    done = CliRunner().invoke(app, ["run", "--program", given])

    assert done.exit_code == BAD_INPUT


def test_streams_and_protocols_reach_the_command_line() -> None:
    folder = Path("/nowhere")
    assert {"-c1", "-m64"} <= set(H2load().command(order("http2-1x64", folder)))
    assert "--h1" not in H2load().command(order("http2-1x64", folder))
    command = Oha().command(order("http3-1x64", folder))
    assert command[command.index("-p") + 1] == "64"
    assert command[command.index("--http-version") + 1] == "3"


@pytest.mark.parametrize("case", [case.id for case in CASES])
def test_the_job_of_wirelab_checks_every_answer(case: str, tmp_path: Path) -> None:
    requested = order(case, tmp_path)

    path = Path(WirelabLoad().command(requested)[1])

    job = Job.model_validate_json(path.read_text())
    (target,) = job.targets
    (request,) = target.requests
    assert target.wait == "precise"
    expected = grpc_message if requested.case.protocol == "grpc" else body_bytes
    assert job.samples
    assert job.real_time == (requested.case.rate_per_s is not None)
    assert request.expect.body_xxh3 == xxhash.xxh3_64_hexdigest(expected(requested.case.body))
    assert target.connections.count == requested.case.connections
    assert target.connections.streams_per_connection == requested.case.streams
    assert target.is_secure == (requested.case.protocol in {"tls", "http3"})


@pytest.mark.parametrize("case", ["tls-small", "http3-1x64", "http3-64x1"])
def test_a_certificate_of_an_unknown_authority_is_accepted(case: str, tmp_path: Path) -> None:
    requested = order(case, tmp_path)
    written = json.loads(Path(WirelabLoad().command(requested)[1]).read_text())

    assert written["targets"][0]["tls"] == {"insecure": True}
    assert "--insecure" in Oha().command(requested)
    assert requested.url.startswith("https://")


def test_k6_gets_its_files(tmp_path: Path) -> None:
    write_material(tmp_path)
    script = Path(K6().command(order("websocket-big", tmp_path))[-1]).read_text()

    found = re.search(r'open\("(.*)"\)', script)
    assert found is not None
    assert Path(found[1]).read_bytes() == body_bytes("big")
    assert "$" not in script


def test_bodies_have_their_sizes(tmp_path: Path) -> None:
    write_material(tmp_path)
    for body, size in BODY_BYTES.items():
        served = tmp_path / "served" / body
        assert served.stat().st_size == size
        assert json.loads(served.read_text())["kind"] == body
    assert len(grpc_message("small")) == 75
    assert len(grpc_message("big")) == 46 * 75
    assert (tmp_path / "small.grpc").read_bytes() == b"\0\0\0\0\x4b" + grpc_message("small")


def test_a_sent_message_is_the_one_that_is_expected_back(tmp_path: Path) -> None:
    path = Path(WirelabLoad().command(order("grpc-big-64x1", tmp_path))[1])
    (request,) = json.loads(path.read_text())["targets"][0]["requests"]
    assert b64decode(request["body"]) == grpc_message("big")


def test_every_goal_is_about_a_measured_figure() -> None:
    cases = {case.id: case for case in CASES}
    for goal in GOALS:
        names = [OURS, goal.to] if isinstance(goal, RatioGoal) else [goal.generator]
        for name in names:
            assert GENERATOR[name].carries(cases[goal.case]), f"{goal.case}: {name}"
    assert GENERATOR[FLOOR].carries(cases["websocket-small"])
