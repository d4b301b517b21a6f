"""Find what to compare: the path of the addresses, a message, or operations of a description."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from wirelab import protocol
from wirelab.compare.probe import look_at_all, look_at_message, look_at_url, running_side
from wirelab.compare.sides import ComparedSide, common_path
from wirelab.compare.terms import OperationSelection, Terms
from wirelab.compare.world import CommonProtocol, write_domain
from wirelab.experiment.events import Observer, StageStarted, StepStarted
from wirelab.inputs.problems import Problem, ProblemsError, add_unknown, collected_problems
from wirelab.protocol.template import literal
from wirelab.scaffold.access import ALL_SIDES
from wirelab.scaffold.descriptions.offer import (
    Offer,
    OfferedInterface,
    guessed_reads,
    require_valid,
)
from wirelab.scaffold.descriptions.sources import described
from wirelab.scaffold.loading import write_loadable_operations
from wirelab.scaffold.querying.csv_rows import read_csv
from wirelab.scaffold.querying.draws import draw
from wirelab.scaffold.querying.pools import Pool, require_used
from wirelab.scaffold.querying.servers import QueriedServers
from wirelab.scaffold.writing import declared_prefix
from wirelab.terminal import words

MOST = 40
"""Maximum number of operations of a description to try."""
MAY_WRITE = "the message of --data is sent many times: check that it changes nothing"
USUAL_S = 0.001
"""The assumed duration of a request if none was answered."""


@dataclass(frozen=True, slots=True)
class FoundOffers:
    """The operations to compare, their parameter sets, and notes for the user."""

    sides: tuple[ComparedSide, ...]
    offers: tuple[Offer, ...]
    parameters: Mapping[str, Sequence[Mapping[str, object]]]
    request_s: float
    """The approximate duration of a request to the first side."""
    common: CommonProtocol = field(default_factory=CommonProtocol)
    notes: tuple[str, ...] = ()


def find_offers(
    sides: Sequence[ComparedSide],
    terms: Terms,
    selection: OperationSelection,
    scratch: Path,
    observer: Observer,
) -> FoundOffers:
    """Find the operations that can be compared, by querying the first side.

    `scratch` is a folder for temporary files. Raises `ContenderError` if the side does not answer,
    and `ProblemsError` if the description is invalid.
    """
    if selection.message is not None:
        return _one_message(sides, terms, scratch, selection, observer)
    if selection.description is None:
        return _one_path(sides, terms, scratch, selection.path, observer)
    rows = read_csv(selection.csv) if selection.csv else []
    protocol_name, source = selection.description
    folder = scratch / "described"
    folder.mkdir()
    headers = {ALL_SIDES: terms.access.headers_of(sides[0].name)}
    own = replace(terms.access, headers=headers)
    observer.on(StageStarted("First requests", 3))
    observer.on(StepStarted(f"starting {sides[0].title}" if sides[0].command else sides[0].title))
    with running_side(sides[0], terms, scratch) as first:
        observer.on(StepStarted(f"reading {source}"))
        details = replace(selection.details, columns=frozenset(rows[0] if rows else ()))
        interface, file = described(
            protocol_name, source, folder, str(first.address), own, details=details
        )
        chosen, sources, notes = chosen_offers(interface, selection)
        if not chosen:
            raise ProblemsError([_nothing_to_compare(source, notes, _remedy(interface))])
        require_used(rows, [*chosen, *sources])
        needed = not protocol.get(protocol_name).describes_itself
        common = CommonProtocol(protocol_name, file if needed else None, interface.path)
        look = _Look(scratch / "first", first, common, terms, rows, selection.seed, observer)
        notes += look.query(chosen, [each for each in sources if each not in chosen])
    notes += [look.note(offer) for offer in chosen if offer.name in look.pools]
    usable = [offer for offer in chosen if look.is_usable(offer)]
    if not usable:
        hint = "give values that exist with --csv FILE, which has a column for each parameter"
        raise ProblemsError([_nothing_to_compare(source, notes, look.wrong_prefix or hint)])
    return FoundOffers(
        tuple(sides),
        tuple(usable),
        {name: pool.sets for name, pool in look.pools.items()},
        look.request_s,
        common,
        (*interface.notes, *notes),
    )


def _nothing_to_compare(source: str, notes: Sequence[str], hint: str) -> Problem:
    what = f"{source} has no operation that can be compared"
    return Problem.stated("\n".join([what, *notes]), hint)


def _remedy(interface: OfferedInterface) -> str:
    """Return what to do if no operation of a description can be chosen."""
    if interface.offers:
        return "choose operations that only read, or measure those that write with --allow-writes"
    return "give a description with an operation that can be sent without further information"


def chosen_offers(
    interface: OfferedInterface, selection: OperationSelection
) -> tuple[list[Offer], list[Offer], list[str]]:
    """Choose the operations to try, and those that may return ids; note what is left out.

    Raises `ProblemsError` for unknown names, and for mistakes in what the operations need.
    """
    known = [offer.name for offer in interface.offers]
    with collected_problems():
        add_unknown("--only", selection.only, known)
        selection.details.check_reads([offer.all_names for offer in interface.offers])
    allowed = [
        each for each in interface.offers if each.effect != "write" or selection.allow_writes
    ]
    chosen = [offer for offer in allowed if not selection.only or offer.name in selection.only]
    require_valid(chosen[:MOST])
    sources = [offer for offer in allowed if offer.is_source]
    notes = [f"{each.name}: left out, because it {each.reason}" for each in interface.left_out]
    if more := chosen[MOST:]:
        left = words.plural(len(more), "more operation is", "more operations are")
        notes.append(f"{left} left out; choose with --only")
    if writes := len(interface.offers) - len(allowed):
        written = words.plural(writes, "operation writes and is", "operations write and are")
        notes.append(f"{written} left out: see --allow-writes")
    notes += guessed_reads(
        offer for offer in allowed if offer in chosen[:MOST] or offer in sources[:MOST]
    )
    return chosen[:MOST], sources[:MOST], notes


@dataclass
class _Look:
    """Queries one side with the operations of a temporary domain."""

    folder: Path
    side: ComparedSide
    common: CommonProtocol
    terms: Terms
    rows: Sequence[Mapping[str, str]]
    seed: int
    observer: Observer

    def query(self, chosen: Sequence[Offer], sources: Sequence[Offer]) -> list[str]:
        """Find parameters that the side answers; return why operations are left out.

        `sources` are queried only for ids, and only with values that are known.
        """
        offers = [*chosen, *sources]

        def write(names: Collection[str]) -> None:
            kept = [offer for offer in offers if offer.name in names]
            write_domain(self.folder, [self.side], kept, {}, common=self.common, terms=self.terms)

        self.observer.on(StepStarted(f"describing {words.plural(len(offers), 'operation')}"))
        kept, reasons = write_loadable_operations(
            self.folder / "domain", [offer.name for offer in offers], write
        )
        with ExitStack() as ends:
            servers = QueriedServers(self.folder / "domain", ends)
            usable = {offer.name: offer for offer in offers if offer.name in kept}
            selected = {offer.name: offer for offer in chosen if offer.name in kept}
            drawn, why_not = draw(selected, self.seed, self.observer)
            self.pools = servers.pools(
                usable,
                self.rows,
                drawn,
                self.seed,
                self.observer,
                sources=usable.keys() - selected.keys(),
            )
            self.refusals = servers.refusals
            self.wrong_prefix = servers.wrong_prefix(
                {self.side.name: declared_prefix(self.common.protocol, self.common.path)}
            )
            proofs = {
                server.name: servers.why_nothing_is_proved(server) for server in usable.values()
            }
            self.empty = {name: reason for name, reason in proofs.items() if reason}
            self.request_s = median(servers.seconds or [USUAL_S])
        untried = any(not self.pools[name].tried for name in selected)
        return [f"left out: {reason}" for reason in reasons] + [why_not] * bool(why_not and untried)

    def is_usable(self, offer: Offer) -> bool:
        """Return whether an operation was answered often enough, and not always with nothing."""
        pool = self.pools.get(offer.name)
        return pool is not None and pool.is_answered and offer.name not in self.empty

    def note(self, offer: Offer) -> str:
        """Describe how many parameter sets were answered, or why the operation is left out."""
        pool: Pool = self.pools[offer.name]
        if not pool.tried:
            return f"{offer.name} ({offer.shown}): left out, no values for its parameters"
        text = pool.summary()
        if not pool.is_answered:
            text += f": left out; {self.refusals.get(offer.name, '')}"
        elif offer.name in self.empty:
            text += f": left out; {self.empty[offer.name]}"
        return f"{offer.name} ({offer.shown}): {text}"


def _one_path(
    sides: Sequence[ComparedSide], terms: Terms, logs: Path, path: str, observer: Observer
) -> FoundOffers:
    """GET the path of the addresses, whose beginnings may differ, or one below them."""
    end, beginnings = common_path(sides)
    if path:
        end, beginnings = path, [side.address.path if side.address else "" for side in sides]
    beginning_of = {side.name: it for side, it in zip(sides, beginnings, strict=True)}

    def look(side: ComparedSide) -> tuple[int, float]:
        observer.on(StepStarted(side.title))
        with running_side(side, terms, logs) as up:
            return look_at_url(up, terms, beginning_of[side.name] + end)

    observer.on(StageStarted("First requests", len(sides)))
    statuses, took = zip(*look_at_all(sides, look), strict=True)
    if len(set(statuses)) > 1:
        statuses_by_side = ", ".join(
            f"{side.name}: {it}" for side, it in zip(sides, statuses, strict=True)
        )
        raise ProblemsError(
            [Problem("servers", "status", statuses_by_side, "the same status from all")]
        )
    paths = {side.name: beginning_of[side.name] + end or "/" for side in sides}
    offer = Offer(
        protocol="rest",
        name="get",
        summary=f"GET {end or words.listed(dict.fromkeys(paths.values()))}",
        effect="read",
        parameters=(),
        binding={
            "method": "GET",
            "path": literal(end),
            "content": "any",
            "headers": {"accept": "*/*"},
            "status": statuses[0],
        },
    )
    placed = [
        replace(side, address=replace(side.address, path=beginning)) if side.address else side
        for side, beginning in zip(sides, beginnings, strict=True)
    ]
    notes = []
    if len(set(paths.values())) > 1:
        requests = (f"{path} from {name}" for name, path in paths.items())
        notes.append(f"the paths differ: GET {words.listed(requests)}")
    return FoundOffers(tuple(placed), (offer,), {offer.name: [{}]}, max(took), notes=tuple(notes))


def _one_message(
    sides: Sequence[ComparedSide],
    terms: Terms,
    logs: Path,
    selection: OperationSelection,
    observer: Observer,
) -> FoundOffers:
    """Send a message to the WebSocket of each side, which is at the path of its address.

    One that may write is sent only once it has been announced.
    """
    message = selection.message
    assert message is not None
    placed = [_below(side, selection.path) for side in sides]
    looked_at = [] if selection.allow_writes else placed

    def look(side: ComparedSide) -> float:
        observer.on(StepStarted(side.title))
        with running_side(side, terms, logs, selection.path) as up:
            return look_at_message(up, terms, message)

    if looked_at:
        observer.on(StageStarted("First requests", len(looked_at)))
    took = [USUAL_S, *look_at_all(looked_at, look)]
    offer = _message_offer(message, may_write=selection.allow_writes)
    notes = () if selection.allow_writes else (MAY_WRITE,)
    common = CommonProtocol("websocket", path=selection.path)
    return FoundOffers(tuple(placed), (offer,), {offer.name: [{}]}, max(took), common, notes)


def _message_offer(data: str, *, may_write: bool) -> Offer:
    """Return the operation that sends a message as it is written."""
    return Offer(
        protocol="websocket",
        name="message",
        summary="the message of --data",
        effect="write" if may_write else "read",
        parameters=(),
        binding={"message": literal(data), "content": "any"},
    )


def _below(side: ComparedSide, path: str) -> ComparedSide:
    """Return a side whose address, if it has one, continues with a path."""
    if side.address is None or not path:
        return side
    whole = side.address.path.rstrip("/") + path
    return replace(side, address=replace(side.address, path=whole))
