"""The summary of the tests: skips by reason, and retries within their budget."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.summary import RETRY_BUDGET

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest
from tests.support.undisturbed import undisturbed

@pytest.mark.parametrize("number", range(3))
def test_needs_a_server(number):
    pytest.skip("no server is installed")

@pytest.mark.skipif(True, reason="only root may")
def test_needs_root():
    pass

def test_needs_three_attempts():
    answers = iter(range(3))
    assert undisturbed(lambda: next(answers), lambda answer: answer == 2) == 2

@pytest.mark.parametrize("number", range(MANY))
def test_never_answers_as_claimed(number):
    assert undisturbed(lambda: 0, lambda answer: answer == 1) == 0
"""


def summary(folder: Path, many: int, *options: str) -> tuple[int, list[str]]:
    """Return the exit code, and the lines of the output without spaces around them."""
    (folder / "test_some.py").write_text(TESTS.replace("MANY", str(many)))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.support.summary", *options, "test_some.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_skips_are_grouped_by_reason_and_retries_counted(
    tmp_path: Path, options: list[str]
) -> None:
    code, lines = summary(tmp_path, 1, *options)

    assert code == 0
    skipped = lines.index("3 no server is installed")
    assert lines[skipped + 1] == "1 only root may"
    assert "5 test_some.py::test_never_answers_as_claimed[0]" in lines
    assert "2 test_some.py::test_needs_three_attempts" in lines
    assert f"7 in all, of at most {RETRY_BUDGET}" in lines


def test_too_many_retries_fail_although_each_test_has_passed(tmp_path: Path) -> None:
    code, lines = summary(tmp_path, 20)

    assert code == 1
    assert f"102 in all, of at most {RETRY_BUDGET}" in lines
    assert any("21 passed" in line for line in lines)
