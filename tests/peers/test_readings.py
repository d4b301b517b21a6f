"""What is read from the recorded output of every generator."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

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

READINGS: list[tuple[Generator, str, tuple[Any, ...]]] = [
    (Oha(), "oha-http1-small.json", (18_645, 0, 1.0045809, 3_394.4331, 470.029, 19_018.245)),
    (Oha(), "oha-http3-1x64.json", (52_032, 0, 1.0017622, 1_182.9132, 777.615, 4_850.204)),
    (Wrk(), "wrk-http1-small.txt", (16_079, 0, 1.06, 6_390, 4_050, 28_250)),
    (Wrk("wrk2"), "wrk2-schedule.txt", (27_963, 0, 3.01, 55_530, 60_960, 128_260)),
    (Zrk(), "zrk-schedule.json", (9_992, 0, 1.002, 22_893.3, 1_160, 119_520)),
    (H2load(), "h2load-http1-small.txt", (14_211, 0, 1.01, 4_500)),
    (H2load(), "h2load-http2-1x64.txt", (13_577, 0, 1.0, 4_640)),
    (
        Fortio(),
        "fortio-http1-small.json",
        (15_949, 0, 1.0107321, 4_052.6557, 574.07516, 32_704.332),
    ),
    (Hey(), "hey-http1-small.txt", (4_210, 0, 1.0126, 14_800, 13_800, 42_400)),
    (Ghz(), "ghz-grpc-64x1.json", (2_452, 0, 1.0261451, 22_252.349, 21_080.299, 87_069.878)),
    (K6(), "k6-http1-small.json", (1_743, 0, 1.0, 33_187.472, 27_447.423, 96_201.360)),
    (K6(), "k6-grpc-64x1.json", (980, 0, 1.0, 57_931.429, 51_403.569, 159_327.907)),
    (K6(), "k6-websocket-small.json", (3_578, 0, 1.0, 15_883.734, 14_000, 67_000)),
    (K6(), "k6-schedule.json", (2_299, 0, 1.0, 18_090.425, 17_694.311, 61_811.730, 7_624)),
    (Floor(), "floor-http1-small.json", (14_815, 0, 1.001672, 4_300.926, 2_011, 28_414)),
    (
        WirelabLoad(),
        "wirelab-load-http1-small.json",
        (14_858, 0, 1.0156299, 4_373.2258, 785.919, 21_463.039),
    ),
]
"""What each has `Reported`, in a file that is named after the program and the case."""
NAMES = {K6: "summary.json", WirelabLoad: "result/result.json"}


@pytest.mark.parametrize("reading", READINGS, ids=lambda row: row[1])
def test_a_reading(reading: tuple[Generator, str, tuple[Any, ...]], tmp_path: Path) -> None:
    generator, recorded, expected = reading
    case = Path(recorded).stem.removeprefix(f"{generator.name}-")
    requested = order(case, tmp_path, recorded, NAMES.get(type(generator), "output"))

    assert asdict(generator.read(requested)) == pytest.approx(asdict(Reported(*expected)))


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
