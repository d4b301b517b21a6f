"""All environments, by the name that studies use."""

from collections.abc import Iterable, Mapping

from wirelab.lab.environments.container.environment import Container, ContainerHost
from wirelab.lab.environments.environment import LOOPBACK, Environment, Native, NativeOnCpus
from wirelab.study import CPU_COUNTS

ENVIRONMENTS: Mapping[str, Environment] = {
    each.name: each
    for each in (
        *(Native(), Container(), ContainerHost()),
        *(NativeOnCpus(name, count) for name, count in CPU_COUNTS.items()),
    )
}


def is_native(name: str) -> bool:
    """Return whether contenders are processes of this machine in it."""
    return isinstance(ENVIRONMENTS[name], Native)


def store_host(environments: Iterable[str]) -> str:
    """Return the address at which contenders in all of these environments reach a store.

    A single one, so that the path to the store is the same in each. Raises `LabError`.
    """
    hosts = {ENVIRONMENTS[name].store_host() for name in environments}
    return next(iter(hosts - {LOOPBACK}), LOOPBACK)
