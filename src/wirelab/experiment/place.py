"""Where a contender runs: the keys for building, verifying and starting it."""

from dataclasses import dataclass
from typing import Self

from wirelab.study import NO_PROXY, Cell


@dataclass(frozen=True, slots=True)
class Placement:
    """A contender in an environment: the unit of building."""

    contender: str
    environment: str


@dataclass(frozen=True, slots=True)
class Place:
    """A placement on a store, with or without a proxy: the unit of verification.

    Answers of one contender may differ in their bytes from place to place.
    """

    placement: Placement
    store: str
    proxy: str = NO_PROXY

    @classmethod
    def from_cell(cls, cell: Cell) -> Self:
        """Return the place of a cell's contender."""
        return cls(Placement(cell.contender, cell.environment), cell.store, cell.proxy)

    @property
    def name(self) -> str:
        """Return a name that is valid in a path."""
        proxy = () if self.proxy == NO_PROXY else (self.proxy,)
        parts = (self.placement.contender, self.store, self.placement.environment, *proxy)
        return "-".join(parts)


@dataclass(frozen=True, slots=True)
class ServerKey:
    """A server of a session, shared by cells that differ only in their load."""

    place: Place
    twin: bool = False

    @classmethod
    def from_cell(cls, cell: Cell) -> Self:
        """Return the key of a cell's server."""
        return cls(Place.from_cell(cell), cell.twin)

    @property
    def name(self) -> str:
        """Return a name that is valid in a path."""
        return f"{self.place.name}-twin" if self.twin else self.place.name
