"""`wirelab init`: write a domain and a study from the descriptions of an API."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.commands.folders import created_folder
from wirelab.commands.progress import LiveView
from wirelab.console import note, print_json, show
from wirelab.exit_codes import ExitCode
from wirelab.experiment import Observer
from wirelab.initiate.access import Access
from wirelab.initiate.agreeing import Spelling
from wirelab.initiate.choosing import SHOWN, Decide, decide_doubts, in_common, usable
from wirelab.initiate.kinds import doubted
from wirelab.initiate.loading import loadable
from wirelab.initiate.matching import Match, match_offers
from wirelab.initiate.names import identifier
from wirelab.initiate.next_steps import next_steps
from wirelab.initiate.offer import Interface, Offer, guessed_reads, included_mutations
from wirelab.initiate.pools import NOT_ANSWERED, Pool, read_csv
from wirelab.initiate.querying import query
from wirelab.initiate.sources import NO_OPTIONS, OPTIONS, described, is_available
from wirelab.initiate.writing import declared_prefix, write_domain, write_parameters, write_study
from wirelab.lab.address import Address, without_credentials
from wirelab.problems import Problem, Problems
from wirelab.words import plural


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
    matches = decide_doubts(found, decide)
    left_out = [f"{each.name}: {each.reason}" for it in interfaces for each in it.left_out]
    kept = in_common(matches, sources, left_out)
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
    with LiveView() as view:
        queried = query(domain, merged, rows, seed, declared=declared, observer=view)
    notes = list(queried.notes)
    if queried.pools:
        answered = {key: pool.sets for key, pool in queried.pools.items()}
        kept = usable(kept, queried, left_out)
        kept = in_common(decide_doubts(doubted(kept, queried.kinds), decide), sources, left_out)
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
