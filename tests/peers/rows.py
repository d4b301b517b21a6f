"""Runs that never were."""

from benches.peers.result import Fidelity, Measured, Run


def fidelity(**changes: float) -> Fidelity:
    """Make what a recorder might have seen."""
    values: dict[str, float] = {
        "schedule_error_p50_us": 10,
        "schedule_error_p99_us": 30,
        "gap_p50_us": 100,
        "gap_p99_us": 110,
        "burst_share": 0.01,
        "gap_variation": 0.3,
        "true_p50_us": 8,
        "true_p99_us": 20,
    }
    return Fidelity(**{**values, **changes})


def measured(cpu_us: float, **changes: object) -> Measured:
    """Make a measurement with this CPU time per request."""
    values: dict[str, object] = {
        "requests": 1_000,
        "errors": 0,
        "unsent": 0,
        "seconds": 1.0,
        "user_us_per_request": cpu_us / 4,
        "system_us_per_request": cpu_us * 3 / 4,
        "server_us_per_request": 7.0,
        "generator_busy_share": 0.9,
        "server_busy_share": 0.99,
        "memory_peak_bytes": 10_000_000,
        "mean_us": 400.0,
        "p50_us": 350.0,
        "p99_us": 600.0,
        "little_closure": 1.0,
    }
    return Measured.model_validate({**values, **changes})


def run(
    generator: str,
    round_: int,
    cpu_us: float,
    *,
    case: str = "http1-small",
    probes: tuple[float, float] = (5.0, 5.1),
    attempt: int = 1,
    **changes: object,
) -> Run:
    """Make a run."""
    return Run(
        case=case,
        generator=generator,
        round=round_,
        attempt=attempt,
        probe_before_us=probes[0],
        probe_after_us=probes[1],
        foreign_cpu_s_per_s=0.02,
        status="measured",
        measured=measured(cpu_us, **changes),
    )


def not_built(generator: str, case: str = "http1-small") -> Run:
    """Make a run of an engine that lacks something."""
    lacking = {"status": "not built", "reason": "target.tls: not yet", "measured": None}
    return run(generator, 0, 0.0, case=case).model_copy(update=lacking)
