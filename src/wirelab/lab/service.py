"""Services: a contender that consists of several programs, which call each other."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from wirelab.close_match import close_match, one_of

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]


class Service(BaseModel):
    """One program of a contender that consists of several.

    It is started by the contender's `command` with `arguments` behind it, or by a `command` of its
    own; its `environment` goes before the contender's. Where those are that it `calls`, it is told
    as HOST:PORT in `WIRELAB_PEER_NAME`: they listen before it is started.

    Clients ask the one that no other calls. All listen at ports of their own and have the
    contender's database.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    calls: tuple[Name, ...] = ()


def start_order(services: Mapping[str, Service]) -> tuple[str, ...]:
    """Return the names of services, each behind those that it calls: the one clients ask is last.

    Raises ValueError, with what would be right, for calls that nobody can put in such an order.
    """
    calls = {name: service.calls for name, service in services.items()}
    called = {peer for peers in calls.values() for peer in peers}
    for unknown in sorted(called - services.keys()):
        hint = close_match(unknown, services)
        known = f"calls of services that there are: {one_of(services)}, not {unknown}"
        raise ValueError("; ".join(filter(None, (known, hint))))
    try:
        order = tuple(TopologicalSorter(calls).static_order())
    except CycleError as error:
        circle = " calls ".join(reversed(error.args[1]))
        raise ValueError(f"services that can be started one after the other; {circle}") from None
    asked = [name for name in services if name not in called]
    if len(asked) != 1:
        raise ValueError(
            f"exactly one service that no other calls, since clients ask that one;"
            f" nobody calls {' and '.join(asked)}"
        )
    return order


def _ordered(services: Mapping[str, Service]) -> Mapping[str, Service]:
    return {name: services[name] for name in start_order(services)} if services else services


Services = Annotated[Mapping[Name, Service], AfterValidator(_ordered)]
"""The services of a contender by name, in the order in which they are started; mostly none."""


def peer_variable(service: str) -> str:
    """Return the variable that says where a service is."""
    return f"WIRELAB_PEER_{service.upper().replace('-', '_')}"
