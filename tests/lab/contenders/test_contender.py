"""contender.toml: what is right in it, and everything that is wrong at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.stacks import GOOD, with_stack
from tests.support.wording import raises_worded
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

    with raises_worded(ProblemsError):
        load_contenders(with_stack(games, tmp_path, **stacks))


REST = 'protocol = "rest"'
SETTINGS = "settings = { workers = 1 }"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('requires = ["sh"]', 'requires = "sh"'),
        ("[contender.rest-small]", "[contender.rest_Small]"),
        (REST, f'{REST}\npath = "v1"'),
        (SETTINGS, "settings = { workers = [4] }"),
        (SETTINGS, 'packages = ["flask"]'),
        (REST, f'{REST}\ndialect = "tables"'),
        (REST, f'{REST}\nprotocol = "grpc"'),
        (REST, 'protocol = "rest'),
        (REST, "protocol = rest"),
        ('"sh"', '"sh > 5"'),
        ('"sh"', "5"),
        (SETTINGS, f'{SETTINGS}\ninherit = "no"'),
        (SETTINGS, f'{SETTINGS}\naddress = "SMALL_URL"'),
        ('command = ["{build}/server", "--port", "{port}"]', ""),
    ],
)
def test_a_mistake_is_reported_with_the_keys_of_the_file(
    games: Domain, tmp_path: Path, old: str, new: str
) -> None:
    assert old in GOOD
    with raises_worded(ProblemsError) as error:
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

    with raises_worded(ProblemsError):
        load_contenders(domain)


def test_a_contender_can_need_more_than_its_stack(games: Domain, tmp_path: Path) -> None:
    more = f'{GOOD}requires = ["sh>=999"]\n'
    contenders = load_contenders(with_stack(games, tmp_path, small=more))

    assert contenders["rest-small"].requires == ("sh", "sh>=999")
    assert list(contenders["rest-small"].unmet_requirements()) == ["sh>=999"]


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
    text = VARIED + 'scheme = "h2c"\nheaders = { accept-encoding = "gzip" }\n'
    contenders = load_contenders(with_stack(games, tmp_path, small=text))
    small, wide = contenders["rest-small"], contenders["rest-small-wide"]

    assert list(contenders) == ["rest-small", "rest-small-wide"]
    assert (wide.id, wide.variant_of) == ("rest-small-wide", "rest-small")
    assert wide.title == f"{small.title}; four workers"
    assert wide.settings == {"workers": 4}
    assert wide.environment == {"WORKERS": "4", "POOL": "10"}
    assert wide.command == small.command
    assert (wide.scheme, wide.headers) == ("h2c", {"accept-encoding": "gzip"})
    assert (small.variant_of, small.scheme, small.headers) == ("", None, {})


@pytest.mark.parametrize(
    "stacks",
    [
        {"small": VARIED.replace('of = ["rest-small"]', 'of = ["rest-smal"]')},
        {
            "small": f"{GOOD}[contender.rest-small.service.a]\ncalls = ['a']\n"
            "[contender.rest-small.service.b]\n"
        },
    ],
    ids=["variant", "call"],
)
def test_names_that_do_not_fit_are_mistakes(
    games: Domain, tmp_path: Path, stacks: dict[str, str]
) -> None:
    with raises_worded(ProblemsError):
        load_contenders(with_stack(games, tmp_path, **stacks))


def test_the_schemes_of_all_contenders_must_support_their_protocols(
    games: Domain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAMES_URL", "wss://games.example")
    monkeypatch.setenv("GAMES_RPC_URL", "no address")
    grpc = GOOD.replace('"rest"', '"grpc"').replace("rest-small", "grpc-small")
    stack = (
        grpc.replace("settings =", 'scheme = "h3"\nsettings =')
        + '[contender.found]\ntitle = ""\nprotocol = "soap"\naddress = "GAMES_URL"\n'
        + '[contender.called]\ntitle = ""\nprotocol = "grpc"\naddress = "GAMES_RPC_URL"\n'
        + '[contender.pushed]\ntitle = ""\nprotocol = "websocket"\naddress = "h2c://a.example"\n'
        + '[variant.socket]\ntitle = ""\nof = ["grpc-small"]\nscheme = "ws"\n'
        + '[variant.secure]\ntitle = ""\nof = ["grpc-small"]\nscheme = "h2"\n'
    )

    with raises_worded(ProblemsError):
        load_contenders(with_stack(games, tmp_path, small=stack))


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

    with raises_worded(ProblemsError):
        load_contenders(with_stack(games, tmp_path, small=stack))


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

    with raises_worded(ProblemsError):
        load_contenders(with_stack(games, tmp_path, small=stack))


def test_a_folder_without_its_file_is_found_unless_stacks_share_it(
    games: Domain, tmp_path: Path
) -> None:
    stack = GOOD.replace('["make"', '["cp", "../common/a.py", "{build}"], ["make"')
    with_stack(games, tmp_path, small=stack)
    for name in ("wsgi", "common", "__pycache__"):
        (tmp_path / "contenders" / name).mkdir()

    assert without_contender_file(tmp_path) == ["wsgi"]
