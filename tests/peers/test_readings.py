"""What is read from the recorded output of every generator."""

from dataclasses import asdict
from pathlib import Path

import pytest

from benches.peers.generator import Generator, NotUnderstoodError, Reported, duration_us
from benches.peers.generators import EARLIER, GENERATORS
from benches.peers.generators.floor import Floor
from benches.peers.generators.fortio import Fortio
from benches.peers.generators.ghz import Ghz
from benches.peers.generators.h2load import H2load
from benches.peers.generators.hey import Hey
from benches.peers.generators.k6 import K6
from benches.peers.generators.oha import Oha
from benches.peers.generators.wirelab_load import WirelabLoad
from benches.peers.generators.wrk import Wrk
from benches.peers.generators.zrk import Zrk
from tests.peers.outputs import order

READINGS: list[tuple[Generator, str, str, str, Reported]] = [
    (
        Oha(),
        "http1-small",
        "oha-http1-small.json",
        "output",
        Reported(18_645, 0, 1.0045809, 3_394.4331, 470.029, 19_018.245),
    ),
    (
        Oha(),
        "http3-1x64",
        "oha-http3-1x64.json",
        "output",
        Reported(52_032, 0, 1.0017622, 1_182.9132, 777.615, 4_850.204),
    ),
    (
        Wrk(),
        "http1-small",
        "wrk-http1-small.txt",
        "output",
        Reported(16_079, 0, 1.06, 6_390, 4_050, 28_250),
    ),
    (
        Wrk("wrk2"),
        "schedule",
        "wrk2-schedule.txt",
        "output",
        Reported(27_963, 0, 3.01, 55_530, 60_960, 128_260),
    ),
    (
        Zrk(),
        "schedule",
        "zrk-schedule.json",
        "output",
        Reported(9_992, 0, 1.002, 22_893.3, 1_160, 119_520),
    ),
    (
        H2load(),
        "http1-small",
        "h2load-http1-small.txt",
        "output",
        Reported(14_211, 0, 1.01, 4_500),
    ),
    (
        H2load(),
        "http2-1x64",
        "h2load-http2-1x64.txt",
        "output",
        Reported(13_577, 0, 1.0, 4_640),
    ),
    (
        Fortio(),
        "http1-small",
        "fortio-http1-small.json",
        "output",
        Reported(15_949, 0, 1.0107321, 4_052.6557, 574.07516, 32_704.332),
    ),
    (
        Hey(),
        "http1-small",
        "hey-http1-small.txt",
        "output",
        Reported(4_210, 0, 1.0126, 14_800, 13_800, 42_400),
    ),
    (
        Ghz(),
        "grpc-64x1",
        "ghz-grpc-64x1.json",
        "output",
        Reported(2_452, 0, 1.0261451, 22_252.349, 21_080.299, 87_069.878),
    ),
    (
        K6(),
        "http1-small",
        "k6-http1-small.json",
        "summary.json",
        Reported(1_743, 0, 1.0, 33_187.472, 27_447.423, 96_201.360),
    ),
    (
        K6(),
        "grpc-64x1",
        "k6-grpc-64x1.json",
        "summary.json",
        Reported(980, 0, 1.0, 57_931.429, 51_403.569, 159_327.907),
    ),
    (
        K6(),
        "websocket-small",
        "k6-websocket-small.json",
        "summary.json",
        Reported(3_578, 0, 1.0, 15_883.734, 14_000, 67_000),
    ),
    (
        K6(),
        "schedule",
        "k6-schedule.json",
        "summary.json",
        Reported(2_299, 0, 1.0, 18_090.425, 17_694.311, 61_811.730, unsent=7_624),
    ),
    (
        Floor(),
        "http1-small",
        "floor-http1-small.json",
        "output",
        Reported(14_815, 0, 1.001672, 4_300.926, 2_011, 28_414),
    ),
    (
        WirelabLoad(),
        "http1-small",
        "wirelab-load-http1-small.json",
        "result/result.json",
        Reported(14_858, 0, 1.0156299, 4_373.2258, 785.919, 21_463.039),
    ),
]


@pytest.mark.parametrize("reading", READINGS, ids=lambda row: row[2])
def test_a_reading(reading: tuple[Generator, str, str, str, Reported], tmp_path: Path) -> None:
    generator, case, recorded, name, expected = reading

    reported = generator.read(order(case, tmp_path, recorded, name))

    assert asdict(reported) == pytest.approx(asdict(expected))


@pytest.mark.parametrize(
    ("generator", "recorded"),
    [(Wrk(), "wrk-refused.txt"), (Hey(), "hey-refused.txt"), (H2load(), "h2load-refused.txt")],
)
def test_refused_requests_are_errors(generator: Generator, recorded: str, tmp_path: Path) -> None:
    reported = generator.read(order("http1-small", tmp_path, recorded))

    assert reported.requests == 0
    assert reported.errors >= 40


@pytest.mark.parametrize(
    "generator", [each for each in GENERATORS if not isinstance(each, K6)], ids=lambda it: it.name
)
def test_a_generator_without_output_gives_no_reading(generator: Generator, tmp_path: Path) -> None:
    requested = order("http1-small", tmp_path)
    requested.output.write_text("")

    with pytest.raises((NotUnderstoodError, ValueError)):
        generator.read(requested)


def test_durations_have_units() -> None:
    assert duration_us("258.00us") == pytest.approx(258)
    assert duration_us("1.50ms") == pytest.approx(1_500)
    assert duration_us("10.00s") == pytest.approx(10e6)
    assert duration_us("1.5m") == pytest.approx(90e6)
    with pytest.raises(NotUnderstoodError):
        duration_us("258")


def test_every_generator_of_the_list_is_read_here() -> None:
    programs = {generator.program for generator in GENERATORS} - {EARLIER}
    assert {row[0].program for row in READINGS} == programs | {"wrk2"}
