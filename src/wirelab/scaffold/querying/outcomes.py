"""What servers answer: valid parameters, and how to compare the answers of several protocols."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from wirelab.experiment.events import Observer
from wirelab.scaffold.descriptions.offer import Offer
from wirelab.scaffold.kinds import Kinds, different_kinds
from wirelab.scaffold.querying.agreeing import Spelling, find_spellings
from wirelab.scaffold.querying.draws import draw
from wirelab.scaffold.querying.pools import Pool, from_rows
from wirelab.scaffold.querying.repeating import query_twice
from wirelab.scaffold.querying.servers import QueriedServers
from wirelab.scaffold.writing import write_parameters
from wirelab.terminal.words import listed


@dataclass(frozen=True)
class Queried:
    """The requests to servers and their results."""

    pools: Mapping[str, Pool] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    kinds: Mapping[str, Kinds] = field(default_factory=dict)
    """The kinds of answers that differ in kind, by operation."""
    empty: Mapping[str, str] = field(default_factory=dict)
    """Operations whose answers were all empty or the same, with the reason to leave them out."""
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
            return self.empty[name]
        refused = f": {self.refusals[name]}" if name in self.refusals else ""
        return f"{pool.summary()}{refused}"


def query(
    domain: Path,
    offers: Mapping[str, Offer],
    rows: Sequence[Mapping[str, str]],
    seed: int,
    *,
    sources: Collection[str],
    declared: Mapping[str, str],
    observer: Observer,
) -> Queried:
    """Find parameters that servers answer, and how to compare the answers of several protocols.

    `sources` are operations that are queried only for the ids in their answers; `declared` are the
    prefixes of paths in the descriptions, by protocol.
    """
    with ExitStack() as ends:
        servers = QueriedServers(domain, ends)
        if not servers.is_possible:
            return Queried(notes=list(_without_servers(domain, offers, rows)))
        drawn, why_not = draw(offers, seed, observer)
        pools = servers.pools(offers, rows, drawn, seed, observer, sources=sources)
        reads = {
            name: pool.sets
            for name, pool in pools.items()
            if pool.offer.effect == "read" and name not in sources
        }
        answers = query_twice(servers, offers, reads, observer)
        spellings = find_spellings(servers.domain, answers)
        kinds = different_kinds(servers.domain, answers)
        reasons = {name: servers.why_nothing_is_proved(offer) for name, offer in offers.items()}
        empty = {name: reason for name, reason in reasons.items() if reason}
    unknown = [pool for pool in pools.values() if not pool.tried]
    notes = [why_not] if why_not and unknown else []
    notes += [
        f"{name}: {each}" for name, spelling in spellings.items() for each in spelling.notes()
    ]
    return Queried(
        pools, servers.refusals, spellings, kinds, empty, notes, servers.wrong_prefix(declared)
    )


def _without_servers(
    domain: Path, offers: Mapping[str, Offer], rows: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Write the values of a CSV, otherwise the examples of descriptions; yield what is lacking."""
    given = {name: of_rows for name, offer in offers.items() if (of_rows := from_rows(offer, rows))}
    examples = {
        name: [values]
        for name, offer in offers.items()
        if name not in given and (values := _examples(offer)) is not None
    }
    sets = examples | given
    write_parameters(domain, {name: sets.get(name, []) for name in offers})
    if given:
        yield f"the values of --csv for {listed(given)} are not tried: no server was queried"
    if tried := [name for name in examples if offers[name].parameters]:
        yield f"the examples for {listed(tried)} are not tried: no server was queried"
    if lacking := [name for name in offers if name not in sets]:
        csv = "" if rows else " or --csv FILE"
        yield (
            f"no server was queried, so parameters.ndjson lacks values for {listed(lacking)}: write"
            f" them there first, or repeat this command with --address PROTOCOL=URL{csv}"
        )


def _examples(offer: Offer) -> dict[str, object] | None:
    """Return the first example of each parameter; None if the description lacks one."""
    values = {
        parameter.name: parameter.examples[0]
        for parameter in offer.parameters
        if parameter.examples
    }
    return values if len(values) == len(offer.parameters) else None
