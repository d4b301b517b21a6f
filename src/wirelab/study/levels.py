"""Factors and their levels: how names in a study's files refer to what the study declares.

A name is checked against the levels in the validation context, if there are any, so that a wrong
name is reported at its exact place, together with all other mistakes of the file.
"""

from collections.abc import Collection, Mapping, Sized
from typing import Annotated, Final, Literal, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    StringConstraints,
    ValidationInfo,
    model_validator,
)

from wirelab.inputs.close_match import close_match, one_of
from wirelab.inputs.file_model import FileModel

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
"""A level's name: lower case, safe in a path."""

Factor = Literal["contender", "workload", "store", "environment", "load", "proxy", "network"]
"""The factors that a cell combines."""

FACTORS: tuple[Factor, ...] = get_args(Factor)

NO_PROXY: Final = "none"
"""The level of the factor proxy that puts nothing between client and contender."""

NO_NETWORK: Final = "loopback"
"""The level of the factor network that emulates nothing."""

PLACES: Final = ("native", "container", "container-host")
"""The environments, except those of `CPU_COUNTS`."""

CPU_COUNTS: Final[Mapping[str, int]] = {
    f"native-{count}-cpu{'s' if count > 1 else ''}": count for count in range(1, 129)
}
"""Environments on this machine that limit a server to a number of CPUs, by name."""

OWN_STORE: Final = "own"
"""The level of the factor store for servers that keep their own data."""

Levels = Mapping[Factor, Collection[str]]
"""The names that a study declares, by factor, in the order of the file.

A factor whose names cannot be read is left out.
"""


Entries = TypeVar("Entries", bound=Sized)


def plural(factor: Factor) -> str:
    """Return the key of a study or design that lists levels of a factor."""
    return "proxies" if factor == "proxy" else f"{factor}s"


def unknown_name(name: object, known: Collection[str]) -> str:
    """Return the known names, and the closest one, for a message about an unknown name."""
    return "; ".join(filter(None, (one_of(known), close_match(name, known))))


def at_least(count: int) -> AfterValidator:
    """Require a number of entries, but only once every entry itself is valid."""

    def check(entries: Entries) -> Entries:
        if len(entries) < count:
            raise ValueError(f"at least {count} of them")
        return entries

    return AfterValidator(check)


def _level_of(factor: Factor) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        levels: Levels | None = (info.context or {}).get("levels")
        known = None if levels is None else levels.get(factor)
        if known is not None and name not in known:
            raise ValueError(unknown_name(name, known))
        return name

    return AfterValidator(check)


def is_environment(name: str) -> bool:
    """Return whether an environment has this name."""
    return name in PLACES or name in CPU_COUNTS


def _known_environment(name: str) -> str:
    if not is_environment(name):
        expected = (*PLACES, "native-1-cpu", "native-2-cpus")
        hint = close_match(name, expected)
        raise ValueError(f"{one_of(expected)}, or another number of CPUs{hint and f'; {hint}'}")
    return name


EnvironmentKind = Annotated[str, AfterValidator(_known_environment)]


def _several(value: object) -> object:
    return [value] if isinstance(value, str | Mapping | BaseModel) else value


ContenderName = Annotated[str, _level_of("contender")]
WorkloadName = Annotated[str, _level_of("workload")]
StoreName = Annotated[str, _level_of("store")]
EnvironmentName = Annotated[str, _level_of("environment")]
LoadName = Annotated[str, _level_of("load")]
ProxyName = Annotated[str, _level_of("proxy")]
NetworkName = Annotated[str, _level_of("network")]

OneOrMore = BeforeValidator(_several)
"""Lets a file write a single name or table instead of a list of one."""


class Where(FileModel):
    """`where`: levels of some factors. A factor that is left out is not restricted.

    Each key takes one name or a list of names.
    """

    contender: Annotated[tuple[ContenderName, ...], OneOrMore] | None = None
    """Ids of contenders. Default: not restricted."""
    workload: Annotated[tuple[WorkloadName, ...], OneOrMore] | None = None
    """Names of workloads. Default: not restricted."""
    store: Annotated[tuple[StoreName, ...], OneOrMore] | None = None
    """Names of stores. Default: not restricted."""
    environment: Annotated[tuple[EnvironmentName, ...], OneOrMore] | None = None
    """Names of environments. Default: not restricted."""
    load: Annotated[tuple[LoadName, ...], OneOrMore] | None = None
    """Names of loads. Default: not restricted."""
    proxy: Annotated[tuple[ProxyName, ...], OneOrMore] | None = None
    """Names of proxies. Default: not restricted."""
    network: Annotated[tuple[NetworkName, ...], OneOrMore] | None = None
    """Names of networks. Default: not restricted."""

    def levels(self, factor: Factor) -> tuple[str, ...] | None:
        """Return the levels named for a factor, None if it is not restricted."""
        levels: tuple[str, ...] | None = getattr(self, factor)
        return levels


class FactorGrid(FileModel):
    """`[[grid]]`: two factors that the contenders combine, such as language and protocol.

    The report states how much of the differences is due to each factor. It uses the rows whose
    contenders were all measured and needs two of them.
    """

    down: str
    """Name of the factor whose levels are the rows, such as `language`."""
    across: str
    """Name of the factor whose levels are the columns, such as `protocol`."""
    columns: Annotated[tuple[str, ...], at_least(2)]
    """Levels of the factor `across`, at least two."""
    rows: Annotated[Mapping[str, tuple[ContenderName, ...]], at_least(2)]
    """By level of the factor `down`, at least two: one contender for each column, in the order of
    `columns`."""

    @model_validator(mode="after")
    def _a_contender_in_each_cell(self) -> Self:
        for name, contenders in self.rows.items():
            if len(contenders) != len(self.columns):
                raise ValueError(
                    f"{len(self.columns)} contenders in every row, one per column"
                    f" ({name} has {len(contenders)})"
                )
        return self
