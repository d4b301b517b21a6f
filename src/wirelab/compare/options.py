"""The options of `wirelab compare` as one value; reports all errors at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirelab.compare.limits import Limit
from wirelab.compare.message import check_message, shown_message
from wirelab.compare.sides import Side, names_a_domain, read_sides
from wirelab.compare.terms import Selection, Terms
from wirelab.compare.times import read_seconds
from wirelab.inputs.bounds import HIGHEST_RATE_PER_S, MOST_CONNECTIONS
from wirelab.inputs.close_match import close_match
from wirelab.inputs.problems import Problem, Problems
from wirelab.scaffold.access import TLS_OPTIONS, read_access, require_variables
from wirelab.scaffold.descriptions.given import OPTIONS, check_available
from wirelab.scaffold.names import identifier
from wirelab.scaffold.querying.csv_rows import check_csv
from wirelab.terminal import words

THINK_TIME_US = 20_000
"""For clients of remote servers, unless --clients or --rate is given: 50 requests a second."""
LARGEST_MARGIN = 25.0
LOWEST_RATE_PER_S = 0.1
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
class Request:
    """The request of a command line."""

    terms: Terms
    seconds: float
    sides: Sequence[Side] = ()
    domain: tuple[str, ...] = ()
    """Instead of sides: a domain, and the protocols or contenders to compare."""
    start: str | None = None
    build: str | None = None
    description: tuple[str, str] | None = None
    """A protocol, and the file or URL of its description."""
    path: str = ""
    data: str | None = None
    """The message for WebSockets."""
    csv: Path | None = None
    only: Sequence[str] = ()
    limits: Sequence[Limit] = ()
    baseline: Path | None = None
    allow_writes: bool = False
    reset: str | None = None
    scratch: bool = False
    ci: bool = False
    output: Path | None = None
    seed: int = 1
    as_json: bool = False

    @property
    def selection(self) -> Selection:
        """The operations to compare, as the user chose them."""
        return Selection(
            description=self.description,
            path=self.path,
            message=self.data,
            csv=self.csv,
            only=tuple(self.only),
            allow_writes=self.allow_writes,
            seed=self.seed,
        )


def read_request(
    sides: Sequence[str],
    *,
    descriptions: Mapping[str, str],
    headers: Sequence[str],
    headers_file: Path | None,
    tls: Mapping[str, Any],
    clients: int,
    rate: float | None,
    pids: Sequence[str],
    budget: str,
    margin: float,
    fail_if: Sequence[str],
    data: str | None = None,
    least: int = 2,
    problems: Problems | None = None,
    **others: Any,
) -> Request:
    """Read the options; `descriptions` are by protocol; at least `least` sides are required.

    With a baseline, one side suffices. `problems` are those of options that were read before.
    Raises `ProblemsError` with all.
    """
    problems = problems or Problems()
    seconds = 0.0
    try:
        seconds = read_seconds(budget)
    except ValueError as error:
        problems.add("--budget", "", budget, str(error))
    _check_load(clients, rate, problems)
    limits = _limits(fail_if, problems)
    if not 0 < margin <= LARGEST_MARGIN:
        problems.add("--margin", "", margin, f"a percentage above 0 and up to {LARGEST_MARGIN:g}")
    domain = tuple(sides) if others["start"] is None and names_a_domain(sides) else ()
    if others["allow_writes"]:
        reset, scratch = others["reset"], others["scratch"]
        check_restorable(reset, problems, scratch=scratch, of_domain=bool(domain))
    _check_descriptions(descriptions, others["path"], problems)
    _check_output(others, problems)
    check_csv(others["csv"], problems)
    if others["path"] and not others["path"].startswith("/"):
        problems.add("--path", "", others["path"], "a path that begins with /")
    access = read_access(headers, headers_file, {} if domain else tls, problems)
    by_side: dict[str, dict[str, str]] = {}
    for name, own in access.headers.items():
        by_side.setdefault(_side_name(name), {}).update(own)
    read_pids = _pids(pids, problems)
    found: list[Side] = []
    if domain:
        given = {
            **{OPTIONS[protocol]: source for protocol, source in descriptions.items()},
            **{f"--{name}": others.get(name) for name in ("build", "path", "csv")},
            "--header": ", ".join(name for own in by_side.values() for name in own),
            "--data": data and shown_message(data),
            "--headers-file": headers_file,
            **{TLS_OPTIONS[name]: value for name, value in tls.items()},
            "--pid": ", ".join(pids),
        }
        expected = f"no value, since {domain[0]} is a domain, whose files define this"
        problems.extend(
            Problem(option, "", str(value), expected) for option, value in given.items() if value
        )
    else:
        require_variables(access, problems)
        if data is not None:
            check_message(data, descriptions, problems)
        _check_conditions(descriptions, others, problems)
        with problems.collecting():
            if sides or not problems.found:  # missing ones have been noted
                found = read_sides(sides, others["start"], least=1 if others["baseline"] else least)
    if found:
        names = [side.name for side in found]
        check_names("--pid", read_pids, names, problems)
        check_names("--header", by_side, names, problems)
        check_names("--fail-if", [limit.contender for limit in limits], names, problems)
    description = next(iter(descriptions.items()), None)
    needed = "grpc" if "grpc" in descriptions else "http1" if data is None else "websocket"
    _check_schemes(found, needed, problems)
    problems.raise_if_any()
    elsewhere = any(side.address and not side.address.is_loopback for side in found)
    gentle = elsewhere and clients == 1 and rate is None
    terms = Terms(
        margin=margin / 100,
        clients=clients,
        rate_per_s=rate,
        access=replace(access, headers=by_side),
        pids=read_pids,
        scheme="grpc" if "grpc" in descriptions else "",
        think_time_us=THINK_TIME_US if gentle else 0,
    )
    return Request(
        terms=terms,
        seconds=seconds,
        sides=found,
        domain=domain,
        description=description,
        data=data,
        limits=tuple(limits),
        **others,
    )


def _check_load(clients: int, rate: float | None, problems: Problems) -> None:
    problems.require_at_least("--clients", clients, 1, MOST_CONNECTIONS)
    problems.require_at_least("--rate", rate, LOWEST_RATE_PER_S, HIGHEST_RATE_PER_S)


def check_restorable(
    reset: str | None, problems: Problems, *, scratch: bool, of_domain: bool = False
) -> None:
    """Check that data that will be changed can be restored, or need not be."""
    if not (reset or scratch):
        restoring = "--reset COMMAND, which restores the data, or --scratch"
        needed = "--scratch" if of_domain else restoring
        problems.extend([Problem.stated(f"--allow-writes needs {needed}")])


def check_names(
    option: str, given: Iterable[str], names: Sequence[str], problems: Problems
) -> None:
    """Check that an option names existing sides; "" means all of them."""
    for name in given:
        if name and name not in names:
            sentence = f"{option}: no side {name!r}; sides: {', '.join(names)}"
            problems.extend([Problem.stated(sentence, close_match(name, names))])


def _limits(written: Sequence[str], problems: Problems) -> list[Limit]:
    found = []
    for each in written:
        if "," in each:
            problems.add("--fail-if", "", each, "one limit: give --fail-if once for each limit")
        for part in each.split(","):
            try:
                limit = Limit.parse(part)
                found.append(replace(limit, contender=_side_name(limit.contender)))
            except ValueError as error:
                problems.add("--fail-if", "", part, str(error))
    return found


def _check_conditions(
    descriptions: Mapping[str, str], others: Mapping[str, Any], problems: Problems
) -> None:
    """Check that options are given together with those that they require."""
    without_start = () if others["start"] else ("build",)
    without_description = () if descriptions else ("csv", "only")
    for options, missing in (
        (without_start, "--start"),
        (without_description, "a description of the interface, such as --openapi"),
    ):
        for option in options:
            if value := others.get(option):
                written = ",".join(value) if isinstance(value, tuple) else str(value)
                problems.add(f"--{option}", "", written, f"no value without {missing}")


def _check_descriptions(descriptions: Mapping[str, str], path: str, problems: Problems) -> None:
    check_available(descriptions, problems)
    options = words.listed(OPTIONS[protocol] for protocol in descriptions)
    if len(descriptions) > 1:
        problems.extend([Problem.stated(f"a comparison takes one of {options}", SEVERAL_PROTOCOLS)])
    if path and descriptions:
        problems.add("--path", "", path, f"either --path or {options}")


def _check_output(others: Mapping[str, Any], problems: Problems) -> None:
    """Check that one form is printed, the bundle can be created, and the earlier one be read."""
    if others.get("ci") and others.get("as_json"):
        sentence = "--ci prints Markdown, and --json prints JSON: give one of them"
        problems.extend([Problem.stated(sentence)])
    output, baseline = others["output"], others["baseline"]
    if baseline is None and not (output and output.exists()):
        return
    from wirelab.bundle import Bundle, require_new_folder  # noqa: PLC0415  (it takes a second)

    if output is not None:
        with problems.collecting():
            require_new_folder(output)
    if baseline is not None:
        with problems.collecting():
            Bundle.open(baseline)


def _check_schemes(sides: Sequence[Side], needed: str, problems: Problems) -> None:
    """Check that the schemes of addresses fit: a path by GET, a message, or operations.

    `needed` is the transport for that.
    """
    addresses = [side.address for side in sides if side.address]
    schemes = dict.fromkeys(address.scheme for address in addresses)
    families = {FAMILIES.get(scheme, "http") for scheme in schemes}
    if len(families) > 1:
        sentence = f"a comparison takes addresses of one protocol, not of {words.listed(schemes)}"
        hint = BESIDE_A_WEBSOCKET if "websocket" in families else SEVERAL_PROTOCOLS
        problems.extend([Problem.stated(sentence, hint)])
        return
    if needed == "websocket" and "http" in families:
        shown = words.listed(map(str, addresses))
        sentence = f"--data is a message for WebSockets, but the addresses are {shown}"
        hint = "give addresses that begin with ws:// or wss://; over HTTP, give --openapi"
        problems.extend([Problem.stated(sentence, hint)])
        return
    for side in sides:
        if side.address is None:
            continue
        try:
            side.address.transport(needed)
        except ValueError as error:
            hint = HINTS.get(side.address.scheme, "")
            problems.add(side.name, "", str(side.address), f"a scheme that is {error}", hint)


def _pids(written: Sequence[str], problems: Problems) -> dict[str, int]:
    if not written:
        return {}
    import psutil  # noqa: PLC0415  (other options need none of it)

    found = {}
    for each in written:
        name, _, number = each.partition("=")
        if not name or not number.isdecimal():
            problems.add("--pid", "", each, "SIDE=PID")
        elif not psutil.pid_exists(int(number)):
            problems.add("--pid", name, number, "the id of a process on this machine")
            found[_side_name(name)] = 0  # whether the side exists is checked, too
        else:
            found[_side_name(name)] = int(number)
    return found


def _side_name(written: str) -> str:
    """Return the name that `read_sides` gives to a side; "" remains, for all of them."""
    return written and identifier(written)
