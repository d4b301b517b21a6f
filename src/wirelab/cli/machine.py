"""Commands about this machine: doctor, qualify, cache, container."""

from typing import Annotated

import typer

from wirelab.cli.parsing import Command, CommandGroup
from wirelab.inputs.options import JsonOption


def doctor(json: JsonOption = False) -> None:
    """Show what this machine has, what is missing, and how to get it."""
    from wirelab.commands.machine.doctor import doctor_command  # noqa: PLC0415

    raise typer.Exit(doctor_command(as_json=json))


def qualify(
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.2, help="Duration of each measurement.")
    ] = 2.0,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="Number of measurements of each transport.")
    ] = 3,
    forget: Annotated[
        bool, typer.Option("--forget", help="Measure nothing; remove the saved results.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Measure the highest rate of the load engine on this machine; `run` checks against it."""
    from wirelab.commands.machine.qualify import forget_command, qualify_command  # noqa: PLC0415

    if forget:
        raise typer.Exit(forget_command(as_json=json))
    raise typer.Exit(qualify_command(seconds=seconds, rounds=rounds, as_json=json))


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove everything. Not while a study is running.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show what the cache contains and how large it is, or clear it."""
    from wirelab.commands.machine.cache import cache_command  # noqa: PLC0415

    cache_command(clear=clear, as_json=json)


container = typer.Typer(
    cls=CommandGroup,
    help="Containers as an environment for contenders.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@container.command("base", cls=Command)
def container_base(
    name: Annotated[
        str, typer.Option("--name", help="The image's name [default: wirelab-base:SUITE].")
    ] = "",
    suite: Annotated[
        str, typer.Option("--suite", help="Release of Debian [default: this machine's].")
    ] = "",
    mirror: Annotated[
        str, typer.Option("--mirror", help="The mirror of Debian's packages.")
    ] = "http://deb.debian.org/debian",
    json: JsonOption = False,
) -> None:
    """Build the base image of contenders with debootstrap (as root)."""
    from wirelab.commands.machine.container import container_base_command  # noqa: PLC0415

    container_base_command(name=name, suite=suite, mirror=mirror, as_json=json)
