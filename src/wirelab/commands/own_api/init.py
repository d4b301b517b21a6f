"""`wirelab init`: write a domain and a study from the descriptions of an API.

Its stages: read descriptions, match operations, query servers, write files.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.commands.progress import ProgressBar
from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.inputs.output_folder import created_folder
from wirelab.lab.network.address import Address
from wirelab.scaffold.choosing import (
    SHOWN,
    Decide,
    chosen_matches,
    decide_doubts,
    in_common,
    usable,
)
from wirelab.scaffold.descriptions.offer import (
    Offer,
    OfferedInterface,
    guessed_reads,
    included_mutations,
)
from wirelab.scaffold.descriptions.sources import described
from wirelab.scaffold.kinds import doubted
from wirelab.scaffold.loading import write_loadable_operations
from wirelab.scaffold.matching import Match, match_offers
from wirelab.scaffold.names import identifier
from wirelab.scaffold.next_steps import next_steps
from wirelab.scaffold.querying.agreeing import Spelling
from wirelab.scaffold.querying.outcomes import query
from wirelab.scaffold.querying.pools import NOT_ANSWERED, Pool, require_used
from wirelab.scaffold.request import InitRequest
from wirelab.scaffold.writing import declared_prefix, write_domain, write_parameters, write_study
from wirelab.terminal.console import note, print_json, show
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.words import plural


def init_command(request: InitRequest, decide: Decide | None, *, as_json: bool) -> ExitCode:
    """Write a folder with a domain and a study; without `decide`, no questions are asked."""
    with (
        created_folder(request.folder),
        # An earlier domain remains readable until the new one is complete.
        TemporaryDirectory(prefix=".domain-", dir=request.folder) as scratch,
    ):
        scaffold(request, Path(scratch), decide, as_json=as_json)
    return ExitCode.OK


def scaffold(request: InitRequest, scratch: Path, decide: Decide | None, *, as_json: bool) -> None:
    """Write a domain and a study into a folder, by way of another one, and print what they have."""
    target, sources, addresses = request.folder, request.sources, request.addresses
    domain = scratch / "domain"
    domain.mkdir()
    with ProgressBar() as bar:
        bar.on(StageStarted("Reading", len(sources) + 1))
        interfaces, descriptions = _read(domain, request, bar)
        declared = {
            interface.protocol: declared_prefix(interface.protocol, interface.path)
            for interface in interfaces
        }
        interfaces = [
            _at(addresses.get(interface.protocol, ""), interface) for interface in interfaces
        ]
        bar.on(StepStarted("matching operations"))
        matches = match_offers([each.offers for each in interfaces])
    left_out = [
        f"{each.name}: {each.reason}" for interface in interfaces for each in interface.left_out
    ]
    chosen, of_ids = chosen_matches(matches, request.only)
    kept = in_common(decide_doubts(chosen, decide), sources, left_out)
    of_ids = of_ids if addresses else []
    arguments = domain, identifier(target.resolve().name), interfaces, descriptions

    def write(
        names: Collection[str], spellings: Mapping[str, Spelling] | None = None
    ) -> dict[str, Offer]:
        matched = [match for match in (*kept, *of_ids) if match.name in names]
        return write_domain(
            *arguments,
            matches=matched,
            addresses=addresses,
            access=request.access,
            spellings=spellings or {},
        )

    with ProgressBar() as bar:
        bar.on(StageStarted("Describing", 1))
        bar.on(StepStarted(plural(len(kept), "operation")))
        known = [match.name for match in (*kept, *of_ids)]
        names, refused = write_loadable_operations(domain, known, write)
    kept = [match for match in kept if match.name in names]
    merged = write(names)
    left_out += refused
    require_used(request.rows, merged.values())
    with ProgressBar() as bar:
        queried = query(
            domain,
            merged,
            request.rows,
            request.seed,
            sources={match.name for match in of_ids},
            declared=declared,
            observer=bar,
        )
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
    notes += _notes(interfaces, kept, asked=decide is not None)
    missing = "; no operation is read-only, so no study is written"
    written = [f"written: {target}/domain{f' and {target}/study' if has_reads else missing}"]
    steps = next_steps(str(target), list(sources), addresses) if has_reads else []
    written += [f"hint: {step}" for step in steps]
    pools = {name: pool for name, pool in queried.pools.items() if name not in queried.kinds}
    _show_result(kept, pools, left_out, notes, written, as_json=as_json)


def _notes(
    interfaces: Sequence[OfferedInterface], kept: Sequence[Match], *, asked: bool
) -> list[str]:
    """Return what to check in what was written; `asked` is whether the user decided doubts."""
    offers = [offer for match in kept for offer in match.offers]
    notes = [each for interface in interfaces for each in interface.notes]
    notes += included_mutations(offers) + guessed_reads(offers)
    if not asked and any(match.doubtful for match in kept):
        notes.append("doubtful matches were kept, with comments in domain.toml: check them")
    return notes


def _read(
    domain: Path, request: InitRequest, observer: Observer
) -> tuple[list[OfferedInterface], dict[str, Path]]:
    interfaces, descriptions = [], {}
    for protocol, source in request.sources.items():
        observer.on(StepStarted(source))
        address = request.addresses.get(protocol, "")
        interface, descriptions[protocol] = described(
            protocol, source, domain, address, request.access, details=request.details
        )
        interfaces.append(interface)
    request.details.check_reads(
        [offer.all_names for interface in interfaces for offer in interface.offers]
    )
    return interfaces, descriptions


def _at(address: str, interface: OfferedInterface) -> OfferedInterface:
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
        offers = ", ".join(f"{offer.protocol} {offer.shown}" for offer in match.offers)
        show(f"{match.name}: {offers}")
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
