"""The page's figures for Prometheus, with names and units of OpenTelemetry.

OpenTelemetry defines names for the resource use of processes (`process.cpu.time`,
`process.memory.usage`) and for kinds of errors (`error.type`); names under `wirelab.` are for what
it does not define, such as slices and blocks. Following Prometheus, dots become underscores, and
units become suffixes.
"""

import os
from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from wirelab.live.courses import BaselineCourse, StudyNames
from wirelab.live.state import PERCENTILES, LiveState

WHO = "service_name"
"""OpenTelemetry's `service.name`: the contender, as the study registers it."""
ROLE = "wirelab_role"
STATUSES = ("starting", "running", "complete", "interrupted", "failed")


class LiveCollector(Collector):
    """Collects all figures for each scrape."""

    def __init__(self, state: LiveState, names: StudyNames | None) -> None:
        self._state = state
        self._names = names

    def collect(self) -> Iterator[Metric]:
        """Yield every family of figures."""
        yield from self._progress()
        yield from self._turns()
        yield from self._resources()
        yield from self._comparisons()

    def _progress(self) -> Iterator[Metric]:
        state, stage = self._state, self._state.stage
        status = GaugeMetricFamily(
            "wirelab_study_status", "1 for the current status of the study", labels=["status"]
        )
        for name in STATUSES:
            status.add_metric([name], float(name == state.status))
        yield status
        names = ["stage"]
        steps = GaugeMetricFamily("wirelab_stage_steps", "Steps of a stage", labels=names)
        done = GaugeMetricFamily("wirelab_stage_steps_done", "Completed steps", labels=names)
        took = GaugeMetricFamily(
            "wirelab_stage_duration_seconds", "Elapsed time of a stage", labels=names
        )
        for each in state.stages:
            steps.add_metric([each.title], each.steps)
            done.add_metric([each.title], each.done)
            took.add_metric([each.title], each.seconds(state.updated))
        yield from (steps, done, took)
        left = stage.seconds_left(state.updated) if stage else None
        if left is not None:
            yield GaugeMetricFamily(
                "wirelab_stage_remaining_seconds",
                "Estimated remaining time of the stage; until a search for a capacity has ended, a"
                " lower bound",
                left,
            )
        yield CounterMetricFamily(
            "wirelab_blocks",
            "Blocks measured since this program started",
            len(state.blocks_finished),
        )
        yield CounterMetricFamily(
            "wirelab_runs_invalid", "Runs of these blocks that do not count", state.runs_invalid
        )
        yield GaugeMetricFamily(
            "wirelab_comparisons",
            "Comparisons that can be decided after any block; 0 if their number is fixed",
            state.progress.questions,
        )
        yield GaugeMetricFamily(
            "wirelab_comparisons_decided", "Those with a final verdict", state.progress.decided
        )

    def _turns(self) -> Iterator[Metric]:
        names = [WHO]
        counted = CounterMetricFamily(
            "wirelab_transactions",
            "Transactions of all slices, including rehearsals and trials",
            labels=names,
        )
        spent = CounterMetricFamily(
            "wirelab_slice_time_seconds", "Duration of these slices", labels=names
        )
        turns = CounterMetricFamily(
            "wirelab_turn_time_seconds",
            "The same, including guards and draining",
            labels=names,
        )
        failed = CounterMetricFamily(
            "wirelab_transactions_failed", "Failed transactions", labels=names
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
            "Response times; each quantile is the median over the latest slices",
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
            for name in PERCENTILES:
                if (value_us := tally.percentile_us(name)) is not None:
                    labels = {WHO: who, "quantile": f"0.{name[1:]}".rstrip("0")}
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
        for (who, role), used_bytes in self._state.memory.items():
            memory.add_metric([who, role], used_bytes)
        yield memory

    def _comparisons(self) -> Iterator[Metric]:
        names = [WHO, "wirelab_workload", "wirelab_load"]
        blocks = GaugeMetricFamily(
            "wirelab_comparison_blocks", "Blocks of a comparison", labels=names
        )
        ratio = GaugeMetricFamily(
            "wirelab_comparison_ratio",
            "Ratio to the baseline, of times or of capacities, as in the report",
            labels=names,
        )
        bounds = GaugeMetricFamily(
            "wirelab_comparison_interval_ratio",
            "The bounds of its 95 % interval",
            labels=[*names, "bound"],
        )
        for course in self._courses():
            labels = [course.who, course.workload, course.load]
            count, value, low, high = course.steps[-1]
            blocks.add_metric(labels, count)
            ratio.add_metric(labels, value)
            if low is not None and high is not None:
                bounds.add_metric([*labels, "low"], low)
                bounds.add_metric([*labels, "high"], high)
        yield from (blocks, ratio, bounds)

    def _courses(self) -> list[BaselineCourse]:
        return self._names.against_baseline(self._state.courses) if self._names else []


def exposition(state: LiveState, names: StudyNames | None, accept: str) -> tuple[bytes, str]:
    """Return the figures in a format that the scraper accepts, and its media type."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(LiveCollector(state, names))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type
