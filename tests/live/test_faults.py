"""Whatever happens to the page, the study continues without waiting."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.bundles.synthetic import write_bundle
from tests.support.plain_http import NO_TLS
from wirelab.bundle import Bundle
from wirelab.experiment.blocks.queue import BlockQueue
from wirelab.experiment.events import (
    ActivityStarted,
    BundleOpened,
    Note,
    StageStarted,
    StepStarted,
    StudyEnded,
)
from wirelab.live.feed import MOST_WAITING, LivePage
from wirelab.planning.plan import PlannedStudy, load_world
from wirelab.study import load_study
from wirelab.terminal.exit_codes import ExitCode

from .conftest import PATIENCE_S, USUAL_PRIORITY, events, running


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(tmp_path_factory.mktemp("page") / "bundle", blocks=2, requests=200)


@pytest.fixture(scope="module")
def messages() -> list[str]:
    """What the shared page printed on the terminal."""
    return []


@pytest.fixture(scope="module")
def page(bundle: Bundle, messages: list[str]) -> Iterator[LivePage]:
    """A page that the tests share; the last of them kills it."""
    with LivePage(0, messages.append) as made:
        made.on(BundleOpened(bundle.path, expected_s=60))
        wait_until_it_answers(made)
        yield made


def wait_until_it_answers(page: LivePage) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            if "Five protocols" in httpx.get(page.address, timeout=5, verify=NO_TLS).text:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"the page did not answer within {PATIENCE_S:g} s")


def get(address: str, **options: Any) -> httpx.Response:
    """Ask the page, with patience."""
    return httpx.get(address, timeout=PATIENCE_S, **options, verify=NO_TLS)


def watch(page: LivePage, stack: ExitStack) -> Iterator[tuple[str, Any]]:
    response = stack.enter_context(
        httpx.stream("GET", f"{page.address}events", timeout=PATIENCE_S, verify=NO_TLS)
    )
    return events(response)


def next_state(events: Iterator[tuple[str, Any]]) -> Any:
    return next(data for name, data in events if name == "state")


def state_with(events: Iterator[tuple[str, Any]], stage: str) -> Any:
    return next(
        data
        for name, data in events
        if name == "state" and [it["title"] for it in data["stages"]][-1:] == [stage]
    )


def test_ten_browsers_get_the_same_events_and_may_disconnect(page: LivePage) -> None:
    with ExitStack() as stay, ExitStack() as leave:
        staying = [watch(page, stay) for _ in range(5)]
        leaving = [watch(page, leave) for _ in range(5)]
        for message in (*staying, *leaving):
            next_state(message)
        page.on(StageStarted("Verifying", 3))
        assert all(state_with(message, "Verifying") for message in (*staying, *leaving))
        leave.close()
        page.on(StageStarted("Measuring", 7))

        assert [state_with(message, "Measuring")["stages"][-1]["steps"] for message in staying] == [
            7
        ] * 5


def test_control_characters_of_untrusted_texts_are_escaped(page: LivePage) -> None:
    page.on(Note("a server messages \x1b[31m<b>\u202e"))
    with ExitStack() as stack:
        reported = watch(page, stack)
        notes = next(
            state["notes"] for name, state in reported if name == "state" and state["notes"]
        )

    assert notes == ["a server messages \\x1b[31m<b>\\u202e"]


def test_a_report_that_is_not_yet_written_is_missing(page: LivePage) -> None:
    response = get(f"{page.address}report")

    assert response.status_code == 404
    assert "no report yet" in response.text


def test_an_unknown_line_is_skipped(page: LivePage) -> None:
    page._waiting += b"{\n" + b'{"event": "turns", "at": 1}\n'
    page.on(StageStarted("Sealing", 2))
    with ExitStack() as stack:
        assert state_with(watch(page, stack), "Sealing")["status"] == "running"


def test_other_hosts_are_refused_everywhere(page: LivePage) -> None:
    for path in ("", "events", "metrics", "report"):
        response = get(page.address + path, headers={"host": "rebound.example"})
        assert response.status_code == 400, path


def test_a_missing_report_is_one_error_and_the_page_continues(
    page: LivePage, tmp_path: Path
) -> None:
    page.on(StudyEnded("complete", tmp_path / "gone.html"))
    with ExitStack() as stack:
        next(data for name, data in watch(page, stack) if name == "state" and data["report"])

    assert get(f"{page.address}report").status_code == 500
    assert get(page.address).status_code == 200


def test_a_suspended_page_is_not_waited_for(page: LivePage, messages: list[str]) -> None:
    activity = ActivityStarted("x" * 100_000)
    page._process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        for _ in range(200):
            page.on(activity)
        page.on(StageStarted("Measuring", 9))
        took_s = time.monotonic() - began
        waiting = len(page._waiting)
    finally:
        page._process.send_signal(signal.SIGCONT)

    assert took_s < 30  # it would have been for ever
    assert waiting < 2 * MOST_WAITING
    assert messages == []


def test_a_page_that_was_killed_is_mentioned_once(page: LivePage, messages: list[str]) -> None:
    page._process.kill()
    page._process.wait()
    for number in range(3):
        page.on(StepStarted(f"step {number}"))
    page.close()

    (message,) = messages
    assert "page has ended" in message
    assert "the study continues" in message


def test_the_page_is_of_the_lowest_priority() -> None:
    with LivePage(0, print, program=("-m", "wirelab.live")) as page:
        pid = page._process.pid
        autogroup = Path(f"/proc/{pid}/autogroup")

        def has_stepped_aside() -> bool:
            group = autogroup.read_text().split()[-2:] if autogroup.exists() else []
            is_idle = os.sched_getscheduler(pid) == os.SCHED_IDLE
            return is_idle and group in ([], ["nice", "19"])

        deadline = time.monotonic() + PATIENCE_S
        while not has_stepped_aside():
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_the_page_ends_if_its_study_is_killed(bundle: Bundle) -> None:
    with LivePage(0, print) as page:
        page.on(BundleOpened(bundle.path, expected_s=60))
        wait_until_it_answers(page)
        os.close(os.dup(page._pipe))
        assert page._process.stdin is not None
        page._process.stdin.close()  # all that a killed laboratory leaves

        assert page._process.wait(20) is not None
        with pytest.raises(httpx.ConnectError):
            get(page.address)


def test_a_study_whose_port_is_taken_continues_without_a_page(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        options = ("--live", "--live-port", port)
        with running(tmp_path, *options, contenders=("good",), permutations=2) as run:
            code = run.process.wait(240)

    assert code == ExitCode.OK
    assert "no live page" in run.output
    assert f" port {port}" in run.output
    assert "--live-port" in run.output
    assert len(Bundle.open(run.bundle).finished_block_ids()) == 2


def test_a_study_outlives_its_page(tmp_path: Path) -> None:
    options = ("--live", "--live-port", "0")
    with running(tmp_path, *options, contenders=("good",), permutations=2) as run:
        run.wait_for("Verifying")
        children = Path(f"/proc/{run.process.pid}/task/{run.process.pid}/children").read_text()
        pages = [
            int(child)
            for child in children.split()
            if USUAL_PRIORITY[0].encode() in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        assert len(pages) == 1
        os.kill(pages[0], signal.SIGKILL)
        code = run.process.wait(240)

    assert code == ExitCode.OK
    assert run.output.count("page has ended") == 1
    assert all(record.failures == () for record in Bundle.open(run.bundle).block_records())


def test_a_resumed_study_shows_the_blocks_it_had(bundle: Bundle) -> None:
    study = load_study(bundle.study_folder).in_design(bundle.schedule.design)
    plan = PlannedStudy(study, *load_world(study), bundle.schedule)
    with LivePage(0, print) as page:
        page.on(BundleOpened(bundle.path, expected_s=60))
        BlockQueue(plan, bundle, page)
        with ExitStack() as stack:
            reported = watch(page, stack)
            for _ in range(60):
                page.on(StepStarted("waiting"))  # what the pipe did not accept follows
                forests = next_state(reported)["forests"]
                rows = [row for forest in forests for row in forest["rows"]]
                if len(rows) == 4 * 5 and all(row["blocks"] == 2 for row in rows):
                    break

    assert page._process.returncode is not None  # it ends with the study
    assert len(forests) == 4
    assert len(rows) == 4 * 5  # and the twin
