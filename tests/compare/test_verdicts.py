"""The outcomes of a comparison: slower, cannot tell, answers differ, beyond a limit."""

import json
import re
import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from rich.console import Console

from tests.compare.running import OPENAPI, QUICK, SHORT_BLOCKS, serving, wirelab
from wirelab.analysis import Analysis, ComparedPair, analyse
from wirelab.analysis.analysing import evidence_of
from wirelab.analysis.cautions.budget import NotMeasured
from wirelab.analysis.cautions.budget import undecided as find_undecided
from wirelab.analysis.cautions.caution import Caution
from wirelab.analysis.procedure import RATIOS
from wirelab.bundle import Bundle
from wirelab.compare.baseline import against_baseline, check_baseline
from wirelab.compare.limits import Limit
from wirelab.compare.verdict import exit_code, markdown
from wirelab.experiment.context import StudyOutcome
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.host import read_host
from wirelab.report import terminal_view
from wirelab.statistics import FIRST_LOOK, Nuance, Outcome
from wirelab.study import ClosedLoad, load_study
from wirelab.terminal.exit_codes import ExitCode

Run = tuple[CompletedProcess[str], Path]


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A comparison with one that needs 3 ms more, in continuous integration."""
    folder = tmp_path_factory.mktemp("slower")
    with serving() as old, serving("slow=0.003") as new:
        sides = f"old=http://{old}", f"new=http://{new}"
        options = "--openapi", OPENAPI, "--only", "get_item", "--ci", "--output", "bundle"
        done = wirelab("compare", *sides, *options, *QUICK, folder=folder, constants=SHORT_BLOCKS)
    return done, folder / "bundle"


@pytest.fixture(scope="module")
def analysis(slower: Run) -> Analysis:
    return analyse(Bundle.open(slower[1]))


def test_slower_beyond_the_margin_has_a_code_of_its_own(slower: Run) -> None:
    done, _ = slower

    assert done.returncode == ExitCode.SLOWER, done.stderr
    assert done.stdout.startswith("### wirelab compare: slower beyond the margin\n")
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| 🔴"))
    assert "GET /items/{id}" in row
    assert "new against old" in row
    assert "clearly slower" in row


def test_slower_is_beyond_the_margin_only_if_clearly(slower: Run, analysis: Analysis) -> None:
    ending = StudyOutcome(Bundle.open(slower[1]))
    (answer,) = analysis.answers
    (pair,) = answer.pairs
    assert pair.comparison.blocks == FIRST_LOOK
    assert pair.verdict is not None
    plain = replace(pair, verdict=replace(pair.verdict, nuance=Nuance.PLAIN, words="slower"))

    for each, output in ((plain, "slower"), (pair, "slower beyond the margin")):
        changed = replace(analysis, answers=(replace(answer, pairs=(each,)),))
        headline = markdown(ending, changed, (), ()).splitlines()[0]
        assert headline == f"### wirelab compare: {output}"
        assert exit_code(ending, changed, (), (), strict=True) == ExitCode.SLOWER


def test_it_explains_once_why_ratios_differ_from_quotients_of_times(
    slower: Run, analysis: Analysis
) -> None:
    console = Console(width=100, file=StringIO())
    console.print(terminal_view(analysis))
    shown = console.file.getvalue()  # type: ignore[attr-defined]

    for text in (slower[0].stdout, shown, (slower[1] / "report" / "report.md").read_text()):
        assert " ".join(text.split()).count(RATIOS) == 1


def test_the_named_report_exists(slower: Run) -> None:
    done, bundle = slower

    assert f"report: {bundle.name}/report/report.html" in done.stderr
    assert (bundle / "report" / "report.html").stat().st_size > 10_000


def test_it_reports_what_is_not_controlled_for_servers_that_it_did_not_start(slower: Run) -> None:
    _, bundle = slower
    report = (bundle / "report" / "report.md").read_text()

    records = json.loads((bundle / "contenders.json").read_text())
    assert {"fresh_start", "restored_store"} <= set(records["old"]["not_controlled"])
    assert "processes" not in records["old"]["not_controlled"]  # the port says whose it is
    assert "did not start" in report


@pytest.mark.parametrize(
    ("limit", "kinds"),
    [
        ("p50>1s", []),
        ("new.typical>2ms", ["beyond"]),
        ("old.typical>900ms", []),
        ("ratio>1.5", ["beyond"]),
        ("rate<0.001", []),
        ("new.p999>1s", ["unknown"]),  # of too few requests
        ("old.ratio>1.1", ["unknown"]),  # which no comparison has
    ],
)
def test_a_limit_is_kept_or_not_or_unknown(
    analysis: Analysis, limit: str, kinds: list[str]
) -> None:
    assert [breach.kind for breach in Limit.parse(limit).breaches(analysis)] == kinds


def test_a_limit_without_a_figure_is_not_shown_as_exceeded(slower: Run, analysis: Analysis) -> None:
    breaches = [
        breach
        for limit in ("new.p999>1s", "new.typical>2ms")
        for breach in Limit.parse(limit).breaches(analysis)
    ]

    output = markdown(StudyOutcome(Bundle.open(slower[1])), analysis, breaches, ())

    assert "; 1 limit " in output.splitlines()[0]
    assert "* ❔ new, GET /items/{id}: too few requests to judge new.p999\\>1s" in output
    assert "* ⛔ new, GET /items/{id}: typical is " in output


def test_a_limit_decides_the_exit_code(tmp_path: Path) -> None:
    with serving() as one:
        done = wirelab(
            "compare",
            *(f"a=http://{one}/items/7", f"b=http://{one}/items/7"),
            *("--fail-if", "b.typical>1us", *QUICK),
            folder=tmp_path,
        )

    assert done.returncode == ExitCode.BEYOND_LIMIT, done.stderr
    assert "error: --fail-if: b, GET /items/7: " in done.stderr


def test_the_same_server_is_never_slower_than_itself_by_much(tmp_path: Path) -> None:
    """At a margin of 25 % it is the same, or noise hides it; both have a code."""
    with serving() as one:
        done = wirelab(
            "compare",
            *(f"http://{one}/items/7", f"http://{one}/items/7"),
            *("--margin", "25", "--ci", *QUICK),
            folder=tmp_path,
            constants=SHORT_BLOCKS,
        )

    assert done.returncode in (ExitCode.OK, ExitCode.CANNOT_TELL), done.stdout
    output = "cannot tell" if done.returncode else "practically the same"
    assert any(word in done.stdout for word in (output, "faster"))


def test_an_undecided_result_states_a_budget_that_would_probably_decide_it(
    slower: Run, analysis: Analysis
) -> None:
    bundle = Bundle.open(slower[1])
    (answer,) = analysis.answers
    (pair,) = answer.pairs
    assert pair.verdict is not None
    undecided = replace(
        pair.verdict, outcome=Outcome.CANNOT_TELL, words="cannot tell", blocks_needed=61
    )
    opened = replace(pair, verdict=undecided)

    def suggested(of: ComparedPair) -> tuple[Caution, ...]:
        return tuple(find_undecided(replace(evidence_of(bundle), pairs=[of])))

    assert suggested(pair) == ()
    cautions = suggested(opened)
    changed = replace(analysis, answers=(replace(answer, pairs=(opened,)),), cautions=cautions)

    shown = markdown(StudyOutcome(bundle), changed, (), ())
    assert re.search(
        r"\* ❔ Not decided: new against old at “GET /items/\{id\}”: 95 % interval .*"
        r" \(--budget \d+[sm] would probably decide it\)",
        shown,
    )
    assert "blocks would" not in shown  # since a longer budget also makes blocks longer


def test_operations_without_time_are_named_in_the_result(tmp_path: Path) -> None:
    with serving() as one:
        sides = f"a=http://{one}", f"b=http://{one}"
        done = wirelab(
            *("compare", *sides, "--openapi", OPENAPI, "--budget", "2s"),
            *("--margin", "25", "--ci", "--output", "bundle"),
            folder=tmp_path,
        )

    assert done.returncode in (ExitCode.CANNOT_TELL, ExitCode.SLOWER), done.stderr
    heading, *lines = done.stdout.splitlines()
    assert heading.endswith("; 1 operation not measured")
    (message,) = (line for line in lines if "Not measured" in line)
    assert re.fullmatch(rf"\* ❔ {NotMeasured.TITLE}: GET \S+ \(.*--budget \d+s .*\)", message)
    report = (tmp_path / "bundle" / "report" / "report.md").read_text()
    assert f"> {message.removeprefix('* ❔ ')}." in report
    assert f"- **Not measured** (serious): {message.removeprefix('* ❔ Not measured: ')}." in report


def test_addresses_with_different_paths_are_named_with_their_answers(tmp_path: Path) -> None:
    with serving() as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items"
        done = wirelab("compare", *sides, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.VERIFY_FAILED, done.stderr
    assert "\nthe paths differ: GET /items/7 from a and /items from b\n" in done.stderr
    assert done.stdout.count("GET /items/7 and /items: ") == 1
    assert "GET /items/7 and /items: " not in done.stderr
    assert "error: " not in done.stderr
    assert "\nhint: make the answers equal, " in done.stderr
    assert "\nthe budget of 1 s will be exceeded: " in done.stderr
    assert "\nSetting up 1/3: finding the address of a\n" in done.stderr
    assert "building" not in done.stderr


def test_differing_answers_are_reported_and_not_measured(tmp_path: Path) -> None:
    with serving() as one, serving("wrong") as other:
        done = wirelab(
            "compare",
            *(f"a=http://{one}", f"b=http://{other}"),
            *("--openapi", OPENAPI, "--only", "get_item", "--ci", "--output", "bundle", *QUICK),
            folder=tmp_path,
        )

        assert done.returncode == ExitCode.VERIFY_FAILED, done.stderr
        assert "Measuring" not in done.stderr
        heading, _, stopped, _, *output = done.stdout.splitlines()
        assert heading.endswith(": answers differ")
        (differs,) = output
        assert re.fullmatch(
            r"\* GET /items/\{id\}: the value at /name is \"item \d+\" from a and \"ITEM \d+\""
            r" from b, in (\d+) of \1 parameter sets\.",
            differs,
        )
        assert f"error: {differs.removeprefix('* ').removesuffix('.')}\n" in done.stderr
        assert "\nhint: make the answers equal, or leave out with --ignore PART " in done.stderr
        shown = wirelab("report", "bundle", folder=tmp_path)
        printed = " ".join(shown.stdout.split())
        assert printed.endswith(f"{stopped.strip('*')} {differs.removeprefix('* ')}")
        report = (tmp_path / "bundle" / "report" / "report.md").read_text()
        assert f"{stopped}\n\n- {differs.removeprefix('* ')}\n\n## Cite and rerun" in report
        page = (tmp_path / "bundle" / "report" / "report.html").read_text()
        assert re.findall(r'id="(answer|threats|design|control|tables|rerun|rules)"', page) == [
            *("answer", "rerun", "rules")
        ]
        assert "Blocks took" not in report
        assert f"<strong>{stopped.strip('*')}</strong>" in page
        assert "found by machine" not in page
        for_programs = wirelab(
            "compare",
            *(f"a=http://{one}", f"b=http://{other}"),
            *("--openapi", OPENAPI, "--only", "get_item", "--budget", "1s", "--json"),
            folder=tmp_path,
        )
        (refused,) = json.loads(for_programs.stdout)["refused"]
        assert (refused["contender"], refused["operation"], refused["path"]) == (
            *("b", "get_item"),
            "/name",
        )
        assert refused["got"] == refused["expected"].upper()
        again = wirelab(
            "compare",
            *(f"a=http://{one}/items/7", f"b=http://{one}/items/7"),
            *("--output", "bundle", *QUICK),
            folder=tmp_path,
        )
    assert again.returncode == 0, again.stderr  # a folder without measurements is reused


def test_a_comparison_with_a_baseline_states_its_precision(slower: Run) -> None:
    _, folder = slower
    bundle = Bundle.open(folder)
    (found,) = against_baseline(bundle, folder, load_study(bundle.study_folder))

    assert found.outcome in (Outcome.SAME, Outcome.CANNOT_TELL)
    assert found.ratio == pytest.approx(1.0)
    assert re.search(r"\(±[^;]+; .* ±", found.sentence)  # of both sessions, and of turns


def test_a_disturbance_of_an_earlier_session_is_named(slower: Run, tmp_path: Path) -> None:
    _, folder = slower
    bundle = Bundle.open(folder)
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    for file in other.glob("blocks/*/block.json"):
        block = json.loads(file.read_text())
        for session in block["sessions"]:
            session.update(other_share=0.42)
        file.write_text(json.dumps(block))
    (found,) = against_baseline(bundle, other, load_study(bundle.study_folder))

    assert found.outcome is Outcome.CANNOT_TELL
    during = r"during the earlier bundle \(.*other programs used up to 42\s% of the CPUs"
    assert re.search(during, found.sentence)


def test_a_baseline_of_another_machine_is_refused(slower: Run, tmp_path: Path) -> None:
    _, folder = slower
    bundle = Bundle.open(folder)
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "host.json").write_text(json.dumps({**bundle.host, "kernel": "another"}))

    with pytest.raises(ProblemsError, match="differs in kernel"):
        check_baseline(other, load_study(bundle.study_folder), (), read_host())


def test_a_baseline_with_another_load_is_refused(slower: Run) -> None:
    _, folder = slower
    bundle = Bundle.open(folder)
    study = load_study(bundle.study_folder)
    (load,) = study.loads
    host = read_host()
    other = ClosedLoad(kind="closed", title="one client", clients=32)
    cells = [run.cell for block in bundle.schedule.blocks for run in block.runs]
    check_baseline(folder, study, cells, host)
    changed = study.model_copy(update={"loads": {load: other}})

    with pytest.raises(ProblemsError, match="same load"):
        check_baseline(folder, changed, cells, host)


def test_a_baseline_is_refused_before_anything_is_measured(slower: Run, tmp_path: Path) -> None:
    _, folder = slower
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    host = {**Bundle.open(folder).host, "kernel": "another"}
    (other / "host.json").write_text(json.dumps(host))

    with serving() as one:
        done = wirelab(
            *("compare", f"http://{one}/items/7", "--baseline", "other", *QUICK), folder=tmp_path
        )

    assert done.returncode == ExitCode.BAD_INPUT, done.stderr
    assert "differs in kernel" in done.stderr.splitlines()[-1]
    assert "Measuring" not in done.stderr
