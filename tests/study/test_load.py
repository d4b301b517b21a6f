"""Study files are read, and every mistake in them is reported at once."""

from pathlib import Path

import pytest

from tests.study.files import STUDY, problems_of, write
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
[names.contender]
"gRPC 1.0" = "grpc"
[[table]]
source = "Table 1"
title = "Times"
scale = 1000.0
columns = ["latency_mean_us", "n"]
rows = [{ contender = "gRPC 1.0", values = [1.5, 20] }]
"""


def test_a_folder_or_its_file_is_loaded(tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny")

    assert load_study(folder).id == "tiny"
    assert load_study(folder / "study.toml") == load_study(str(folder))


def test_claims_and_published_figures_are_optional(
    tmp_path: Path,
) -> None:
    bare = load_study(write(tmp_path / "bare"))
    full = load_study(write(tmp_path / "full", STUDY, CLAIMS, PUBLISHED))

    assert (bare.claims.claims, bare.published.figures) == ({}, ())
    assert list(full.claims.claims) == ["C1"]
    assert list(full.files) == ["study.toml", "claims.toml", "published.toml"]
    assert list(bare.files) == ["study.toml"]


def test_published_figures_are_scaled_and_named_as_in_the_study(tmp_path: Path) -> None:
    (figure,) = load_study(write(tmp_path, STUDY, CLAIMS, PUBLISHED)).published.figures

    assert figure.at == {"contender": "grpc"}
    assert figure.values == {"latency_mean_us": 1500.0, "n": 20}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("50", "a table, such as { transactions = 50 }"),
        ("0.5", "a table, such as { seconds = 0.5 }"),
        ("[]", "a table"),
    ],
)
def test_a_value_instead_of_a_table_is_shown_within_one(
    tmp_path: Path, written: str, expected: str
) -> None:
    study = STUDY.replace("{ transactions = 10 }", written)

    with pytest.raises(ProblemsError) as raised:
        load_study(write(tmp_path, study))

    (problem,) = raised.value.problems
    assert (problem.key, problem.expected) == ("design.smoke.warm_up", expected)


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
    published = PUBLISHED.replace('"grpc"', '"gprc"').replace("[1.5, 20]", "[1.5]")

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
    assert "did you mean 'rest'?" in problems["study.toml baseline"]
    assert "did you mean 'container'?" in problems["study.toml environments.1"]
    assert "did you mean 'fetch'?" in problems["study.toml question.speed.where.workload"]
    assert "did you mean 'latency_mean_us'?" in problems["claims.toml claim.C1.expect.0.metric"]
    assert "one of grpc, rest" in problems["published.toml names.contender.gRPC 1.0"]
    assert "row 1 has 1" in problems["published.toml table.0"]


@pytest.mark.parametrize(
    ("old", "new", "key", "expected"),
    [
        ("clients = 1", "clients = 1\nrate_per_s = 5", "load.u1.rate_per_s", "no such key"),
        (
            'kind = "closed"',
            'kind = "close"',
            "load.u1.kind",
            "capacity, closed, constant, poisson",
        ),
        ('kind = "closed"', 'kind = "close"', "load.u1.kind", "did you mean 'closed'?"),
        ('kind = "closed"', "", "load.u1.kind", "missing"),
        ("clients = 1", 'clients = "1"', "load.u1.clients", "hint: write it without quotes"),
        ("clients = 1", "clients = true", "load.u1.clients", "expected a valid integer"),
        (
            'kind = "closed"\nclients = 1',
            'kind = "poisson"',
            "load.u1.rate_per_s",
            "missing; expected a number, or share_of_capacity instead",
        ),
        (
            "{ permutations = 10 }",
            "{ permutations = 0 }",
            "design.smoke.slices.permutations",
            "greater than",
        ),
        (
            "slices = { permutations = 10 }",
            "separate = true\nwindow = {}",
            "design.smoke.window",
            "at least one of transactions",
        ),
        (
            "slices = { permutations = 10 }",
            "separate = true",
            "design.smoke.window",
            "missing; expected a table such as { seconds = 10 }, which separate = true needs",
        ),
        (
            "slices = { permutations = 10 }",
            "window = { seconds = 1 }",
            "design.smoke",
            "window needs separate = true: otherwise, contenders take turns",
        ),
        (
            "slices = { permutations = 10 }",
            "slices = { permutations = 10 }\nseparate = true\nwindow = { seconds = 1 }",
            "design.smoke",
            "separate = true and slices exclude each other: each run is measured by itself, in a"
            " window (hint: remove slices; or write separate = false, and remove window)",
        ),
        (
            'kind = "closed"\nclients = 1',
            'kind = "ramp"\nfrom_rate_per_s = 1\nto_rate_per_s = 9\nseconds = 1',
            "design.smoke",
            "loads whose rate changes (u1) need separate = true",
        ),
        (
            "blocks = 6",
            'blocks = 6\nuntil = "decided"\nbudget_minutes = 5',
            "design.smoke",
            "blocks and until exclude each other",
        ),
        (
            'kind = "closed"\nclients = 1',
            'kind = "capacity"\nobjective = "fast"',
            "load.u1.objective",
            "p99<50ms",
        ),
        (
            'kind = "closed"\nclients = 1',
            'kind = "closed"\nclients = 1\n[load.most]\ntitle = "most"\nkind = "capacity"\n'
            'objective = "p99<50ms"',
            "design.smoke",
            "loads of kind capacity (most) and others (u1) exclude each other (hint: write loads ="
            ' ["u1"], and a separate design for the capacity)',
        ),
        ('id = "tiny"', 'id = "tiny"\nmargin = 0.3', "margin", "0.25"),
        (
            "blocks = 6",
            "",
            "design.smoke.blocks",
            'missing; expected a number of blocks; or write until = "decided" with budget_minutes',
        ),
        (
            "blocks = 6",
            'until = "decided"',
            "design.smoke.budget_minutes",
            "missing; expected the longest time for measuring, which until needs (hint: add",
        ),
        (
            "blocks = 6",
            "blocks = 6\nwire = { transactions = [2, 2] }",
            "design.smoke.wire.transactions",
            "all differ",
        ),
        (
            'state = "hundred"',
            'state = "hundred"\ncontrol = true',
            "workload.fetch.control",
            "is true; expected false, or another workload, since the control is never compared",
        ),
        ("[workload.fetch]", "[workload.Fetch]", "workload.Fetch", "lower-case letters, digits"),
        (
            '"rest", "grpc"]',
            '"rest", "grpc", "fetch"]',
            "workload.fetch",
            "a contender already has",
        ),
        ('stores = ["postgresql"]', 'stores = ["rest"]', "stores.0", "a contender already has"),
        (
            "sentence =",
            'compare = "environment"\nagainst = "baseline"\nsentence =',
            "question.speed",
            'against = "baseline" and compare = "environment" exclude each other: the baseline is',
        ),
        (
            'operation = "read"',
            "mix = { fetch = 1 }\ninline = true\ncontrol = true",
            "workload.fetch",
            "mix, inline and control exclude each other: the workloads of the mix have their own"
            " (hint: remove inline and control)",
        ),
        (
            "[load.u1]",
            '[workload.mixed]\ntitle = "m"\nstate = "ten"\nmix = { fetch = 1 }\n[load.u1]',
            "workload.mixed.state",
            "is 'ten'; expected 'hundred', that of fetch, since a mix has one state",
        ),
        *(
            ("{answer}", field, "question.speed.sentence", "once, and no other braces")
            for field in ("{answer:>900000000}", "{answer.real}", "{answer} {other}", "{answer")
        ),
        ('stores = ["postgresql"]', "stores = []", "stores", "at least 1 of them"),
        ('id = "tiny"', 'id = "tiny"\nmetric = "latency"', "metric", "one of "),
        (
            'id = "tiny"',
            'id = "tiny"\nmetric = "latency_p99_us"',
            "metric",
            "one of capacity_per_s, first_item_median_us, gap_median_us, gap_p99_us",
        ),
        (
            'operation = "read"',
            'operation = "read"\nparameter_sets = 4\nparameters = { limit = [1, 2, 3] }',
            "workload.fetch.parameters.limit",
            "is [1, 2, 3]; expected one value, or parameter_sets = 3 or a multiple of it",
        ),
        (
            'operation = "read"',
            'operation = "read"\nparameters = { ids = [[1, 2]] }',
            "workload.fetch.parameters.ids",
            "is [[1, 2]]; expected a text, a number, true or false, or a list of at least one of",
        ),
        (
            '[load.u1]\ntitle = "one client"\nkind = "closed"\nclients = 1',
            "",
            "load",
            "missing; expected at least one table [load.NAME] with kind and title",
        ),
        (
            "warm_up = { transactions = 10 }",
            "",
            "design.smoke.warm_up",
            "missing; expected a table [design.smoke.warm_up]",
        ),
    ],
)
def test_a_mistake_in_study_toml_names_key_and_remedy(
    tmp_path: Path, old: str, new: str, key: str, expected: str
) -> None:
    problems = problems_of(write(tmp_path, STUDY.replace(old, new, 1)))

    assert expected in problems[f"study.toml {key}"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('lower = "grpc"', 'lower = "grcp"', "did you mean 'grpc'?"),
        (
            'higher = "rest"',
            'higher = "rest"\nwhere = { contender = "rest" }',
            "no contender in where, since that is what is compared",
        ),
        ('kind = "direction"', 'kind = "ratio"', "a value"),
        (
            'kind = "direction"',
            'kind = "threshold"',
            "claim.C1.expect.0.where missing; expected a table",
        ),
    ],
)
def test_a_mistake_in_claims_toml_is_explained(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    problems = problems_of(write(tmp_path, STUDY, CLAIMS.replace(old, new)))

    assert any(expected in line for line in problems.values())


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
    assert "did you mean 'native'?" in problems["published.toml check.0.denominator"]


def test_a_published_row_must_use_a_name_that_is_translated(tmp_path: Path) -> None:
    published = PUBLISHED.replace('{ contender = "gRPC 1.0"', '{ contender = "gRPC"')

    problems = problems_of(write(tmp_path, STUDY, CLAIMS, published))

    assert list(problems) == ["published.toml table.0.rows.0.contender"]
    assert "did you mean 'gRPC 1.0'?" in problems["published.toml table.0.rows.0.contender"]


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

    with pytest.raises(ProblemsError) as error:
        load_study(tmp_path)

    hints = {problem.key: problem.hint for problem in error.value.problems}
    assert hints["store"] == "did you mean 'stores'?"
    assert hints["load.u1.clinets"] == "did you mean 'clients'?"
    assert hints["design.smoke.slices.permutation"] == "did you mean 'permutations'?"


@pytest.mark.parametrize(
    ("title", "heading"), [("list_items", "list_items"), ("list of items", "List of items")]
)
def test_a_heading_is_capitalised_unless_it_is_an_id(title: str, heading: str) -> None:
    assert Workload(title=title, operation="list_items").heading == heading
