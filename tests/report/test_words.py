"""Numbers as people read them."""

import math
import shlex
from pathlib import Path

import pytest
from markupsafe import escape

from wirelab.report.environment import fixed, unit_for
from wirelab.report.prose import linked, unfolding, whole
from wirelab.statistics import Interval
from wirelab.terminal import words


@pytest.mark.parametrize(
    ("microseconds", "shown"),
    [
        (0.0, "0 µs"),
        (0.123, "0.123 µs"),
        (12.34, "12.3 µs"),
        (999.4, "999 µs"),
        (999.7, "1.00 ms"),
        (1455.0, "1.46 ms"),
        (25_440.0, "25.4 ms"),
        (1_250_000.0, "1.25 s"),
        (math.nan, "–"),
    ],
)
def test_durations_choose_their_unit(microseconds: float, shown: str) -> None:
    assert words.duration(microseconds).replace(words.NO_BREAK, " ") == shown


@pytest.mark.parametrize(
    ("largest_us", "unit", "shown"),
    [(41.0, "µs", "8.66"), (120.0, "µs", "9"), (1800.0, "ms", "0.01")],
)
def test_a_table_has_one_unit_with_as_many_decimals_as_its_times_need(
    largest_us: float, unit: str, shown: str
) -> None:
    chosen = unit_for(largest_us)

    assert (chosen.name, fixed(8.66, chosen)) == (unit, shown)


@pytest.mark.parametrize(
    ("count", "shown"), [(1, "1"), (4, "1; 2; 3; 4"), (6, "1; 2; 3; 4; and 2 more")]
)
def test_the_first_four_of_many_texts_are_shown(count: int, shown: str) -> None:
    assert words.first_few(list("123456")[:count]) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (104.0, "104 B"),
        (5944.0, "5\u202f944 B"),
        (293_600.0, "294 kB"),
        (999_900.0, "1.00 MB"),
        (1.5e7, "15.0 MB"),
        (2.53e10, "25.3 GB"),
    ],
)
def test_bytes_choose_their_unit(count: float, shown: str) -> None:
    assert words.byte_count(count).replace(words.NO_BREAK, " ") == shown


def test_ratios_and_their_intervals() -> None:
    assert words.times(1.319) == "1.32×"
    assert words.times(12.34) == "12.3×"
    assert words.times(0.0996) == "0.10×"
    assert words.times(0.0449) == "0.045×"
    assert words.times(0.00337) == "0.0034×"
    assert words.times(math.nan) == "–"
    assert words.between(Interval(1.24, 1.414)) == "[1.24, 1.41]"
    assert words.between(Interval(0.0307, 0.0342)) == "[0.031, 0.034]"
    assert words.between(None) == ""


def test_names_with_hyphens_stay_whole_in_a_page() -> None:
    names = ["localhost-8081", "localhost-8081-2", "REST"]

    assert whole("a-b") == '<span class="whole">a-b</span>'
    assert whole("REST") == "REST"
    assert whole("<b> localhost-8081-2, x-localhost-8081 and localhost-8081.", names) == (
        '&lt;b&gt; <span class="whole">localhost-8081-2</span>, x-localhost-8081 and'
        ' <span class="whole">localhost-8081</span>.'
    )


@pytest.mark.parametrize(
    ("ratio", "interval", "shown"),
    [
        (1.22, Interval(1.2185, 1.2231), "1.220× [1.218, 1.223]"),
        (1.21624, Interval(1.2162, 1.2163), "1.2162× [1.2162, 1.2163]"),
        (12.34, Interval(12.33, 12.35), "12.34× [12.33, 12.35]"),
        (1.22, Interval(1.22, 1.22), "1.22× [1.22, 1.22]"),
        (1.22, Interval(1.215, 1.231), "1.22× [1.22, 1.23]"),
        (1.22, Interval(1.22, 1.2200000001), "1.22× [1.22, 1.22]"),
    ],
)
def test_the_ends_of_an_interval_differ_as_shown_if_they_differ(
    ratio: float, interval: Interval, shown: str
) -> None:
    assert words.estimate(ratio, interval) == shown


def test_shares_p_values_and_lists() -> None:
    assert words.percent(0.0214) == "2.1\u00a0%"
    assert words.p_value(0.00001) == "p < 0.001"
    assert words.p_value(0.0312) == "p = 0.031"
    assert words.p_value(0.04972) == "p = 0.0497"
    assert words.listed(["a"]) == "a"
    assert words.listed(["1", "2", "3"]) == "1, 2 and 3"
    assert words.plural(1, "run") == "1 run"
    assert words.plural(2, "run does", "runs do") == "2 runs do"
    assert words.plural(1000, "run") == "1\u202f000 runs"
    assert words.plural(10_000, "run") == "10\u202f000 runs"
    assert words.protocol_title("grpc") == "gRPC"
    assert words.protocol_title("carrier-pigeon") == "carrier-pigeon"


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (("wirelab", "run", Path("my api/study")), "wirelab run 'my api/study'"),
        (("chmod", 600, "key;$HOME"), "chmod 600 'key;$HOME'"),
        (("--objective", "p99<50ms"), "--objective 'p99<50ms'"),
        (("wirelab", "report", "it's"), "wirelab report 'it'\"'\"'s'"),
        (("wirelab", "run", "plain/study-1.2"), "wirelab run plain/study-1.2"),
    ],
)
def test_commands_can_be_copied_whatever_their_names(parts: tuple[object, ...], shown: str) -> None:
    assert words.command(*parts) == shown
    assert shlex.split(shown) == [str(part) for part in parts]


@pytest.mark.parametrize("after", ["", ". Then <this>"])
def test_a_count_of_what_is_left_out_unfolds_it(after: str) -> None:
    def tell() -> str:
        return f"at {words.first_few(list('123456'))}{after}"

    left_out = '<details class="more"><summary>and 2 more</summary>: 5; 6</details>'
    assert unfolding(tell, []) == f"at 1; 2; 3; 4; {left_out}{escape(after)}"
    assert linked(tell(), "#all").count('<a href="#all">and 2 more</a>') == 1


def test_a_count_of_what_is_not_known_stays_a_text() -> None:
    assert unfolding(lambda: "a (and 3 more)", []) == "a (and 3 more)"
