"""Which machines may take part: with the same wirelab, room on their disk, and Ray set up well."""

from collections.abc import Iterable
from typing import Protocol

from wirelab.cluster.messages import Introduction
from wirelab.cluster.upbringing import SETTING
from wirelab.errors import LabError
from wirelab.lab.host import Host

LEAST_FREE_BYTES = 1_000_000_000
"""Below, neither a store nor a bundle has room enough."""


class Introduced(Protocol):
    """A machine, or something on one."""

    @property
    def name(self) -> str:
        """How people are told of it."""

    @property
    def introduction(self) -> Introduction | None:
        """What it said of itself, if it has."""


def refuse_other_versions(ours: Host, machines: Iterable[Introduced]) -> None:
    """Raise `LabError` where a machine has another wirelab than this one, naming both."""
    for machine in machines:
        if machine.introduction is None:
            continue
        theirs = machine.introduction.host
        for name in (name for name in ours.versions if name.startswith("wirelab")):
            found, own = theirs.versions.get(name, "none"), ours.versions[name]
            if found != own:
                raise LabError(
                    f"{machine.name} has {name} {found}, and this machine {own}",
                    "install the same wirelab on all machines, and start Ray there anew",
                )
        if None not in (theirs.git_commit, ours.git_commit) and (
            theirs.git_commit != ours.git_commit
        ):
            raise LabError(
                f"{machine.name} runs wirelab from commit {theirs.git_commit}, and this machine"
                f" from {ours.git_commit}",
                "check the same commit out on all machines, and start Ray there anew",
            )


def why_unfit(introduction: Introduction) -> str:
    """Say why a machine cannot take part; "" where it can."""
    if introduction.free_bytes < LEAST_FREE_BYTES:
        return (
            f"its disk has {introduction.free_bytes / 1e6:.0f} MB free, and"
            f" {LEAST_FREE_BYTES / 1e6:.0f} MB are needed; free space there, or set TMPDIR to a"
            " folder on another disk before `ray start`"
        )
    if introduction.niceness > 0:
        return (
            f"Ray puts what it runs there behind other programs (niceness"
            f" {introduction.niceness}); start it there with {SETTING}=0 ray start …"
        )
    return ""
