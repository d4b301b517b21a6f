"""What `wirelab verify` prints of contenders that go wrong in one way each."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support.laboratory import measure
from tests.support.verification import verify_domain
from tests.support.worlds import copy_world, ignore_seed
from wirelab.commands.studies.verify import compared
from wirelab.inputs.problems import ProblemsError
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Sent

FAULTS = ("misconfigured", "fails", "exits", "deaf")
BROKEN = """stack = "broken"
title = "A stack whose build fails"

[build]
commands = [["{python}", "-c", "raise SystemExit('no compiler')"]]
"""


@dataclass(frozen=True)
class Printed:
    """What a command printed, and its exit code."""

    code: ExitCode
    out: str
    err: str


def contender(name: str, fault: str, command: str = '"{python}", "server.py"') -> str:
    return f"""
[contender.{name}]
title = "Goes wrong: {name}"
protocol = "rest"
command = [{command}]
environment = {{ FAULT = "{fault}" }}
"""


def verified(domain: Path, *only: str, as_json: bool = False) -> Printed:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr("wirelab.commands.logs.mkdtemp", partial(mkdtemp, dir=domain.parent))
        code = verify_domain(domain, only=only, as_json=as_json)
    return Printed(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a domain with these contenders besides its own, and of fixed rows."""
    folder = copy_world(tmp_path_factory.mktemp("verify")).parent / "domain"
    ignore_seed(folder)
    with (folder / "reference.py").open("a") as file:
        file.write("print('from the reference')\n")
    with (folder / "contenders/python/contender.toml").open("r+") as file:
        stack, variants, rest = file.read().partition("[variant.services]")
        file.seek(0)
        added = [contender(each, each) for each in FAULTS]
        file.write(stack + "".join(added) + variants + rest)
    add_stack(folder, "broken", BROKEN + contender("first", "") + contender("next", ""))
    return folder


def add_stack(domain: Path, name: str, text: str) -> None:
    folder = domain / "contenders" / name
    folder.mkdir()
    (folder / "contender.toml").write_text(text)


@pytest.fixture(scope="module")
def printed(domain: Path) -> Printed:
    return verified(domain, "good", *FAULTS, "first", "next")


def test_the_log_of_a_contender_is_printed_unchanged(printed: Printed) -> None:
    assert "  | config [server] wrong, see [/etc/app] [level:]" in printed.out
    assert (
        "equal    good: Nothing wrong with it (3 operations and 2 declared errors)" in printed.out
    )


def test_a_generator_that_ignores_the_seed_is_a_note(printed: Printed) -> None:
    [line] = [each for each in printed.err.splitlines() if "--seed" in each]

    assert line.startswith("note: the generator writes the same rows for every --seed, so another")
    assert "set data_seed in study.toml" in line


def test_no_line_is_broken_within_a_path(printed: Printed) -> None:
    line = next(each for each in printed.out.splitlines() if "misconfigured: " in each)

    assert len(line) > 80
    assert Path(line.partition("the end of ")[2].removesuffix(":")).is_file()


def test_a_server_that_fails_is_shown_with_its_log(printed: Printed) -> None:
    [first] = [line for line in printed.err.splitlines() if "error: fails " in line]

    assert "fails count (POST /counters/none): refused as internal" in first
    log = Path(first.partition("the end of ")[2].removesuffix(":"))
    assert "KeyError: 'valeu'" in log.read_text()
    assert "  | KeyError: 'valeu'" in printed.err.splitlines()
    assert "no reply" not in printed.err, "it closes the connection after an HTTP 500"


def test_a_server_that_exits_during_verification_is_abandoned_at_once(printed: Printed) -> None:
    [line] = [line for line in printed.err.splitlines() if "error: exits " in line]

    assert "exits count: ended with exit code 3; id = 'none'; the end of /" in line
    assert "  | the counter contender exits" in printed.err.splitlines()


def test_findings_in_json_contain_the_log_too(domain: Path) -> None:
    printed = verified(domain, "exits", as_json=True)
    assert "from the reference" in printed.err

    findings = json.loads(printed.out)["findings"]
    [finding] = [each for each in findings if each["severity"] == "error"]
    assert (finding["reason"]["kind"], finding["reason"]["exit"]) == ("ended", "exit code 3")
    assert "the counter contender exits" in finding["log"]["tail"].splitlines()


def test_a_server_that_ignores_sigterm_is_equal_with_a_warning(printed: Printed) -> None:
    [line] = [each for each in printed.err.splitlines() if each.startswith("warning: deaf: ")]

    assert "equal    deaf: " in printed.out
    assert line.endswith(
        "the server still ran 5 s after SIGTERM and was killed, which lengthens every block: make"
        " it end on SIGTERM"
    )
    assert "good: the server still ran" not in printed.err


def test_a_server_that_cannot_be_started_has_failed_and_others_are_verified(
    printed: Printed,
) -> None:
    assert "failed   misconfigured: " in printed.out
    assert "equal    good: " in printed.out


def test_a_missing_program_is_a_mistake_of_the_file_before_anything_is_built(
    tmp_path: Path,
) -> None:
    study = copy_world(tmp_path)
    folder = study.parent / "domain"
    without_build = BROKEN.partition("[build]")[0]
    add_stack(folder, "broken", without_build + contender("misspelt", "", '"no-such-program"'))
    described = (study / "study.toml").read_text()
    assert '"steady"' in described
    (study / "study.toml").write_text(described.replace('"steady"', '"steady", "misspelt"', 1))

    with pytest.raises(ProblemsError) as of_verify:
        verified(folder, "good", "misspelt")
    with pytest.raises(ProblemsError) as of_run:
        measure(study, "good", "misspelt")

    for (problem,) in (of_verify.value.problems, of_run.value.problems):
        assert (problem.key, problem.value) == ("contender.misspelt.command", "no-such-program")
    assert not list(tmp_path.rglob("logs"))


def test_a_mistake_of_the_generator_is_bad_input_before_anything_is_built(tmp_path: Path) -> None:
    study = copy_world(tmp_path)
    folder = study.parent / "domain"
    (folder / "generate.py").write_text("raise SystemExit('no rows today')")
    add_stack(folder, "broken", BROKEN + contender("first", ""))

    with pytest.raises(ProblemsError, match="failed with 1: no rows today"):
        verified(folder, "first")
    with pytest.raises(ProblemsError, match="failed with 1: no rows today"):
        measure(study, "good", "steady")

    assert not list(tmp_path.rglob("build-*.log"))


def test_a_build_that_failed_is_explained_once(printed: Printed) -> None:
    assert printed.out.count("  | no compiler") == 1
    assert "failed   next: the build that it shares with first failed" in printed.out


def test_the_exit_code_shows_that_a_server_failed(domain: Path) -> None:
    output = verified(domain, "good", "first", as_json=True)

    assert output.code is ExitCode.NOT_READY
    summary = json.loads(output.out)
    assert summary["equal"] == ["good"]
    assert summary["refused"] == []
    assert list(summary["failed"]) == ["first"]
    assert summary["skipped"] == {}
    assert summary["sent"]["good"]["declared_errors"] == 2


def test_a_domain_whose_operations_only_write_is_verified(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    before, read, rest = (folder / "domain.toml").read_text().partition("[operation.read]")
    count = rest.partition("[operation.count]")[2]
    assert read
    assert count
    (folder / "domain.toml").write_text(f"{before}[operation.count]{count}")

    printed = verified(folder, "good", "wrong")

    assert printed.code is ExitCode.VERIFY_FAILED
    assert "equal    good: Nothing wrong with it (2 operations and 1 declared error)" in printed.out
    assert "refused  wrong: " in printed.out


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            "[state.ten]\nrecords = 10\nindexed = false\nverified = false\n",
            "state.ten.verified is false; expected true for at least one state",
        ),
        ("", "state missing; expected at least one table [state.NAME] with records and indexed"),
    ],
)
def test_a_domain_without_a_state_to_verify_is_refused(
    tmp_path: Path, changed: str, message: str
) -> None:
    file = copy_world(tmp_path).parent / "domain" / "domain.toml"
    state = "[state.ten]\nrecords = 10\nindexed = false\n"
    text = file.read_text()
    assert state in text
    file.write_text(text.replace(state, changed))

    with pytest.raises(ProblemsError) as caught:
        verified(file.parent, "good")

    assert str(caught.value) == f"{file}: {message}"


def test_the_line_of_an_equal_contender_counts_sequences(
    tmp_path: Path,
) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    with (folder / "domain.toml").open("a") as file:
        file.write("""
[sequence.counting]
summary = "count and read"
steps = [{ operation = "count" }, { operation = "read" }]
""")

    printed = verified(folder, "good")

    assert (
        "equal    good: Nothing wrong with it (3 operations, 2 declared errors and 1 sequence)"
        in printed.out
    )


@pytest.mark.parametrize(
    ("sent", "counts"),
    [
        (Sent(), ""),
        (
            Sent(2, 1, 0, 1, 3),
            " (2 operations, 1 declared error, 1 sequence and 3 malformed requests)",
        ),
        (
            Sent(2, 1, 1),
            " (2 operations and 1 declared error; 1 further declared error cannot be expressed in"
            " gRPC)",
        ),
        (
            Sent(2, 0, 2),
            " (2 operations; 2 further declared errors cannot be expressed in gRPC)",
        ),
    ],
)
def test_the_line_of_an_equal_contender_counts_what_was_sent(sent: Sent, counts: str) -> None:
    assert compared(sent, "grpc") == counts


def test_the_reference_is_suspected_if_all_contenders_differ_alike(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    reference = folder / "reference.py"
    reference.write_text(reference.read_text().replace('return "ok"', 'return "fine"'))

    printed = verified(folder, "good", "steady")

    assert printed.code is ExitCode.VERIFY_FAILED
    assert "hint: both contenders agree on an answer to ping that differs" in printed.err


def test_a_mistake_of_the_domain_is_reported_once_and_not_as_its_contenders(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    described = folder / "domain.toml"
    text = described.read_text().replace('effect = "write"', 'effect = "write"\nmasked = ["ident"]')
    described.write_text(text)

    with pytest.raises(ProblemsError) as caught:
        verified(folder, "good", "steady")

    (problem,) = caught.value.problems
    assert problem.key == "operation.count.masked.0"
    assert problem.expected == "a part of the answer: one of id, value"
