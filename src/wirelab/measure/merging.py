"""Merge the results of several engines that shared a load.

Counts and histograms add up exactly, because all engines use the same ranges. Percentiles are
computed from the sum: their average, or their maximum, would not be a percentile of the whole load.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from wirelab.engine.histograms import add_up, quantiles_ns
from wirelab.engine.result import (
    Bytes,
    ConnectionCounts,
    Counts,
    DurationSummary,
    EngineResult,
    EngineUse,
    Histograms,
    ItemsOfStreams,
    Latencies,
    LifetimeBytes,
    MeasuredWindow,
    OperationResult,
    SampledAnswers,
    TargetResult,
    TargetUse,
    TlsUse,
    ToMerge,
    WindowBytes,
)

Key = TypeVar("Key")

SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def merge_results(results: Sequence[EngineResult], window: MeasuredWindow) -> EngineResult:
    """Merge results of one target that cover the same `window`, which the caller provides.

    Seconds and slices belong to a single engine; the merged result contains none.
    """
    uses = [result.engine for result in results]
    cpu_us = [use.cpu_user_us + use.cpu_system_us for use in uses]
    return EngineResult(
        format=results[0].format,
        interrupted=any(result.interrupted for result in results),
        engine=EngineUse(
            version=uses[0].version,
            cpus=(),
            real_time=all(use.real_time for use in uses),
            clock=", ".join(sorted({use.clock for use in uses})),
            memory_peak_bytes=sum(use.memory_peak_bytes for use in uses),
            cpu_user_us=sum(use.cpu_user_us for use in uses),
            cpu_system_us=sum(use.cpu_system_us for use in uses),
        ),
        targets=(_target([result.only for result in results], cpu_us, window),),
        slices=(),
    )


def _target(
    targets: Sequence[TargetResult], cpu_us: Sequence[float], window: MeasuredWindow
) -> TargetResult:
    merged = [_to_merge(target) for target in targets]
    counts = _counts([target.counts for target in targets])
    times = [target.latency_us for target in targets]
    service, service_text = _distribution(
        [part.service for part in times], [target.histograms.service for target in targets]
    )
    response, response_text = _distribution(
        [part.response for part in times], [target.histograms.response for target in targets]
    )
    seconds = window.duration_s
    items, first_item_text, gap_text = _items(targets, merged, seconds)
    return TargetResult(
        name=targets[0].name,
        window=window,
        engine=_use(targets, cpu_us),
        idle_cpu_share={},
        counts=counts,
        statuses=_added(target.statuses for target in targets),
        throughput_per_s=counts.transactions / seconds if seconds else 0.0,
        offered_rate_per_s=targets[0].offered_rate_per_s,
        little_closure=_weighted(
            [
                (target.little_closure, it.client_ns)
                for target, it in zip(targets, merged, strict=True)
            ]
        ),
        latency_us=Latencies(
            response=response,
            service=service,
            first_byte=_summary(
                [part.first_byte for part in times], [part.first_byte for part in merged]
            ),
            connect=_some([part.connect for part in times], [part.connect for part in merged]),
            tls=_some([part.tls for part in times], [part.tls for part in merged]),
            lag=_summary([part.lag for part in times], [part.lag for part in merged]),
        ),
        items=items,
        histograms=Histograms(
            response=response_text, service=service_text, first_item=first_item_text, gap=gap_text
        ),
        series=(),
        bytes=_bytes([target.bytes for target in targets]),
        connections=ConnectionCounts(
            opened=sum(target.connections.opened for target in targets),
            failed=_added(target.connections.failed for target in targets),
            violations=_added(target.connections.violations for target in targets),
        ),
        tls=_tls([target.tls for target in targets]),
        mismatches=tuple(each for target in targets for each in target.mismatches),
        operations=_operations(targets, merged, seconds),
        answers=_answers([target.answers for target in targets]),
    )


def _to_merge(target: TargetResult) -> ToMerge:
    if target.to_merge is None:
        raise ValueError(
            f"{target.name}: the result has no data to merge, because its job has no agent"
        )
    return target.to_merge


def _use(targets: Sequence[TargetResult], cpu_us: Sequence[float]) -> TargetUse:
    uses = [target.engine for target in targets]
    # The number of transactions of each engine, including those that do not count.
    carried = [
        used_us / use.cpu_us_per_transaction if use.cpu_us_per_transaction else 0.0
        for used_us, use in zip(cpu_us, uses, strict=True)
    ]
    stamped = [use.stamped_share for use in uses if use.stamped_share is not None]
    return TargetUse(
        cpu_us_per_transaction=sum(cpu_us) / sum(carried) if sum(carried) else 0.0,
        busy_share=max(use.busy_share for use in uses),
        arrival=uses[0].arrival,
        stamped_share=min(stamped) if stamped else None,
    )


def _counts(all_of_them: Sequence[Counts]) -> Counts:
    def added(of: Callable[[Counts], int]) -> int:
        return sum(map(of, all_of_them))

    return Counts(
        transactions=added(lambda it: it.transactions),
        succeeded=added(lambda it: it.succeeded),
        failed=added(lambda it: it.failed),
        errors=_added(result.errors for result in all_of_them),
        late=added(lambda it: it.late),
        dropped=added(lambda it: it.dropped),
        never_sent=added(lambda it: it.never_sent),
    )


def _distribution(
    summaries: Sequence[DurationSummary], histograms: Sequence[str]
) -> tuple[DurationSummary, str]:
    """Add up distributions; mean and standard deviation are exact for all values together."""
    total = add_up(histograms)
    assert total is not None
    count = sum(summary.count for summary in summaries)
    mean = _weighted([(summary.mean, summary.count) for summary in summaries])
    squares = sum(
        (summary.count - 1) * summary.sd**2 + summary.count * (summary.mean - mean) ** 2
        for summary in summaries
        if summary.count
    )
    seen = [summary for summary in summaries if summary.count]
    least = min((summary.min for summary in seen), default=0.0)
    most = max((summary.max for summary in seen), default=0.0)
    quantiles = quantiles_ns(total, list(SHARES.values())) or [0] * len(SHARES)
    shown = {
        name: min(max(value / 1e3, least), most)
        for name, value in zip(SHARES, quantiles, strict=True)
    }
    summary = DurationSummary(
        count=count,
        mean=mean,
        sd=math.sqrt(max(squares, 0.0) / (count - 1)) if count > 1 else 0.0,
        min=least,
        max=most,
        **shown,
    )
    return summary, total.encode().decode()


def _summary(summaries: Sequence[DurationSummary], histograms: Sequence[str]) -> DurationSummary:
    return _distribution(summaries, histograms)[0]


def _some(
    summaries: Sequence[DurationSummary | None], histograms: Sequence[str]
) -> DurationSummary | None:
    """Add up the distributions that exist."""
    known = [
        (summary, text)
        for summary, text in zip(summaries, histograms, strict=True)
        if summary is not None
    ]
    return (
        _summary([summary for summary, _ in known], [text for _, text in known]) if known else None
    )


def _items(
    targets: Sequence[TargetResult], merged: Sequence[ToMerge], seconds: float
) -> tuple[ItemsOfStreams, str, str] | tuple[None, None, None]:
    """Return the items of all streams, and the histograms of their first items and gaps."""
    both = zip(targets, merged, strict=True)
    known = [(target.items, of) for target, of in both if target.items]
    histograms = [target.histograms for target in targets if target.items]
    if not known:
        return None, None, None
    received = sum(summary.received for summary, _ in known)
    sent = sum(summary.sent for summary, _ in known)
    first_us, first_text = _distribution(
        [summary.first_us for summary, _ in known], [one.first_item or "" for one in histograms]
    )
    gap_us, gap_text = _distribution(
        [summary.gap_us for summary, _ in known], [one.gap or "" for one in histograms]
    )
    items = ItemsOfStreams(
        received=received,
        sent=sent,
        received_per_s=received / seconds if seconds else 0.0,
        sent_per_s=sent / seconds if seconds else 0.0,
        first_us=first_us,
        last_us=_summary(
            [summary.last_us for summary, _ in known], [of.last_item for _, of in known]
        ),
        gap_us=gap_us,
        stalls=sum(summary.stalls for summary, _ in known),
    )
    return items, first_text, gap_text


def _bytes(all_of_them: Sequence[Bytes]) -> Bytes:
    windows = [result.window.model_dump(exclude_none=True) for result in all_of_them]
    lifetimes = [result.lifetime.model_dump() for result in all_of_them]
    return Bytes(
        window=WindowBytes.model_validate(_added(windows)),
        lifetime=LifetimeBytes.model_validate(_added(lifetimes)),
    )


def _tls(all_of_them: Sequence[TlsUse | None]) -> TlsUse | None:
    known = [result for result in all_of_them if result is not None]
    if not known:
        return None
    handshakes = sum(summary.handshakes for summary in known)
    resumed = sum(summary.resumed for summary in known)
    return known[0].model_copy(update={"handshakes": handshakes, "resumed": resumed})


def _operations(
    targets: Sequence[TargetResult], merged: Sequence[ToMerge], seconds: float
) -> tuple[OperationResult, ...]:
    """Merge by position: all engines have the operations of their job, in the same order."""
    rows = zip(*(target.operations for target in targets), strict=True)
    texts = zip(*(part.operations for part in merged), strict=True)
    return tuple(
        OperationResult(
            name=same[0].name,
            transactions=sum(operation.transactions for operation in same),
            failed=sum(operation.failed for operation in same),
            errors=_added(operation.errors for operation in same),
            throughput_per_s=sum(operation.transactions for operation in same) / seconds
            if seconds
            else 0.0,
            response_us=_summary([operation.response_us for operation in same], histograms),
        )
        for same, histograms in zip(rows, texts, strict=True)
    )


def _answers(all_of_them: Sequence[SampledAnswers | None]) -> SampledAnswers | None:
    known = [result for result in all_of_them if result is not None]
    seen, kept = sum(summary.seen for summary in known), sum(summary.kept for summary in known)
    return SampledAnswers(seen=seen, kept=kept) if known else None


def _added(all_of_them: Iterable[Mapping[Key, int]]) -> dict[Key, int]:
    total: Counter[Key] = Counter()
    for each in all_of_them:
        total.update(each)
    return dict(total)


def _weighted(values: Sequence[tuple[float, float]]) -> float:
    weight = sum(each for _, each in values)
    return sum(value * each for value, each in values) / weight if weight else 0.0
