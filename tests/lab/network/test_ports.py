"""Who listens on a port."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from wirelab.lab.network.listening import ask_kernel, read_tables
from wirelab.lab.network.ports import free_port, is_exposed, is_listener, is_taken


def test_a_free_port_is_not_taken_until_a_program_listens() -> None:
    port = free_port()
    assert not is_taken(port)

    with socket.create_server(("127.0.0.1", port)):
        assert is_taken(port)


def test_the_listener_is_known_by_its_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        assert is_listener(os.getpid(), port)
        assert is_listener(os.getppid(), port)  # by a descendant
        with subprocess.Popen(["sleep", "60"]) as other:
            assert not is_listener(other.pid, port)
            other.kill()
        assert not is_listener(other.pid, port)
        assert not is_listener(os.getpid(), free_port())


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
@pytest.mark.parametrize(
    ("family", "host"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::")],
)
def test_the_kernel_answers_what_its_tables_say(
    family: socket.AddressFamily, host: str, kind: socket.SocketKind
) -> None:
    with socket.socket(family, kind) as listener:
        listener.bind((host, 0))
        if kind == socket.SOCK_STREAM:
            listener.listen()
        inode = os.readlink(f"/proc/self/fd/{listener.fileno()}").strip("socket:[]")

        found = ask_kernel(listener.getsockname()[1])

        assert [(str(each.address), each.inode) for each in found] == [(host, inode)]
        assert found == read_tables(listener.getsockname()[1], Path("/proc/net"))


def test_a_program_that_waits_for_datagrams_listens_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waiting:
        waiting.bind(("127.0.0.1", 0))
        port = waiting.getsockname()[1]

        assert is_listener(os.getpid(), port)
        waiting.connect(("127.0.0.1", free_port()))
        assert not is_listener(os.getpid(), port)  # it receives from one peer only


def test_ipv6_listeners_and_vanished_processes(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    head = "  sl  local_address rem_address st tx_queue tr tm->when retrnsmt uid timeout inode\n"
    row = "   0: {}:1F90 00000000:0000 {} 00000000:00000000 00:00000000 00000000 0 0 {} 1\n"
    (tmp_path / "net" / "tcp").write_text(head + row.format("0100007F", "01", 7))
    (tmp_path / "net" / "tcp6").write_text(head + row.format("0" * 32, "0A", 8))
    for pid, inode in ((10, 7), (11, 8)):
        (tmp_path / str(pid) / "fd").mkdir(parents=True)
        (tmp_path / str(pid) / "fd" / "3").symlink_to(f"socket:[{inode}]")
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (server) S 1 {pid} {pid} 0 -1")

    assert is_listener(11, 0x1F90, tmp_path)
    assert not is_listener(10, 0x1F90, tmp_path)  # connected, not listening
    assert not is_listener(12, 0x1F90, tmp_path)  # gone


@pytest.mark.parametrize(
    ("family", "host", "exposed"),
    [
        (socket.AF_INET, "127.0.0.1", False),
        (socket.AF_INET, "127.0.0.53", False),
        (socket.AF_INET, "0.0.0.0", True),
        (socket.AF_INET6, "::1", False),
        (socket.AF_INET6, "::ffff:127.0.0.1", False),
        (socket.AF_INET6, "::", True),
    ],
)
def test_a_program_that_listens_beyond_loopback_is_exposed(
    family: socket.AddressFamily, host: str, exposed: bool
) -> None:
    with socket.socket(family) as listener:
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((host, 0))
        listener.listen()

        assert is_exposed(os.getpid(), listener.getsockname()[1]) is exposed
