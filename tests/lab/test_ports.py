"""Who listens on a port."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirelab.lab.ports import free_port, is_exposed, is_listener, is_taken


def test_a_free_port_is_not_taken_until_a_program_listens() -> None:
    port = free_port()
    assert not is_taken(port)

    with socket.create_server(("127.0.0.1", port)):
        assert is_taken(port)


def test_the_listener_is_known_by_its_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        assert is_listener([os.getpid()], port)
        assert not is_listener([os.getppid()], port)
        assert not is_listener([os.getpid()], free_port())


def test_no_process_is_examined_if_nothing_listens() -> None:
    def processes() -> Iterator[int]:
        pytest.fail("the processes were listed")
        yield 0

    assert not is_listener(processes(), free_port())


def test_a_program_that_waits_for_datagrams_listens_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waiting:
        waiting.bind(("127.0.0.1", 0))
        port = waiting.getsockname()[1]

        assert is_listener([os.getpid()], port)
        waiting.connect(("127.0.0.1", free_port()))
        assert not is_listener([os.getpid()], port)  # it receives from one peer only


def test_ipv6_listeners_and_vanished_processes(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    head = "  sl  local_address rem_address st tx_queue tr tm->when retrnsmt uid timeout inode\n"
    row = "   0: {}:1F90 00000000:0000 {} 00000000:00000000 00:00000000 00000000 0 0 {} 1\n"
    (tmp_path / "net" / "tcp").write_text(head + row.format("0100007F", "01", 7))
    (tmp_path / "net" / "tcp6").write_text(head + row.format("0" * 32, "0A", 8))
    for pid, inode in ((10, 7), (11, 8)):
        (tmp_path / str(pid) / "fd").mkdir(parents=True)
        (tmp_path / str(pid) / "fd" / "3").symlink_to(f"socket:[{inode}]")

    assert is_listener([11], 0x1F90, tmp_path)
    assert not is_listener([10, 12], 0x1F90, tmp_path)  # connected, not listening; gone


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

        assert is_exposed([os.getpid()], listener.getsockname()[1]) is exposed
