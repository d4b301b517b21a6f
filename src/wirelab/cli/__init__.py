"""The commands of wirelab: read the arguments, call the stage, show the result."""

import gc
from collections.abc import Callable
from typing import Annotated, Any

import typer

from wirelab.cli import machine, own_api, studies
from wirelab.cli.failures import show_failure, show_lack_of_memory
from wirelab.cli.load import PASSED_ON, load
from wirelab.cli.parsing import Command, CommandGroup, with_options
from wirelab.compare.command_line import CapacityOptions, CompareOptions
from wirelab.installation.interruption import requests_interrupt
from wirelab.lab.processes.shortage import require_address_space
from wirelab.scaffold.options import InitOptions
from wirelab.terminal.console import (
    discard_unwritable_messages,
    note,
    replace_closed_streams,
    replace_unencodable,
)
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.command_line import BisectOptions, HistoryOptions

RARELY = 50_000
"""Allocations between garbage collections: loading modules allocates much, but no garbage."""


MODULES_BYTES = 10**9
"""Address space that the modules of any command need."""
FIGURES_BYTES = 64 * 2**30 + 4 * 10**9
"""Address space that V8, which draws figures, reserves; and that of everything else."""
DRAWING = {"run", "compare", "bisect", "history", "capacity", "replicate", "report"}
"""Commands that draw figures."""


class _Command(Command):
    """A command that ends at once if a limit leaves it too little memory."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Raises `LabError` if it has too little memory."""
        require_address_space(FIGURES_BYTES if self.name in DRAWING else MODULES_BYTES)
        return super().invoke(ctx)


class _Commands(CommandGroup):
    """All commands. Typer ends an interrupted command without a message; this prints one."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; if it is interrupted, print the text of the exception."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupted:
            note(str(interrupted) or "interrupted")
            raise


app = typer.Typer(
    name="wirelab",
    cls=_Commands,
    help="A laboratory for API protocols: which is faster, by how much, and is that difference"
    " real?",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "run": studies.run,
    "compare": with_options(CompareOptions, own_api.compare),
    "bisect": with_options(BisectOptions, own_api.bisect),
    "history": with_options(HistoryOptions, own_api.history),
    "capacity": with_options(CapacityOptions, own_api.capacity),
    "init": with_options(InitOptions, own_api.init),
    "replicate": studies.replicate,
    "plan": studies.plan,
    "report": studies.report,
    "browse": studies.browse,
    "verify": studies.verify,
    "list": studies.list_,
    "doctor": machine.doctor,
    "qualify": machine.qualify,
    "cache": machine.cache,
}
_EXAMPLES = {
    "run": """\
wirelab run STUDY --design smoke
wirelab run STUDY --design replication --only rest,grpc --live
wirelab run --resume bundles/STUDY-replication
""",
    "replicate": """\
wirelab replicate
wirelab replicate STUDY --budget 30m
wirelab replicate --output second --against replication
""",
    "compare": """\
wirelab compare old=http://localhost:8081/items/7 new=http://localhost:8082/items/7
wirelab compare main..HEAD --start './server --port {port}' --path /items/7
wirelab compare http://localhost:8081 http://localhost:8082 --openapi api.yaml --ci
""",
    "bisect": """\
wirelab bisect v1.4..main --start './server --port {port}' --path /items/7
wirelab bisect v1.4..main --build 'make build' --start 'make serve PORT={port}' --openapi api.yaml
wirelab bisect --resume bundles/bisect-20261128-091500
""",
    "history": """\
wirelab history v1.0..main --tags --start './server --port {port}' --path /items/7
wirelab history HEAD --start './server --port {port}' --path /items/7 --file perf/history.jsonl
wirelab history --file perf/history.jsonl
""",
    "capacity": """\
wirelab capacity http://localhost:8081/items/7 --objective 'p99<50ms'
wirelab capacity old=./old.sh\\ {port} new=./new.sh\\ {port} --path / --objective 'p99<20ms'
wirelab capacity http://localhost:8081 --openapi api.yaml --objective 'p99<50ms,failed<0.1%'
""",
    "init": """\
wirelab init shop --openapi openapi.yaml --sdl http://localhost:8081/graphql
wirelab init shop --proto shop.proto --address grpc=http://localhost:50051
wirelab init bank --wsdl http://localhost:8080/bank?wsdl
""",
}
for _name, _command in _COMMANDS.items():
    app.command(_name, cls=_Command, epilog=_EXAMPLES.get(_name))(_command)
app.command("load", cls=Command, context_settings=PASSED_ON)(load)
app.add_typer(machine.container, name="container")


def _show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version  # noqa: PLC0415

        typer.echo(f"wirelab {version('wirelab')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Compare API protocols, with statistics that distinguish a difference from noise."""


def main() -> int:
    """Run the command line; errors of the user and the machine become one clear message."""
    gc.set_threshold(RARELY)
    replace_closed_streams()
    discard_unwritable_messages()
    replace_unencodable()
    try:
        with requests_interrupt():
            return int(app(prog_name="wirelab", standalone_mode=False) or ExitCode.OK)
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception as failed:  # what is wrong with wirelab is raised again
        try:
            return show_failure(failed)
        except MemoryError:
            return show_lack_of_memory()
