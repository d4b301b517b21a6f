"""Curves over the number of clients: what belongs to one, and how they are distinguished."""

from dataclasses import replace

import pandas as pd

from tests.study.builder import minimal, study_of
from tests.support.wording import assert_worded
from wirelab.analysis.figures.curves import over_clients
from wirelab.analysis.figures.scaling import scalings
from wirelab.analysis.figures.sweep import sweeps
from wirelab.analysis.values import RunValues
from wirelab.bundle import ContenderRecord
from wirelab.study import Cell

WAYS: dict[str, dict[str, object]] = {
    "users": {},
    "sharing": {"connections": 1},
    "reconnecting": {"reuse_connections": False},
    "thinking": {"think_time_us": 500.0},
}
STUDY = study_of(
    minimal(
        load={
            f"{way}-{count}": {"title": way, "kind": "closed", "clients": count} | keys
            for way, keys in WAYS.items()
            for count in (10, 100)
        },
        proxies=["none", "nginx"],
        networks=["loopback", "wifi"],
    )
)
CELLS = [
    Cell("rest", "fetch", "postgresql", "native", load, proxy, network)
    for load in STUDY.loads
    for proxy in STUDY.proxies
    for network in STUDY.networks
]
RUN = pd.DataFrame(
    {
        "throughput_per_s": [100.0, 110.0],
        "latency_mean_us": [9.0, 9.5],
        "transactions": [50, 50],
        "received_bytes_per_transaction": [1e3, 1e3],
    },
    index=[1, 2],
)
VALUES = RunValues(dict.fromkeys(CELLS, RUN), {}, (), "rest")


def test_another_way_of_sending_is_another_curve() -> None:
    groups = over_clients(STUDY, CELLS)

    assert len(groups) == len(WAYS) * len(STUDY.proxies) * len(STUDY.networks)
    for group in groups:
        assert sorted(group.values()) == [10, 100]
        assert len({cell.load.partition("-")[0] for cell in group}) == 1
        assert len({replace(cell, load="") for cell in group}) == 1


def test_curves_have_a_point_for_each_number_of_clients_and_their_own_titles() -> None:
    record = ContenderRecord(title="REST", protocol="rest", stack="python")
    labels = {"rest": "REST"}

    swept = sweeps(
        STUDY, CELLS, VALUES, {"rest": record}, labels=labels, design=STUDY.designs["smoke"]
    )
    scaled = scalings(STUDY, CELLS, VALUES, labels)

    for sweep in swept:
        assert [point.clients for point in sweep.panels[0].lines[0].points] == [10, 100]
    titles = [sweep.title for sweep in swept]
    assert len(set(titles)) == len(titles) == 16
    assert [each.title for each in scaled] == [f"{title} · over clients" for title in titles]
    assert_worded("\n".join(titles))
