"""What `wirelab verify` prints of contenders that go wrong in one way each."""

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support.laboratory import measure
from tests.support.verification import verify_domain
from tests.support.wording import assert_worded, raises_worded
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


def assert_line_worded(text: str, beginning: str) -> None:
    """Compare the only line that begins so, without the path of a log."""
    [line] = [each for each in text.splitlines() if each.startswith(beginning)]
    assert_worded(line.partition("; the end of ")[0])


@pytest.mark.parametrize(
    "beginning", ["equal    good", "equal    deaf", "failed   misconfigured", "failed   next"]
)
def test_each_contender_has_a_line_with_its_result(printed: Printed, beginning: str) -> None:
    assert_line_worded(printed.out, beginning)


@pytest.mark.parametrize(
    "beginning", ["note: the generator", "error: fails ", "error: exits ", "warning: deaf: "]
)
def test_each_finding_has_a_line(printed: Printed, beginning: str) -> None:
    assert_line_worded(printed.err, beginning)


def test_the_log_of_a_contender_is_printed_unchanged(printed: Printed) -> None:
    assert "  | config [server] wrong, see [/etc/app] [level:]" in printed.out


def test_no_line_is_broken_within_a_path(printed: Printed) -> None:
    line = next(each for each in printed.out.splitlines() if "misconfigured: " in each)

    assert len(line) > 80
    assert Path(line.partition("the end of ")[2].removesuffix(":")).is_file()


def test_a_server_that_fails_is_shown_with_its_log(printed: Printed) -> None:
    [first] = [line for line in printed.err.splitlines() if "error: fails " in line]

    log = Path(first.partition("the end of ")[2].removesuffix(":"))
    assert "KeyError: 'valeu'" in log.read_text()
    assert "  | KeyError: 'valeu'" in printed.err.splitlines()
    assert "no reply" not in printed.err  # it closes the connection after an HTTP 500


def test_findings_contain_the_log_in_json_too(domain: Path, printed: Printed) -> None:
    assert re.search(r"^  \| .* exits$", printed.err, re.MULTILINE)
    as_json = verified(domain, "exits", as_json=True)
    assert "from the reference" in as_json.err

    findings = json.loads(as_json.out)["findings"]
    [finding] = [each for each in findings if each["severity"] == "error"]
    assert (finding["reason"]["kind"], finding["reason"]["exit"]) == ("ended", "exit code 3")
    assert finding["log"]["tail"].endswith(" exits")


def test_a_server_that_ends_on_sigterm_has_no_warning(printed: Printed) -> None:
    assert "warning: good: " not in printed.err


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

    with pytest.raises(ProblemsError, match="no rows today"):
        verified(folder, "first")
    with pytest.raises(ProblemsError, match="no rows today"):
        measure(study, "good", "steady")

    assert not list(tmp_path.rglob("build-*.log"))


def test_a_build_that_failed_is_explained_once(printed: Printed) -> None:
    assert printed.out.count("  | no compiler") == 1


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
    assert "equal    good: " in printed.out
    assert "(2 operations and" in printed.out
    assert "refused  wrong: " in printed.out


@pytest.mark.parametrize(
    "changed",
    ["[state.ten]\nrecords = 10\nindexed = false\nverified = false\n", ""],
    ids=["not verified", "none"],
)
def test_a_domain_without_a_state_to_verify_is_refused(tmp_path: Path, changed: str) -> None:
    file = copy_world(tmp_path).parent / "domain" / "domain.toml"
    state = "[state.ten]\nrecords = 10\nindexed = false\n"
    text = file.read_text()
    assert state in text
    file.write_text(text.replace(state, changed))

    with raises_worded(ProblemsError):
        verified(file.parent, "good")


def test_the_line_of_an_equal_contender_counts_sequences(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    with (folder / "domain.toml").open("a") as file:
        file.write("""
[sequence.counting]
summary = "count and read"
steps = [{ operation = "count" }, { operation = "read" }]
""")

    assert "and 1 sequence)" in verified(folder, "good").out


@pytest.mark.parametrize("sent", [Sent(2, 1, 0, 1, 3), Sent(2, 1, 1), Sent(2, 0, 2)])
def test_the_line_of_an_equal_contender_counts_what_was_sent(sent: Sent) -> None:
    assert_worded(compared(sent, "grpc"))
    assert compared(Sent(), "grpc") == ""


def test_the_reference_is_suspected_if_all_contenders_differ_alike(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    reference = folder / "reference.py"
    reference.write_text(reference.read_text().replace('return "ok"', 'return "fine"'))

    printed = verified(folder, "good", "steady")

    assert printed.code is ExitCode.VERIFY_FAILED
    assert_line_worded(printed.err, "hint: both")


def test_a_mistake_of_the_domain_is_reported_once_and_not_as_its_contenders(tmp_path: Path) -> None:
    folder = copy_world(tmp_path).parent / "domain"
    described = folder / "domain.toml"
    text = described.read_text().replace('effect = "write"', 'effect = "write"\nmasked = ["ident"]')
    described.write_text(text)

    with pytest.raises(ProblemsError) as caught:
        verified(folder, "good", "steady")

    (problem,) = caught.value.problems
    assert (problem.key, problem.value) == ("operation.count.masked.0", "ident")
