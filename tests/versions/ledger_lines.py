"""Lines of histories that were not measured."""

import math

from wirelab.versions.ledger import LedgerLine


def line(commit: int | str, log_ratio: float, *, anchor: str = "a", **other: object) -> LedgerLine:
    """Return the line of a commit, by its number, in four blocks that differ by 1 %."""
    number = commit if isinstance(commit, int) else 0
    values = {
        "commit": f"{commit:04}" if isinstance(commit, int) else commit,
        "subject": f"change {commit}",
        "committed": f"2026-01-01T00:{number:02}:00+00:00",
        "anchor": anchor,
        "operation": "GET /",
        "ratio": math.exp(log_ratio),
        "interval": None,
        "log_ratios": [log_ratio + d for d in (-0.01, 0.01, -0.005, 0.005)],
        "measured_utc": "2026-11-28T09:00:00+00:00",
        "machine": "one",
        "wirelab": "0.2.0",
    }
    return LedgerLine.model_validate(values | other)
