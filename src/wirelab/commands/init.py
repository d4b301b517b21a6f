"""`wirelab init`: write a domain and a study from the descriptions of an API."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from wirelab.commands.folders import created_folder
from wirelab.inputs.problems import Problem, Problems
from wirelab.lab.network.address import Address, without_credentials
from wirelab.scaffold.access import NO_OPTIONS, Access
from wirelab.scaffold.descriptions.given import OPTIONS, check_available
from wirelab.scaffold.querying.csv_rows import check_csv, read_csv
from wirelab.terminal.exit_codes import ExitCode


def init_command(
    name: str,
    sources: Mapping[str, str],
    *,
    addresses: Mapping[str, str],
    csv: Path | None,
    decide: Callable[[str], bool] | None,
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
    check_csv(csv, problems)
    if csv is not None and csv.is_file():
        with problems.collecting():
            rows = read_csv(csv)
    problems.raise_if_any()
    # What reads descriptions takes seconds to import.
    from wirelab.commands.scaffolding import initiate  # noqa: PLC0415

    with (
        created_folder(target),
        # An earlier domain remains readable until the new one is complete.
        TemporaryDirectory(prefix=".domain-", dir=target) as scratch,
    ):
        initiate(
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
    return ExitCode.OK


def _check_sources(
    sources: Mapping[str, str], addresses: Mapping[str, str], problems: Problems
) -> None:
    """Check that there are descriptions, and that the addresses are those of their servers."""
    if not sources:
        hint = "give at least one of --openapi, --sdl, --proto and --wsdl"
        problems.extend([Problem.stated("no description of an interface is given", hint)])
    check_available(sources, problems)
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
