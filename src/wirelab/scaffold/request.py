"""Read the options of `wirelab init`; report all errors at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.inputs.options import names
from wirelab.inputs.problems import (
    add_problem,
    add_unknown,
    collected_problems,
    noting_problems,
    state_problem,
)
from wirelab.lab.network.address import Address, without_credentials
from wirelab.scaffold.access import Access, read_access, require_variables
from wirelab.scaffold.descriptions.given import NO_DETAILS, OPTIONS, Details, check_available
from wirelab.scaffold.options import InitOptions
from wirelab.scaffold.querying.csv_rows import check_csv, read_csv


@dataclass(frozen=True, slots=True)
class InitRequest:
    """The request of `wirelab init`."""

    folder: Path
    sources: Mapping[str, str]
    """By protocol: the file or URL of its description."""
    addresses: Mapping[str, str]
    """By protocol: the address of a server."""
    access: Access
    rows: list[dict[str, str]]
    """The rows of --csv."""
    seed: int
    details: Details = NO_DETAILS
    only: tuple[str, ...] = ()
    """The operations to choose; all, if there are none."""


def read_init(options: InitOptions) -> InitRequest:
    """Read the options. Raises `ProblemsError` with everything that is wrong."""
    folder, sources = Path(options.name), options.descriptions
    rows: list[dict[str, str]] = []
    with collected_problems():
        access = read_access(options.header or (), options.headers_file, options.tls)
        add_unknown("--header", filter(None, access.headers), OPTIONS)
        if options.address:  # without one, nothing is sent
            require_variables(access)
        addresses = _addresses(options)
        _check_sources(sources, addresses, options.details)
        if options.name and folder.exists() and not (options.force and folder.is_dir()):
            what, hint = f"{folder} is a file", "give the name of a folder"
            if folder.is_dir():
                what = f"{folder} already exists"
                hint = "give a new name, or --force to overwrite it"
            state_problem(what, hint)
        check_csv(options.csv)
        if options.csv is not None and options.csv.is_file():
            with noting_problems():
                rows = read_csv(options.csv)
    details = replace(options.details, columns=frozenset(rows[0] if rows else ()))
    only = names(options.only)
    return InitRequest(folder, sources, addresses, access, rows, options.seed, details, only)


def _addresses(options: InitOptions) -> dict[str, str]:
    addresses: dict[str, str] = {}
    for each in options.address or ():
        protocol, equals, url = each.partition("=")
        if not equals or protocol not in OPTIONS:
            expected = f"PROTOCOL=URL; PROTOCOL is one of {', '.join(OPTIONS)}"
            add_problem("--address", "", without_credentials(each), expected)
            continue
        if protocol in addresses:
            expected = f"one address only for {protocol}"
            add_problem("--address", "", without_credentials(each), expected)
            continue
        scheme = "grpc" if protocol == "grpc" else "http"
        addresses[protocol] = url if "://" in url else f"{scheme}://{url}"
    return addresses


def _check_sources(
    sources: Mapping[str, str], addresses: Mapping[str, str], details: Details
) -> None:
    """Check that there are descriptions, and that the addresses are those of their servers."""
    if not sources:
        hint = "give at least one of --openapi, --sdl, --proto and --wsdl"
        state_problem("no description of an interface is given", hint)
    check_available(sources, details)
    for protocol, address in addresses.items():
        shown = without_credentials(address)
        try:
            Address.parse(address)
        except ValueError as error:
            add_problem("--address", protocol, shown, str(error))
        if sources and protocol not in sources:
            expected = f"the address of a server for {' or '.join(sources)}"
            hint = f"name the description of {protocol} with {OPTIONS[protocol]}"
            add_problem("--address", protocol, shown, expected, hint)
