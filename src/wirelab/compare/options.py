"""Read the options of `wirelab compare` and `wirelab capacity`; report all errors at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirelab.compare.command_line import (
    CapacityOptions,
    CompareOptions,
    MeasureOptions,
    TimedOptions,
)
from wirelab.compare.limits import Limit
from wirelab.compare.message import check_message, shown_message
from wirelab.compare.sides import ComparedSide, names_a_domain, read_sides
from wirelab.compare.terms import OperationSelection, Terms
from wirelab.inputs.bounds import HIGHEST_RATE_PER_S, MOST_BLOCKS, MOST_CONNECTIONS
from wirelab.inputs.close_match import close_match
from wirelab.inputs.objective import check_objective
from wirelab.inputs.options import names
from wirelab.inputs.problems import (
    Problem,
    ProblemsError,
    add_problem,
    add_problems,
    collected_problems,
    noting_problems,
    require_at_least,
    state_problem,
)
from wirelab.inputs.times import seconds_of_option
from wirelab.scaffold.access import TLS_OPTIONS, Access, read_access, require_variables
from wirelab.scaffold.descriptions.given import OPTIONS, check_available
from wirelab.scaffold.names import identifier
from wirelab.scaffold.querying.csv_rows import check_csv
from wirelab.terminal import words

THINK_TIME_US = 20_000
"""For clients of remote servers, unless --clients or --rate is given: 50 requests a second."""
LARGEST_MARGIN = 25.0
LOWEST_RATE_PER_S = 0.1
SHORTEST_TRIAL_S = 0.05
MOST_REPEATS = 1000
BY_DESCRIPTION = "describe a gRPC server with --proto FILE, or --proto reflection"
BY_MESSAGE = "give the message that is sent to a WebSocket with --data"
BESIDE_A_WEBSOCKET = (
    "a WebSocket beside other protocols takes a domain: wirelab compare DOMAIN rest websocket"
)
SEVERAL_PROTOCOLS = (
    "several protocols of one backend: wirelab init NAME, then wirelab run NAME/study"
)
HINTS = {"grpc": BY_DESCRIPTION, "grpcs": BY_DESCRIPTION, "ws": BY_MESSAGE, "wss": BY_MESSAGE}
"""Hints by the scheme of an address that cannot be queried directly."""
FAMILIES = {"grpc": "grpc", "grpcs": "grpc", "ws": "websocket", "wss": "websocket"}
"""Protocols by the scheme of an address, unless that is HTTP."""


@dataclass(frozen=True)
class MeasureRequest:
    """The request of a command line: servers, and how they are queried."""

    terms: Terms
    sides: Sequence[ComparedSide]
    selection: OperationSelection


@dataclass(frozen=True)
class CompareRequest(MeasureRequest):
    """The request of `wirelab compare`."""

    options: CompareOptions
    seconds: float
    domain: tuple[str, ...] = ()
    """Instead of sides: a domain, and the protocols or contenders to compare."""
    limits: Sequence[Limit] = ()


@dataclass(frozen=True)
class CapacityRequest(MeasureRequest):
    """The request of `wirelab capacity`."""

    options: CapacityOptions


def read_comparison(options: CompareOptions) -> CompareRequest:
    """Read the options of a comparison. With a baseline, one side suffices.

    Raises `ProblemsError` with everything that is wrong.
    """
    is_domain = options.start is None and names_a_domain(options.sides)
    sides: list[ComparedSide] = []
    access = Access()
    with collected_problems():
        seconds = check_timed(options)
        limits = list(_limits(options.fail_if or ()))
        if options.allow_writes:
            check_restorable(options.reset, scratch=options.scratch, of_domain=is_domain)
        if options.ci and options.json:
            state_problem("--ci prints Markdown, and --json prints JSON: give one of them")
        check_common(options)
        if options.baseline is not None:
            from wirelab.bundle import Bundle  # noqa: PLC0415  (it takes a second)

            with noting_problems():
                Bundle.open(options.baseline)
        pids = _pids(options.pid or ())
        if is_domain:
            _refuse_options_of_servers(options)
        else:
            sides, access = read_servers(options, least=2 if options.baseline is None else 1)
            side_names = [side.name for side in sides]
            check_names("--pid", pids, side_names)
            check_names("--fail-if", [limit.contender for limit in limits], side_names)
    terms = timed_terms(options, access)
    elsewhere = any(side.address and not side.address.is_loopback for side in sides)
    gentle = elsewhere and options.clients == 1 and options.rate is None
    return CompareRequest(
        terms=replace(
            terms,
            pids=pids,
            think_time_us=THINK_TIME_US if gentle else 0,
        ),
        sides=sides,
        selection=replace(selection_of(options), allow_writes=options.allow_writes),
        options=options,
        seconds=seconds,
        domain=tuple(options.sides) if is_domain else (),
        limits=tuple(limits),
    )


def read_capacity(options: CapacityOptions) -> CapacityRequest:
    """Read the options of a capacity. Raises `ProblemsError` with everything that is wrong."""
    with collected_problems():
        try:
            check_objective(options.objective)
        except ValueError as error:
            add_problem("--objective", "", options.objective, str(error))
        search_s = seconds_of_option("--search", options.search)
        trial_s = None if options.trial is None else seconds_of_option("--trial", options.trial)
        if trial_s and trial_s < SHORTEST_TRIAL_S:
            add_problem("--trial", "", options.trial, f"at least {1000 * SHORTEST_TRIAL_S:g}ms")
        require_at_least("--connections", options.connections, 1, MOST_CONNECTIONS)
        require_at_least("--blocks", options.blocks, 1, MOST_BLOCKS)
        require_at_least("--repeats", options.repeats, 1, MOST_REPEATS)
        if options.start is None and names_a_domain(options.sides):
            hint = "give addresses, commands with {port}, or versions with --start"
            sentence = f"{options.sides[0]} is a domain, and a capacity is that of servers"
            raise ProblemsError([Problem.stated(sentence, hint)])
        check_common(options)
        sides, access = read_servers(options, least=1)
    load = {
        "kind": "capacity",
        "objective": options.objective.strip(),
        "connections": options.connections,
        "repeats": options.repeats,
        "search_seconds": search_s,
        "trial_seconds": trial_s,
    }
    terms = replace(_terms(options, access), capacity=load)
    return CapacityRequest(terms, sides, selection_of(options), options)


def check_restorable(reset: str | None, *, scratch: bool, of_domain: bool = False) -> None:
    """Check that data that will be changed can be restored, or need not be."""
    if not (reset or scratch):
        restoring = "--reset COMMAND, which restores the data, or --scratch"
        state_problem(f"--allow-writes needs {'--scratch' if of_domain else restoring}")


def check_names(option: str, given: Iterable[str], sides: Sequence[str]) -> None:
    """Check that an option names existing sides, if any is known; "" means all of them."""
    for name in given:
        if name and sides and name not in sides:
            sentence = f"{option}: no side {name!r}; sides: {', '.join(sides)}"
            state_problem(sentence, close_match(name, sides))


def check_common(options: MeasureOptions) -> None:
    """Check the options of all commands, except those about single sides."""
    if not 0 < options.margin <= LARGEST_MARGIN:
        expected = f"a percentage above 0 and up to {LARGEST_MARGIN:g}"
        add_problem("--margin", "", options.margin, expected)
    check_available(options.descriptions, options.details)
    described_by = words.listed(OPTIONS[protocol] for protocol in options.descriptions)
    if len(options.descriptions) > 1:
        state_problem(f"a comparison takes one of {described_by}", SEVERAL_PROTOCOLS)
    if options.path and options.descriptions:
        add_problem("--path", "", options.path, f"either --path or {described_by}")
    if options.path and not options.path.startswith("/"):
        add_problem("--path", "", options.path, "a path that begins with /")
    check_csv(options.csv)
    if options.output is not None and options.output.exists():
        from wirelab.bundle import require_new_folder  # noqa: PLC0415  (it takes a second)

        with noting_problems():
            require_new_folder(options.output)


def read_servers(options: MeasureOptions, *, least: int) -> tuple[list[ComparedSide], Access]:
    """Return the sides and how they are queried; note what is wrong with them."""
    descriptions = options.descriptions
    access = _access(options, options.tls)
    require_variables(access)
    if options.data is not None:
        check_message(options.data, descriptions)
    if options.build and not options.start:
        add_problem("--build", "", options.build, "no value without --start")
    if not descriptions:
        given = {
            "--csv": options.csv,
            "--only": ",".join(names(options.only)),
            "--read": ",".join(names(options.read)),
        }
        for option, value in given.items():
            if value:
                expected = "no value without a description of the interface, such as --openapi"
                add_problem(option, "", str(value), expected)
    sides: list[ComparedSide] = []
    with noting_problems():
        sides = read_sides(options.sides, options.start, least=least)
    check_names("--header", access.headers, [side.name for side in sides])
    needed = "http1" if options.data is None else "websocket"
    _check_schemes(sides, "grpc" if "grpc" in descriptions else needed)
    return sides, access


def _access(options: MeasureOptions, tls: Mapping[str, Any]) -> Access:
    """Return how sides are queried, with headers by the names of the sides."""
    access = read_access(options.header or (), options.headers_file, tls)
    by_side: dict[str, dict[str, str]] = {}
    for name, headers in access.headers.items():
        by_side.setdefault(_side_name(name), {}).update(headers)
    return replace(access, headers=by_side)


def _refuse_options_of_servers(options: CompareOptions) -> None:
    """Note the options that a domain's files replace."""
    access = _access(options, {})
    given = {
        **{OPTIONS[protocol]: source for protocol, source in options.descriptions.items()},
        "--build": options.build,
        "--path": options.path,
        "--csv": options.csv,
        "--read": ", ".join(options.read or ()),
        "--header": ", ".join(name for headers in access.headers.values() for name in headers),
        "--data": options.data and shown_message(options.data),
        "--headers-file": options.headers_file,
        **{TLS_OPTIONS[name]: value for name, value in options.tls.items()},
        "--pid": ", ".join(options.pid or ()),
    }
    expected = f"no value, since {options.sides[0]} is a domain, whose files define this"
    add_problems(
        Problem(option, "", str(value), expected) for option, value in given.items() if value
    )


def check_timed(options: TimedOptions) -> float:
    """Check the options about times; return the budget in seconds."""
    seconds = seconds_of_option("--budget", options.budget)
    require_at_least("--clients", options.clients, 1, MOST_CONNECTIONS)
    require_at_least("--rate", options.rate, LOWEST_RATE_PER_S, HIGHEST_RATE_PER_S)
    return seconds


def timed_terms(options: TimedOptions, access: Access) -> Terms:
    """Return how sides are queried and timed."""
    return replace(
        _terms(options, access),
        clients=options.clients,
        rate_per_s=options.rate,
        ignored=tuple(options.ignore or ()),
    )


def _terms(options: MeasureOptions, access: Access) -> Terms:
    is_grpc = "grpc" in options.descriptions
    return Terms(margin=options.margin / 100, access=access, scheme="grpc" if is_grpc else "")


def selection_of(options: MeasureOptions) -> OperationSelection:
    """Return the operations to compare, as the user chose them."""
    return OperationSelection(
        description=next(iter(options.descriptions.items()), None),
        path=options.path,
        message=options.data,
        csv=options.csv,
        only=names(options.only),
        details=options.details,
        seed=options.seed,
    )


def _limits(written: Sequence[str]) -> Iterator[Limit]:
    for each in written:
        if "," in each:
            add_problem("--fail-if", "", each, "one limit: give --fail-if once for each limit")
        for part in each.split(","):
            try:
                limit = Limit.parse(part)
                yield replace(limit, contender=_side_name(limit.contender))
            except ValueError as error:
                add_problem("--fail-if", "", part, str(error))


def _check_schemes(sides: Sequence[ComparedSide], needed: str) -> None:
    """Check that the schemes of addresses fit: a path by GET, a message, or operations.

    `needed` is the transport for that.
    """
    addresses = [side.address for side in sides if side.address]
    schemes = dict.fromkeys(address.scheme for address in addresses)
    families = {FAMILIES.get(scheme, "http") for scheme in schemes}
    if len(families) > 1:
        sentence = f"a comparison takes addresses of one protocol, not of {words.listed(schemes)}"
        hint = BESIDE_A_WEBSOCKET if "websocket" in families else SEVERAL_PROTOCOLS
        state_problem(sentence, hint)
        return
    if needed == "websocket" and "http" in families:
        shown = words.listed(map(str, addresses))
        sentence = f"--data is a message for WebSockets, but the addresses are {shown}"
        hint = "give addresses that begin with ws:// or wss://; over HTTP, give --openapi"
        state_problem(sentence, hint)
        return
    for side in sides:
        if side.address is None:
            continue
        try:
            side.address.transport(needed)
        except ValueError as error:
            hint = HINTS.get(side.address.scheme, "")
            add_problem(side.name, "", str(side.address), f"a scheme that is {error}", hint)


def _pids(written: Sequence[str]) -> dict[str, int]:
    if not written:
        return {}
    import psutil  # noqa: PLC0415  (other options need none of it)

    pids = {}
    for each in written:
        name, _, number = each.partition("=")
        if not name or not number.isdecimal():
            add_problem("--pid", "", each, "SIDE=PID")
        elif not psutil.pid_exists(int(number)):
            add_problem("--pid", name, number, "the id of a process on this machine")
            pids[_side_name(name)] = 0  # whether the side exists is checked, too
        else:
            pids[_side_name(name)] = int(number)
    return pids


def _side_name(written: str) -> str:
    """Return the name that `read_sides` gives to a side; "" remains, for all of them."""
    return written and identifier(written)
