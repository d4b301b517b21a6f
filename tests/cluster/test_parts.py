"""The parts of a fleet that need no cluster: who is given which block, who is fit, what is sent."""

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import yaml

from tests.support.ray_machines import is_gone, wait_for, world
from tests.support.wording import raises_worded
from wirelab.cluster.actor import MachineActor
from wirelab.cluster.connection import LISTENING_S, connect, named_nodes
from wirelab.cluster.crew import choose
from wirelab.cluster.fitness import LEAST_FREE_BYTES, refuse_other_versions, why_unfit
from wirelab.cluster.fleet import refuse_shared
from wirelab.cluster.machine import ClusterMachine
from wirelab.cluster.messages import MachineDescription
from wirelab.cluster.packed_files import PackedFile, pack, unpack
from wirelab.cluster.ray_settings import SETTING
from wirelab.cluster.station_messages import SetupResult, files_of
from wirelab.errors import LabError
from wirelab.lab.host import Host, read_host
from wirelab.planning.plan import plan_study
from wirelab.planning.schedule import Block
from wirelab.study import load_study


def block(number: int, group: str) -> Block:
    return Block(f"b{number:02}-{group}", number, 1, group, (), 0)


BLOCKS = [block(number, group) for number in (1, 2, 3) for group in "ab"]


@pytest.mark.parametrize(
    ("rounds", "machine", "groups", "expected"),
    [
        ({1: "one", 2: "two"}, "two", "ab", "b02-a"),
        ({1: "one", 2: "two"}, "three", "ab", "b03-a"),
        ({1: "one", 2: "two", 3: "one"}, "three", "ab", "b01-a"),
        ({}, "one", "b", "b01-b"),
        ({}, "one", "", None),
    ],
    ids=["its own round", "a new round", "to help others", "a permitted one", "none"],
)
def test_a_machine_is_given_a_block(
    rounds: dict[int, str], machine: str, groups: str, expected: str | None
) -> None:
    found = choose(BLOCKS, rounds, machine, lambda block: block.group in groups)

    assert (found and found.id) == expected


@pytest.fixture(scope="module")
def host() -> Host:
    return read_host()


@pytest.mark.parametrize(
    ("free_bytes", "niceness", "reported"),
    [
        (LEAST_FREE_BYTES, 0, ()),
        (12_000_000, 0, ("12 MB free", "TMPDIR")),
        (LEAST_FREE_BYTES, 15, ("niceness 15", f"{SETTING}=0")),
    ],
)
def test_a_machine_with_little_disk_or_whose_servers_have_to_wait_is_unfit(
    host: Host, free_bytes: int, niceness: int, reported: tuple[str, ...]
) -> None:
    reason = why_unfit(MachineDescription(host, free_bytes, niceness))

    assert bool(reason) == bool(reported)
    assert all(part in reason for part in reported)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"versions": {"wirelab-load": "0.0.1"}}, "wirelab-load 0.0.1"),
        ({"git_commit": "abc"}, "abc"),
    ],
)
def test_other_programs_and_commits_are_refused(
    host: Host, changed: dict[str, object], named: str
) -> None:
    ours = host.model_copy(update={"git_commit": "def"})
    theirs = ours.model_copy(update=changed)
    if "versions" in changed:
        theirs = ours.model_copy(update={"versions": {**ours.versions, "wirelab-load": "0.0.1"}})
    far = ClusterMachine("far", None, MachineDescription(theirs, LEAST_FREE_BYTES, 0))
    near = ClusterMachine("near", None, MachineDescription(ours, LEAST_FREE_BYTES, 0))

    refuse_other_versions(ours, [near])
    with pytest.raises(LabError, match=named):
        refuse_other_versions(ours, [near, far])


def test_a_station_goes_back_to_the_priority_of_ray() -> None:
    """Ray makes its workers nicer; a child that was made so comes forward, where it may."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    if os.geteuid() != 0 or own > 14:
        pytest.skip("only root may come forward, and this process cannot step back by five")
    script = (
        "import os; os.nice(5)\n"
        "from wirelab.cluster import ray_settings as it\n"
        "niceness = it.niceness_of_parent(); before = it.niceness_beyond(niceness)\n"
        "it.take_niceness(niceness); print(before, it.niceness_beyond(niceness))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["5", "0"]


def test_servers_have_the_environment_of_ray_itself() -> None:
    """What a worker of Ray adds to its environment reaches no station."""
    script = (
        "import os; os.environ['OMP_NUM_THREADS'] = '1'\n"
        "from wirelab.cluster.ray_settings import environment_of_parent\n"
        "print(environment_of_parent().get('OMP_NUM_THREADS'))"
    )
    starter = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {script!r}])"
    given = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", starter], capture_output=True, text=True, check=True, env=given
    )

    assert done.stdout.strip() == "None"


@pytest.mark.parametrize("end", ["its actor ends", "it is killed"])
def test_a_station_ends_with_its_actor_and_leaves_nothing(end: str) -> None:
    """Ray kills an actor's children; where it cannot, the end of the actor itself is seen."""
    actor = MachineActor("station")
    description = pickle.loads(actor.call("describe"))
    assert description.host.kernel == read_host().kernel
    with pytest.raises(LabError, match="AttributeError"):
        actor.call("prepare", pickle.dumps(set()))
    station = actor._process
    started = [psutil.Process(station.pid), *psutil.Process(station.pid).children(recursive=True)]
    folders = {
        Path(word)
        for it in started
        for word in it.cmdline()
        if Path(word).is_absolute() and "wirelab-station-" in word
    }
    assert len(started) >= 3  # the station, a guard, and what it guards
    assert folders
    assert all(folder.is_dir() for folder in folders)

    if end == "it is killed":
        station.kill()
    else:
        assert station.stdin is not None
        station.stdin.close()

    wait_for(lambda: all(map(is_gone, started)))
    wait_for(lambda: not any(folder.exists() for folder in folders))
    station.wait()


@pytest.mark.parametrize("module", ["actor", "agent", "server_host"])
def test_an_agent_starts_without_what_only_a_study_needs(module: str) -> None:
    script = (
        f"import sys, wirelab.cluster.{module}; print({{'scipy', 'pandas'}} & {{*sys.modules}})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"


def test_a_sent_folder_arrives_unchanged(tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    (sent / "deep" / "node_modules").mkdir(parents=True)
    (sent / "deep" / "node_modules" / "large").write_bytes(b"made by a tool")
    (sent / "deep" / "file").write_bytes(b"\0\xff")
    (sent / "program").write_text("#!/bin/sh\n")
    (sent / "program").chmod(0o700)

    parcel = pack(sent, {"node_modules"})
    unpack(parcel, tmp_path / "arrived")

    assert {*parcel} == {"deep/file", "program"}
    assert (tmp_path / "arrived" / "deep" / "file").read_bytes() == b"\0\xff"
    assert (tmp_path / "arrived" / "program").stat().st_mode & 0o100
    assert not (tmp_path / "arrived" / "deep" / "node_modules").exists()


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "deep/../../outside"])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with raises_worded(ValueError):
        unpack({name: PackedFile(b"")}, tmp_path / "arrived")

    assert not (tmp_path / "outside").exists()


def test_a_shipped_domain_is_named_and_another_is_sent(tmp_path: Path) -> None:
    own = files_of(load_study("kaminski-2022"), None)
    other = files_of(load_study(world(tmp_path, blocks=2)), None)

    assert own.domain == "games"
    assert isinstance(other.domain, dict)
    assert {"domain.toml", "contenders/python/server.py"} <= other.domain.keys()
    assert "study.toml" in other.study


def test_a_database_for_all_machines_at_once_is_refused(tmp_path: Path) -> None:
    plan = plan_study(world(tmp_path, blocks=2), "spread", 1, ("good",))

    refuse_shared(plan, {"postgresql": "postgresql?cpus=1"})
    with raises_worded(LabError):
        refuse_shared(plan, {"postgresql": "postgresql://db.example/wirelab"})


def node(name: str, hostname: str, **more: object) -> dict[str, object]:
    return {
        "Alive": True,
        "NodeID": f"id of {name} at {hostname}",
        "NodeName": name,
        "NodeManagerAddress": "10.0.0.7",
        "NodeManagerHostname": hostname,
        "Resources": {"CPU": 4.0},
        **more,
    }


def test_machines_have_unique_names() -> None:
    known = [
        node("10.0.0.7", "alpha"),
        node("10.0.0.7", "alpha", NodeID="another"),
        node("given", "beta"),
        node("../odd name", "gamma"),
        node("gone", "delta", Alive=False),
        node("head", "epsilon", Resources={}),
    ]

    found = named_nodes(known)

    assert sorted(each.name for each in found) == ["alpha", "alpha-2", "given", "odd-name"]
    assert {each.cpus for each in found} == {4.0}


def test_messages_name_the_final_paths_of_files(tmp_path: Path) -> None:
    setup = SetupResult("/tmp/station/bundle", {}, {}, (), (), (), (), {}, (), ())
    machine = ClusterMachine("far", None, setup=setup)

    reported = machine.relocate("/tmp/station/bundle/logs/a.log /tmp/station/bundle/x/b", tmp_path)

    assert reported == f"{tmp_path}/logs/far/a.log {tmp_path}/x/b"


def test_a_ray_client_address_is_refused() -> None:
    pytest.importorskip("ray")
    with raises_worded(LabError), connect("ray://127.0.0.1:10001"):
        pass


def test_an_address_where_nothing_listens_is_refused_at_once() -> None:
    pytest.importorskip("ray")
    began = time.monotonic()
    with pytest.raises(LabError, match="Connection refused"), connect("127.0.0.1:1"):
        pass
    assert time.monotonic() - began < LISTENING_S


def test_the_manifest_for_kubernetes_has_the_locked_ray_and_its_setting() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "kubernetes" / "raycluster.yaml"
    spec = yaml.safe_load(guide.read_text())["spec"]
    locked = (Path(__file__).parents[2] / "requirements-dev.txt").read_text()

    assert f"\nray=={spec['rayVersion']} " in locked
    head, (workers,) = spec["headGroupSpec"], spec["workerGroupSpecs"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    for group in (head, workers):
        (container,) = group["template"]["spec"]["containers"]
        assert {"name": SETTING, "value": "0"} in container["env"]
        assert container["resources"]["requests"] == container["resources"]["limits"]
