"""Services: a contender that consists of several programs, which call each other."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from wirelab.inputs.close_match import close_match, one_of

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]


class Service(BaseModel):
    """`[contender.ID.service.NAME]`: one program of a contender that consists of several.

    Clients send their requests to the service that no other calls; there must be exactly one.
    wirelab starts a service when those that it calls listen, and passes it their addresses as
    HOST:PORT in `WIRELAB_PEER_NAME`. Each service has its own port, and all use the contender's
    database.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Command that starts it. Default: the contender's."""
    arguments: tuple[str, ...] = ()
    """Arguments to add to the command, such as `["--service", "users"]`. Default: none."""
    environment: Mapping[str, str] = {}
    """Environment variables to add to the contender's, or to replace. Default: none."""
    calls: tuple[Name, ...] = ()
    """Names of the services that it calls. They cannot call it in turn. Default: none."""


def start_order(services: Mapping[str, Service]) -> tuple[str, ...]:
    """Return the names of services, each after those that it calls; clients call the last one.

    Raises ValueError, with the correct form, for calls that have no such order; pydantic's, with
    the key of each call, for calls of the service itself and of services that do not exist.
    """
    calls = {name: service.calls for name, service in services.items()}
    called = {peer for peers in calls.values() for peer in peers}
    wrong = [
        _wrong_call(name, number, services)
        for name, peers in calls.items()
        for number, peer in enumerate(peers)
        if peer == name or peer not in services
    ]
    if wrong:
        raise ValidationError.from_exception_data("services", wrong)
    try:
        order = tuple(TopologicalSorter(calls).static_order())
    except CycleError as error:
        circle = " calls ".join(reversed(error.args[1]))
        raise ValueError(f"services without circular calls; {circle}") from None
    entries = [name for name in services if name not in called]
    if len(entries) != 1:
        raise ValueError(
            "exactly one service that no other service calls, because clients call that one;"
            f" no service calls {' and '.join(entries)}"
        )
    return order


def _wrong_call(name: str, number: int, services: Mapping[str, Service]) -> InitErrorDetails:
    peer, others = services[name].calls[number], [other for other in services if other != name]
    expected = f"another service: {one_of(others)}" if others else "none: there is no other service"
    what = "; ".join(filter(None, (expected, close_match(peer, others))))
    return InitErrorDetails(
        type=PydanticCustomError("wrong_call", "{what}", {"what": what}),
        loc=(name, "calls", number),
        input=peer,
    )


def _ordered(services: Mapping[str, Service]) -> Mapping[str, Service]:
    return {name: services[name] for name in start_order(services)} if services else services


Services = Annotated[Mapping[Name, Service], AfterValidator(_ordered)]
"""The services of a contender by name, in the order of their start; usually none."""


def peer_variable(service: str) -> str:
    """Return the environment variable that contains a service's address."""
    return f"WIRELAB_PEER_{service.upper().replace('-', '_')}"
