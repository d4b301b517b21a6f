"""What pytest says at the end: tests skipped, by reason, and how often some asked again."""

from collections import Counter
from collections.abc import Generator

import pytest

from tests.support import undisturbed

RETRY_BUDGET = 100
"""Retries of `undisturbed` in all tests together. More are not the host's fault alone: the session
fails, although each test has passed in the end."""

RETRIES = "retries"
"""The property of a report, by which a worker informs the process that prints the summary."""

_retries: Counter[str] = Counter()
"""By test."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note the retries of a test when it is over."""
    if call.when == "teardown" and (count := undisturbed.take_retries()):
        item.user_properties.append((RETRIES, count))
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count them."""
    if report.when == "teardown":
        for name, value in report.user_properties:
            if name == RETRIES and isinstance(value, int):
                _retries[report.nodeid] += value


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session that needed too many of them."""
    is_worker = hasattr(session.config, "workerinput")
    has_passed = session.exitstatus == pytest.ExitCode.OK
    if has_passed and not is_worker and _retries.total() > RETRY_BUDGET:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each reason, and one for each test that asked again."""
    reasons = Counter(_reason(report) for report in terminalreporter.getreports("skipped"))
    if reasons:
        terminalreporter.section("skipped")
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:4} {reason}")
    if _retries:
        terminalreporter.section("retries")
        for test, count in _retries.most_common():
            terminalreporter.write_line(f"{count:4} {test}")
        total = _retries.total()
        terminalreporter.write_line(f"{total:4} in all, of at most {RETRY_BUDGET}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return why a test, or a whole file, was skipped."""
    skipped = report.longrepr
    reason = skipped[2] if isinstance(skipped, tuple) else str(skipped)
    return reason.removeprefix("Skipped: ")
