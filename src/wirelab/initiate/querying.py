"""What servers answer: valid parameters, and how to compare the answers of several protocols."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.experiment import Observer
from wirelab.initiate.agreeing import Spelling, find_spellings
from wirelab.initiate.draws import draw
from wirelab.initiate.kinds import Kinds, different_kinds
from wirelab.initiate.offer import Offer
from wirelab.initiate.pools import Pool
from wirelab.initiate.repeating import query_twice
from wirelab.initiate.servers import EMPTY, Servers
from wirelab.initiate.writing import write_parameters


@dataclass(frozen=True)
class Queried:
    """The requests to servers and their results."""

    pools: Mapping[str, Pool] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    kinds: Mapping[str, Kinds] = field(default_factory=dict)
    """The kinds of answers that differ in kind, by operation."""
    empty: Collection[str] = ()
    """Operations whose answers were all empty."""
    notes: Sequence[str] = ()
    wrong_prefix: str = ""
    """A hint, if a server answered 404 to every operation."""

    def is_usable(self, name: str) -> bool:
        """Return whether an operation was answered often enough, and not always with nothing."""
        pool = self.pools.get(name)
        return pool is not None and pool.is_answered and name not in self.empty

    def why(self, name: str) -> str:
        """Return why an operation is not usable."""
        pool = self.pools.get(name)
        if pool is None or not pool.tried:
            writes = pool is not None and pool.offer.effect == "write"
            known = "wirelab does not try writes" if writes else "no parameters are known"
            return f"{known}: give values for its parameters with --csv"
        if pool.is_answered:
            return EMPTY
        refused = f": {self.refusals[name]}" if name in self.refusals else ""
        return f"{pool.summary()}{refused}"


def query(
    domain: Path,
    offers: Mapping[str, Offer],
    rows: Sequence[Mapping[str, str]],
    seed: int,
    *,
    declared: Mapping[str, str],
    observer: Observer,
) -> Queried:
    """Find parameters that servers answer, and how to compare the answers of several protocols.

    `declared` are the prefixes of paths in the descriptions, by protocol.
    """
    with ExitStack() as ends:
        servers = Servers(domain, ends)
        if not servers.is_possible:
            examples = {
                name: [{it.name: it.examples[0] for it in offer.parameters}]
                for name, offer in offers.items()
                if offer.parameters and all(it.examples for it in offer.parameters)
            }
            write_parameters(domain, examples)
            missing = (
                "no server was queried: give --address PROTOCOL=URL to find valid parameters, or"
                " write them to parameters.ndjson"
            )
            return Queried(notes=[missing])
        drawn, why_not = draw(offers, seed, observer)
        pools = servers.pools(offers, rows, drawn, seed, observer)
        reads = {name: pool.sets for name, pool in pools.items() if pool.offer.effect == "read"}
        answers = query_twice(servers, offers, reads, observer)
        spellings = find_spellings(servers.domain, answers)
        kinds = different_kinds(servers.domain, answers)
        empty = {name for name, offer in offers.items() if servers.proves_nothing(offer)}
    unknown = [pool for pool in pools.values() if not pool.tried]
    notes = [why_not] if why_not and unknown else []
    notes += [f"{name}: {each}" for name, it in spellings.items() for each in it.notes()]
    return Queried(
        pools, servers.refusals, spellings, kinds, empty, notes, servers.wrong_prefix(declared)
    )
