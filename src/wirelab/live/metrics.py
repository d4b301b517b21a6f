"""The page's figures for Prometheus, named and in the units that OpenTelemetry has for them.

OpenTelemetry has names for what processes use (`process.cpu.time`, `process.memory.usage`) and for
kinds of errors (`error.type`); what only a laboratory has, such as slices and blocks, is under
`wirelab.`. Dots become underscores and units suffixes, as Prometheus has it.
"""

import os
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from wirelab.live.intervals import Course
from wirelab.live.state import PERCENTILES, LiveState

WHO = "service_name"
"""OpenTelemetry's `service.name`: the contender, as the study registers it."""
ROLE = "wirelab_role"
STATUSES = ("starting", "running", "complete", "interrupted", "failed")


class LiveCollector(Collector):
    """Makes all figures anew for each scrape."""

    def __init__(self, state: LiveState, courses: Sequence[Course]) -> None:
        self._state = state
        self._courses = courses

    def collect(self) -> Iterator[Metric]:
        """Yield every family of figures."""
        yield from self._progress()
        yield from self._turns()
        yield from self._resources()
        yield from self._comparisons()

    def _progress(self) -> Iterator[Metric]:
        state, stage = self._state, self._state.stage
        status = GaugeMetricFamily(
            "wirelab_study_status", "1 for the present status of the study", labels=["status"]
        )
        for name in STATUSES:
            status.add_metric([name], float(name == state.status))
        yield status
        names = ["stage"]
        steps = GaugeMetricFamily("wirelab_stage_steps", "Steps of a stage", labels=names)
        done = GaugeMetricFamily("wirelab_stage_steps_done", "Of them, those done", labels=names)
        took = GaugeMetricFamily(
            "wirelab_stage_duration_seconds", "What a stage has taken so far", labels=names
        )
        for each in state.stages:
            steps.add_metric([each.title], each.steps)
            done.add_metric([each.title], each.done)
            took.add_metric([each.title], each.seconds(state.updated))
        yield from (steps, done, took)
        left = stage.seconds_left(state.updated) if stage else None
        if left is not None:
            yield GaugeMetricFamily(
                "wirelab_stage_remaining_seconds", "Estimate of what the stage still takes", left
            )
        yield CounterMetricFamily(
            "wirelab_blocks",
            "Blocks measured since this program started",
            len(state.blocks_finished),
        )
        yield CounterMetricFamily(
            "wirelab_runs_invalid", "Runs of them that do not count", state.runs_invalid
        )

    def _turns(self) -> Iterator[Metric]:
        names = [WHO]
        counted = CounterMetricFamily(
            "wirelab_transactions",
            "Transactions of all slices, rehearsals and trials included",
            labels=names,
        )
        spent = CounterMetricFamily(
            "wirelab_slice_time_seconds", "What these slices took", labels=names
        )
        turns = CounterMetricFamily(
            "wirelab_turn_time_seconds",
            "The same with the guards before them and what drained behind them",
            labels=names,
        )
        failed = CounterMetricFamily(
            "wirelab_transactions_failed", "Of the transactions, those that failed", labels=names
        )
        errors = CounterMetricFamily(
            "wirelab_errors",
            "Failed transactions by kind of error (OpenTelemetry: error.type)",
            labels=[WHO, "error_type"],
        )
        rate = GaugeMetricFamily(
            "wirelab_throughput_per_second",
            "Transactions per second in the latest slices",
            labels=names,
        )
        duration = Metric(
            "wirelab_transaction_duration_seconds",
            "Response times; quantiles are medians of those of the latest slices",
            "summary",
        )
        for who, tally in self._state.tallies.items():
            counted.add_metric([who], tally.transactions)
            spent.add_metric([who], tally.slice_s)
            turns.add_metric([who], tally.turn_s)
            failed.add_metric([who], tally.failed)
            for kind, count in tally.errors.items():
                errors.add_metric([who, kind], count)
            if (now := tally.rate()) is not None:
                rate.add_metric([who], now)
            for quantile, field in PERCENTILES.items():
                if (value_us := tally.typical(field)) is not None:
                    labels = {WHO: who, "quantile": quantile}
                    duration.add_sample(duration.name, labels, value_us / 1e6)
            succeeded = tally.transactions - tally.failed
            duration.add_sample(f"{duration.name}_sum", {WHO: who}, tally.duration_s)
            duration.add_sample(f"{duration.name}_count", {WHO: who}, succeeded)
        yield from (counted, spent, turns, failed, errors, rate, duration)

    def _resources(self) -> Iterator[Metric]:
        names = [WHO, ROLE]
        cpu = CounterMetricFamily(
            "process_cpu_time_seconds",
            "CPU time of a role of a contender in its slices (OpenTelemetry: process.cpu.time)",
            labels=names,
        )
        for (who, role), used_s in self._state.cpu_s.items():
            cpu.add_metric([who, role], used_s)
        own = os.times()
        cpu.add_metric(["wirelab", "page"], own.user + own.system)
        yield cpu
        memory = GaugeMetricFamily(
            "process_memory_usage_bytes",
            "Memory of a role of a contender (OpenTelemetry: process.memory.usage)",
            labels=names,
        )
        for (who, role), found in self._state.memory.items():
            memory.add_metric([who, role], found)
        yield memory

    def _comparisons(self) -> Iterator[Metric]:
        names = [WHO, "wirelab_workload", "wirelab_load"]
        blocks = GaugeMetricFamily(
            "wirelab_comparison_blocks", "Blocks that a comparison has", labels=names
        )
        ratio = GaugeMetricFamily(
            "wirelab_comparison_ratio",
            "Ratio to the baseline, of times or of capacities, as in the report",
            labels=names,
        )
        bounds = GaugeMetricFamily(
            "wirelab_comparison_interval_ratio",
            "The ends of its 95 % interval",
            labels=[*names, "bound"],
        )
        for course in self._courses:
            if not course.steps:
                continue
            labels = [course.who, course.workload, course.load]
            count, value, low, high = course.steps[-1]
            blocks.add_metric(labels, count)
            ratio.add_metric(labels, value)
            if low is not None and high is not None:
                bounds.add_metric([*labels, "low"], low)
                bounds.add_metric([*labels, "high"], high)
        yield from (blocks, ratio, bounds)


def exposition(state: LiveState, courses: Sequence[Course], accept: str) -> tuple[bytes, str]:
    """Return the figures in the format that a scraper accepts, and that format's media type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(LiveCollector(state, courses))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type
