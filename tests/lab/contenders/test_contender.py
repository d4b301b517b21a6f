"""contender.toml: what is right in it, and everything that is wrong at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.stacks import GOOD, with_stack
from wirelab.domain.model import Domain
from wirelab.inputs.problems import ProblemsError
from wirelab.lab.contenders.contender import load_contenders, without_contender_file


def test_the_games_have_a_contender_for_each_protocol(games: Domain) -> None:
    contenders = load_contenders(games)

    assert {contender.protocol for contender in contenders.values()} == set(
        games.operations["read"].bindings
    )
    assert all(contender.id == name for name, contender in contenders.items())


def test_a_stack_is_read(games: Domain, tmp_path: Path) -> None:
    contender = load_contenders(with_stack(games, tmp_path, small=GOOD))["rest-small"]

    assert (contender.stack, contender.protocol, contender.path) == ("small", "rest", "/")
    assert contender.settings == {"workers": 1}
    assert contender.input_paths() == [contender.folder / "lock.txt"]
    assert contender.unmet_requirements() == {}


def test_all_problems_of_all_files_at_once(games: Domain, tmp_path: Path) -> None:
    wrong = (
        GOOD.replace('"lock.txt"', '"lokc.txt"')
        .replace("{cores}", "{core}")
        .replace("[build]\n", '[build]\nenvironment = { CACHE = "{built}/cache" }\n')
        .replace('"rest"', '"resT"')
        .replace("{port}", "{prot}")
    )
    unknown_key = GOOD.replace("rest-small", "rest-other") + 'colour = "red"\n'
    stacks = {"a": GOOD, "b": GOOD, "c": wrong, "d": unknown_key, "e": "stack = 'no end"}

    with pytest.raises(ProblemsError) as raised:
        load_contenders(with_stack(games, tmp_path, **stacks))

    text = str(raised.value)
    assert "b/contender.toml: contender.rest-small" in text
    assert "an id not used in" in text
    assert "c/contender.toml: build.inputs.0 is 'lokc.txt'; expected a file in" in text
    assert "c/contender.toml: build.commands.0 is '{core}'" in text
    assert "did you mean 'cores'?" in text
    assert "c/contender.toml: build.environment is '{built}'" in text
    assert "c/contender.toml: contender.rest-small.protocol is 'resT'" in text
    assert "did you mean 'rest'?" in text
    assert "contender.rest-small.command is '{prot}'" in text
    assert "d/contender.toml: contender.rest-other.colour is 'red'; expected no such key" in text
    assert "e/contender.toml" in text


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('requires = ["sh"]', 'requires = "sh"', r"requires is 'sh'; expected a list, such as \["),
        (
            "[contender.rest-small]",
            "[contender.rest_Small]",
            "contender.rest_Small is 'rest_Small'; expected an id of lower-case letters, digits",
        ),
        (
            'protocol = "rest"',
            'protocol = "rest"\npath = "v1"',
            "path is 'v1'; expected a path that begins with /",
        ),
        (
            "settings = { workers = 1 }",
            "settings = { workers = [4] }",
            r"settings\.workers is \[4\]; expected a text, a number, true or false$",
        ),
        (
            "settings = { workers = 1 }",
            'packages = ["flask"]',
            r"packages is \['flask'\]; expected no packages without versions in \[build\], the",
        ),
        (
            'protocol = "rest"',
            'protocol = "rest"\ndialect = "tables"',
            r"dialect is 'tables'; expected no dialect: domain games has no dialects/\*\.toml",
        ),
        (
            'protocol = "rest"',
            'protocol = "rest"\nprotocol = "grpc"',
            r"contender\.toml, line \d+: not valid TOML: Cannot overwrite a value$",
        ),
        (
            'protocol = "rest"',
            'protocol = "rest',
            r"line \d+: not valid TOML: a quoted text must end with a quote in the same line$",
        ),
        (
            'protocol = "rest"',
            "protocol = rest",
            r"line \d+: not valid TOML: no value after =, or a text without quotes$",
        ),
    ],
)
def test_a_mistake_is_reported_with_the_keys_of_the_file(
    games: Domain, tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOOD
    with pytest.raises(ProblemsError, match=problem) as error:
        load_contenders(with_stack(games, tmp_path, small=GOOD.replace(old, new, 1)))

    assert len(error.value.problems) == 1


def test_the_control_is_bound_to_every_protocol_of_a_contender(
    games: Domain, tmp_path: Path
) -> None:
    without = replace(games.operations["ping"], bindings={})
    domain = with_stack(
        replace(games, operations={**games.operations, "ping": without}),
        tmp_path,
        small=GOOD,
        other=GOOD.replace("small", "other"),
    )

    with pytest.raises(ProblemsError) as raised:
        load_contenders(domain)

    (problem,) = raised.value.problems
    assert problem.where.endswith("domain.toml")
    assert problem.key == "operation.ping.rest"
    assert "the control must be bound to every protocol of a contender" in problem.expected


def test_a_contender_can_need_more_than_its_stack(games: Domain, tmp_path: Path) -> None:
    more = f'{GOOD}requires = ["sh>=999"]\n'
    contenders = load_contenders(with_stack(games, tmp_path, small=more))

    assert contenders["rest-small"].requires == ("sh", "sh>=999")
    assert list(contenders["rest-small"].unmet_requirements()) == ["sh>=999"]


def test_a_boolean_is_not_written_in_quotes(games: Domain, tmp_path: Path) -> None:
    text = GOOD + 'inherit = "no"\n'
    with pytest.raises(ProblemsError, match=r"inherit is 'no'; expected true or false"):
        load_contenders(with_stack(games, tmp_path, small=text))


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('"sh > 5"', r"'sh > 5'; expected the name of a program, or .*, such as mvn or java>=21$"),
        ("5", r"5; expected a text$"),
    ],
)
def test_a_requirement_has_a_form(
    games: Domain, tmp_path: Path, written: str, problem: str
) -> None:
    wrong = GOOD.replace('"sh"', written)
    with pytest.raises(ProblemsError, match=rf"requires\.0 is {problem}"):
        load_contenders(with_stack(games, tmp_path, small=wrong))


VARIED = (
    GOOD
    + """
environment = { WORKERS = "1", POOL = "10" }
[variant.wide]
title = "four workers"
of = ["rest-small"]
settings = { workers = 4 }
environment = { WORKERS = "4" }
"""
)


def test_a_variant_is_a_contender_with_other_settings(games: Domain, tmp_path: Path) -> None:
    contenders = load_contenders(with_stack(games, tmp_path, small=VARIED))
    wide = contenders["rest-small-wide"]

    assert list(contenders) == ["rest-small", "rest-small-wide"]
    assert (wide.id, wide.variant_of) == ("rest-small-wide", "rest-small")
    assert wide.title == "REST, small; four workers"
    assert wide.settings == {"workers": 4}
    assert wide.environment == {"WORKERS": "4", "POOL": "10"}
    assert wide.command == contenders["rest-small"].command
    assert contenders["rest-small"].variant_of == ""


def test_a_variant_may_have_another_scheme_and_headers(games: Domain, tmp_path: Path) -> None:
    text = VARIED + 'scheme = "h2c"\nheaders = { accept-encoding = "gzip" }\n'
    contenders = load_contenders(with_stack(games, tmp_path, small=text))

    assert contenders["rest-small-wide"].scheme == "h2c"
    assert contenders["rest-small-wide"].headers == {"accept-encoding": "gzip"}
    assert contenders["rest-small"].scheme is None
    assert contenders["rest-small"].headers == {}


def test_a_variant_is_of_contenders_of_its_stack(games: Domain, tmp_path: Path) -> None:
    wrong = VARIED.replace('of = ["rest-small"]', 'of = ["rest-smal"]')
    with pytest.raises(ProblemsError, match=r"variant\.wide\.of\.0 is 'rest-smal'.*rest-small"):
        load_contenders(with_stack(games, tmp_path, small=wrong))


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            'address = "SMALL_URL"\n',
            "command and address exclude each other: .*hint: remove",
        ),
        ("", r"small\.command missing; expected .*, or address if it already runs"),
    ],
)
def test_a_contender_is_either_started_or_found(
    games: Domain, tmp_path: Path, more: str, expected: str
) -> None:
    text = GOOD if more else GOOD.replace('command = ["{build}/server", "--port", "{port}"]', "")
    with pytest.raises(ProblemsError, match=expected):
        load_contenders(with_stack(games, tmp_path, small=text + more))


def test_two_stacks_have_different_identifiers(games: Domain, tmp_path: Path) -> None:
    other = GOOD.replace("rest-small", "rest-other")

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, a=GOOD, b=other))

    (problem,) = map(str, error.value.problems)
    assert "b/contender.toml: stack is 'small'; expected an identifier that" in problem
    assert "a/contender.toml does not use" in problem


def test_the_schemes_of_all_contenders_must_support_their_protocols(
    games: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMES_URL", "wss://games.example")
    monkeypatch.setenv("GAMES_RPC_URL", "no address")
    grpc = GOOD.replace('"rest"', '"grpc"').replace("rest-small", "grpc-small")
    stack = (
        grpc.replace("settings =", 'scheme = "h3"\nsettings =')
        + '[contender.found]\ntitle = ""\nprotocol = "graphql"\naddress = "GAMES_URL"\n'
        + '[contender.called]\ntitle = ""\nprotocol = "grpc"\naddress = "GAMES_RPC_URL"\n'
        + '[contender.pushed]\ntitle = ""\nprotocol = "websocket"\naddress = "h2c://a.example"\n'
        + '[variant.socket]\ntitle = ""\nof = ["grpc-small"]\nscheme = "ws"\n'
        + '[variant.secure]\ntitle = ""\nof = ["grpc-small"]\nscheme = "h2"\n'
    )

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, small=stack))

    found = {problem.key: problem for problem in error.value.problems}
    assert found.keys() == {
        "contender.grpc-small.scheme",
        "contender.found.address",
        "contender.pushed.address",
        "variant.socket.scheme",
    }
    assert str(found["contender.pushed.address"]).endswith(
        "is 'h2c'; expected a scheme that supports websocket: one of http, https, ws, wss"
    )


def test_a_scheme_beside_an_address_and_tls_without_tls_are_mistakes(
    games: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMES_URL", "http://games.example")
    monkeypatch.delenv("OTHER_URL", raising=False)
    found = '[contender.{0}]\ntitle = ""\nprotocol = "rest"\naddress = "{1}"\n'
    insecure = "tls = { insecure = true }\n"
    stack = (
        GOOD
        + insecure
        + (found.format("both", "https://a.example") + 'scheme = "h2"\n' + insecure)
        + (found.format("clear", "GAMES_URL") + insecure)
        + (found.format("unknown", "OTHER_URL") + insecure)
        + '[variant.plain]\ntitle = ""\nof = ["rest-small"]\nscheme = "h2c"\n'
        + f'[variant.again]\ntitle = ""\nof = ["rest-small"]\n{insecure}'
        + f'[variant.safe]\ntitle = ""\nof = ["rest-small"]\nscheme = "h2"\n{insecure}'
        + '[variant.other]\ntitle = ""\nof = ["both"]\nscheme = "https"\n'
    )

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, small=stack))

    problems = {problem.key: str(problem) for problem in error.value.problems}
    assert problems.keys() == {
        "contender.rest-small.tls",
        "contender.both.scheme",
        "contender.clear.tls",
        "variant.again.tls",
        "variant.other.scheme",
    }
    assert problems["contender.rest-small.tls"].endswith(
        "is {'insecure': True}; expected no tls, since http and h2c do not use TLS"
        " (hint: use a scheme over TLS, one of h2, h3, https, or remove tls)"
    )
    assert problems["contender.both.scheme"].endswith(
        "is 'h2'; expected no scheme beside an address, which begins with its own"
        " (hint: write h2://HOST:PORT as the address, and remove scheme)"
    )


def test_tls_of_a_contender_may_be_for_its_variants(games: Domain, tmp_path: Path) -> None:
    secure = '[variant.safe]\ntitle = ""\nof = ["rest-small"]\nscheme = "https"\n'
    stack = GOOD + "tls = { insecure = true }\n" + secure

    contenders = load_contenders(with_stack(games, tmp_path, small=stack))

    assert contenders["rest-small-safe"].tls.insecure


def test_paths_are_relative_to_the_file_that_names_them(games: Domain, tmp_path: Path) -> None:
    stack = (
        GOOD
        + 'scheme = "https"\nworking_folder = "../here"\nheaders_file = "headers"\n'
        + 'tls = { ca = "lock.txt" }\n'
    )
    (tmp_path / "contenders" / "here").mkdir(parents=True)

    contender = load_contenders(with_stack(games, tmp_path, small=stack))["rest-small"]

    folder = tmp_path / "contenders" / "small"
    assert contender.working_folder is not None
    assert contender.working_folder.samefile(tmp_path / "contenders" / "here")
    assert contender.headers_file == folder / "headers"
    assert contender.tls.ca == folder / "lock.txt"


def test_files_and_folders_that_do_not_exist_are_mistakes(games: Domain, tmp_path: Path) -> None:
    stack = (
        GOOD
        + 'scheme = "https"\nworking_folder = "gone"\ntls = { ca = "ca.pem" }\n'
        + '[variant.mutual]\ntitle = ""\nof = ["rest-small"]\n'
        + 'tls = { certificate = "lock.txt", key = "/gone/key.pem" }\n'
    )

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, small=stack))

    found = {problem.key: (problem.value, problem.expected) for problem in error.value.problems}
    folder = tmp_path / "contenders" / "small"
    assert found == {
        "contender.rest-small.tls.ca": (
            "ca.pem",
            f"a file, but {folder / 'ca.pem'} does not exist",
        ),
        "variant.mutual.tls.key": ("/gone/key.pem", "a file, but /gone/key.pem does not exist"),
        "contender.rest-small.working_folder": (
            "gone",
            f"a folder, but {folder / 'gone'} does not exist",
        ),
    }


def test_a_call_of_a_service_is_reported_with_its_key(games: Domain, tmp_path: Path) -> None:
    own = '[contender.rest-small.service.a]\ncalls = ["a"]\n[contender.rest-small.service.b]\n'

    with pytest.raises(ProblemsError) as error:
        load_contenders(with_stack(games, tmp_path, small=GOOD + own))

    (problem,) = map(str, error.value.problems)
    assert problem.endswith(
        "contender.rest-small.service.a.calls.0 is 'a'; expected another service: one of b"
    )


def test_a_folder_without_its_file_is_found_unless_stacks_share_it(
    games: Domain, tmp_path: Path
) -> None:
    stack = GOOD.replace('["make"', '["cp", "../common/a.py", "{build}"], ["make"')
    with_stack(games, tmp_path, small=stack)
    for name in ("wsgi", "common", "__pycache__"):
        (tmp_path / "contenders" / name).mkdir()

    assert without_contender_file(tmp_path) == ["wsgi"]
