"""k6 as the client of a study: the same requests to the same servers, recorded as the engine's."""

from pathlib import Path

import pytest

from tests.support.laboratory import measure, reasons
from wirelab.installation import k6
from wirelab.planning import plan
from wirelab.planning.plan import plan_study

BY_K6 = 'clients = 1\nclient = "k6"'


def sent_by_k6(study: Path) -> Path:
    """Let the designs that measure runs separately use k6, and remove the others."""
    file = study / "study.toml"
    before, _, designs = file.read_text().partition("[design.smoke]")
    apart = designs[designs.index("[design.apart]") :]
    file.write_text(before.replace("clients = 1", BY_K6) + apart)
    return study


@pytest.mark.skipif(k6.find_k6() is None, reason="k6 is not installed")
def test_a_window_of_k6_is_recorded_as_one_of_the_engine(study: Path) -> None:
    outcome = measure(sent_by_k6(study), "good", "lying", design="apart")
    found = outcome.bundle.metrics().set_index(["contender", "twin"])

    good = found.loc["good", False].iloc[0]
    assert (good["status"], good["transactions"], good["failed"]) == ("valid", 200, 0)
    assert good["throughput_per_s"] > 0
    assert good["latency_min_us"] < good["latency_mean_us"] < good["latency_max_us"]
    assert good["engine_cpu_us_per_transaction"] > 0
    assert good["contender_cpu_us_per_transaction"] > 0
    assert 0 < good["little_closure"] <= 1.0
    assert not any("good" in reason for reason in reasons(outcome.bundle))


def test_without_k6_its_loads_are_left_out_with_the_remedy(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "find_k6", lambda: None)

    schedule = plan_study(sent_by_k6(study), "apart", 1, ["good", "steady"]).schedule

    (skipped,) = (each for each in schedule.skipped if each.factor == "load")
    assert (skipped.level, skipped.reason, skipped.wanted) == ("one", k6.NO_K6, True)
