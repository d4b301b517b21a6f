"""What failed is said with its remedy and the end of the log, or in one line."""

import pickle

import pytest

from wirelab.errors import Failure, Log, MeasureError


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (Failure("it was slow"), "it was slow"),
        (Failure("no engine", "install one"), "no engine"),
        (
            Failure("building failed", log=Log("l", "Step 1\nexit code 7")),
            "building failed: exit code 7",
        ),
        (Failure("it ended", log=Log("l", "Booting")), "it ended; its log ends with: Booting"),
        (Failure("it ended", log=Log("l", " \n")), "it ended"),
        (Failure("rejected:\nthe first\nthe second"), "rejected:"),
    ],
)
def test_a_failure_is_one_line_in_a_report(failure: Failure, line: str) -> None:
    assert failure.brief == line


def test_a_failure_is_said_with_its_log_and_its_remedy() -> None:
    first, *rest = str(Failure("it ended", "look", Log("/l", "a\nb"))).splitlines()
    assert first.startswith("it ended")
    assert "/l" in first
    assert rest == ["  | a", "  | b", "hint: look"]
    assert str(Failure("it ended", log=Log("/l"))).endswith("/l is empty")


def test_a_log_that_was_moved_with_its_folder_is_where_it_is_now() -> None:
    log = Log("/partial/1/a.log", "end")

    assert Failure("it ended", log=log).moved("/partial", "/done").log == Log(
        "/done/1/a.log", "end"
    )
    assert log.moved("/part", "/done") == log


def test_an_error_from_another_process_has_all_of_it() -> None:
    error = pickle.loads(pickle.dumps(MeasureError("it ended", "look", Log("/l"))))

    assert (type(error), error.failure) == (MeasureError, Failure("it ended", "look", Log("/l")))
