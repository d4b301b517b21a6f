"""`wirelab init`: a domain and a study out of the descriptions of somebody's API."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from wirelab.console import note, print_json, show
from wirelab.domain_file import load_domain
from wirelab.exit_codes import ExitCode
from wirelab.initiate.asking import ENOUGH, Asking
from wirelab.initiate.draws import draw
from wirelab.initiate.matching import Match, match_offers
from wirelab.initiate.offer import Interface, Offer
from wirelab.initiate.pools import Pool, read_csv
from wirelab.initiate.sources import READERS, fetch_description
from wirelab.initiate.writing import write_domain, write_parameters, write_study
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, ProblemsError

SHOWN = 12
Decide = Callable[[str], bool]
"""Asks a person whether a doubtful match is one."""


def init_command(
    name: str,
    sources: Mapping[str, str],
    *,
    addresses: Mapping[str, str],
    csv: Path | None,
    decide: Decide | None,
    force: bool,
    seed: int,
    as_json: bool,
) -> ExitCode:
    """Write the folder NAME with a domain and a study; `decide` is None where nobody is asked."""
    if not sources:
        expected = "at least one of --openapi, --sdl, --proto and --wsdl"
        raise ProblemsError([Problem("wirelab init", "", name, expected)])
    place = Path(name)
    if place.exists() and not force:
        expected = "a new folder, or --force to write it again"
        raise ProblemsError([Problem(name, "", "there already", expected)])
    for protocol, address in addresses.items():
        _check_address(protocol, address)
    domain = place / "domain"
    existed = place.exists()
    if force:
        shutil.rmtree(domain, ignore_errors=True)
    domain.mkdir(parents=True)
    try:
        return _write(
            place,
            sources,
            addresses=addresses,
            csv=csv,
            decide=decide,
            seed=seed,
            as_json=as_json,
        )
    except BaseException:
        if not existed:  # a failed attempt leaves nothing in the way
            shutil.rmtree(place, ignore_errors=True)
        raise


def _write(
    place: Path,
    sources: Mapping[str, str],
    *,
    addresses: Mapping[str, str],
    csv: Path | None,
    decide: Decide | None,
    seed: int,
    as_json: bool,
) -> ExitCode:
    domain = place / "domain"
    interfaces, descriptions = _read(domain, sources, addresses)
    matches = _decided(match_offers([each.offers for each in interfaces]), decide)
    offered_by_several = [match for match in matches if len(match.offers) > 1]
    kept = offered_by_several if len(interfaces) > 1 else matches
    alone = [match for match in matches if match not in kept]
    if not kept:
        expected = f"an operation that {' and '.join(sources)} have in common"
        raise ProblemsError([Problem("wirelab init", "", place.name, expected)])
    arguments = domain, _name(place), interfaces, descriptions
    merged, kept, refused = _loadable(
        domain, kept, lambda matches: write_domain(*arguments, matches=matches, addresses=addresses)
    )
    pools, notes = _pools(domain, merged, csv, seed)
    if pools:
        answered = {key: pool.sets for key, pool in pools.items()}
        usable = [match for match in kept if answered.get(match.name)]
        lost = [match for match in kept if match not in usable]
        if usable and lost:
            merged = write_domain(*arguments, matches=usable, addresses=addresses)
            notes += [f"{match.name}: left out, {_why(pools.get(match.name))}" for match in lost]
            kept = usable
        write_parameters(domain, {match.name: answered.get(match.name, ()) for match in kept})
    write_study(place / "study", _name(place), list(sources), merged)
    left_out = [
        f"{each.name}: {each.reason}" for interface in interfaces for each in interface.left_out
    ]
    left_out += refused
    left_out += [f"{m.offers[0].shown}: only {m.offers[0].protocol} offers it" for m in alone]
    notes += [each for interface in interfaces for each in interface.notes]
    _tell(place, kept, pools, left_out, notes, as_json=as_json)
    return ExitCode.OK


def _loadable(
    domain: Path,
    matches: Sequence[Match],
    write: Callable[[Sequence[Match]], dict[str, Offer]],
) -> tuple[dict[str, Offer], list[Match], list[str]]:
    """Write a domain; leave out operations that it could not be loaded with, and say why."""
    kept, left_out = list(matches), []
    while True:
        merged = write(kept)
        try:
            load_domain(str(domain))
        except ProblemsError as error:
            reasons = {
                each.key.split(".")[1]: f"{each.key.partition('.')[2]}: expected {each.expected}"
                for each in error.problems
                if each.key.startswith("operation.")
            }
            remaining = [match for match in kept if match.name not in reasons]
            if not remaining or len(remaining) == len(kept):
                raise
            left_out += list(reasons.values())
            kept = remaining
        else:
            return merged, kept, left_out


def _read(
    domain: Path, sources: Mapping[str, str], addresses: Mapping[str, str]
) -> tuple[list[Interface], dict[str, Path]]:
    interfaces, descriptions = [], {}
    for protocol, source in sources.items():
        file = fetch_description(protocol, source, domain, addresses.get(protocol, ""))
        descriptions[protocol] = file
        interface = READERS[protocol][1](file)
        address = addresses.get(protocol, "")
        if address and Address.parse(address).path:
            interface = replace(interface, path=Address.parse(address).path)
        interfaces.append(interface)
    return interfaces, descriptions


def _decided(matches: Sequence[Match], decide: Decide | None) -> list[Match]:
    """Ask about doubtful matches; where nobody is asked they stand, with a comment."""
    decided = []
    for match in matches:
        offers = list(match.offers)
        for protocol in match.doubtful:
            doubted = next(each for each in offers if each.protocol == protocol)
            question = (
                f"{match.offers[0].shown} and {doubted.shown}: {match.reasons[protocol]}."
                " Are they the same operation?"
            )
            if decide is not None and not decide(question):
                offers.remove(doubted)
        doubts = match.doubtful if decide is None else ()
        decided.append(replace(match, offers=tuple(offers), doubtful=doubts))
    return decided


def _pools(
    domain: Path, offers: Mapping[str, Offer], csv: Path | None, seed: int
) -> tuple[dict[str, Pool], list[str]]:
    rows = read_csv(csv) if csv else []
    with ExitStack() as ends:
        asking = Asking(domain, ends)
        if not asking.is_possible:
            examples = {
                name: [{it.name: it.examples[0] for it in offer.parameters}]
                for name, offer in offers.items()
                if offer.parameters and all(it.examples for it in offer.parameters)
            }
            write_parameters(domain, examples)
            return {}, ["no server was asked: give --address PROTOCOL=URL for parameters that fit"]
        drawn, why_not = draw(offers, seed)
        pools = asking.pools(offers, rows, drawn, seed)
    unknown = [pool for pool in pools.values() if not pool.tried]
    return pools, [why_not] if why_not and unknown else []


def _why(pool: Pool | None) -> str:
    if pool is None or not pool.tried:
        return "nothing is known of its parameters: give values with --csv"
    return f"none of {pool.tried} parameter sets from {pool.source} was answered"


def _tell(
    place: Path,
    matches: Sequence[Match],
    pools: Mapping[str, Pool],
    left_out: Sequence[str],
    notes: Sequence[str],
    *,
    as_json: bool,
) -> None:
    if as_json:
        print_json(
            {
                "operations": {
                    match.name: {
                        "offers": {each.protocol: each.shown for each in match.offers},
                        "reasons": dict(match.reasons),
                        "doubtful": list(match.doubtful),
                        "answered": pools[match.name].rate if match.name in pools else None,
                    }
                    for match in matches
                },
                "left_out": list(left_out),
                "notes": list(notes),
            }
        )
        return
    for match in matches:
        show(f"{match.name}: {', '.join(f'{it.protocol} {it.shown}' for it in match.offers)}")
        for protocol, reason in match.reasons.items():
            doubt = " (doubtful)" if protocol in match.doubtful else ""
            show(f"    {protocol}: {reason}{doubt}")
        if pool := pools.get(match.name):
            few = "" if pool.rate >= ENOUGH else f", fewer than {ENOUGH:.0%}: see --csv"
            told = f"{len(pool.sets)} of {pool.tried} parameter sets answered ({pool.rate:.0%})"
            show(f"    {told}, from {pool.source}{few}")
    for line in left_out[:SHOWN]:
        note(f"left out: {line}")
    if len(left_out) > SHOWN:
        note(f"left out: {len(left_out) - SHOWN} more; --json lists them all")
    for line in notes:
        note(line)
    note(f"written: {place}/domain and {place}/study; next: wirelab run {place}/study")


def _check_address(protocol: str, address: str) -> None:
    try:
        Address.parse(address)
    except ValueError as error:
        shown = without_credentials(address)
        raise ProblemsError([Problem("--address", protocol, shown, str(error))]) from None


def _name(place: Path) -> str:
    kept = [letter if letter.isalnum() else "-" for letter in place.name.lower()]
    return "".join(kept).strip("-") or "own"
