"""Known pathologies are diagnosed by name, each at a server that has it."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.compare.running import (
    QUICK,
    SHORT_BLOCKS,
    TWO_BLOCKS,
    certificate,
    command_of,
    serving,
    wirelab,
)
from tests.support.undisturbed import undisturbed
from wirelab.analysis import analyse
from wirelab.analysis.cautions.generator import NearCeiling
from wirelab.analysis.cautions.pathologies import (
    DelayedAcknowledgements,
    FullHandshakes,
    NoKeepAlive,
    SmallPool,
    UnclearPlateau,
)
from wirelab.bundle import Bundle, RunRecord
from wirelab.bundle.run_reasons import RuleBroken
from wirelab.lab.contenders.development import signs_of_development
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.measure.qualification import Ceiling, CeilingSetting, Qualification, save_qualification
from wirelab.statistics.validity import Rule
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.servers.symptoms import Symptom

THREE_BLOCKS = {**SHORT_BLOCKS, "wirelab.study.design.FIRST_VERDICT": 3}
"""Replaced constants for figures that are medians of blocks."""

UNOPTIMISED = {
    "wirelab.lab.contenders.python_build.OPTIMISED": "--an-option-that-no-python-has",
    "wirelab.lab.contenders.python_build.DISTRIBUTION": "/nowhere",
}
"""Replaced constants by which any Python counts as not optimised."""

NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js on the PATH")
NODE_SERVER = """
require("node:http")
  .createServer((_, reply) => reply.setHeader("content-type", "application/json").end('{"id": 7}'))
  .listen(Number(process.argv[2]), "127.0.0.1");
"""


def at(**servers: str) -> list[str]:
    """Return sides: the address of an item of each server."""
    return [f"{name}=http://{address}/items/7" for name, address in servers.items()]


def compared(
    folder: Path,
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    constants: Mapping[str, object] = TWO_BLOCKS,
) -> dict[str, str]:
    """What a comparison finds; its bundle is `b`."""
    done = wirelab(
        *("compare", *arguments, "--output", "b"),
        folder=folder,
        environment=environment,
        constants=constants,
    )
    assert done.returncode in (ExitCode.OK, ExitCode.FAULTS), done.stderr  # FAULTS: it stalled
    analysis = analyse(Bundle.open(folder / "b"))
    return {each.title: each.detail for each in analysis.cautions}


def lawful(bundle: Bundle) -> list[RunRecord]:
    """Return the runs that keep Little's law; on a busy machine, not all do."""
    return [
        run
        for record in bundle.block_records()
        for run in record.runs
        if not any(
            isinstance(each, RuleBroken) and each.broken.rule is Rule.LITTLE for each in run.reasons
        )
    ]


@pytest.fixture(scope="module")
def one_client(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is found of servers with a defect each, and of a sound one."""
    with (
        serving() as sound,
        serving("http=HTTP/1.0") as old,
        serving("server=Werkzeug/3.1.3 Python/3.11.7") as development,
        serving("gzip") as tiny,
        serving("close") as closing,
    ):
        sides = at(sound=sound, old=old, development=development, tiny=tiny, closing=closing)
        return compared(tmp_path_factory.mktemp("one"), *sides, *QUICK)


@pytest.mark.parametrize(
    ("symptom", "side", "evidence"),
    [
        (Symptom.HTTP_1_0, "old", "HTTP/1.0"),
        (Symptom.DEVELOPMENT_SERVER, "development", "Werkzeug/3.1.3"),
        (Symptom.TINY_COMPRESSED, "tiny", "(gzip)"),
    ],
)
def test_a_symptom_in_replies(
    one_client: dict[str, str], symptom: Symptom, side: str, evidence: str
) -> None:
    found = one_client[symptom]

    assert found.startswith(f"{side}: ")
    assert evidence in found


def test_no_keep_alive(one_client: dict[str, str]) -> None:
    found = one_client[NoKeepAlive.TITLE]

    assert "closing at “GET /items/7” (" in found
    assert "old at “GET /items/7” (" in found
    assert not any(f"{name} at" in found for name in ("sound", "development", "tiny"))


def test_a_plateau_of_nagle_and_delayed_acknowledgements(tmp_path: Path) -> None:
    """In a separate comparison: slices of all sides last as long as the slowest one needs.

    Of three blocks, the medians are right if a stall of the machine disturbs one of them.
    """
    with serving() as sound, serving("nagle") as nagle:
        sides = at(sound=sound, nagle=nagle)
        reported = compared(tmp_path, *sides, *QUICK, constants=THREE_BLOCKS)

    assert UnclearPlateau.TITLE not in reported
    assert reported[DelayedAcknowledgements.TITLE].startswith("nagle at “GET /items/7” (p50")


def test_a_pool_that_is_smaller_than_the_concurrency(tmp_path: Path) -> None:
    with serving("pool=2") as pooled, serving("pool=64") as enough:
        options = (*at(pooled=pooled, enough=enough), "--clients", "10", "--budget", "2s")
        found = compared(tmp_path, *options, constants=THREE_BLOCKS)[SmallPool.TITLE]

    assert found.startswith("pooled at “GET /items/7” (")
    assert "about 2 requests" in found
    assert "enough" not in found.replace("enough time", "")


def test_full_tls_handshakes(tmp_path: Path) -> None:
    """The server closes each connection and gives out no tickets."""
    both = certificate(tmp_path)
    with serving("close", f"tls={both}") as one:
        sides = f"a=https://{one}/items/7", f"b=https://{one}/items/7"
        found = compared(tmp_path, *sides, "--ca", both, *QUICK)

    assert lawful(Bundle.open(tmp_path / "b"))
    assert found[FullHandshakes.TITLE].startswith("a at “GET /items/7” (")
    assert NoKeepAlive.TITLE in found


@NEEDS_NODE
@pytest.mark.parametrize(
    ("environment", "title", "sign"),
    [
        ({}, "node", "NODE_ENV is not set"),
        ({}, "MainThread", "NODE_ENV is not set"),  # as Node.js 24 calls itself
        ({"NODE_ENV": "development"}, "node", "NODE_ENV is development"),
        ({"NODE_ENV": "production"}, "node", None),
    ],
)
def test_node_without_the_production_setting(
    environment: dict[str, str], title: str, sign: str | None
) -> None:
    plain = {name: value for name, value in os.environ.items() if name != "NODE_ENV"}
    script = f"process.title = '{title}'; console.log('up'); setInterval(() => {{}}, 1000)"
    with subprocess.Popen(
        ["node", "-e", script],
        env={**plain, **environment},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = signs_of_development(process.pid)
        process.kill()

    assert [each.startswith(sign or "") for each in found] == ([True] if sign else [])


@NEEDS_NODE
def test_a_server_in_node_without_node_env_serves_for_development(tmp_path: Path) -> None:
    (tmp_path / "server.js").write_text(NODE_SERVER)
    start = "exec env -u NODE_ENV {} node server.js {{port}}"
    sides = f"unset={start.format('')}", f"set={start.format('NODE_ENV=production')}"
    reported = compared(tmp_path, *sides, "--path", "/items/7", "--budget", "2s")
    found = reported[Symptom.DEVELOPMENT_SERVER]

    assert found.startswith("unset: NODE_ENV ")
    assert "; set: " not in found


def test_a_command_line_that_watches_files() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(60)", "app:app", "--reload"]
    with subprocess.Popen(command) as process:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.001)  # the kernel sets it just after it has started the program
        found = signs_of_development(process.pid)
        process.kill()

    (sign,) = found
    assert "(--reload)" in sign


def test_a_load_near_the_ceiling_that_was_measured_for_the_generator(tmp_path: Path) -> None:
    """The machine's qualification says 450 requests a second; the load is two thirds of that."""
    plan = plan_cpus()
    ceiling = Ceiling(
        name="HTTP/1.1",
        transport="http1",
        connections=64,
        streams_per_connection=1,
        transactions_per_s=450.0,
        engine_cpu_us_per_transaction=2222.0,
        engine_busy_share=1.0,
        latency_p50_us=100_000.0,
        little_closure=1.0,
        rounds=1,
    )
    qualification = Qualification(
        measured_utc="2026-01-01T00:00:00+00:00",
        setting=CeilingSetting.read(read_host(plan), plan),
        ceilings=(ceiling,),
    )
    cache = tmp_path / "cache"
    cache.mkdir()
    save_qualification(qualification, cache)

    def compare() -> dict[str, str]:
        folder = Path(mkdtemp(dir=tmp_path))
        with serving() as one:
            options = (*at(a=one, b=one), "--rate", "300", "--budget", "2s")
            return compared(folder, *options, environment={"WIRELAB_CACHE": str(cache)})

    def is_near(reported: dict[str, str]) -> bool:
        expected = r"a at “GET /items/7” \(6\d\u00a0% "
        return bool(re.match(expected, reported.get(NearCeiling.TITLE, "")))

    assert is_near(undisturbed(compare, is_near))


def test_a_command_is_checked_too(tmp_path: Path) -> None:
    """A server that wirelab starts itself shows its signs, and a sound one shows none."""
    sides = [f"a={command_of()}", f"b={command_of('server=WSGIServer/0.2')}"]
    constants = {**TWO_BLOCKS, **UNOPTIMISED}
    found = compared(tmp_path, *sides, "--path", "/items/7", *QUICK, constants=constants)

    assert found[Symptom.UNOPTIMISED_PYTHON].startswith("a and b: ")
    serves = found[Symptom.DEVELOPMENT_SERVER]
    assert serves.startswith("b: ")
    assert "WSGIServer/0.2" in serves
    assert "a: " not in serves
