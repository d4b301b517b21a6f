"""Compare wirelab-load with its peers: `python -m benches.peers`."""

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

import typer

from benches.peers.case import CASES
from benches.peers.execution import Place
from benches.peers.generator import Generator
from benches.peers.generators import EARLIER, GENERATORS
from benches.peers.generators.wrk import Wrk
from benches.peers.machine import PATIENCE_S
from benches.peers.markdown import render
from benches.peers.material import write_material
from benches.peers.programs import prepare
from benches.peers.result import Run, Session
from benches.peers.session import Execution, Plan
from wirelab.lab.host import read_host
from wirelab.lab.processes.process import stopping_everything

Chosen = TypeVar("Chosen")

RESULTS = Path(__file__).parent / "results"

app = typer.Typer(add_completion=False, help=__doc__)


@app.command("prepare")
def prepare_only() -> None:
    """Find or install every peer, build floor and servers, and measure nothing."""
    with stopping_everything():
        programs = prepare(_print, GENERATORS)
    for name, path in sorted(programs.paths.items()):
        typer.echo(f"{name:22} {programs.versions.get(name, ''):40} {path}")
    for name, why in sorted(programs.absent.items()):
        typer.echo(f"{name:22} not available: {why}")


@app.command()
def run(
    *,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is done.")] = 5,
    seconds: Annotated[
        int, typer.Option(min=1, help="Of every run; whole ones, for h2load knows no others.")
    ] = 5,
    case: Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")] = None,
    generator: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be repeated.")
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            min=0, help="Seconds to wait for a quiet machine; with 0, no run is repeated."
        ),
    ] = PATIENCE_S,
    requests: Annotated[
        int | None, typer.Option(min=1, help="Instead of 10 million in the case `memory`.")
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH",
            help="A generator that is not to be installed, such as zrk=/opt/zrk/bin/zrk; one with"
            " another name must take the options of wrk, and -R for a rate, and print its summary."
            f" {EARLIER} is an earlier version of ours, to see whether a request costs more CPU"
            " time now. May be repeated.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option(help="The results; .md comes beside it.")] = RESULTS
    / "peers.json",
    server_cpu: Annotated[int, typer.Option(min=0)] = 0,
    generator_cpu: Annotated[int, typer.Option(min=0)] = 1,
) -> None:
    """Prepare, measure, and write results and report; after every run, so that nothing is lost."""
    given = _given(program or ())
    generators: dict[str, Generator] = {each.name: each for each in GENERATORS}
    for name in given.keys() - {each.program for each in GENERATORS}:
        generators[name] = Wrk(name)
    plan = Plan(
        cases=_chosen("case", case, {each.id: each for each in CASES}),
        generators=_chosen("generator", generator, generators),
        rounds=rounds,
        seconds=seconds,
        patience_s=patience,
        requests=requests,
    )
    if not {server_cpu, generator_cpu} <= os.sched_getaffinity(0) or server_cpu == generator_cpu:
        raise typer.BadParameter("server and generator need a CPU each that this process may use")
    started_utc, host = datetime.now(UTC).isoformat(timespec="seconds"), read_host()
    runs: list[Run] = []
    with stopping_everything(), TemporaryDirectory(prefix="wirelab-peers-") as folder:
        programs = prepare(_print, plan.generators, given)
        material = Path(folder)
        write_material(material)
        place = Place(programs.paths, material, server_cpu, generator_cpu)
        for done in Execution(plan, place, _print).runs():
            runs.append(done)
            session = Session(
                started_utc=started_utc,
                host=host,
                server_cpu=server_cpu,
                generator_cpu=generator_cpu,
                rounds=rounds,
                seconds=seconds,
                requests=requests,
                versions=programs.versions,
                absent=programs.absent,
                runs=tuple(runs),
            )
            session.write(output)
            output.with_suffix(".md").write_text(render(session))
    typer.echo(output.with_suffix(".md").read_text())


@app.command()
def report(results: Path) -> None:
    """Write the report of results again."""
    results.with_suffix(".md").write_text(render(Session.read(results)))


def _given(programs: Sequence[str]) -> dict[str, Path]:
    """Read NAME=PATH of every program."""
    given = {}
    for each in programs:
        name, _, path = each.partition("=")
        if not name or not os.access(path, os.X_OK) or not Path(path).is_file():
            raise typer.BadParameter(f"--program {each}: NAME=PATH of an executable file")
        given[name] = Path(path).resolve()
    return given


def _chosen(
    option: str, names: Sequence[str] | None, known: Mapping[str, Chosen]
) -> Sequence[Chosen]:
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise typer.BadParameter(f"--{option} {', '.join(unknown)}: one of {', '.join(known)}")
    return [value for name, value in known.items() if not names or name in names]


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    app()
