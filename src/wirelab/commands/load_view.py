"""The result of a load from many machines, for a terminal."""

from rich.console import Group, RenderableType
from rich.table import Table

from wirelab.cluster.load_result import AgentResult, LoadResult
from wirelab.engine.result import Summary
from wirelab.terminal.words import plural

COLUMNS = ("", "count", "mean", "p50", "p90", "p99", "p99.9", "max")


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


def _durations(row: Summary) -> list[str]:
    return [_ms(value) for value in (row.mean, row.p50, row.p90, row.p99, row.p999, row.max)]


def _ms(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g} ms"
