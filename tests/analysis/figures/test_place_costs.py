"""What a container and a proxy add, out of blocks in which it is known."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from tests.support.wording import assert_worded
from wirelab.analysis.figures.place_costs import container_costs, proxy_costs
from wirelab.analysis.model import Measured
from wirelab.analysis.values import RunValues
from wirelab.study import Cell

NATIVE = Cell("rest", "fetch", "postgresql", "native", "u1")
BRIDGED = replace(NATIVE, environment="container")
HOSTED = replace(NATIVE, environment="container-host")
BEHIND = replace(NATIVE, proxy="nginx")

DRIFT = (0.0, 40.0, 90.0, 150.0, 220.0, 300.0)
"""Of the machine, over the blocks: what is compared within a block does not see it."""


def plain(line: str) -> str:
    """Leave out the intervals."""
    return re.sub(r" \([^)]* to [^)]*\)", "", line)


def runs(time_us: float, **more: float) -> pd.DataFrame:
    frame = pd.DataFrame({"latency_mean_us": [time_us + drift for drift in DRIFT]})
    for column, value in more.items():
        frame[column] = value
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    return frame


def values(**frames: pd.DataFrame) -> RunValues:
    cells = {"native": NATIVE, "bridged": BRIDGED, "hosted": HOSTED, "behind": BEHIND}
    return RunValues({cells[name]: frame for name, frame in frames.items()}, {}, (), "rest")


def values_in(*parts: Measured | None) -> list[float | None]:
    return [None if part is None else part.value for part in parts]


def test_the_bridge_is_distinguished_from_isolation() -> None:
    measured = values(
        native=runs(1000.0, contender_cpu_us_per_transaction=600.0, start_s=0.5, launch_s=0.02),
        bridged=runs(
            1300.0,
            contender_cpu_us_per_transaction=640.0,
            forwarder_cpu_us_per_transaction=90.0,
            contender_storage_bytes_per_transaction=0.0,
            start_s=1.3,
            launch_s=0.62,
        ),
        hosted=runs(1050.0),
    )

    (cost,) = container_costs([NATIVE, BRIDGED, HOSTED], measured)

    assert values_in(cost.added_us, cost.bridge_us, cost.isolation_us) == pytest.approx(
        [300, 250, 50]
    )
    assert cost.is_split
    assert values_in(cost.launch_s, cost.cpu_us) == pytest.approx([0.6, 40])
    assert_worded(plain(cost.line))


def test_added_time_is_shown_with_its_interval() -> None:
    frame = runs(1300.0)
    frame["latency_mean_us"] += [0.0, 9.0, -9.0, 6.0, -6.0, 0.0]

    (cost,) = container_costs([NATIVE, BRIDGED], values(native=runs(1000.0), bridged=frame))

    assert_worded(cost.line)


def test_the_cost_of_the_bridge_needs_the_hosts_network() -> None:
    (cost,) = container_costs([NATIVE, BRIDGED], values(native=runs(1000.0), bridged=runs(900.0)))

    assert not cost.is_split
    assert cost.bridge_us is None
    assert cost.isolation_us is None
    assert cost.storage_bytes is None
    assert values_in(cost.added_us) == pytest.approx([-100])
    assert cost.line.startswith("−100")


def test_a_proxy_adds_its_time_and_has_its_own_cpu_time() -> None:
    measured = values(native=runs(1000.0), behind=runs(1120.0, proxy_cpu_us_per_transaction=70.0))

    (cost,) = proxy_costs([NATIVE, BEHIND], measured)

    assert cost.added_us.value == pytest.approx(120.0)
    assert cost.proxy_cpu_us == pytest.approx(70.0)
    assert_worded(plain(cost.line))


def test_unmeasured_costs_are_not_reported() -> None:
    measured = values(native=runs(1000.0))

    assert container_costs([NATIVE, BRIDGED], measured) == ()
    assert proxy_costs([NATIVE, BEHIND], measured) == ()
