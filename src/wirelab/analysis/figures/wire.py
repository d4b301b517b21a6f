"""Bytes on the wire as IP packets: what a connection costs and what each transaction adds."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from wirelab.analysis.model import WireCost
from wirelab.bundle import WireRecord
from wirelab.statistics import fit_bytes
from wirelab.study import Study


def packet_bytes(row: WireRecord) -> int:
    """Return the bytes of all IP packets of a connection in both directions, as in a capture."""
    return row.sent + row.received + _headers(row)


OF_EACH_REQUEST: Mapping[str, Callable[[WireRecord], float | None]] = {
    "wire_marginal_bytes": packet_bytes,
    "wire_sent_bytes": lambda row: row.sent,
    "wire_received_bytes": lambda row: row.received,
    "message_bytes": lambda row: row.payload_sent + row.payload_received,
    "message_gzip_bytes": lambda row: row.payload_gzip,
    "store_statements": lambda row: row.statements,
}
"""What a metric counts of a connection; its value is what each further request adds to that."""


def wire_values(
    metric: str, rows: Iterable[WireRecord], contender: str, workload: str
) -> dict[int, float]:
    """Return a counted metric by repeat; empty if it was not counted."""
    repeats: dict[int, list[WireRecord]] = {}
    for row in rows:
        if (row.contender, row.workload) == (contender, workload):
            repeats.setdefault(row.repeat, []).append(row)
    values = {repeat: _value(metric, of_repeat) for repeat, of_repeat in repeats.items()}
    return {repeat: value for repeat, value in values.items() if value is not None}


def wire_costs(
    rows: Iterable[WireRecord], labels: Mapping[str, str], protocols: Mapping[str, str]
) -> tuple[WireCost, ...]:
    """Fit set-up and marginal bytes for every contender and workload that was counted."""
    groups: dict[tuple[str, str], list[WireRecord]] = {}
    for row in rows:
        groups.setdefault((row.contender, row.workload), []).append(row)
    return tuple(
        _cost(contender, workload, group, labels, protocols)
        for (contender, workload), group in groups.items()
        if len({row.transactions for row in group}) >= 2
    )


def _cost(
    contender: str,
    workload: str,
    rows: Sequence[WireRecord],
    labels: Mapping[str, str],
    protocols: Mapping[str, str],
) -> WireCost:
    counts = [row.transactions for row in rows]
    payload = [row.payload_sent + row.payload_received for row in rows]
    framing = [row.sent + row.received - body for row, body in zip(rows, payload, strict=True)]
    fit = fit_bytes(counts, [packet_bytes(row) for row in rows])
    single = [packet_bytes(row) for row in rows if row.transactions == 1]
    return WireCost(
        contender=contender,
        label=labels[contender],
        protocol=protocols[contender],
        workload=workload,
        fit=fit,
        single_bytes=float(np.mean(single)) if single else fit.bytes_at(1),
        parts={
            "message bodies": fit_bytes(counts, payload),
            "protocol framing and headers": fit_bytes(counts, framing),
            "TCP and IP headers": fit_bytes(counts, [_headers(row) for row in rows]),
        },
        gzip_bytes=_value("message_gzip_bytes", rows),
        statements=_value("store_statements", rows),
    )


def _value(metric: str, rows: Sequence[WireRecord]) -> float | None:
    if metric == "wire_single_bytes":
        single = [packet_bytes(row) for row in rows if row.transactions == 1]
        return float(np.mean(single)) if single else None
    counted = OF_EACH_REQUEST.get(metric, packet_bytes)
    counts = {row.transactions: value for row in rows if (value := counted(row)) is not None}
    if len(counts) < 2:
        return None
    fit = fit_bytes([*counts], [*counts.values()])
    return fit.setup if metric == "wire_setup_bytes" else fit.marginal


def _headers(row: WireRecord) -> int:
    """Return the bytes of all segments' headers of a connection, with a SYN from each side."""
    segments = row.segments_out + row.segments_in
    return row.segment_bytes * segments + 2 * row.syn_extra_bytes


def in_order_of_study(rows: Iterable[WireRecord], study: Study) -> list[WireRecord]:
    """Sort counts of bytes as the study file lists workloads and contenders."""
    workloads = list(study.workloads)
    return sorted(
        rows,
        key=lambda row: (workloads.index(row.workload), study.contenders.index(row.contender)),
    )
