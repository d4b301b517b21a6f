"""`wirelab bisect` with real repositories and servers, and what it leaves behind."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.compare.running import SHORT_BLOCKS, TWO_BLOCKS, wirelab
from tests.support.commands import Command
from tests.versions.repository import START, commit, git, repository
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.rounds import BisectRecord

FAST, SLOW = {"seconds": 0.001}, {"seconds": 0.004}
QUICK = {**SHORT_BLOCKS, "wirelab.report.vega.to_svg": TWO_BLOCKS["wirelab.report.vega.to_svg"]}
ASKED = ("--start", START, "--path", "/", "--budget", "40s")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tmp").mkdir()
    return tmp_path


def versions(place: Path, *commits: Mapping[str, object]) -> list[str]:
    return repository(place / "repository", commits)


def bisect(place: Path, *arguments: str | Path) -> tuple[int, str, str]:
    done = wirelab(
        "bisect",
        *arguments,
        folder=place / "repository",
        environment={"TMPDIR": str(place / "tmp")},
        constants=QUICK,
    )
    return done.returncode, done.stdout, done.stderr


def left_behind(place: Path) -> Sequence[object]:
    trees = git(place / "repository", "worktree", "list").splitlines()[1:]
    return [*trees, *(place / "tmp").iterdir()]


def test_the_commit_is_found_among_broken_ones_and_the_work_tree_is_untouched(place: Path) -> None:
    broken, other = {"seconds": "no"}, {**FAST, "answer": "other"}
    ids = versions(place, FAST, FAST, broken, other, FAST, SLOW, SLOW, SLOW)
    folder = place / "repository"
    (folder / "settings").write_text("dirty")
    (folder / "untracked").write_text("dirty")
    before = git(folder, "status", "--porcelain")

    code, out, err = bisect(place, "v0..v7", *ASKED, "--json", "--output", place / "found")

    assert code == ExitCode.OK, err
    result = json.loads(out)
    (change,) = result["changes"]
    assert change["candidates"] == [ids[5]]
    assert change["older"] == ids[4]
    assert change["interval"][0] > 2
    assert result["confidence"] == 0.95
    assert not result["unresolved"]
    assert set(result["skipped"]) <= {ids[2], ids[3]}
    assert git(folder, "status", "--porcelain") == before
    assert left_behind(place) == []


def test_versions_that_do_not_differ_end_after_one_round(place: Path) -> None:
    versions(place, FAST, FAST, FAST)

    code, out, err = bisect(place, "v0..v2", *ASKED, "--margin", "25", "--json")

    assert code == ExitCode.OK, err
    assert json.loads(out)["is_same"]
    assert json.loads(out)["rounds"] == 1


def test_in_ci_a_slower_commit_is_a_failure_and_named_in_markdown(place: Path) -> None:
    ids = versions(place, FAST, SLOW)

    code, out, err = bisect(place, "v0..v1", *ASKED, "--ci")

    assert code == ExitCode.SLOWER, err
    assert out.startswith("### wirelab bisect: ")
    assert ids[1][:7] in out


@pytest.mark.parametrize(
    ("last", "build", "expected"),
    [
        ({**FAST, "answer": "other"}, (), ExitCode.VERIFY_FAILED),
        ({"seconds": "no"}, (), ExitCode.NOT_READY),
        (FAST, ("--build", "! grep v1 settings"), ExitCode.NOT_READY),
    ],
)
def test_an_end_that_cannot_be_measured_ends_it(
    place: Path, last: Mapping[str, object], build: Sequence[str], expected: ExitCode
) -> None:
    versions(place, FAST, last)

    code, _, err = bisect(place, "v0..v1", *ASKED, *build)

    assert code == expected, err
    assert "wirelab/commands" not in err
    trees = git(place / "repository", "worktree", "list").splitlines()
    assert len(trees) == 1


def test_a_build_that_hangs_skips_its_commit(place: Path) -> None:
    ids = versions(place, FAST, FAST, SLOW)
    build = ("--build", "if grep v1 settings; then sleep 60.5; fi", "--build-limit", "1s")

    code, out, err = bisect(place, "v0..v2", *ASKED, *build, "--json")

    assert code == ExitCode.OK, err
    result = json.loads(out)
    assert list(result["skipped"]) == [ids[1]]
    (change,) = result["changes"]
    assert change["candidates"] == ids[1:]
    assert left_behind(place) == []


@pytest.mark.parametrize("moment", ["building", "starting", "Measuring"])
def test_it_resumes_after_an_interruption_and_leaves_nothing_meanwhile(
    place: Path, moment: str
) -> None:
    ids = versions(place, FAST, FAST, SLOW)
    output = place / "found"
    build = ("--build", "sleep 1")
    command = Command(
        *("bisect", "v0..v2", *ASKED, *build, "--output", output),
        stdout=place / "stdout",
        stderr=place / "stderr",
        folder=place / "repository",
        environment={"TMPDIR": str(place / "tmp")},
        constants=QUICK,
    )
    while moment not in (place / "stderr").read_text() or (
        moment == "Measuring" and not any(output.glob("round-1/blocks/*/block.json"))
    ):
        assert command.poll() is None, (place / "stderr").read_text()
        time.sleep(0.05)
    command.send_signal(signal.SIGINT)

    assert command.wait(60) == ExitCode.INTERRUPTED
    assert left_behind(place) == []
    if moment != "Measuring":
        assert not output.exists()
        return
    code, out, err = bisect(place, "--resume", output, "--json")
    assert code == ExitCode.OK, err
    assert json.loads(out)["changes"][0]["candidates"] == [ids[2]]
    again, same, err = bisect(place, "--resume", output, "--json")
    assert (again, same) == (code, out), err
    assert left_behind(place) == []


def test_a_bisection_is_resumed_as_it_was_begun(place: Path) -> None:
    ids = versions(place, FAST, SLOW)
    output = place / "found"
    output.mkdir()
    record = BisectRecord(
        options={}, directory="/elsewhere", trees="/none", good=ids[0], bad=ids[1]
    )
    record.write(output)

    for arguments in (("--resume", output), ("--resume", output, "v0..v1")):
        code, _, err = bisect(place, *arguments)
        assert code == ExitCode.BAD_INPUT, err
    assert BisectRecord.read(output) == record


@pytest.mark.parametrize(
    "arguments",
    [("v0",), ("v0..v1",), ("v0...v1", "--start", START), ("v1..v0", "--start", START)],
)
def test_wrong_versions_are_refused_before_anything_is_written(
    place: Path, arguments: Sequence[str]
) -> None:
    versions(place, FAST, FAST)

    code, _, err = bisect(place, *arguments, "--path", "/")

    assert code in (ExitCode.BAD_INPUT, ExitCode.NOT_READY), err
    assert "hint: " in err or "expected" in err
    assert not (place / "repository" / "bundles").exists()
    assert left_behind(place) == []


def test_of_several_operations_the_one_that_changed_is_searched(place: Path) -> None:
    ids = versions(place, *({**each, "path": "/b"} for each in (FAST, FAST, SLOW, SLOW)))
    answer = {"200": {"description": "", "content": {"application/json": {}}}}
    paths = {f"/{name}": {"get": {"operationId": name, "responses": answer}} for name in "ab"}
    description = place / "api.json"
    info = {"title": "", "version": ""}
    description.write_text(json.dumps({"openapi": "3.0.0", "info": info, "paths": paths}))

    code, out, err = bisect(
        place, "v0..v3", "--start", START, "--openapi", description, "--budget", "4m", "--json"
    )

    assert code == ExitCode.OK, err
    result = json.loads(out)
    assert result["operation"] == "GET /b"
    assert [change["candidates"] for change in result["changes"]] == [[ids[2]]]


def test_without_disk_space_commits_are_not_blamed(place: Path) -> None:
    versions(place, FAST, FAST, SLOW)
    full = {**QUICK, "wirelab.versions.measuring.LEAST_FREE_BYTES": 1 << 62}
    done = wirelab(
        *("bisect", "v0..v2", *ASKED, "--build", "! grep v1 settings", "--json"),
        folder=place / "repository",
        environment={"TMPDIR": str(place / "tmp")},
        constants=full,
    )

    assert done.returncode == ExitCode.NOT_READY, done.stderr
    assert git(place / "repository", "worktree", "list").count("\n") == 0


def test_two_do_not_measure_in_one_folder(place: Path) -> None:
    ids = versions(place, FAST, SLOW)
    output = place / "found"
    output.mkdir()
    options = {"start": START, "path": "/", "sides": ["v0..v1"]}
    directory = str(place / "repository")
    BisectRecord(
        options=options, directory=directory, trees="/none", good=ids[0], bad=ids[1]
    ).write(output)
    held = os.open(output, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)

    code, _, err = bisect(place, "--resume", output)

    os.close(held)
    assert code == ExitCode.BAD_INPUT, err
    assert output.is_dir()


def test_submodules_are_checked_out(place: Path) -> None:
    library = place / "library"
    repository(library, [FAST])
    versions(place, FAST, FAST)
    folder = place / "repository"
    git(folder, "submodule", "--quiet", "add", str(library), "library")
    for number, settings in ((2, FAST), (3, SLOW)):
        commit(folder, f"v{number}", **settings)
        git(folder, "tag", f"v{number}")
    start = START.replace("serve.py", "library/serve.py")
    allowed = {"COUNT": "1", "KEY_0": "protocol.file.allow", "VALUE_0": "always"}
    done = wirelab(
        *("bisect", "v2..v3", *ASKED[2:], "--start", start, "--json"),
        folder=folder,
        environment={
            "TMPDIR": str(place / "tmp"),
            **{f"GIT_CONFIG_{key}": value for key, value in allowed.items()},
        },
        constants=QUICK,
    )

    assert done.returncode == ExitCode.OK, done.stderr
    assert len(json.loads(done.stdout)["changes"]) == 1
    assert left_behind(place) == []
