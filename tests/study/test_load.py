"""Study files are read, and every mistake in them is reported at once."""

from pathlib import Path

import pytest

from tests.study.files import RAMP, STUDY, problems_of, write
from tests.support.wording import assert_worded, raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.study import Workload, load_study

CLAIMS = """
[claim.C1]
text = "gRPC is faster"
source = "Table 1"
[[claim.C1.expect]]
kind = "direction"
metric = "latency_mean_us"
lower = "grpc"
higher = "rest"
"""

PUBLISHED = """
[names.environment]
Docker = "container"
[names.contender]
"gRPC 1.0" = "grpc"
[[table]]
source = "Table 1"
title = "Times"
where = { environment = "Docker" }
scale = 1000.0
columns = ["latency_mean_us", "sd", "ci_low", "ci_high", "n"]
rows = [{ contender = "gRPC 1.0", values = [1.5, 2.25, 1.0, 2.0, 20] }]
"""


def test_a_folder_or_its_file_is_loaded(tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny")

    assert load_study(folder).id == "tiny"
    assert load_study(folder / "study.toml") == load_study(str(folder))


def test_claims_and_published_figures_are_optional(tmp_path: Path) -> None:
    bare = load_study(write(tmp_path / "bare"))
    full = load_study(write(tmp_path / "full", STUDY, CLAIMS, PUBLISHED))

    assert (bare.claims.claims, bare.published.figures) == ({}, ())
    assert list(full.claims.claims) == ["C1"]
    assert list(full.files) == ["study.toml", "claims.toml", "published.toml"]
    assert list(bare.files) == ["study.toml"]


def test_published_figures_are_scaled_and_named_as_in_the_study(tmp_path: Path) -> None:
    (figure,) = load_study(write(tmp_path, STUDY, CLAIMS, PUBLISHED)).published.figures

    assert figure.at == {"contender": "grpc", "environment": "container"}
    assert figure.values == {
        "latency_mean_us": 1500.0,
        "sd": 2250.0,
        "ci_low": 1000.0,
        "ci_high": 2000.0,
        "n": 20,
    }


@pytest.mark.parametrize("written", ["50", "0.5", "[]"])
def test_a_value_instead_of_a_table_is_shown_within_one(tmp_path: Path, written: str) -> None:
    study = STUDY.replace("{ transactions = 10 }", written)

    assert_worded(problems_of(write(tmp_path, study))["study.toml design.smoke.warm_up"])


def test_every_mistake_in_all_three_files_is_reported_at_once(tmp_path: Path) -> None:
    study = (
        STUDY.replace('baseline = "rest"', 'baseline = "rset"')
        .replace('"native", "container"]', '"native", "kontainer"]')
        .replace("clients = 1", "clients = 0\nclientz = 2")
        .replace("blocks = 6", 'blocks = "six"')
        .replace('where = { workload = "fetch" }', 'where = { workload = "fetsh" }')
        .replace("Here {answer}.", "Here it is.")
        .replace('title = "Tiny"\n', "")
    )
    claims = CLAIMS.replace('lower = "grpc"', 'lower = "grcp"').replace("mean_us", "meen_us")
    published = PUBLISHED.replace('"grpc"', '"gprc"').replace("[1.5, 2.25, 1.0, 2.0, 20]", "[1.5]")

    problems = problems_of(write(tmp_path, study, claims, published))

    assert sorted(problems) == [
        "claims.toml claim.C1.expect.0.lower",
        "claims.toml claim.C1.expect.0.metric",
        "published.toml names.contender.gRPC 1.0",
        "published.toml table.0",
        "study.toml baseline",
        "study.toml design.smoke.blocks",
        "study.toml environments.1",
        "study.toml load.u1.clients",
        "study.toml load.u1.clientz",
        "study.toml question.speed.sentence",
        "study.toml question.speed.where.workload",
        "study.toml title",
    ]
    assert_worded("\n".join(problems.values()))


SLICES = "slices = { permutations = 10 }"
CLOSED = 'kind = "closed"\nclients = 1'
LOAD = '[load.u1]\ntitle = "one client"\n' + CLOSED
CAPACITY = 'kind = "capacity"\nobjective = '
READ = 'operation = "read"'


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("clients = 1", "clients = 1\nrate_per_s = 5", "load.u1.rate_per_s"),
        ('kind = "closed"', 'kind = "close"', "load.u1.kind"),
        ('kind = "closed"', "", "load.u1.kind"),
        ("clients = 1", 'clients = "1"', "load.u1.clients"),
        ("clients = 1", "clients = true", "load.u1.clients"),
        (CLOSED, 'kind = "poisson"', "load.u1.rate_per_s"),
        (CLOSED, CAPACITY + '"fast"', "load.u1.objective"),
        (LOAD, "", "load"),
        ("permutations = 10", "permutations = 0", "design.smoke.slices.permutations"),
        (SLICES, "separate = true\nwindow = {}", "design.smoke.window"),
        (SLICES, "separate = true", "design.smoke.window"),
        (SLICES, "window = { seconds = 1 }", "design.smoke"),
        (SLICES, f"{SLICES}\nseparate = true\nwindow = {{ seconds = 1 }}", "design.smoke"),
        (CLOSED, RAMP, "design.smoke"),
        ("blocks = 6", 'blocks = 6\nuntil = "decided"\nbudget_minutes = 5', "design.smoke"),
        (LOAD, f'{LOAD}\n[load.most]\ntitle = "most"\n{CAPACITY}"p99<50ms"', "design.smoke"),
        ("blocks = 6", "", "design.smoke.blocks"),
        ("blocks = 6", 'until = "decided"', "design.smoke.budget_minutes"),
        ("blocks", "wire = { transactions = [2, 2] }\nblocks", "design.smoke.wire.transactions"),
        ("warm_up = { transactions = 10 }", "", "design.smoke.warm_up"),
        ('id = "tiny"', 'id = "tiny"\nmargin = 0.3', "margin"),
        ('id = "tiny"', 'id = "tiny"\nmetric = "latency_p99_us"', "metric"),
        ('stores = ["postgresql"]', 'stores = ["rest"]', "stores.0"),
        ('stores = ["postgresql"]', "stores = []", "stores"),
        ("[workload.fetch]", "[workload.Fetch]", "workload.Fetch"),
        ('"rest", "grpc"]', '"rest", "grpc", "fetch"]', "workload.fetch"),
        (READ, "mix = { fetch = 1 }\ninline = true\ncontrol = true", "workload.fetch"),
        (READ, READ + "\ncontrol = true", "workload.fetch.control"),
        (
            READ,
            READ + "\nparameter_sets = 4\nparameters = { limit = [1, 2, 3] }",
            "workload.fetch.parameters.limit",
        ),
        (READ, READ + "\nparameters = { ids = [[1, 2]] }", "workload.fetch.parameters.ids"),
        (
            "[load.u1]",
            '[workload.mixed]\ntitle = "m"\nstate = "ten"\nmix = { fetch = 1 }\n[load.u1]',
            "workload.mixed.state",
        ),
        (
            "sentence =",
            'compare = "environment"\nagainst = "baseline"\nsentence =',
            "question.speed",
        ),
        *(
            ("{answer}", field, "question.speed.sentence")
            for field in ("{answer:>900000000}", "{answer.real}", "{answer} {other}", "{answer")
        ),
    ],
)
def test_a_mistake_in_study_toml_is_reported_with_its_key_and_remedy(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    assert_worded(problems_of(write(tmp_path, STUDY.replace(old, new, 1)))[f"study.toml {key}"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('lower = "grpc"', 'lower = "grcp"'),
        ('higher = "rest"', 'higher = "rest"\nwhere = { contender = "rest" }'),
        ('kind = "direction"', 'kind = "ratio"'),
        ('kind = "direction"', 'kind = "threshold"'),
    ],
)
def test_mistakes_in_claims_toml_are_explained(tmp_path: Path, old: str, new: str) -> None:
    with raises_worded(ProblemsError):
        load_study(write(tmp_path, STUDY, CLAIMS.replace(old, new)))


def test_a_check_of_the_paper_must_name_levels_of_what_it_compares(tmp_path: Path) -> None:
    check = """
[[check]]
kind = "quotients"
text = "what a container costs"
metric = "latency_mean_us"
compare = "environment"
numerator = "container"
denominator = "nativ"
"""

    problems = problems_of(write(tmp_path, STUDY, CLAIMS, PUBLISHED + check))

    assert list(problems) == ["published.toml check.0.denominator"]
    assert_worded(*problems.values())


def test_a_published_row_must_use_a_name_that_is_translated(tmp_path: Path) -> None:
    published = PUBLISHED.replace('{ contender = "gRPC 1.0"', '{ contender = "gRPC"')

    problems = problems_of(write(tmp_path, STUDY, CLAIMS, published))

    assert list(problems) == ["published.toml table.0.rows.0.contender"]
    assert_worded(*problems.values())


def test_a_file_that_is_no_toml_does_not_hide_mistakes_in_the_others(tmp_path: Path) -> None:
    claims = CLAIMS.replace("mean_us", "meen_us")

    problems = problems_of(write(tmp_path, "id = tiny", claims))

    assert sorted(problems) == [
        "claims.toml claim.C1.expect.0.metric",
        "study.toml, line 1 ",
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [("[" * 100_000, "nested too deeply"), ("9" * 10_000, "Exceeds the limit")],
)
def test_toml_that_python_cannot_hold_is_refused(tmp_path: Path, value: str, reason: str) -> None:
    (problem,) = problems_of(write(tmp_path, f"id = {value}"))

    assert problem.startswith("study.toml")
    with pytest.raises(ProblemsError, match=f"not valid TOML: .*{reason}"):
        load_study(tmp_path)


def test_unknown_keys_are_reported_with_a_suggestion_at_every_depth(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        STUDY.replace("stores =", "store =")
        .replace("clients = 1", "clinets = 1")
        .replace("permutations = 10", "permutation = 10")
    )

    with raises_worded(ProblemsError) as error:
        load_study(tmp_path)

    assert {"store", "load.u1.clinets", "design.smoke.slices.permutation"} <= {
        problem.key for problem in error.value.problems
    }


@pytest.mark.parametrize(
    ("title", "heading"), [("list_items", "list_items"), ("list of items", "List of items")]
)
def test_a_heading_is_capitalised_unless_it_is_an_id(title: str, heading: str) -> None:
    assert Workload(title=title, operation="list_items").heading == heading
