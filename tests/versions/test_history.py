"""`wirelab history`: measured, kept in a file, drawn; ratios of different machines agree."""

import json
import math
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.compare.running import SHORT_BLOCKS, wirelab
from tests.support.commands import Command
from tests.versions.ledger_lines import line
from tests.versions.repository import START, git, repository
from wirelab.inputs.problems import ProblemsError
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.course import courses
from wirelab.versions.drawing import history_page, picture
from wirelab.versions.ledger import append_lines, read_ledger

FAST, SLOW = {"seconds": 0.001}, {"seconds": 0.004}
ASKED = ("--start", START, "--path", "/", "--budget", "5s")


def history(place: Path, *arguments: str | Path, **environment: str) -> tuple[int, str, str]:
    (place / "tmp").mkdir(exist_ok=True)
    done = wirelab(
        "history",
        *arguments,
        folder=place / "repository",
        environment={"TMPDIR": str(place / "tmp"), **environment},
        constants=SHORT_BLOCKS,
    )
    return done.returncode, done.stdout, done.stderr


def test_commits_are_measured_once_against_the_anchor_also_on_a_slower_machine(
    tmp_path: Path,
) -> None:
    ids = repository(tmp_path / "repository", [FAST, FAST, SLOW, SLOW])
    file = tmp_path / "kept" / "history.jsonl"

    code, _, err = history(tmp_path, "v0..v2", *ASKED, "--file", file)
    assert code == ExitCode.OK, err
    first = {each.commit: each for each in read_ledger(file)}
    assert first.keys() == {*ids[:3]}
    assert {each.anchor for each in first.values()} == {ids[0]}
    assert first[ids[0]].ratio == pytest.approx(1.0, rel=0.2)
    assert first[ids[2]].ratio > 1.5

    # Another machine, which is half as fast: every request takes twice its time.
    code, out, err = history(tmp_path, "v0..v3", *ASKED, "--file", file, "--json", FACTOR="2")
    assert code == ExitCode.OK, err
    second = {each.commit: each for each in read_ledger(file)[len(first) :]}
    assert ids[3] in second
    assert ids[2] not in second
    assert second[ids[3]].time_us > 1.5 * first[ids[2]].time_us  # type: ignore[operator]
    assert second[ids[3]].ratio == pytest.approx(first[ids[2]].ratio, rel=0.3)
    (operation,) = json.loads(out)["operations"]
    assert [each["commit"] for each in operation["commits"]] == ids
    assert [bool(each["change"]) for each in operation["commits"][:3]] == [False, False, True]
    assert file.with_suffix(".html").is_file()
    assert file.with_suffix(".svg").read_text().startswith("<svg")
    assert git(tmp_path / "repository", "worktree", "list").count("\n") == 0
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_anchor_that_cannot_be_built_any_more_is_named_with_the_remedy(tmp_path: Path) -> None:
    repository(tmp_path / "repository", [{"seconds": "no"}, FAST])

    code, _, err = history(tmp_path, "v0..v1", *ASKED)

    assert code == ExitCode.NOT_READY
    assert "--anchor" in err
    assert not (tmp_path / "repository" / "history.jsonl").exists()


def test_without_commits_or_a_file_nothing_can_be_drawn(tmp_path: Path) -> None:
    repository(tmp_path / "repository", [FAST])

    assert history(tmp_path)[0] == ExitCode.BAD_INPUT


def test_a_later_anchor_is_linked_by_its_own_ratio() -> None:
    lines = [
        *(line(number, 0.0) for number in range(4)),
        line(4, 0.2),
        *(line(number, 0.0, anchor="0004") for number in range(5, 8)),
        line(8, 0.0, anchor="never measured"),
    ]

    (course,) = courses(lines)

    assert [point.ratio for point in course.points[:4]] == pytest.approx([1.0] * 4)
    assert [point.ratio for point in course.points[4:]] == pytest.approx([math.exp(0.2)] * 4)
    assert [point.line.commit for point in course.changes] == ["0004"]
    assert course.left_out == 1
    linked, direct = course.points[5].interval, course.points[4].interval
    assert linked.high - linked.low > direct.high - direct.low


def test_intervals_hold_for_all_commits_at_once() -> None:
    (alone,) = courses([line(1, 0.0)])
    (course,) = courses([line(number, 0.0) for number in range(60)])

    assert course.points[1].interval.high > alone.points[0].interval.high


def test_the_order_is_that_of_git_if_it_is_known() -> None:
    lines = [line(1, 0.0), line(2, 0.0), line(3, 0.0)]

    def shown(order: Sequence[str]) -> list[str]:
        return [point.line.commit for point in courses(lines, order)[0].points]

    assert shown(["0003", "0001", "0002"]) == ["0003", "0001", "0002"]
    assert shown(["0003"]) == ["0001", "0002", "0003"]


def test_the_page_and_the_picture_contain_what_the_file_says_and_no_markup_of_it() -> None:
    lines = [line(number, 0.1 * (number > 5), subject="<b>&") for number in range(12)]
    found = courses(lines)

    page, drawn = history_page(found, title="<i>"), picture(found[0])

    assert "<b>" not in page + drawn
    assert "<i>" not in page
    assert "1.11×" in page
    assert "var(" not in drawn


def test_a_cut_off_line_is_completed_and_all_wrong_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    append_lines(file, [line(1, 0.0)])
    file.write_text(file.read_text().rstrip("\n"))
    append_lines(file, [line(2, 0.0)])
    assert [each.commit for each in read_ledger(file)] == ["0001", "0002"]

    file.write_text(file.read_text() + "{}\nno\n")
    with pytest.raises(ProblemsError) as wrong:
        read_ledger(file)
    places = {problem.where.rpartition(" ")[2] for problem in wrong.value.problems}
    assert places == {"3", "4"}


@pytest.mark.parametrize("machines", [1, 3])
def test_changes_are_found_whatever_machine_measured(machines: int) -> None:
    random = np.random.default_rng(3)
    changes: Mapping[int, float] = {15: 0.05, 30: -0.04, 45: 0.08}
    lines, level = [], 0.0
    for number in range(60):
        level += changes.get(number, 0.0)
        spread = 0.005 * (1 + number % machines)
        values = (level + random.normal(0.0, spread, 8)).tolist()
        machine = f"machine {number % machines}"
        lines.append(line(number, float(np.mean(values)), log_ratios=values, machine=machine))

    (course,) = courses(lines)

    assert [point.line.commit for point in course.changes] == ["0015", "0030", "0045"]


def test_an_interruption_keeps_what_was_measured_and_leaves_nothing_else(tmp_path: Path) -> None:
    ids = repository(tmp_path / "repository", [FAST] * 5)
    (tmp_path / "tmp").mkdir()
    file = tmp_path / "history.jsonl"
    command = Command(
        *("history", "v0..v4", *ASKED, "--file", file),
        stdout=tmp_path / "stdout",
        stderr=tmp_path / "stderr",
        folder=tmp_path / "repository",
        environment={"TMPDIR": str(tmp_path / "tmp")},
        constants=SHORT_BLOCKS,
    )
    while not file.exists():
        assert command.poll() is None, (tmp_path / "stderr").read_text()
        time.sleep(0.05)
    command.send_signal(signal.SIGINT)

    assert command.wait(60) == ExitCode.INTERRUPTED
    assert {each.commit for each in read_ledger(file)} == {*ids[:4]}
    assert list((tmp_path / "tmp").iterdir()) == []
    assert git(tmp_path / "repository", "worktree", "list").count("\n") == 0
