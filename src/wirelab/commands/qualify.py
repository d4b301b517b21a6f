"""`wirelab qualify`: what the load engine can do at most on this machine, and what it costs."""

from datetime import UTC, datetime

from rich.table import Table

from wirelab.console import error, note, print_json, show, talk
from wirelab.exit_codes import ExitCode
from wirelab.lab.cpu import format_cpus, plan_cpus
from wirelab.lab.host import read_host
from wirelab.lab.process import nothing_outlives
from wirelab.measure.ceiling import CASES, Case, measure_ceilings
from wirelab.measure.errors import EngineError
from wirelab.measure.qualification import Qualification, Setting, keep
from wirelab.measure.result import EngineResult


def qualify_command(*, seconds: float, rounds: int, as_json: bool) -> ExitCode:
    """Measure every transport, print the table, and keep it for `wirelab run`."""
    plan = plan_cpus()
    setting = Setting.read(read_host(plan), plan)
    if plan.warning:
        note(plan.warning)
    expected_s = len(CASES) * rounds * (seconds + 1)
    note(
        f"engine on CPU {format_cpus(plan.engine)}, null server on {format_cpus(plan.system)};"
        f" {rounds} rounds, about {expected_s:.0f} s"
    )
    try:
        with nothing_outlives():
            ceilings = measure_ceilings(plan, seconds=seconds, rounds=rounds, observe=_tell)
    except EngineError as failed:
        error(str(failed))
        return ExitCode.NOT_READY
    measured = datetime.now(UTC).isoformat(timespec="seconds")
    qualification = Qualification(measured_utc=measured, setting=setting, ceilings=ceilings)
    path = keep(qualification)
    if as_json:
        print_json(qualification.model_dump(mode="json"))
    else:
        show(_table(qualification))
    note(f"kept in {path}; `wirelab run` holds every run against it")
    return ExitCode.OK


def _tell(case: Case, result: EngineResult) -> None:
    talk.print(
        f"  {case.name}: {result.throughput_per_s:,.0f}/s,"
        f" {result.engine.cpu_us_per_transaction:.2f} µs",
        markup=False,
    )


def _table(qualification: Qualification) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("transport", style="bold", no_wrap=True)
    for title in (
        "clients\n× streams",
        "measured\n/s",
        "ceiling\n/s",
        "engine\nbusy",
        "CPU\nµs",
        "p50\nµs",
        "Little\nclosure",
    ):
        table.add_column(title, justify="right", no_wrap=True)
    for each in qualification.ceilings:
        table.add_row(
            each.name,
            f"{each.connections} × {each.streams_per_connection}",
            f"{each.transactions_per_s:,.0f}",
            f"{each.ceiling_per_s:,.0f}",
            f"{each.engine_busy_share:.0%}",
            f"{each.engine_cpu_us_per_transaction:.2f}",
            f"{each.latency_p50_us:.0f}",
            f"{each.little_closure:.3f}",
        )
    return table
