"""Names from outside are no options, and no files of arguments, for the programs that get them."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

import wirelab
from tests.support.jobs import one_target
from tests.support.note_servers import http
from wirelab.engine.job import Stop
from wirelab.lab.network.link import Link, why_no_link
from wirelab.lab.processes.process import start_guarded
from wirelab.measure.driver import run_engine
from wirelab.protocol.descriptions.proto_file import compile_proto, protoc
from wirelab.study.network import BUILT_IN

CALLS: Mapping[str, str] = {
    "browse/reader.py": "own module",
    "cluster/actor.py": "own module",
    "cluster/server_host.py": "the user's command",
    "cluster/working_folder.py": "absolute path",
    "commands/own_api/load.py": "the user's options",
    "compare/git.py": "what its callers give it",
    "compare/git_trees.py": "after --end-of-options, a commit's hash, absolute path",
    "compare/probe.py": "the user's command",
    "domain/dataset.py": "the domain's command",
    "domain/generator_command.py": "the domain's command, absolute path",
    "inputs/apart.py": "own module",
    "installation/guarded.py": "after --",
    "lab/contenders/build.py": "the contender's command",
    "lab/contenders/building.py": "what its callers give it",
    "lab/contenders/requirement.py": "the contender's program",
    "lab/environments/container/base.py": "own script, absolute path",
    "lab/environments/container/network.py": "own module",
    "lab/environments/container/process.py": "own module; names in JSON",
    "lab/environments/environment.py": "the contender's command",
    "lab/host.py": "own programs, absolute path",
    "lab/network/certificate.py": "no name",
    "lab/network/link.py": "absolute path",
    "lab/network/link_ceiling.py": "after --",
    "lab/network/proxy.py": "absolute path",
    "lab/processes/account.py": "absolute path",
    "lab/processes/process.py": "after --",
    "lab/stores/ferretdb.py": "absolute path",
    "lab/stores/own_store.py": "the user's command",
    "lab/stores/postgresql_binaries.py": "absolute path",
    "lab/stores/postgresql_initial.py": "absolute path",
    "lab/stores/postgresql_server.py": "absolute path",
    "live/feed.py": "own module",
    "measure/ceiling.py": "no name",
    "measure/driver.py": "absolute path",
    "measure/k6.py": "behind =",
    "protocol/descriptions/proto_file.py": "absolute path",
}
"""Modules that start programs, and how they pass names from outside."""
_CALL = re.compile(r"\b(subprocess\.(run|Popen)|start_guarded|run_guarded|run_step)\(\n? *[^)\s]")
PROTO = 'syntax = "proto3"; message Own { int32 number = 1; }'


@pytest.fixture(params=["-", "@", "--help"])
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The beginning of names in the working folder."""
    monkeypatch.chdir(tmp_path)
    return str(request.param)


def test_every_module_that_starts_programs_is_known() -> None:
    root = Path(wirelab.__file__).parent
    calling = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if _CALL.search(path.read_text().replace("def start_guarded(", ""))
    }
    assert calling == CALLS.keys()


def test_descriptions_and_folders_of_imports(odd: str) -> None:
    Path(f"{odd}own.proto").write_text(PROTO)
    assert compile_proto(Path(f"{odd}own.proto")).file[0].message_type[0].name == "Own"
    Path(f"{odd}parts").mkdir()
    Path(f"{odd}parts", f"{odd}part.proto").write_text(PROTO)
    whole = Path("whole.proto")
    whole.write_text(f'syntax = "proto3"; import "{odd}part.proto";')
    compiled = protoc([whole], [Path(), Path(f"{odd}parts")])
    assert [file.name for file in compiled.file] == [f"{odd}part.proto", "whole.proto"]


def test_folders_of_bundles(odd: str) -> None:
    folder = Path(f"{odd}bundle")
    folder.mkdir()
    with http(lambda *_: (200, "text/plain", b"ok")) as address:
        job = one_target(address, folder / "out", stop=Stop(transactions=3))
        assert run_engine(job, folder).only.counts.transactions == 3


@pytest.mark.skipif(bool(why_no_link()), reason=why_no_link())
def test_folders_of_emulated_networks(odd: str) -> None:
    folder = Path(f"{odd}bundle")
    folder.mkdir()
    with Link.start("far", BUILT_IN["far"], folder) as link:
        assert link.ready.server


def test_programs(odd: str, tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / f"{odd}program")
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    process = start_guarded(
        [f"{odd}program"], role="odd", log_path=tmp_path / "log", environment={"PATH": path}
    )
    assert process.wait(10) == 0
