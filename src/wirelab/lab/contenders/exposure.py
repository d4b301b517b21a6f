"""Ports and permissions of a contender that a measurement does not need."""

from collections.abc import Iterator

import psutil

from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.environments.environment import LOOPBACK, unreadable
from wirelab.lab.network.ports import is_exposed
from wirelab.lab.processes.account import CONTENDER, unprivileged_account

ROOT = 0


def exposures(server: RunningContender) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield needless exposure of a contender that wirelab started on this machine.

    Each is a predicate, with the services that it is about; () for a single program.
    """
    contender = server.contender
    of_services: dict[str, list[str]] = {}
    for name, service in zip(contender.services, server.services, strict=True):
        for found in _exposed(service):
            of_services.setdefault(found, []).append(name)
    for found, names in of_services.items():
        yield tuple(names), found
    yield from (((), found) for found in _exposed(server))


def _exposed(server: RunningContender) -> Iterator[str]:
    """Yield predicates, whose subject is the server."""
    contender = server.contender
    if (
        server.services
        or contender.address is not None
        or contender.inherit
        or server.process.root_pid is None
    ):
        return
    if is_exposed(server.process.pid, server.port):
        yield (
            f"listens beyond {LOOPBACK}, so other machines can reach it: make it listen on the"
            " address in WIRELAB_HOST only"
        )
    if _is_root(server.process.root_pid):
        account = unprivileged_account(CONTENDER)
        path = unreadable(server.built, account) if server.built and account else None
        yield (
            f"runs as root, because user '{account or CONTENDER}' cannot read"
            f" {path or 'its folder, build or interpreter'}: make that readable, keep what the"
            " server needs elsewhere, or do not run wirelab as root"
        )


def _is_root(pid: int) -> bool:
    """Return whether a process runs as root; False if it has ended, which verification reports."""
    try:
        return bool(psutil.Process(pid).uids().effective == ROOT)
    except psutil.NoSuchProcess:
        return False
