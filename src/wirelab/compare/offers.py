"""What sides are asked: the path of their addresses, or the operations of an OpenAPI document."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from wirelab import words
from wirelab.close_match import close_match, one_of
from wirelab.compare.probe import asker, endpoint_of, look_at_url, standing
from wirelab.compare.sides import Side, common_path
from wirelab.compare.world import Terms
from wirelab.initiate.offer import Offer
from wirelab.initiate.openapi import read_openapi
from wirelab.initiate.pools import Pool, fill_pools, read_csv
from wirelab.problems import Problem, ProblemsError
from wirelab.protocol.client import connect_to
from wirelab.protocol.message import WireRequest
from wirelab.protocol.rest import RestCodec, RestRequest

MOST = 40
"""So many operations of a document are tried, unless some are chosen."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person wants to have asked."""

    openapi: Path | None = None
    path: str = ""
    """What to GET of each side where there is no document."""
    csv: Path | None = None
    only: tuple[str, ...] = ()
    allow_writes: bool = False
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """The operations to be compared, sets of parameters for them, and what a person should know."""

    sides: tuple[Side, ...]
    offers: tuple[Offer, ...]
    parameters: Mapping[str, Sequence[Mapping[str, object]]]
    request_s: float
    """About how long a request takes at the first side."""
    notes: tuple[str, ...] = ()


def find_offers(sides: Sequence[Side], terms: Terms, asked: Asked, logs: Path) -> Found:
    """Find out what can be asked, by a first look at the first side.

    Raises `ContenderError` where it does not answer, and `ProblemsError` for the document.
    """
    if asked.openapi is None:
        return _one_path(sides, terms, logs, asked.path)
    interface = read_openapi(asked.openapi)
    chosen = [each for each in interface.offers if each.effect != "write" or asked.allow_writes]
    writes = len(interface.offers) - len(chosen)
    known = [offer.name for offer in interface.offers]
    for name in asked.only:
        if name not in known:
            raise ProblemsError(
                [Problem("--only", "", name, one_of(known), close_match(name, known))]
            )
    sources = [each for each in chosen if _is_source(each)]
    chosen = [offer for offer in chosen if not asked.only or offer.name in asked.only]
    if more := chosen[MOST:]:
        chosen = chosen[:MOST]
        left = f"{len(more)} more operations are left out; choose with --only"
    rows = read_csv(asked.csv) if asked.csv else []
    with standing(sides[0], terms, logs) as first:
        base = _based(first, interface.path)
        asking = [*chosen, *(each for each in sources if each not in chosen)]
        pools, took = _pools(base, terms, asking, rows, asked.seed)
    usable = [offer for offer in chosen if pools[offer.name].sets]
    notes = [f"{each.name}: left out, it {each.reason}" for each in interface.left_out]
    notes += [left] if more else []
    if writes:
        written = words.plural(writes, "operation writes and is", "operations write and are")
        notes.append(f"{written} left out: see --allow-writes")
    notes += [_note(pools[offer.name]) for offer in chosen]
    if not usable:
        told = "; ".join(notes)
        expected = f"an operation that is answered, or values for its parameters (--csv); {told}"
        raise ProblemsError([Problem(str(asked.openapi), "", "nothing to ask", expected)])
    return Found(
        tuple(_based(side, interface.path) for side in sides),
        tuple(usable),
        {name: pool.sets for name, pool in pools.items()},
        took,
        (*interface.notes, *notes),
    )


def _one_path(sides: Sequence[Side], terms: Terms, logs: Path, path: str) -> Found:
    """Ask for the path of the addresses, which may begin differently, or one below them."""
    end, beginnings = common_path(sides)
    if path:
        end, beginnings = path, [side.address.path if side.address else "" for side in sides]
    took, statuses = [], []
    for side, beginning in zip(sides, beginnings, strict=True):
        with standing(side, terms, logs) as up:
            status, seconds = look_at_url(up, terms, beginning + end)
            statuses.append(status)
            took.append(seconds)
    if len(set(statuses)) > 1:
        said = ", ".join(f"{side.name}: {it}" for side, it in zip(sides, statuses, strict=True))
        raise ProblemsError([Problem("wirelab compare", "", said, "the same status of all")])
    offer = Offer(
        protocol="rest",
        name="get",
        summary=f"GET {end or 'its path'}",
        effect="read",
        parameters=(),
        binding={
            "method": "GET",
            "path": end,
            "content": "any",
            "headers": {"accept": "*/*"},
            "status": statuses[0],
        },
    )
    placed = [
        replace(side, address=replace(side.address, path=beginning)) if side.address else side
        for side, beginning in zip(sides, beginnings, strict=True)
    ]
    return Found(tuple(placed), (offer,), {offer.name: [{}]}, max(took))


def _based(side: Side, path: str) -> Side:
    """Let the address of a side begin with the document's path, unless it has one of its own."""
    if side.address is None or side.address.path:
        return side
    return replace(side, address=replace(side.address, path=path))


def _pools(
    side: Side, terms: Terms, offers: Sequence[Offer], rows: Sequence[Mapping[str, str]], seed: int
) -> tuple[dict[str, Pool], float]:
    took: list[float] = []
    assert side.address is not None
    codec = RestCodec(side.address.path or "/", "snake")
    with connect_to(endpoint_of(side, terms), terms.timeout_s) as client:
        ask = asker(side, client)

        def call(offer: Offer, parameters: Mapping[str, object]) -> tuple[bool, object]:
            request: WireRequest = codec.encode_request(RestRequest(**offer.binding), parameters)
            began = time.monotonic()
            answered = ask(request)
            took.append(time.monotonic() - began)
            return answered

        pools = fill_pools(offers, call, rows=rows, seed=seed)
    return pools, median(took or [0.001])


def _is_source(offer: Offer) -> bool:
    """Tell whether an operation may answer a list of ids without being told anything first."""
    return offer.lists and all(each.examples for each in offer.parameters)


def _note(pool: Pool) -> str:
    if not pool.tried:
        return f"{pool.offer.name} ({pool.offer.shown}): left out, no values for its parameters"
    told = f"{len(pool.sets)} of {pool.tried} parameter sets answered, from {pool.source}"
    left = "" if pool.sets else ": left out"
    return f"{pool.offer.name} ({pool.offer.shown}): {told}{left}"
