"""`wirelab plan`: a page that is read in a minute, whatever the study declares."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.compare.one_server import write_study
from tests.support.wording import assert_worded, raises_worded
from tests.support.worlds import copy_world
from wirelab.cli import app
from wirelab.compare.terms import Terms
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import plan_study, start_seconds
from wirelab.statistics import MINIMUM_BLOCKS

ADDED = """[contender.added]
title = "Added"
protocol = "rest"
command = ["{python}", "server.py"]

"""


def lines(*arguments: str) -> list[str]:
    done = CliRunner().invoke(app, ["plan", *arguments], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_levels_that_a_design_leaves_out_are_one_line_for_each_kind() -> None:
    left_out = [line for line in lines("lingbm-2022") if line.startswith("left out")]

    kinds = [re.findall(r"^left out: \d+ (\w+), among them", line) for line in left_out]
    assert kinds == [["contenders"], ["workloads"], ["loads"]]


def test_a_contender_of_the_domain_alone_must_be_added_to_the_study(tmp_path: Path) -> None:
    study = copy_world(tmp_path)
    file = tmp_path / "world/domain/contenders/python/contender.toml"
    file.write_text(file.read_text().replace("[contender.good]", f"{ADDED}[contender.good]"))

    with raises_worded(ProblemsError):
        plan_study(study, "smoke", 1, ["added"])


def test_a_contender_that_the_list_of_a_study_misspells_is_the_hint(tmp_path: Path) -> None:
    study = copy_world(tmp_path)
    file = study / "study.toml"
    written = file.read_text()
    assert written.count('"good"') > 1
    file.write_text(written.replace('"good"', '"goood"', 1))

    with pytest.raises(ProblemsError) as caught:
        plan_study(study, None, 1)

    assert {(each.value, each.hint) for each in caught.value.problems} == {
        ("good", "did you mean 'goood'?")
    }


def test_a_baseline_that_was_left_out_is_named() -> None:
    reported = lines("kaminski-2022", "--only", "graphql-graphene", "--blocks", "1")

    (hint,) = (line.strip() for line in reported if line.strip().startswith("hint: "))
    assert_worded(hint)
    assert any("1 block of " in line for line in reported)
    assert any(re.search(r" \d\d? s of measuring", line) for line in reported)


def test_with_one_contender_a_plan_says_how_to_add_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path, "mine", Terms(margin=0.05))
    file = Path("domain/contenders/compared/contender.toml")
    for text in ("[contender.mine]", f"{ADDED}[contender.mine]"):
        file.write_text(file.read_text().replace("[contender.mine]", text))
        planned = lines("study", "--design", "compare")

        assert_worded(next(line for line in planned if line.startswith("nothing to compare")))


@pytest.mark.parametrize("inside", [True, False])
def test_all_paths_of_a_plan_are_relative_below_the_current_folder_and_else_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    world, elsewhere = tmp_path / "world", tmp_path / "elsewhere"
    for folder in (world, elsewhere):
        folder.mkdir()
    write_study(world, "mine", Terms(margin=0.05))
    monkeypatch.chdir(world if inside else elsewhere)

    contenders = "domain/contenders/compared/contender.toml"
    for name in (contenders, "domain/domain.toml", "study/study.toml"):
        file = world / name
        file.write_text(f"unknown = 1\n{file.read_text()}")
        with pytest.raises(ProblemsError) as error:
            plan_study("study" if inside else "../world/study", "compare", 1)

        assert {problem.where for problem in error.value.problems} == {
            name if inside else str(file)
        }


def test_the_only_design_needs_no_name(tmp_path: Path) -> None:
    planned = lines(str(write_study(tmp_path, "mine", Terms(margin=0.05))))

    assert any(re.match(r"design +compare: ", line.strip()) for line in planned)


def test_servers_at_addresses_need_no_time_to_start(tmp_path: Path) -> None:
    study = write_study(tmp_path, "mine", Terms(margin=0.05))

    assert plan_study(study, "compare", 1).contenders["mine"].address
    assert start_seconds(plan_study(study, "compare", 1).contenders) == {"mine": 0.0}


def test_missing_prerequisites_are_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNIVERSITY_HASURA_URL", raising=False)
    planned = [line.strip() for line in lines("lingbm-2022", "--design", "replication")]

    (hasura,) = (line for line in planned if "hasura" in line)
    assert_worded(hasura)


def test_the_option_blocks_overrides_the_design() -> None:
    native = ("kaminski-2022", "--design", "lab", "--only", "native")
    (designed,) = (line for line in lines(*native) if line.startswith("measured"))
    (more,) = (line for line in lines(*native, "--blocks", "30") if line.startswith("measured"))

    assert "30 blocks of " not in designed
    assert "30 blocks of " in more


def test_a_plan_states_the_time_of_further_blocks_within_the_budget() -> None:
    smoke = lines("kaminski-2022")
    (until_decided,) = (line for line in smoke if "measuring" in line)
    (measured,) = (line for line in smoke if line.startswith("measured"))
    (fixed,) = (line for line in lines("kaminski-2022", "--blocks", "6") if "measuring" in line)

    assert re.search(r", up to \d+ min ", until_decided)
    assert re.search(r"^measured +4 blocks .* \d+ comparisons", measured)
    assert "up to" not in fixed


def test_a_plan_warns_of_a_budget_that_is_too_short_for_a_verdict(tmp_path: Path) -> None:
    study = copy_world(tmp_path)
    file = study / "study.toml"
    file.write_text(
        re.sub(
            r"(\[design\.smoke\][^[]*?\n)blocks = \d+\n",
            r'\1until = "decided"\nbudget_minutes = 0.01\n',
            file.read_text(),
        )
    )

    planned = lines(str(study))

    assert any(line.startswith("the budget of 0.01 ") for line in planned)


def test_a_plan_warns_of_too_few_blocks_for_a_verdict() -> None:
    arguments = ("wires", "--blocks")
    few, enough = lines(*arguments, "5"), lines(*arguments, str(MINIMUM_BLOCKS))

    warning = f"no verdict: a verdict needs {MINIMUM_BLOCKS} "
    assert any(line.startswith(warning) for line in few)
    assert not any(line.startswith(warning) for line in enough)


def test_a_question_without_a_comparison_in_any_design_is_a_mistake(tmp_path: Path) -> None:
    study = copy_world(tmp_path)
    file = study / "study.toml"
    alone = '\nwhere = { contender = "good" }'
    file.write_text(file.read_text().replace("[question.read]", f"[question.read]{alone}"))

    done = CliRunner().invoke(app, ["run", str(study), "--design", "smoke"])

    assert isinstance(done.exception, ProblemsError)
    (problem,) = done.exception.problems
    assert (problem.where, problem.key) == (str(file), "question.read.where.contender")


def test_a_plan_names_the_stages_before_measuring_and_the_twins() -> None:
    (without,) = (line.strip() for line in lines("wires") if line.startswith("in all"))
    (counting,) = (line.strip() for line in lines("kaminski-2022") if line.startswith("in all"))

    assert re.search(r"\d+ min .* [\d.]+ ms per \w+, ", without)
    assert re.search(r" \d+ cells with \d+ twins? .*, \d+ runs", without)
    assert "counting" not in without
    assert "counting" in counting


@pytest.mark.parametrize(
    "options",
    [
        {"--design": "smoke"},
        {"--only": "rest"},
        {"--output": "other"},
        {"--seed": "2", "--blocks": "9"},
    ],
)
def test_a_bundle_that_is_resumed_keeps_its_folder_and_its_plan(options: dict[str, str]) -> None:
    """Even where an option repeats its default: the bundle may have been planned otherwise."""
    words = [word for option in options.items() for word in option]
    done = CliRunner().invoke(app, ["run", "--resume", "bundle", *words])

    assert isinstance(done.exception, ProblemsError)
    *conflicts, missing = done.exception.problems
    assert {each.key: str(each.value) for each in conflicts} == options
    assert len({each.expected for each in conflicts}) == 1
    assert "bundle" in str(missing)
