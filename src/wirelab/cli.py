"""The commands of wirelab, nothing else: read the arguments, call the stage, show the result."""

import sys
from collections.abc import Sequence
from getpass import getpass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from wirelab.console import error, write_what_the_terminal_can
from wirelab.domain import DatasetError
from wirelab.exit_codes import ExitCode
from wirelab.lab.errors import LabError
from wirelab.problems import ProblemsError

app = typer.Typer(
    name="wirelab",
    help="A laboratory for API protocols: which one is faster, by how much, and is that real?",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="A study's name (see `wirelab list`) or its folder.")
]
BundlesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="BUNDLE...",
        help="The folder that `wirelab run` wrote; several of one study are set side by side.",
    ),
]
DesignOption = Annotated[
    str, typer.Option("--design", help="smoke (minutes), lab (verdicts that hold) or paper.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Decides order and data: the same seed, the same schedule.")
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        help="Only these contenders, workloads, stores or environments (comma-separated, or "
        "repeated).",
    ),
]
StoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--store",
        help="Use this database instead of the embedded one: KIND=URL. Or limit the embedded one: "
        "'postgresql=postgresql?cpus=2&memory_mb=1024'.",
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="A file of real data (CSV or JSON) in place of generated rows."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wirelab {version('wirelab')}")
        raise typer.Exit


@app.callback()
def wirelab(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Compare API protocols, with statistics that tell a difference from noise."""


@app.command()
def run(
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY", help="A study's name or its folder.")
    ] = None,
    design: DesignOption = "smoke",
    only: OnlyOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder for the bundle [default: bundles/…].")
    ] = None,
    seed: SeedOption = 1,
    store: StoreOption = None,
    data: DataOption = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on with this interrupted bundle.")
    ] = None,
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes",
            help="Resume a bundle although its files were altered; it records that for good.",
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail (exit code 5) if the measurement was disturbed.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Carry a study out: stand the servers up, prove them equal, measure, decide, report."""
    from wirelab.commands.run import run_command  # noqa: PLC0415

    code = run_command(
        study,
        design=design,
        only=_names(only),
        output=output,
        seed=seed,
        stores=_stores(store),
        data=data,
        resume=resume,
        accept_changes=accept_changes,
        strict=strict,
        as_json=json,
    )
    raise typer.Exit(code)


@app.command()
def compare(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B…",
            help="NAME=ADDRESS or an address, a command with {port}, or with --start versions of"
            " git: main..HEAD.",
        ),
    ],
    start: Annotated[
        str | None,
        typer.Option("--start", help="Starts a version of git; {port} is where it must listen."),
    ] = None,
    build: Annotated[
        str | None, typer.Option("--build", help="Builds a version before it is started.")
    ] = None,
    openapi: Annotated[
        Path | None, typer.Option("--openapi", help="Compare the operations of this document.")
    ] = None,
    path: Annotated[
        str, typer.Option("--path", help="What to GET of each side, below its address: /items/7.")
    ] = "",
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Values for parameters, a column each.")
    ] = None,
    only: OnlyOption = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            help="[SIDE/]NAME: VALUE for every request; ${VARIABLE} is taken from the environment.",
        ),
    ] = None,
    headers_file: Annotated[
        Path | None,
        typer.Option("--headers-file", help="Headers, one a line, in a file of mode 600."),
    ] = None,
    ca: Annotated[Path | None, typer.Option("--ca", help="Certificates to trust, as PEM.")] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept any certificate.")] = False,
    server_name: Annotated[
        str | None, typer.Option("--server-name", help="Whom the certificate must be for.")
    ] = None,
    clients: Annotated[
        int, typer.Option("--clients", min=1, help="How many clients send at once.")
    ] = 1,
    rate: Annotated[
        float | None, typer.Option("--rate", min=0.1, help="Requests a second in place of clients.")
    ] = None,
    pid: Annotated[
        list[str] | None,
        typer.Option("--pid", help="SIDE=PID of a server on this machine [default: by its port]."),
    ] = None,
    budget: Annotated[str, typer.Option("--budget", help="How long to measure: 40s, 2m.")] = "30s",
    margin: Annotated[
        float, typer.Option("--margin", help="The difference that does not matter, in percent.")
    ] = 5.0,
    fail_if: Annotated[
        list[str] | None,
        typer.Option("--fail-if", help="Fail (exit code 12) if p99>20ms, new.mean>5ms, ratio>1.1."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Compare with an earlier bundle of this machine, too."),
    ] = None,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Also send what changes data.")
    ] = False,
    reset: Annotated[
        str | None,
        typer.Option("--reset", help="A command that restores the data before each block."),
    ] = None,
    scratch: Annotated[
        bool, typer.Option("--scratch", help="The data are a scratch copy: nothing to restore.")
    ] = False,
    ci: Annotated[
        bool,
        typer.Option("--ci", help="Print Markdown; exit code 10 for slower, 11 for cannot tell."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder for the bundle [default: bundles/…].")
    ] = None,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Measure servers in turns: tell which is faster, by how much, and whether that is real."""
    from wirelab.commands.compare import compare_command  # noqa: PLC0415
    from wirelab.compare.options import read_request  # noqa: PLC0415

    request = read_request(
        sides,
        start=start,
        build=build,
        openapi=openapi,
        path=path,
        csv=csv,
        only=_names(only),
        headers=header or (),
        headers_file=headers_file,
        tls={"ca": ca, "insecure": insecure, "server_name": server_name},
        clients=clients,
        rate=rate,
        pids=pid or (),
        budget=budget,
        margin=margin,
        fail_if=fail_if or (),
        baseline=baseline,
        allow_writes=allow_writes,
        reset=reset,
        scratch=scratch,
        ci=ci,
        output=output,
        seed=seed,
        as_json=json,
    )
    raise typer.Exit(compare_command(request))


@app.command()
def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The folder to write.")],
    openapi: Annotated[
        str | None, typer.Option("--openapi", help="An OpenAPI document: file or URL.")
    ] = None,
    sdl: Annotated[
        str | None,
        typer.Option("--sdl", help="A GraphQL schema: file, or URL of a server to be asked."),
    ] = None,
    proto: Annotated[
        str | None, typer.Option("--proto", help="A .proto file or URL, or `reflection`.")
    ] = None,
    wsdl: Annotated[str | None, typer.Option("--wsdl", help="A WSDL: file or URL.")] = None,
    address: Annotated[
        list[str] | None,
        typer.Option("--address", help="PROTOCOL=URL of a server: rest, graphql, grpc or soap."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Values for parameters, a column each.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing: doubtful matches become comments.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write over what an earlier init has written.")
    ] = False,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Write a domain and a study for an API of your own, from its descriptions."""
    from wirelab.commands.init import init_command  # noqa: PLC0415

    named = {"rest": openapi, "graphql": sdl, "grpc": proto, "soap": wsdl}
    code = init_command(
        name,
        {protocol: source for protocol, source in named.items() if source},
        addresses=_addresses(address or ()),
        csv=csv,
        decide=None if yes or json else typer.confirm,
        force=force,
        seed=seed,
        as_json=json,
    )
    raise typer.Exit(code)


@app.command()
def plan(
    study: StudyArgument,
    design: DesignOption = "smoke",
    only: OnlyOption = None,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Show what a study would do: cells, blocks, order, expected minutes. Starts nothing."""
    from wirelab.commands.plan import plan_command  # noqa: PLC0415

    plan_command(study, design=design, only=_names(only), seed=seed, as_json=json)


@app.command()
def report(
    bundles: BundlesArgument,
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder for the files [default: the bundle].")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Render a bundle's report again, or show how cells developed over several bundles.

    Writes HTML, Markdown, CSV and JSON. Needs no server.
    """
    from wirelab.commands.report import development_command, report_command  # noqa: PLC0415

    if len(bundles) > 1:
        raise typer.Exit(development_command(bundles, output=output, as_json=json))
    raise typer.Exit(report_command(bundles[0], output=output, as_json=json))


@app.command()
def verify(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="A domain's name or its folder.")],
    only: OnlyOption = None,
    environment: Annotated[
        str, typer.Option("--environment", help="native, container or container-host.")
    ] = "native",
    seed: SeedOption = 1,
    store: StoreOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Prove that a domain's contenders all answer as its reference does."""
    from wirelab.commands.verify import verify_command  # noqa: PLC0415

    code = verify_command(
        domain,
        only=_names(only),
        environment=environment,
        seed=seed,
        stores=_stores(store),
        data=data,
        as_json=json,
    )
    raise typer.Exit(code)


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """List the studies and domains that are here, with their contenders."""
    from wirelab.commands.listing import list_command  # noqa: PLC0415

    list_command(as_json=json)


@app.command()
def doctor(json: JsonOption = False) -> None:
    """Say what this machine has, what is missing, and how to get it."""
    from wirelab.commands.doctor import doctor_command  # noqa: PLC0415

    raise typer.Exit(doctor_command(as_json=json))


@app.command()
def qualify(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.2, help="How long each measurement lasts.")
    ] = 2.0,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="How often each transport is measured.")
    ] = 3,
    json: JsonOption = False,
) -> None:
    """Measure what the load engine can do at most on this machine, and keep it for `run`."""
    from wirelab.commands.qualify import qualify_command  # noqa: PLC0415

    raise typer.Exit(qualify_command(seconds=seconds, rounds=rounds, as_json=json))


container = typer.Typer(
    help="Containers as a place for contenders to run.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(container, name="container")


@container.command("base")
def container_base(
    name: Annotated[
        str, typer.Option("--name", help="The image's name [default: wirelab-base:SUITE].")
    ] = "",
    suite: Annotated[
        str, typer.Option("--suite", help="Release of Debian [default: this machine's].")
    ] = "",
    mirror: Annotated[
        str, typer.Option("--mirror", help="Where Debian's packages come from.")
    ] = "http://deb.debian.org/debian",
    json: JsonOption = False,
) -> None:
    """Make the image that contenders' images are built from, with debootstrap (as root)."""
    from wirelab.commands.container import container_base_command  # noqa: PLC0415

    container_base_command(name=name, suite=suite, mirror=mirror, as_json=json)


def main() -> int:
    """Run the command line; errors of the user and the machine become one clear message."""
    write_what_the_terminal_can()
    try:
        return int(app(standalone_mode=False) or ExitCode.OK)
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except TyperException as wrong:
        error(wrong.format_message())
        return ExitCode.BAD_INPUT
    except ProblemsError as problems:
        for problem in problems.problems:
            error(str(problem))
        return ExitCode.BAD_INPUT
    except (LabError, DatasetError) as missing:
        error(str(missing))
        return ExitCode.NOT_READY


def _names(only: list[str] | None) -> tuple[str, ...]:
    return tuple(name for part in only or () for name in part.split(",") if name)


def _stores(addresses: list[str] | None) -> dict[str, str]:
    from wirelab.lab.credentials import resolve_store_url  # noqa: PLC0415
    from wirelab.lab.store_url import without_password  # noqa: PLC0415

    ask = getpass if sys.stdin.isatty() else None
    stores = {}
    for address in addresses or ():
        kind, found, written = address.partition("=")
        own = (f"{kind}?", f"{kind}+container", "@")
        if not found or not ("://" in written or written.startswith(own)):
            raise typer.BadParameter(
                f"--store {without_password(address)!r}: expected KIND=URL, such as"
                " mongodb=mongodb://127.0.0.1:27017/wirelab, or limits for the embedded one:"
                " postgresql=postgresql?cpus=2&memory_mb=1024"
            )
        stores[kind] = resolve_store_url(kind, written, ask)
    return stores


def _addresses(written: Sequence[str]) -> dict[str, str]:
    addresses = {}
    for each in written:
        protocol, found, url = each.partition("=")
        if not found or protocol not in ("rest", "graphql", "grpc", "soap"):
            raise typer.BadParameter(f"--address {each!r}: expected PROTOCOL=URL")
        scheme = "grpc" if protocol == "grpc" else "http"
        addresses[protocol] = url if "://" in url else f"{scheme}://{url}"
    return addresses
