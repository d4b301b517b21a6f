"""An external contender: wirelab connects to its address, and does not start or stop it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from wirelab.domain.model import Domain
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.environments.environment import Counted
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.address import Address, without_credentials
from wirelab.lab.network.ports import listener_pids

Uncontrolled = Literal["fresh_start", "restored_store", "processes"]
FORWARDERS = {"docker-proxy", "rootlessport", "slirp4netns", "ssh", "kubectl"}
"""Programs that forward a port to a server on another machine or in a container."""


@dataclass(frozen=True, slots=True)
class ExternalServer:
    """The placeholder for the unknown processes of a server that wirelab did not start."""

    log_path: Path
    pid: int = 0
    """The id of no process: it has no descendants and no counters."""
    root_pid: int | None = None
    killed: bool = False
    """It is never stopped."""

    def poll(self) -> int | None:
        """Return None: it is assumed to run."""
        return None

    def stop(self) -> int:
        """Leave it running."""
        return 0

    def log_tail(self, lines: int = 20) -> str:  # noqa: ARG002
        """Return "": its log is not available."""
        return ""


def find_address(contender: Contender) -> Address:
    """Return the address of a contender. Raises `ContenderError`."""
    written = contender.written_address()
    try:
        return Address.parse(written)
    except ValueError as error:
        where, shown = without_credentials(contender.address or ""), without_credentials(written)
        raise ContenderError(
            f"{where} is {shown!r}, which is not a valid address for {contender.id}",
            f"set {where} to {error}",
        ) from None


def shown_address(contender: Contender) -> str:
    """Return the address for display, without a path; "" without a valid one."""
    try:
        return str(find_address(contender)) if contender.written_address() else ""
    except ContenderError:
        return ""


def not_controlled(contender: Contender, domain: Domain) -> tuple[Uncontrolled, ...]:
    """Return what a study does not control of a contender that it did not start or fill."""
    uncontrolled: list[Uncontrolled] = []
    if contender.address is not None:
        uncontrolled.append("fresh_start")
    if contender.address is not None or not domain.data.generator:
        uncontrolled.append("restored_store")
    if contender.written_address():
        try:
            if not external_roles(contender):
                uncontrolled.append("processes")
        except ContenderError:
            uncontrolled.append("processes")
    return tuple(uncontrolled)


def external_roles(contender: Contender) -> Mapping[str, Counted]:
    """Return the process whose counters show the server's use; none if it is on another machine.

    This is the named process, or the first that listens on its port. Raises `ContenderError` if the
    named one has ended.
    """
    if contender.pid is not None:
        if not psutil.pid_exists(contender.pid):
            what = f"{contender.id}: process {contender.pid} does not exist"
            raise ContenderError(what, "set pid to a running process, or remove it")
        return {"contender": contender.pid}
    address = find_address(contender)
    holders = listener_pids(address.port) if address.is_loopback else set()
    roots = [process for process in map(psutil.Process, holders) if process.ppid() not in holders]
    if len(roots) != 1 or roots[0].name() in FORWARDERS:
        return {}
    return {"contender": roots[0].pid}
