"""The messages of all machines: plain values, since head and machines have the same version.

An agent starts as soon as it has loaded what these need; what only stations send is in
`station_messages`.
"""

from dataclasses import dataclass

from wirelab.cluster.packed_files import PackedFiles
from wirelab.engine.result import EngineResult
from wirelab.lab.host import Host


@dataclass(frozen=True, slots=True)
class MachineDescription:
    """The description that a machine sends of itself.

    `free_bytes`: on the disk of its working folder. `niceness`: that of Ray's processes, if it
    could not be lowered.
    """

    host: Host
    free_bytes: int
    niceness: int


@dataclass(frozen=True, slots=True)
class AgentReport:
    """An agent's measurement, and the files that its engine wrote."""

    result: EngineResult
    files: PackedFiles


@dataclass(frozen=True, slots=True)
class ServerUse:
    """The CPU time of a server between two times, and its memory at the second."""

    cpu_us: float
    memory_bytes: int
