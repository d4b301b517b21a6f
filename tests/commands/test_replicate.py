"""`wirelab replicate`: interrupted at any stage and resumed, parts that fail, a second time."""

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Command
from tests.support.worlds import copy_world
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode

DESIGNS = """
[design.replication]
summary = "two contenders in turns"
until = "claims"
budget_minutes = 0.5
contenders = ["good", "steady"]
workloads = ["read"]
warm_up = { transactions = 20 }
slices = { permutations = 6, transactions = 10 }

[design.replication-unbuilt]
summary = "a contender that cannot be built"
until = "claims"
budget_minutes = 0.1
contenders = ["good", "unbuilt"]
workloads = ["count"]
warm_up = { transactions = 20 }
slices = { permutations = 6, transactions = 10 }
"""
CLAIMS = """
[claim.C1]
text = "the two take about the same time"
source = "Table 1"
[[claim.C1.expect]]
kind = "ratio"
metric = "latency_mean_us"
numerator = "good"
denominator = "steady"
ratio = 1.0
where = { workload = "read" }

[claim.C2]
text = "what cannot be built is slower"
source = "Table 2"
[[claim.C2.expect]]
kind = "direction"
metric = "latency_mean_us"
lower = "good"
higher = "unbuilt"
where = { workload = "count" }
"""
SAME = """
[claim.C1]
text = "the two take the same time"
source = "Table 1"
[[claim.C1.expect]]
kind = "same"
metric = "latency_mean_us"
level = "good"
other = "steady"
where = { workload = "read" }
"""
UNBUILT = """
stack = "unbuilt"
title = "Cannot be built"

[build]
commands = [["{python}", "-c", "raise SystemExit('no compiler')"]]

[contender.unbuilt]
title = "Cannot be built"
protocol = "rest"
command = ["{python}", "server.py"]
"""
STAGES = ["Setting up", "Verifying", "Measuring"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = copy_world(tmp_path)
    file = folder / "study.toml"
    text = file.read_text().replace('"dying-services",\n]', '"dying-services", "unbuilt",\n]')
    file.write_text(text + DESIGNS)
    (folder / "claims.toml").write_text(CLAIMS)
    unbuilt = tmp_path / "world" / "domain" / "contenders" / "unbuilt"
    unbuilt.mkdir()
    (unbuilt / "contender.toml").write_text(UNBUILT)
    return folder


def replicate(study: Path, *more: str, until: str = "") -> tuple[int, str]:
    """Replicate a study; interrupt once a stage begins. Returns exit code and messages."""
    out, err = study.parent / "stdout", study.parent / "stderr"
    command = Command("replicate", study, *more, stdout=out, stderr=err, folder=study.parent)
    deadline = time.monotonic() + 240
    while until and time.monotonic() < deadline and command.poll() is None:
        if re.search(rf"^{until}", err.read_text(), re.MULTILINE):
            command.send_signal(signal.SIGINT)
            break
        time.sleep(0.05)
    code = command.wait(240)
    return code, err.read_text()


def told(study: Path, folder: str = "replication") -> dict[str, Any]:
    page: dict[str, Any] = json.loads((study.parent / folder / "replication.json").read_text())
    claims = [claim for each in page["studies"] for claim in each["claims"]]
    return page | {"verdicts": {claim["id"]: claim["verdict"] for claim in claims}}


@pytest.mark.parametrize("stage", STAGES)
def test_what_is_interrupted_is_resumed_and_what_is_complete_stays(stage: str, study: Path) -> None:
    stopped, said = replicate(study, until=stage)
    assert stopped == ExitCode.INTERRUPTED, said
    assert "wirelab replicate" in said
    assert told(study)["waiting"]

    code, said = replicate(study)
    assert code == ExitCode.OK, said
    bundle = study.parent / "replication" / "counters" / "replication"
    digest = Bundle.open(bundle).digest
    assert told(study)["verdicts"]["C2"] == "not measured"
    assert "no compiler" in (study.parent / "replication" / "replication.html").read_text()

    facts = study.parent / "replication" / "results" / "counters" / "replication" / "results.json"
    facts.write_text("{}")
    again, _ = replicate(study)
    assert again == ExitCode.OK
    assert json.loads(facts.read_text())["digest"] == digest
    assert Bundle.open(bundle).digest == digest is not None


def test_a_second_replication_is_compared_and_another_machine_begins_anew(study: Path) -> None:
    replicate(study)

    stopped, _ = replicate(study, "--output", "second", until="Measuring")
    assert stopped == ExitCode.INTERRUPTED
    bundle = study.parent / "second" / "counters" / "replication"
    host = json.loads((bundle / "host.json").read_text())
    host["cpu"]["model"] = "another"
    (bundle / "host.json").write_text(json.dumps(host))
    code, said = replicate(study, "--output", "second", "--against", "replication")

    assert code == ExitCode.OK, said
    assert told(study, "second")["agreement"]["against"] == "replication"
    if Bundle.open(bundle).info.earlier:  # a block was complete when it was interrupted
        (part, *_) = told(study, "second")["studies"][0]["parts"]
        assert any("do not count" in sentence for sentence in part["amount"])


def test_what_a_budget_left_undecided_goes_on_with_a_larger_one(study: Path) -> None:
    file = study / "study.toml"
    file.write_text("margin = 0.0001\n" + file.read_text())
    (study / "claims.toml").write_text(SAME)
    folder = study.parent / "replication" / "counters" / "replication"

    blocks = []
    for budget in ("1s", "1s", "18s"):
        code, said = replicate(study, "--budget", budget)
        assert code == ExitCode.OK, said
        blocks.append(len(Bundle.open(folder).finished_block_ids()))

    assert blocks[0] == blocks[1] < blocks[2]
    assert not Bundle.open(folder).alterations()
