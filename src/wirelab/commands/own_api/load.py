"""`wirelab load`: send load to one server from the machines of a cluster."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from rich.console import Group, RenderableType
from rich.table import Table

from wirelab.bundle import require_new_folder
from wirelab.cluster.agents import Server, agents_of, served
from wirelab.cluster.connection import Cluster, connect
from wirelab.cluster.load_result import AgentResult, LoadResult
from wirelab.cluster.packed_files import PackedFiles, unpack
from wirelab.cluster.sharing import refuse_unshareable, window_s
from wirelab.commands.progress import ProgressBar
from wirelab.engine.job import Job, Target
from wirelab.engine.result import RESULT, DurationSummary
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.inputs.problems import ProblemsError, collected_problems, state_problem
from wirelab.inputs.validation import from_pydantic
from wirelab.installation.programs import find_program
from wirelab.terminal.console import error, note, print_json, show
from wirelab.terminal.exit_codes import ExitCode
from wirelab.terminal.words import plural

SERVER = "{server}"
"""The placeholder for the address of a server that is started."""
COLUMNS = ("", "count", "mean", "p50", "p90", "p99", "p99.9", "max")


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """The requested load. `start`: command of a server on the machine `on`, default the first."""

    arguments: Sequence[str]
    cluster: str
    agents: int | None
    start: str | None
    on: str | None
    as_json: bool


def load_command(request: LoadRequest) -> ExitCode:
    """Generate the load, print the result, and return the exit code."""
    with collected_problems():
        _check(request)
    with ExitStack() as ends:
        if request.start is None:
            read = _read_job(request.arguments)
            cluster = None if read is None else _connected(request, ends)
            server = None
        else:
            cluster = _connected(request, ends)
            with _showing("Server", "waiting until it accepts connections"):
                server = ends.enter_context(served(cluster, request.start, request.on))
            note(f"the server: {server.address} on {server.node.name}")
            read = _read_job(
                [argument.replace(SERVER, server.address) for argument in request.arguments]
            )
        if read is None or cluster is None:
            return ExitCode.BAD_INPUT
        return _generate(request, *read, cluster, server)


def _connected(request: LoadRequest, ends: ExitStack) -> Cluster:
    with _showing("Cluster", f"connecting to {request.cluster}"):
        return ends.enter_context(connect(request.cluster))


@contextmanager
def _showing(stage: str, step: str) -> Iterator[None]:
    """Show a stage of one step while it is in progress."""
    with ProgressBar() as bar:
        bar.on(StageStarted(stage, 1))
        bar.on(StepStarted(step))
        yield


def _check(request: LoadRequest) -> None:
    """Note options that contradict each other."""
    names_server = any(SERVER in argument for argument in request.arguments)
    if request.start is None and request.on is not None:
        state_problem("--on names the machine for --start; expected --start with a command")
    if request.start is not None and request.arguments and not names_server:
        state_problem(f"--start needs {SERVER} in the address, for example http://{SERVER}/")
    if request.start is not None and "{port}" not in request.start:
        state_problem("--start: the command must contain {port}, the port to listen on")


def _generate(
    request: LoadRequest, job: Job, kept: Path | None, cluster: Cluster, server: Server | None
) -> ExitCode:
    refuse_unshareable(job, request.agents or 1)
    if kept is not None:
        require_new_folder(kept)
    with ProgressBar() as bar, agents_of(cluster, request.agents, server, bar.remind) as agents:
        refuse_unshareable(job, len(agents.all))
        machines = len({agent.machine for agent in agents.all})
        note(f"{plural(len(agents.all), 'agent')} on {plural(machines, 'machine')}")
        bar.on(StageStarted("Agents", 2))
        bar.on(StepStarted("comparing machines and versions"))
        agents.check_machines()
        bar.on(StepStarted("opening connections"))
        agents.connect(job)
        bar.on(StageStarted("Load", 1))
        bar.on(StepStarted(f"measuring for {window_s(job):g} s", expected_s=agents.expected_s(job)))
        result, files = agents.run_load(job)
    if kept is not None:
        _keep(kept, result, files)
        note(f"results of all agents: {kept}")
    if request.as_json:
        print_json(result.model_dump(mode="json"))
    else:
        show(summary(result))
    for reason in result.invalid:
        error(f"the run does not count: {reason}")
    return ExitCode.FAULTS if result.invalid else ExitCode.OK


def _read_job(arguments: Sequence[str]) -> tuple[Job, Path | None] | None:
    """Read a job file, or have the engine convert its options into one.

    Returns the job with the folder for results; None if the engine rejected the options, which it
    has explained.
    """
    is_file = len(arguments) == 1 and "://" not in arguments[0]
    if is_file:
        path = Path(arguments[0])
        try:
            text = path.read_text()
        except OSError as wrong:
            error(f"{path}: {wrong.strerror}; expected an address, or a job file")
            return None
        except UnicodeDecodeError:
            error(f"{path}: not text in UTF-8; expected an address, or a job file")
            return None
    else:
        done = subprocess.run(
            [find_program("wirelab-load"), *arguments, "--print-job", "--with-credentials"],
            stdout=subprocess.PIPE,
            check=False,
        )
        if done.returncode != 0:
            return None
        text = done.stdout.decode()
    try:
        job = Job.model_validate_json(text)
    except ValidationError as wrong:
        raise ProblemsError(from_pydantic(arguments[0], wrong, Job)) from wrong
    # Without -o, samples are not wanted, and the engine's options name no folder.
    kept = job.output if is_file or job.samples else None
    return job.model_copy(update={"targets": tuple(map(_with_whole_paths, job.targets))}), kept


def _with_whole_paths(target: Target) -> Target:
    """Make the paths of certificates absolute; all machines have them there."""
    if target.tls is None:
        return target
    paths = {
        key: path.resolve()
        for key in ("ca", "certificate", "key")
        if (path := getattr(target.tls, key)) is not None
    }
    return target.model_copy(update={"tls": target.tls.model_copy(update=paths)})


def _keep(folder: Path, result: LoadResult, files: Sequence[PackedFiles]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULT).write_text(result.model_dump_json(indent=1) + "\n")
    for agent, parcel in zip(result.agents, files, strict=True):
        unpack(parcel, folder / f"agent-{agent.number}-{agent.machine}")


def summary(result: LoadResult) -> RenderableType:
    """Return the merged figures, and a line for each agent."""
    target = result.only
    counts = target.counts
    lines = [
        f"{target.name}: {plural(counts.transactions, 'transaction')} in"
        f" {target.window.duration_s:.2f} s:"
        f" {target.throughput_per_s:,.0f}/s, {counts.failed:,} failed"
    ]
    if target.offered_rate_per_s is not None:
        lines.append(
            f"{target.offered_rate_per_s:,.0f}/s were requested; {counts.late:,} started more than"
            f" 1 ms late, {counts.never_sent:,} were never sent"
        )
    lines += [f"  {name}: {count:,}" for name, count in counts.errors.items()]
    if (server := result.server) is not None:
        each = server.cpu_us_per_transaction
        cost = "" if each is None else f", {each:.1f} µs a transaction"
        lines.append(
            f"the server, on {server.machine}: {server.cpu_us / 1e6:.2f} s of CPU time{cost};"
            f" {server.memory_bytes / 1e6:.0f} MB of memory"
        )
    return Group("\n".join(lines), "", _times(result), "", _agents(result.agents))


def _times(result: LoadResult) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in COLUMNS:
        table.add_column(column, justify="left" if not column else "right")
    times = result.only.latency_us
    for name, row in (("response", times.response), ("service", times.service), ("lag", times.lag)):
        table.add_row(name, f"{row.count:,}", *_durations(row))
    return table


def _agents(agents: tuple[AgentResult, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("agent")
    for column in ("transactions", "failed", "p99", "lag p50", "busy", "clock ±"):
        table.add_column(column, justify="right")
    table.add_column("")
    for agent in agents:
        table.add_row(
            f"{agent.number} on {agent.machine}",
            f"{agent.transactions:,}",
            f"{agent.failed:,}",
            _ms(agent.response_p99_us),
            _ms(agent.lag_p50_us),
            f"{agent.busy_share:.0%}",
            _ms(agent.clock_error_us),
            "invalid" if agent.invalid else "",
        )
    return table


def _durations(row: DurationSummary) -> list[str]:
    return [_ms(value) for value in (row.mean, row.p50, row.p90, row.p99, row.p999, row.max)]


def _ms(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g} ms"
