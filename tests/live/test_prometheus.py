"""Debian's Prometheus reads a real study; every expression of every panel returns a series."""

import json
import math
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import yaml
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from tests.support.plain_http import NO_TLS
from wirelab.lab.network.ports import free_port

from .conftest import PAGE_REMAINS, LiveRun

MONITORING = Path(__file__).parents[2] / "monitoring"
PROMETHEUS = shutil.which("prometheus")
INTERVAL_S = 1
PANELS = [
    (path.stem, panel["title"], target["expr"])
    for path in sorted((MONITORING / "grafana" / "dashboards").glob("*.json"))
    for panel in json.loads(path.read_text())["panels"]
    for target in panel["targets"]
]


class Prometheus:
    """A server that reads the live page, and what it is asked."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.began = time.time()

    def ask(self, path: str, **question: Any) -> Any:
        answer = httpx.get(
            f"{self._address}/api/v1/{path}", params=question, timeout=30, verify=NO_TLS
        ).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def series(self, expression: str) -> list[Any]:
        """Evaluate an expression over the whole run."""
        expression = expression.replace("$__rate_interval", f"{4 * INTERVAL_S}s")
        end = time.time()
        found = self.ask(
            "query_range", query=expression, start=self.began, end=end, step=INTERVAL_S
        )
        return list(found["result"])


@pytest.fixture(scope="module")
def prometheus(live_run: LiveRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Read a run from its start to its end, with the configuration that is in the repository."""
    if PROMETHEUS is None:
        pytest.skip("no prometheus on this machine: apt-get install prometheus")
    folder = tmp_path_factory.mktemp("prometheus")
    configuration = yaml.safe_load((MONITORING / "prometheus.yml").read_text())
    (job,) = configuration["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["127.0.0.1:9464"]}]
    job["static_configs"] = [{"targets": [urlsplit(live_run.address).netloc]}]
    configuration["global"] = {"scrape_interval": f"{INTERVAL_S}s", "scrape_timeout": "1s"}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    port = free_port()
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        server = Prometheus(f"http://127.0.0.1:{port}")
        live_run.wait_for(PAGE_REMAINS)
        time.sleep(3 * INTERVAL_S)  # for the figures of the end to be read
        yield server
    finally:
        process.terminate()
        process.wait(30)


def test_the_page_is_read_without_complaints(prometheus: Prometheus) -> None:
    (target,) = prometheus.ask("targets")["activeTargets"]
    (up,) = prometheus.series("up")

    # On a busy machine the page, which waits for an idle CPU, may miss a second now and then.
    assert "1" in {value for _, value in up["values"]}, target["lastError"]


@pytest.mark.parametrize(("dashboard", "title", "expression"), PANELS)
def test_every_panel_has_a_series(
    prometheus: Prometheus, dashboard: str, title: str, expression: str
) -> None:
    found = prometheus.series(expression)
    values = [float(value) for series in found for _, value in series["values"]]

    assert found, f"{dashboard}, {title}: nothing for {expression}"
    assert not all(map(math.isnan, values)), f"{title}: no number for {expression}"


def test_an_expression_of_a_metric_that_does_not_exist_has_none(prometheus: Prometheus) -> None:
    assert prometheus.series("wirelab_no_such_metric") == []


def test_every_metric_is_on_a_panel(prometheus: Prometheus) -> None:
    names = set(prometheus.ask("label/__name__/values"))
    ours = {it for it in names if it.startswith(("wirelab_", "process_"))}
    shown = set(re.findall(r"\b(?:wirelab|process)_\w+", " ".join(each[2] for each in PANELS)))
    labels = {"wirelab_role", "wirelab_workload", "wirelab_load"}
    # What panels need not show: a rate that they work out, and what stages took.
    beside = {"wirelab_throughput_per_second", "wirelab_comparison_blocks"}

    assert ours - shown - beside == {"wirelab_stage_duration_seconds"}
    assert shown - labels <= ours


def test_figures_agree_with_the_bundle(prometheus: Prometheus, live_run: LiveRun) -> None:
    assert prometheus.series("wirelab_blocks_total")[0]["values"][-1][1] == "2"
    (complete,) = prometheus.series('wirelab_study_status{status="complete"}')
    assert complete["values"][-1][1] == "1"
    steady = prometheus.series('wirelab_comparison_blocks{service_name="steady"}')
    assert steady[0]["values"][-1][1] == "2"


def test_the_text_formats_are_well_formed(live_run: LiveRun) -> None:
    live_run.wait_for(PAGE_REMAINS)
    plain = httpx.get(f"{live_run.address}metrics", timeout=60, verify=NO_TLS)
    families = {it.name: it for it in text_string_to_metric_families(plain.text)}
    accept = {"accept": "application/openmetrics-text; version=1.0.0"}
    open_text = httpx.get(f"{live_run.address}metrics", headers=accept, timeout=60, verify=NO_TLS)
    strict = {it.name for it in openmetrics.text_string_to_metric_families(open_text.text)}

    assert plain.headers["content-type"].startswith("text/plain; version=")
    assert open_text.headers["content-type"].startswith("application/openmetrics-text")
    assert families["wirelab_transaction_duration_seconds"].type == "summary"
    assert families["process_cpu_time_seconds"].type == "counter"
    assert families["process_memory_usage_bytes"].type == "gauge"
    assert strict == set(families)
    kinds = {sample.labels["error_type"] for sample in families["wirelab_errors"].samples}
    assert "body_mismatch" in kinds


def test_dashboards_have_the_fields_that_grafana_requires() -> None:
    provisioning = MONITORING / "grafana" / "provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yaml").read_text())[
        "datasources"
    ]
    assert len(PANELS) >= 19
    for path in (MONITORING / "grafana" / "dashboards").glob("*.json"):
        board = json.loads(path.read_text())
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids))
        assert board["uid"]
        for panel in board["panels"]:
            assert panel["fieldConfig"]["defaults"]["noValue"].startswith(("No ", "Nothing "))
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24
            uids = {
                panel["datasource"]["uid"],
                *(it["datasource"]["uid"] for it in panel["targets"]),
            }
            assert uids == {source["uid"]}
