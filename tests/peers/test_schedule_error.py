"""What is made of the recorder's notes."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benches.peers.result import Fidelity
from benches.peers.schedule_error import fidelity, read_recorded

START_NS = 1_790_000_000_000_000_000
"""A moment of this century, so that nothing loses precision unseen."""
GAP_NS = 100_000


def recorded(arrivals_ns: NDArray[np.int64], latency_ns: int = 8_000) -> NDArray[np.int64]:
    arrivals_ns = START_NS + arrivals_ns
    return np.column_stack([arrivals_ns, arrivals_ns + latency_ns])


def even(count: int = 50_000) -> NDArray[np.int64]:
    return np.arange(count, dtype=np.int64) * GAP_NS


def seen_in(notes: NDArray[np.int64]) -> Fidelity:
    seen = fidelity(notes)
    assert seen is not None
    return seen


def test_an_even_schedule_has_no_error() -> None:
    seen = seen_in(recorded(even()))
    assert seen.schedule_error_p99_us < 0.01
    assert seen.gap_p50_us == pytest.approx(100)
    assert seen.gap_variation < 1e-6
    assert seen.burst_share == 0
    assert seen.true_p50_us == pytest.approx(8)


def test_bursts_once_a_millisecond_are_half_a_tick_off_at_most() -> None:
    seen = seen_in(recorded(even() // 1_000_000 * 1_000_000))
    assert seen.schedule_error_p99_us == pytest.approx(450, rel=0.02)
    assert seen.burst_share == pytest.approx(0.9, abs=0.01)


def test_noise_is_found_again() -> None:
    noise_ns = np.random.default_rng(1).normal(0, 20_000, 50_000).astype(np.int64)
    seen = seen_in(recorded(even() + noise_ns))
    assert seen.schedule_error_p99_us == pytest.approx(20 * 2.5758, rel=0.03)


def test_both_ends_and_the_order_of_the_notes_do_not_matter() -> None:
    arrivals_ns = even()
    arrivals_ns[:9_000] -= 50_000_000  # connecting, in the first second
    arrivals_ns[-9_000:] += 50_000_000
    shuffled = np.random.default_rng(1).permutation(recorded(arrivals_ns))
    assert seen_in(shuffled).schedule_error_p99_us < 0.01


def test_too_few_requests_give_no_result() -> None:
    assert fidelity(recorded(even(50))) is None
    assert fidelity(recorded(even(0))) is None


def test_the_file_is_pairs_of_little_endian_nanoseconds(tmp_path: Path) -> None:
    path = tmp_path / "recorded"
    path.write_bytes((5).to_bytes(8, "little") + (9).to_bytes(8, "little"))
    assert read_recorded(path).tolist() == [[5, 9]]
