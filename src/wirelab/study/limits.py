"""Resource limits of what is under test: CPU time and memory, by role."""

from typing import Annotated

from pydantic import Field

from wirelab.inputs.file_model import FileModel


class ResourceLimits(FileModel):
    """`[limits.ROLE]`: what a server may use of the machine. Default: as much as there is.

    The kernel holds the server, and all that it starts, to them by a control group; a container
    engine does so for its containers.
    """

    cpus: Annotated[float, Field(ge=0.01, allow_inf_nan=False)] | None = None
    """CPU time, in CPUs: `1.5` is one and a half, at least 0.01. A server beyond it is paused until
    the next 100 ms begin. To limit the number of CPUs instead, use the environments `native-1-cpu`,
    `native-2-cpus`, …"""
    memory_mb: Annotated[int, Field(ge=64)] | None = None
    """Memory in MiB, at least 64. A server that needs more is killed, and loses its runs."""

    def __bool__(self) -> bool:
        return self != UNLIMITED

    def declared(self) -> dict[str, str]:
        """Return what is declared with the results, by the name of the limit."""
        declared = {}
        if self.cpus is not None:
            declared["limit: CPUs"] = f"{self.cpus:g}"
        if self.memory_mb is not None:
            declared["limit: memory"] = f"{self.memory_mb}MB"
        return declared


UNLIMITED = ResourceLimits()


class RoleLimits(FileModel):
    """`[limits]`: resource limits of everything under test, by role.

    Only servers that wirelab starts can be limited. Outside of containers this takes root, and the
    controllers `cpu` and `memory` of control groups (version 1 or 2). Reports list the limits among
    the settings of contender, proxy and store.
    """

    contender: ResourceLimits = UNLIMITED
    """`[limits.contender]`: limits of each contender; of one that consists of services, of each
    service."""
    proxy: ResourceLimits = UNLIMITED
    """`[limits.proxy]`: limits of the proxy in front of a contender."""
    store: ResourceLimits = UNLIMITED
    """`[limits.store]`: limits of each embedded store. Those in `--store`, such as
    `postgresql=postgresql?cpus=1&memory_mb=1024`, take their place."""


NO_LIMITS = RoleLimits()
