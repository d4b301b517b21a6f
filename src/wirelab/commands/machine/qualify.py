"""`wirelab qualify`: the load engine's maximum rate on this machine, and its cost per item."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from rich.table import Table

from wirelab.commands.logs import log_folder
from wirelab.commands.progress import ProgressBar
from wirelab.engine.errors import EngineError
from wirelab.engine.result import TargetResult
from wirelab.experiment.events import StageStarted, StepStarted
from wirelab.lab.host import read_host
from wirelab.lab.processes.cpu import format_cpus, plan_cpus
from wirelab.lab.processes.process import stopping_everything
from wirelab.measure.ceiling import CASES, Case, measure_ceilings
from wirelab.measure.qualification import (
    Ceiling,
    CeilingSetting,
    Qualification,
    remove_qualification,
    save_qualification,
)
from wirelab.terminal.console import error, note, print_json, show, stderr
from wirelab.terminal.exit_codes import ExitCode

# Two tables, because one with all columns would be wider than a terminal.
COLUMNS: Mapping[str, Callable[[Ceiling], str]] = {
    "clients\n× streams": lambda each: f"{each.connections} × {each.streams_per_connection}",
    "ceiling\n/s": lambda each: f"{each.ceiling_per_s:,.0f}",
    "engine\nbusy": lambda each: f"{each.engine_busy_share:.0%}",
    "CPU\nµs": lambda each: f"{each.engine_cpu_us_per_transaction:.2f}",
    "p50\nµs": lambda each: f"{each.latency_p50_us:,.0f}",
    "Little\nclosure": lambda each: f"{each.little_closure:.3f}",
}
STREAM_COLUMNS: Mapping[str, Callable[[Ceiling], str]] = {
    "clients\n× streams": COLUMNS["clients\n× streams"],
    "ceiling\n/s": COLUMNS["ceiling\n/s"],
    "items\n/s": lambda each: f"{each.items_per_s:,.0f}",
    "CPU µs\nper item": lambda each: f"{each.engine_cpu_us_per_item:.3f}",
    "Little\nclosure": COLUMNS["Little\nclosure"],
}


def qualify_command(*, seconds: float, rounds: int, as_json: bool) -> ExitCode:
    """Measure every transport, print the table, and save it for `wirelab run`."""
    plan = plan_cpus()
    setting = CeilingSetting.read(read_host(plan), plan)
    if plan.warning:
        note(plan.warning)
    expected_s = len(CASES) * rounds * (seconds + 1)
    note(
        f"engine on CPU {format_cpus(plan.engine)}, null server on {format_cpus(plan.system)};"
        f" {rounds} rounds, about {expected_s:.0f} s"
    )
    try:
        with log_folder("wirelab-qualify-") as logs, stopping_everything(), ProgressBar() as bar:
            bar.on(StageStarted("Measuring", len(CASES) * rounds))
            ceilings = measure_ceilings(
                plan,
                seconds=seconds,
                rounds=rounds,
                folder=logs.path,
                begin=lambda case: bar.on(StepStarted(case.name)),
                observe=_show_case,
            )
    except EngineError as failed:
        error(str(failed))
        return ExitCode.NOT_READY
    measured = datetime.now(UTC).isoformat(timespec="seconds")
    qualification = Qualification(measured_utc=measured, setting=setting, ceilings=ceilings)
    path = save_qualification(qualification)
    if as_json:
        print_json(qualification.model_dump(mode="json"))
    else:
        show(_table([each for each in ceilings if not each.is_stream], COLUMNS))
        show("")
        show(_table([each for each in ceilings if each.is_stream], STREAM_COLUMNS))
    note(f"saved in {path}; `wirelab run` compares every run with it")
    return ExitCode.OK


def forget_command(*, as_json: bool) -> ExitCode:
    """Remove the saved results, if any."""
    path, removed = remove_qualification()
    if as_json:
        print_json({"path": str(path), "removed": removed})
    else:
        note(f"removed {path}" if removed else f"nothing to remove: no file {path}")
    return ExitCode.OK


def _show_case(case: Case, result: TargetResult) -> None:
    items = "" if result.items is None else f"{result.items.received_per_s:,.0f} items/s in "
    stderr.print(
        f"  {case.name}: {items}{result.throughput_per_s:,.0f}/s,"
        f" {result.engine.cpu_us_per_transaction:.2f} µs",
    )


def _table(ceilings: Sequence[Ceiling], columns: Mapping[str, Callable[[Ceiling], str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("transport", style="bold", no_wrap=True)
    for title in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for ceiling in ceilings:
        table.add_row(ceiling.name, *(column(ceiling) for column in columns.values()))
    return table
