"""However an emulator ends, nothing of its link is left; and what cannot be had is said."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.link.conftest import StartLink
from tests.support.left import until
from wirelab.installation.programs import find_program
from wirelab.lab.errors import LinkError
from wirelab.lab.network import link as link_module
from wirelab.lab.network.link import PROGRAM, Link, why_no_link, written
from wirelab.lab.processes.account import CONTENDER, unprivileged_account
from wirelab.study.network import BUILT_IN, Network, NetworkDirection

NETWORK = Network(source="a test", down=NetworkDirection(), up=NetworkDirection())


def devices() -> set[str]:
    """All links' devices in this namespace: other workers may begin and end links at any time."""
    return {name for name in os.listdir("/sys/class/net") if name.startswith("wirelab")}


def devices_with(*addresses: str) -> set[str]:
    """The devices at the servers' ends of our own links."""
    return {
        name
        for name, has in psutil.net_if_addrs().items()
        if not {it.address for it in has}.isdisjoint(addresses)
    }


def program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(find_program(PROGRAM)), *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_two_links_have_different_addresses_and_devices(start_link: StartLink) -> None:
    first, second = start_link(), start_link()
    servers = first.ready.server, second.ready.server

    assert len(devices_with(*servers) & devices()) == 2
    assert len({first.ready.server, second.ready.server, first.ready.client}) == 3
    assert first.ready.namespace.exists()
    first.stop()
    second.stop()
    assert devices_with(*servers) == set()
    assert not first.ready.namespace.exists()


def test_a_killed_emulator_leaves_nothing_and_is_reported(start_link: StartLink) -> None:
    link = start_link()
    server = link.ready.server
    assert devices_with(server)
    root = int(str(link.ready.namespace).split("/")[2])
    assert link.why_ended() is None
    os.kill(root, signal.SIGKILL)
    until(lambda: link.why_ended() is not None)

    assert "with exit code 137" in str(link.why_ended())
    with pytest.raises(LinkError, match="ended"):
        link.counters()
    until(lambda: not devices_with(server))


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    events = tmp_path / "events"
    script = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(60)"
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(find_program(PROGRAM)), "--events", str(events)]
    )
    try:
        until(lambda: events.is_file() and events.read_text().endswith("\n"))
        ready = json.loads(events.read_text())
        assert devices_with(ready["server"])
    finally:
        parent.kill()
        parent.wait()
    until(lambda: not psutil.pid_exists(ready["pid"]))
    until(lambda: not devices_with(ready["server"]))


def test_a_command_runs_at_the_clients_end_and_the_link_ends_with_it() -> None:
    show = "import os, socket; print(os.environ['WIRELAB_SERVER']); " + (
        "print(sorted(name for _, name in socket.if_nameindex())); raise SystemExit(7)"
    )
    done = program("--network", "far", "--", sys.executable, "-c", show)

    assert done.returncode == 7
    address, names = done.stdout.splitlines()
    assert address.startswith("198.18.")
    assert "'wirelab'" in names
    assert "eth0" not in names
    ready, counters = map(json.loads, done.stderr.splitlines())
    assert (ready["event"], ready["server"]) == ("ready", address)
    assert ready["down"]["delay_ns"] == 45_000_000
    assert counters["event"] == "counters"
    assert devices_with(address) == set()


def test_a_missing_command_is_reported() -> None:
    done = program("--", "/no/such/command")

    assert done.returncode == 127
    assert "/no/such/command" in done.stderr


def test_a_signal_ends_link_and_command() -> None:
    process = subprocess.Popen(
        [str(find_program(PROGRAM)), "--", "sleep", "60"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    ready = json.loads(process.stderr.readline())
    assert devices_with(ready["server"])
    (child,) = psutil.Process(process.pid).children()
    process.terminate()

    assert process.wait(20) == 128 + signal.SIGTERM
    assert '"counters"' in process.stderr.readline()
    assert not child.is_running()
    assert devices_with(ready["server"]) == set()
    process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--network", "wlan"], "loopback, lan, wifi"),
        (["--down", "rate=1Mbit"], "requires a queue"),
        (["--up", "delay=fast"], "delay=fast; "),
        (["--events", "/no/such/folder/events"], "--events: No such file"),
    ],
)
def test_an_invalid_option_is_reported_before_anything_is_created(
    arguments: list[str], expected: str
) -> None:
    before = devices()
    done = program(*arguments)

    assert done.returncode == 2
    assert expected in done.stderr
    assert devices() <= before


def test_the_error_without_rights_names_them() -> None:
    account = unprivileged_account(CONTENDER)
    if account is None:
        pytest.skip("there is no other user to be")
    # The descriptor is inherited: the user may not look into the folder of the program.
    guard = str(find_program("wirelab-guard"))
    copy = Path("/tmp") / f"wirelab-link-{os.getpid()}"
    copy.write_bytes(find_program(PROGRAM).read_bytes())
    copy.chmod(0o755)
    try:
        done = subprocess.run(
            [guard, "--user", account, "--", str(copy)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    finally:
        copy.unlink()

    assert done.returncode == 3
    assert "root (CAP_NET_ADMIN and" in done.stderr


def test_no_link_is_tried_without_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "DEVICE", tmp_path / "tun")

    assert why_no_link().startswith(f"{tmp_path / 'tun'} ")
    with pytest.raises(LinkError) as caught:
        Link.start("far", BUILT_IN["far"], tmp_path)
    assert "as root" in caught.value.hint


def test_a_network_has_the_same_meaning_in_the_program_and_in_studies(tmp_path: Path) -> None:
    listed = {it["name"]: it for it in json.loads(program("--list").stdout)}
    assert list(listed) == ["loopback", *BUILT_IN]
    assert listed["loopback"]["down"] == listed["loopback"]["up"]

    for name, network in BUILT_IN.items():
        done = program(
            *("--down", written(network.down), "--up", written(network.up)),
            *("--events", str(tmp_path / name), "--", "true"),
        )
        assert done.returncode == 0, done.stderr
        ready = json.loads((tmp_path / name).read_text().splitlines()[0])
        for way in ("down", "up"):
            assert ready[way] == listed[name][way]
