"""What is declared is what packets meet: delay, rate, loss, queue, and TCP's slow start over it."""

import itertools
import time
from math import sqrt
from statistics import median

from tests.link.conftest import StartLink, at_client, datagrams, serving
from wirelab.lab.link import Link
from wirelab.study.network import Direction

UDP_HEADERS = 28
SEGMENT = 1448
"""Bytes of TCP in a packet of 1500 with the usual options."""
INITIAL_WINDOW = 10
"""RFC 6928."""


def delivered(link: Link, way: str, wanted: int) -> dict[str, int]:
    """Wait until so many packets are accounted for; return their counts."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found: dict[str, int] = link.counters()[way]
        if found["delivered_packets"] + found["lost"] + found["dropped_by_queue"] >= wanted:
            return found
        time.sleep(0.05)
    raise AssertionError(f"expected {wanted} packets: {found}")


def test_a_round_trip_takes_the_delays_of_both_directions(start_link: StartLink) -> None:
    link = start_link(Direction(delay_ms=20), Direction(delay_ms=10))
    with datagrams(link, answer=True) as (port, _):
        took = at_client(link, "echo", port, 30)

    assert min(took) >= 30
    assert median(took) < 90, "far more than that is not the link's delay"
    late = link.counters()["down"]["lateness_us"]
    assert 0 <= late["p50"] <= late["p99"] <= late["max"]


def test_jitter_lengthens_round_trips_by_no_more_than_declared(start_link: StartLink) -> None:
    link = start_link(Direction(delay_ms=10, jitter_ms=40), Direction(delay_ms=10))
    with datagrams(link, answer=True) as (port, _):
        took = at_client(link, "echo", port, 60)

    assert min(took) >= 20
    # Uniform over 40 ms: of 60, some lie in each half unless the jitter is not drawn at all.
    assert sum(it > 40 for it in took) >= 10
    assert sum(it < 55 for it in took) >= 10


def test_a_bulk_transfer_is_as_fast_as_the_rate_and_no_faster(start_link: StartLink) -> None:
    size, rate = 2_000_000, 16e6
    link = start_link(Direction(delay_ms=5, rate_mbit_s=16, queue_kb=200), Direction(delay_ms=5))
    with serving(link, size) as port:
        course = at_client(link, "download", port, size)

    seconds = course[-1][0]
    assert 8 * size / seconds <= rate
    assert 8 * size / seconds >= rate / 4, "the line was hardly used"
    found = link.counters()["down"]
    assert found["delivered_bytes"] > size
    assert found["queue_high_water_bytes"] <= 200_000


def test_as_many_packets_get_lost_as_declared(start_link: StartLink) -> None:
    count, share = 5000, 0.1
    link = start_link(up=Direction(loss_percent=100 * share), seed=7)
    with datagrams(link) as (port, came):
        at_client(link, "send", port, count, 100, 20)
        found = delivered(link, "up", count)
        wait_for(came, found["delivered_packets"])

    deviation = sqrt(count * share * (1 - share))
    assert abs(count - len(came) - count * share) < 5 * deviation
    assert found["lost"] == count - len(came)
    assert found["delivered_packets"] == len(came)
    assert link.counters()["down"]["lost"] == 0


def test_the_seed_says_which_packets_get_lost(start_link: StartLink) -> None:
    def arrived(seed: int) -> list[int]:
        link = start_link(up=Direction(loss_percent=20), seed=seed)
        with datagrams(link) as (port, came):
            at_client(link, "send", port, 300, 50, 20)
            wait_for(came, delivered(link, "up", 300)["delivered_packets"])
        return [int.from_bytes(data[:4], "big") for data in came]

    first = arrived(1)

    assert arrived(1) == first
    assert arrived(2) != first
    assert first == sorted(first)


def test_what_finds_no_room_in_the_queue_is_dropped(start_link: StartLink) -> None:
    count, size, queue = 60, 1000, 10_000
    link = start_link(up=Direction(rate_mbit_s=1, queue_kb=queue / 1000))
    with datagrams(link) as (port, came):
        at_client(link, "send", port, count, size, count)
        found = delivered(link, "up", count)
        wait_for(came, found["delivered_packets"])

    packet = size + UDP_HEADERS
    assert found["dropped_by_queue"] > 0
    assert found["dropped_by_queue"] + len(came) == count
    assert queue - packet < found["queue_high_water_bytes"] <= queue
    # The first of a burst find room; it is the last that are dropped.
    first = [int.from_bytes(data[:4], "big") for data in came[: queue // packet]]
    assert first == list(range(queue // packet))


def test_jitter_reorders_nothing(start_link: StartLink) -> None:
    link = start_link(up=Direction(delay_ms=1, jitter_ms=20))
    with datagrams(link) as (port, came):
        at_client(link, "send", port, 500, 50, 10)
        wait_for(came, delivered(link, "up", 500)["delivered_packets"])

    assert [int.from_bytes(data[:4], "big") for data in came] == list(range(500))


def test_slow_start_doubles_what_comes_in_each_round_trip(start_link: StartLink) -> None:
    size, delay_ms = 250_000, 100
    link = start_link(Direction(delay_ms=delay_ms), Direction(delay_ms=delay_ms))
    with serving(link, size, "reno") as port:
        course = at_client(link, "download", port, size)

    rounds = rounds_of(course, pause_s=delay_ms / 1000)
    # 10, 20, 40, 80 segments and the rest: as if nothing lay between, it would be one round.
    assert rounds[0] == INITIAL_WINDOW * SEGMENT
    assert len(rounds) >= 4
    for before, after in itertools.pairwise(rounds[:4]):
        assert before < after <= 2.1 * before


def rounds_of(course: list[tuple[float, int]], pause_s: float) -> list[int]:
    """Add up what came without a pause between."""
    rounds: list[int] = []
    last_at, last_read = float("-inf"), 0
    for at, read in course:
        if at - last_at > pause_s:
            rounds.append(0)
        rounds[-1] += read - last_read
        last_at, last_read = at, read
    return rounds


def wait_for(came: list[bytes], count: int) -> None:
    deadline = time.monotonic() + 10
    while len(came) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(came) == count
