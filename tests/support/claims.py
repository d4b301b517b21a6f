"""Synthetic evidence: blocks whose ratios are what a test needs them to be."""

from collections.abc import Mapping

from wirelab.claims import ClaimEvidence
from wirelab.statistics import Method
from wirelab.study import Cell, Claim, Factor

LEVELS: dict[Factor, tuple[str, ...]] = {
    "contender": ("rest", "grpc", "soap"),
    "workload": ("fetch",),
    "store": ("postgresql",),
    "environment": ("native",),
    "load": ("u1",),
    "proxy": ("none",),
    "network": ("loopback",),
}
"""What was measured, unless a test says otherwise."""

JITTER = (0.99, 1.01, 1.0, 1.005, 0.995, 1.0, 0.99, 1.01, 0.995, 1.005)
"""Noise of about one per cent, the same in every test."""


def claim(*expectations: Mapping[str, object]) -> Claim:
    """Return a claim about mean latency, unless an expectation names another metric."""
    return Claim.model_validate(
        {
            "text": "so it is",
            "source": "Table 1",
            "expect": [
                each if each["kind"] == "qualitative" else {"metric": "latency_mean_us", **each}
                for each in expectations
            ],
        }
    )


def evidence(
    values: Mapping[str, float],
    *,
    blocks: int = 6,
    noise: float = 1.0,
    levels: Mapping[Factor, tuple[str, ...]] = LEVELS,
    margin_ratio: float = 0.05,
    absent: Mapping[str, str] | None = None,
    method: Method = Method.PAIRED_T,
) -> ClaimEvidence:
    """Return evidence with a mean for each level (of whichever factor varies) by name.

    Noise multiplies the jitter; the jitter of every level starts at another place.
    """

    def of(_metric: str, cell: Cell) -> dict[int, float]:
        names = [name for name in values if name in (cell.contender, cell.environment, cell.load)]
        if not names:
            return {}
        mean, start = values[names[0]], list(values).index(names[0])
        return {
            block: mean * (1.0 + noise * (JITTER[(3 * start + block) % len(JITTER)] - 1.0))
            for block in range(blocks)
        }

    return ClaimEvidence(
        {**LEVELS, **levels}, of, margin_ratio, absent or {}, method_of=lambda _: method
    )
