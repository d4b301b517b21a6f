"""What commands say of how far they have come, where there is no terminal."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from tests.report.synthetic import write_bundle
from wirelab.bundle import Bundle
from wirelab.commands import progress
from wirelab.commands.progress import LiveView
from wirelab.commands.report import publish


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_bundle(tmp_path_factory.mktemp("two") / "bundle", blocks=2, requests=200)


def test_each_step_is_a_line_with_what_is_done_and_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = iter([0.0, 0.0, 70.0, 140.0])
    clock = SimpleNamespace(monotonic=lambda: next(moments))
    monkeypatch.setattr(progress, "time", clock)
    with LiveView() as view:
        view.phase("Setting up", 3)
        view.step("building rest for native")
        view.step("building grpc for native")
        view.step("postgresql: state ten")

    assert capsys.readouterr().err.splitlines() == [
        "Setting up 1/3: building rest for native",
        "Setting up 2/3: building grpc for native (2:20 left)",
        "Setting up 3/3: postgresql: state ten (1:10 left)",
    ]


def test_blocks_are_counted_once_although_repeated(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = bundle.block_records()[:2]
    with LiveView() as view:
        view.phase("Measuring", 2)
        for record in (first, first.model_copy(update={"attempt": 2}), second):
            view.block_started(record.block, record.attempt)
            view.block_finished(record)
    lines = capsys.readouterr().err.splitlines()

    assert [line.partition(":")[0] for line in lines] == [
        "Measuring 1/2",
        "Measuring 1/2",
        "Measuring 2/2",
    ]
    assert "once more" in lines[1]
    assert "left)" in lines[2]


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(progress, "talk", Console(file=screen, force_terminal=True, width=120))
    with LiveView() as view:
        view.phase("Verifying", 2)
        view.step("rest on postgresql")
        view.step("grpc on postgresql")
        view._progress.refresh()  # not only ten times a second

    assert "Verifying" in screen.getvalue()
    assert "grpc on postgresql" in screen.getvalue()
    assert "2/2" in screen.getvalue()


def test_writing_a_report_says_what_it_does(
    bundle: Bundle, capsys: pytest.CaptureFixture[str]
) -> None:
    files, _ = publish(bundle.path)

    assert files["html"].is_file()
    said = capsys.readouterr().err
    assert "Report 1/2: working out what was found" in said
    assert "Report 2/2: drawing figures and writing files" in said
