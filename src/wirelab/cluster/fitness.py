"""Check whether a machine may take part: version of wirelab, free disk space, setup of Ray."""

from collections.abc import Iterable
from typing import Protocol

from wirelab.cluster.messages import MachineDescription
from wirelab.cluster.ray_settings import SETTING
from wirelab.errors import LabError
from wirelab.lab.host import Host

LEAST_FREE_BYTES = 1_000_000_000
"""Minimum free space on the disk for a store and a bundle."""


class HasDescription(Protocol):
    """A machine, or something on one."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def description(self) -> MachineDescription | None:
        """Its description of itself, if received."""


def refuse_other_versions(own: Host, machines: Iterable[HasDescription]) -> None:
    """Raise `LabError` if a machine has another version of wirelab than this one, naming both."""
    for machine in machines:
        if machine.description is None:
            continue
        other = machine.description.host
        for name in (name for name in own.versions if name.startswith("wirelab")):
            other_version, own_version = other.versions.get(name, "none"), own.versions[name]
            if other_version != own_version:
                raise LabError(
                    f"{machine.name} has {name} {other_version}, and this machine {own_version}",
                    "install the same version of wirelab on all machines, and restart Ray there",
                )
        if None not in (other.git_commit, own.git_commit) and (other.git_commit != own.git_commit):
            raise LabError(
                f"{machine.name} runs wirelab from commit {other.git_commit}, and this machine"
                f" from {own.git_commit}",
                "check out the same commit on all machines, and restart Ray there",
            )


def why_unfit(description: MachineDescription) -> str:
    """Return why a machine cannot take part; "" if it can."""
    if description.free_bytes < LEAST_FREE_BYTES:
        return (
            f"its disk has {description.free_bytes / 1e6:.0f} MB free, and"
            f" {LEAST_FREE_BYTES / 1e6:.0f} MB are needed; free space there, or set TMPDIR to a"
            " folder on another disk before `ray start`"
        )
    if description.niceness > 0:
        return (
            f"Ray runs its processes there with low priority (niceness"
            f" {description.niceness}); start it there with {SETTING}=0 ray start …"
        )
    return ""
