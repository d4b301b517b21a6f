"""The command `wirelab`, called in this process."""

from collections.abc import Callable

import pytest

from wirelab.cli import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call `wirelab` with words; return its exit code, standard output and standard error."""

    def called(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["wirelab", *map(str, words)])
        return main(), *capsys.readouterr()

    return called
