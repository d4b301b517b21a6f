"""Propose sequences: one operation writes, another one reads that by the key in the answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.matching import Match, intent, things_of
from wirelab.scaffold.names import words
from wirelab.scaffold.projection import names_in_common


def propose_sequences(
    matches: Sequence[Match], merged: Mapping[str, Offer]
) -> dict[str, dict[str, Any]]:
    """Propose a sequence for each operation that creates or updates what another one reads.

    `merged` are the operations by name, with the parameters common to all protocols.
    """
    found = {}
    for write in matches:
        if intent(write.offers[0]) not in ("create", "update"):
            continue
        for read in matches:
            key = next(_keys(write, read, merged[read.name]), None)
            if key is not None:
                parameter, value = key
                found[write.name] = {
                    "summary": f"{read.name} returns the data that {write.name} wrote",
                    "steps": [
                        {"operation": write.name, "remember": {parameter: f"/{value}"}},
                        {"operation": read.name, "parameters": {parameter: f"{{{parameter}}}"}},
                    ],
                }
                break
    return found


def _keys(write: Match, read: Match, merged: Offer) -> Iterator[tuple[str, str]]:
    """Yield the only parameter of a read, and the value of a write's answer that may provide it."""
    writing, reading = write.offers[0], read.offers[0]
    things = things_of(writing)
    if intent(reading) != "get" or things_of(reading) != things or len(merged.parameters) != 1:
        return
    parameter = merged.parameters[0].name
    if named := words(parameter):
        known = names_in_common(write.offers)
        for name in ("_".join(named), named[-1], *(f"{it}_{named[-1]}" for it in sorted(things))):
            if name in known:
                yield parameter, name
