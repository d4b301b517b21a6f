"""Every environment there is, by the name that studies use."""

from collections.abc import Iterable, Mapping

from wirelab.lab.container.environment import Container, ContainerHost
from wirelab.lab.environment import LOOPBACK, Environment, Native

ENVIRONMENTS: Mapping[str, Environment] = {
    each.name: each for each in (Native(), Container(), ContainerHost())
}


def store_host(environments: Iterable[str]) -> str:
    """Return the one address at which contenders in all of these environments reach a store.

    One for all, so that the way to the store is the same in each. Raises `LabError`.
    """
    hosts = {ENVIRONMENTS[name].store_host() for name in environments}
    return next(iter(hosts - {LOOPBACK}), LOOPBACK)
