"""`wirelab init`: write a domain and a study from the descriptions of an API."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.commands.folders import created_folder
from wirelab.commands.progress import LiveView
from wirelab.console import note, print_json, show
from wirelab.exit_codes import ExitCode
from wirelab.experiment import Observer
from wirelab.initiate.access import Access
from wirelab.initiate.agreeing import Spelling, find_spellings
from wirelab.initiate.draws import draw
from wirelab.initiate.kinds import Kinds, different_kinds, doubted
from wirelab.initiate.loading import loadable
from wirelab.initiate.matching import Match, match_offers
from wirelab.initiate.names import identifier
from wirelab.initiate.next_steps import next_steps
from wirelab.initiate.offer import Interface, Offer, guessed_reads, included_mutations
from wirelab.initiate.pools import NOT_ANSWERED, Pool, read_csv
from wirelab.initiate.repeating import query_twice
from wirelab.initiate.servers import EMPTY, Servers
from wirelab.initiate.sources import NO_OPTIONS, OPTIONS, described, is_available
from wirelab.initiate.writing import declared_prefix, write_domain, write_parameters, write_study
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, Problems, ProblemsError
from wirelab.words import plural

SHOWN = 12
Decide = Callable[[str], bool]
"""Asks the user whether a doubtful match is correct."""


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
    access: Access = NO_OPTIONS,
    problems: Problems | None = None,
) -> ExitCode:
    """Write the folder NAME with a domain and a study; without `decide`, no questions are asked.

    `problems` are those of arguments that were read before. Raises `ProblemsError` with all.
    """
    problems = problems or Problems()
    target = Path(name)
    _check_sources(sources, addresses, problems)
    if name and target.exists() and not (force and target.is_dir()):
        what, hint = f"{name} is a file", "give the name of a folder"
        if target.is_dir():
            what, hint = f"{name} already exists", "give a new name, or --force to overwrite it"
        problems.extend([Problem.stated(what, hint)])
    rows: list[dict[str, str]] = []
    with problems.collecting():
        rows = read_csv(csv) if csv else []
    problems.raise_if_any()
    with (
        created_folder(target),
        # An earlier domain remains readable until the new one is complete.
        TemporaryDirectory(prefix=".domain-", dir=target) as scratch,
    ):
        return _write(
            target,
            Path(scratch),
            sources,
            addresses=addresses,
            access=access,
            rows=rows,
            decide=decide,
            seed=seed,
            as_json=as_json,
        )


def _write(
    target: Path,
    scratch: Path,
    sources: Mapping[str, str],
    *,
    addresses: Mapping[str, str],
    access: Access,
    rows: Sequence[Mapping[str, str]],
    decide: Decide | None,
    seed: int,
    as_json: bool,
) -> ExitCode:
    domain = scratch / "domain"
    domain.mkdir()
    with LiveView() as view:
        view.phase("Reading", len(sources) + 1)
        interfaces, descriptions = _read(domain, sources, addresses, access, view)
        declared = {it.protocol: declared_prefix(it.protocol, it.path) for it in interfaces}
        interfaces = [_at(addresses.get(it.protocol, ""), it) for it in interfaces]
        view.step("matching operations")
        found = match_offers([each.offers for each in interfaces])
    matches = _decided(found, decide)
    left_out = [f"{each.name}: {each.reason}" for it in interfaces for each in it.left_out]
    kept = _in_common(matches, sources, left_out)
    arguments = domain, identifier(target.resolve().name), interfaces, descriptions

    def write(
        names: Collection[str], spellings: Mapping[str, Spelling] | None = None
    ) -> dict[str, Offer]:
        matched = [match for match in kept if match.name in names]
        return write_domain(
            *arguments,
            matches=matched,
            addresses=addresses,
            access=access,
            spellings=spellings or {},
        )

    with LiveView() as view:
        view.phase("Describing", 1)
        view.step(plural(len(kept), "operation"))
        names, refused = loadable(domain, [match.name for match in kept], write)
    kept = [match for match in kept if match.name in names]
    merged = write(names)
    left_out += refused
    queried = _query(domain, merged, rows, seed, declared)
    notes = list(queried.notes)
    if queried.pools:
        answered = {key: pool.sets for key, pool in queried.pools.items()}
        kept = _usable(kept, queried, left_out)
        kept = _in_common(_decided(doubted(kept, queried.kinds), decide), sources, left_out)
        merged = write([match.name for match in kept], queried.spellings)
        write_parameters(domain, {match.name: answered.get(match.name, ()) for match in kept})
    if (target / "domain").exists():
        (target / "domain").rename(scratch / "earlier")
    domain.rename(target / "domain")
    has_reads = any(offer.effect == "read" for offer in merged.values())
    if has_reads:
        write_study(target / "study", identifier(target.resolve().name), list(sources), merged)
    notes += [each for interface in interfaces for each in interface.notes]
    offers = [offer for match in kept for offer in match.offers]
    notes += included_mutations(offers) + guessed_reads(offers)
    if decide is None and any(match.doubtful for match in kept):
        notes.append("doubtful matches were kept, with comments in domain.toml: check them")
    missing = "; no operation is read-only, so no study is written"
    written = [f"written: {target}/domain{f' and {target}/study' if has_reads else missing}"]
    steps = next_steps(str(target), list(sources), addresses) if has_reads else []
    written += [f"hint: {step}" for step in steps]
    pools = {name: it for name, it in queried.pools.items() if name not in queried.kinds}
    _show_result(kept, pools, left_out, notes, written, as_json=as_json)
    return ExitCode.OK


def _in_common(
    matches: Sequence[Match], sources: Mapping[str, str], left_out: list[str]
) -> list[Match]:
    """Return the matches of several protocols, if there are several; add the others to the list.

    Raises `ProblemsError` if none remains.
    """
    kept = [match for match in matches if len(match.offers) > 1 or len(sources) == 1]
    alone = [match.offers[0] for match in matches if match not in kept]
    left_out += [f"{each.shown}: only {each.protocol} offers it" for each in alone]
    if not kept:
        raise ProblemsError([_nothing_to_write(sources, left_out)])
    return kept


def _nothing_to_write(sources: Mapping[str, str], left_out: Sequence[str]) -> Problem:
    """Return the problem that no operation remains, with the first of those left out."""
    if len(sources) > 1:
        what = f"{' and '.join(sources)} have no operation in common"
        hint = "give operations that do the same the same name, or write a domain for each protocol"
    else:
        what = f"{''.join(sources.values())} has no operation that wirelab can send"
        hint = "give a description with an operation that can be sent without further information"
    return Problem.stated("\n".join([what, *_first_left_out(left_out)]), hint)


def _first_left_out(left_out: Sequence[str]) -> list[str]:
    """List what is left out in a message, up to a maximum number."""
    lines = [f"left out: {line}" for line in left_out[:SHOWN]]
    more = len(left_out) - SHOWN
    return [*lines, f"left out: {more} more"] if more > 0 else lines


def _usable(matches: Sequence[Match], queried: "_Queried", left_out: list[str]) -> list[Match]:
    """Return the matches that were answered; add the reasons for leaving out others to the list.

    Raises `ProblemsError` if no read was answered.
    """
    lost = [match for match in matches if not queried.is_usable(match.name)]
    left_out += [f"{it.name}: {queried.why(it.name)}" for it in lost]
    reads = [it for it in matches if it.offers[0].effect == "read"]
    if all(it in lost for it in reads or matches):
        what = "\n".join(["no operation was answered", *_first_left_out(left_out)])
        hint = "give values for parameters with --csv; without --address, no server is queried"
        hint = queried.wrong_prefix or hint
        raise ProblemsError([Problem.stated(what, hint)])
    return [match for match in matches if match not in lost]


def _read(
    domain: Path,
    sources: Mapping[str, str],
    addresses: Mapping[str, str],
    access: Access,
    observer: Observer,
) -> tuple[list[Interface], dict[str, Path]]:
    interfaces, descriptions = [], {}
    for protocol, source in sources.items():
        observer.step(source)
        address = addresses.get(protocol, "")
        interface, descriptions[protocol] = described(protocol, source, domain, address, access)
        interfaces.append(interface)
    return interfaces, descriptions


def _at(address: str, interface: Interface) -> Interface:
    """Return an interface whose paths begin with that of its address, if it has one."""
    path = Address.parse(address).path if address else ""
    return replace(interface, path=path) if path else interface


def _decided(matches: Sequence[Match], decide: Decide | None) -> list[Match]:
    """Ask about doubtful matches; without questions, keep them with a comment."""
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


@dataclass(frozen=True)
class _Queried:
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


def _query(
    domain: Path,
    offers: Mapping[str, Offer],
    rows: Sequence[Mapping[str, str]],
    seed: int,
    declared: Mapping[str, str],
) -> _Queried:
    """Find parameters that servers answer, and how to compare the answers of several protocols.

    `declared` are the prefixes of paths in the descriptions, by protocol.
    """
    with LiveView() as view, ExitStack() as ends:
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
            return _Queried(notes=[missing])
        drawn, why_not = draw(offers, seed, view)
        pools = servers.pools(offers, rows, drawn, seed, view)
        reads = {name: pool.sets for name, pool in pools.items() if pool.offer.effect == "read"}
        answers = query_twice(servers, offers, reads, view)
        spellings = find_spellings(servers.domain, answers)
        kinds = different_kinds(servers.domain, answers)
        empty = {name for name, offer in offers.items() if servers.proves_nothing(offer)}
    unknown = [pool for pool in pools.values() if not pool.tried]
    notes = [why_not] if why_not and unknown else []
    notes += [f"{name}: {each}" for name, it in spellings.items() for each in it.notes()]
    return _Queried(
        pools, servers.refusals, spellings, kinds, empty, notes, servers.wrong_prefix(declared)
    )


def _show_result(
    matches: Sequence[Match],
    pools: Mapping[str, Pool],
    left_out: Sequence[str],
    notes: Sequence[str],
    written: Sequence[str],
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
                        "answered": _rate(pools.get(match.name)),
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
            show(f"    {pool.summary()}")
    for line in left_out[:SHOWN]:
        note(f"left out: {line}")
    if len(left_out) > SHOWN:
        note(f"left out: {len(left_out) - SHOWN} more; --json lists them all")
    if any(NOT_ANSWERED in line for line in left_out):
        note("hint: give values that exist: --csv FILE, with a column for each parameter")
    for line in (*notes, *written):
        note(line)


def _rate(pool: Pool | None) -> float | None:
    """Return the share of parameter sets that were answered; None if none was tried."""
    return None if pool is None or pool.offer.effect == "write" else pool.rate


def _check_sources(
    sources: Mapping[str, str], addresses: Mapping[str, str], problems: Problems
) -> None:
    """Check that there are descriptions, and that the addresses are those of their servers."""
    if not sources:
        hint = "give at least one of --openapi, --sdl, --proto and --wsdl"
        problems.extend([Problem.stated("no description of an interface is given", hint)])
    for protocol, source in sources.items():
        if not is_available(protocol, source):
            problems.add(OPTIONS[protocol], "", source, "an existing file, or a URL")
    for protocol, address in addresses.items():
        shown = without_credentials(address)
        try:
            Address.parse(address)
        except ValueError as error:
            problems.add("--address", protocol, shown, str(error))
        if sources and protocol not in sources:
            expected = f"the address of a server for {' or '.join(sources)}"
            hint = f"name the description of {protocol} with {OPTIONS[protocol]}"
            problems.add("--address", protocol, shown, expected, hint)
