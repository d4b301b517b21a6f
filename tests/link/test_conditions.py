"""What is declared is what packets meet: delay, rate, loss, queue, and TCP's slow start over it."""

from collections import Counter
from math import sqrt
from statistics import median

import pytest

from tests.link.conftest import StartLink, at_client, datagrams, serving
from tests.support.left import until
from tests.support.undisturbed import undisturbed
from wirelab.lab.network.link import Link
from wirelab.study.network import NetworkDirection

UDP_HEADERS = 28
PACKET, SEGMENT = 1500, 1448
"""Bytes of a packet, and of TCP in it, with the usual options."""
INITIAL_WINDOW = 10
"""RFC 6928."""


def delivered(link: Link, way: str, required: int) -> dict[str, int]:
    """Wait until this number of packets is accounted for; return their counts."""

    def accounted() -> dict[str, int] | None:
        found: dict[str, int] = link.counters()[way]
        known = found["delivered_packets"] + found["lost"] + found["dropped_by_queue"]
        return found if known >= required else None

    return until(accounted)


def sent(link: Link, count: int, size: int, burst: int) -> tuple[dict[str, int], list[int]]:
    """Send datagrams to the server; return the link's counts, and the numbers that came."""
    with datagrams(link) as (port, came):
        at_client(link, "send", port, count, size, burst)
        found = delivered(link, "up", count)
        until(lambda: len(came) >= found["delivered_packets"])
    assert len(came) == found["delivered_packets"]
    return found, [int.from_bytes(data[:4], "big") for data in came]


def test_a_round_trip_takes_the_delays_of_both_directions(start_link: StartLink) -> None:
    link = start_link(NetworkDirection(delay_ms=20), NetworkDirection(delay_ms=10))

    def is_no_longer(took_ms: list[float]) -> bool:
        return min(took_ms) < 31 and median(took_ms) < 32

    took_ms = undisturbed(lambda: at_client(link, "ping", 30), is_no_longer)

    assert len(took_ms) == 30
    assert min(took_ms) >= 30
    assert is_no_longer(took_ms), took_ms
    late = link.counters()["down"]["lateness_us"]
    assert 0 <= late["p50"] <= late["p99"] <= late["max"]


def test_jitter_lengthens_round_trips_by_no_more_than_declared(start_link: StartLink) -> None:
    link = start_link(NetworkDirection(delay_ms=10, jitter_ms=40), NetworkDirection(delay_ms=10))

    def is_declared(took_ms: list[float]) -> bool:
        # Uniform over 40 ms: of 60, some lie in each half unless the jitter is not drawn at all.
        ordered = sorted(took_ms)
        return ordered[10] < 40 < ordered[-10] and ordered[-4] < 62

    took_ms = undisturbed(lambda: at_client(link, "ping", 60), is_declared)

    assert len(took_ms) == 60
    assert min(took_ms) >= 20
    assert is_declared(took_ms), took_ms


def test_a_bulk_transfer_is_as_fast_as_the_rate_and_no_faster(start_link: StartLink) -> None:
    size, rate = 2_000_000, 16e6
    payload_rate = rate * SEGMENT / PACKET
    link = start_link(
        NetworkDirection(delay_ms=5, rate_mbit_s=16, queue_kb=200), NetworkDirection(delay_ms=5)
    )

    def reached() -> float:
        with serving(link, size) as port:
            course = at_client(link, "download", port, size)
        seconds: float = course[-1][0]
        return 8 * size / seconds

    rate_reached = undisturbed(reached, lambda it: it >= 0.9 * payload_rate)

    assert 0.9 * payload_rate <= rate_reached <= payload_rate
    found = link.counters()["down"]
    assert found["delivered_bytes"] > size
    assert found["queue_high_water_bytes"] <= 200_000


def test_as_many_packets_get_lost_as_declared(start_link: StartLink) -> None:
    count, share = 5000, 0.1
    link = start_link(up=NetworkDirection(loss_percent=100 * share), seed=7)
    found, came = sent(link, count, 100, 20)

    deviation = sqrt(count * share * (1 - share))
    assert abs(count - len(came) - count * share) < 5 * deviation
    assert found["lost"] == count - len(came)
    assert found["delivered_packets"] == len(came)
    assert link.counters()["down"]["lost"] == 0


def test_the_seed_determines_which_packets_are_lost(start_link: StartLink) -> None:
    def arrived(seed: int) -> list[int]:
        return sent(start_link(up=NetworkDirection(loss_percent=20), seed=seed), 300, 50, 20)[1]

    first = arrived(1)

    assert arrived(1) == first
    assert arrived(2) != first
    assert first == sorted(first)


def test_packets_beyond_the_queue_are_dropped(start_link: StartLink) -> None:
    count, size, queue = 60, 1000, 10_000
    link = start_link(up=NetworkDirection(rate_mbit_s=1, queue_kb=queue / 1000))
    found, came = sent(link, count, size, count)

    packet = size + UDP_HEADERS
    assert found["dropped_by_queue"] > 0
    assert found["dropped_by_queue"] + len(came) == count
    assert queue - packet < found["queue_high_water_bytes"] <= queue
    # The first of a burst find room; it is the last that are dropped.
    assert came[: queue // packet] == list(range(queue // packet))


def test_jitter_reorders_nothing(start_link: StartLink) -> None:
    link = start_link(up=NetworkDirection(delay_ms=1, jitter_ms=20))
    _, came = sent(link, 500, 50, 10)

    assert came == list(range(500))


def test_slow_start_doubles_the_data_of_each_round_trip(start_link: StartLink) -> None:
    size, delay_ms = 250_000, 100
    # Without a link, all would come at once. What is left comes in a fifth round trip.
    doubling = [INITIAL_WINDOW * 2**number for number in range(4)]

    def captured() -> list[int]:
        link = start_link(NetworkDirection(delay_ms=delay_ms), NetworkDirection(delay_ms=delay_ms))
        with serving(link, size, "reno") as port:
            segments = at_client(link, "capture", port, size)
        assert sum(data for _, data in segments) >= size
        return segments_by_round_trip(segments, 2 * delay_ms / 1000)

    def is_slow_start(counts: list[int]) -> bool:
        return len(counts) == 5 and counts[:4] == pytest.approx(doubling, rel=0.1)

    counts = undisturbed(captured, is_slow_start)

    assert is_slow_start(counts), counts


def segments_by_round_trip(segments: list[tuple[float, int]], round_trip_s: float) -> list[int]:
    """Count data segments by the round trip that they arrived in, from the first of them on."""
    first, _ = segments[0]
    found = Counter(int((arrived - first) / round_trip_s) for arrived, _ in segments)
    return [found[number] for number in range(max(found) + 1)]
