"""Capabilities of this process: the rights of root, of which a container may lack some."""

from enum import IntEnum
from pathlib import Path

STATUS = Path("/proc/self/status")


class Capability(IntEnum):
    """A capability by its number, see capabilities(7)."""

    CHOWN = 0
    DAC_OVERRIDE = 1
    KILL = 5
    SETGID = 6
    SETUID = 7
    NET_ADMIN = 12
    SYS_ADMIN = 21


def lacking(*needed: Capability) -> list[Capability]:
    """Return the capabilities that are needed, and that this process lacks."""
    lines = STATUS.read_text().splitlines()
    bits = next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
    return [each for each in needed if not bits >> each & 1]
