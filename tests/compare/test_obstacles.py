"""Obstacles to an answer are named, and not measured."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.compare.running import HERE, OPENAPI, QUICK, error_of, serving, wirelab
from tests.support.wording import assert_worded
from wirelab.compare.probe import PATH_HINT
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.servers.obstacles import INSTEAD_OF_GRPC, Obstacle

URLS = "old=http://localhost:1/", "new=http://localhost:2/"

LIMITED, LOGIN = Obstacle(429, retry_after="3"), Obstacle(302, location="/login")
SESSION, TOKEN = Obstacle(403, cookie="session"), Obstacle(401, scheme="Bearer")


@pytest.mark.parametrize(
    ("way", "expected"),
    [("limit=2", LIMITED), ("redirect", LOGIN), ("cookie", SESSION), ("token=abcdef", TOKEN)],
)
def test_an_obstacle_is_named_before_anything_is_measured(
    tmp_path: Path, way: str, expected: Obstacle
) -> None:
    with serving(way) as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items/7"
        done = wirelab("compare", *sides, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    first, second, *messages = done.stderr.splitlines()
    assert first == "First requests 1/2: a"
    assert second.startswith("First requests 2/2: b")
    assert messages == [f"error: a: {expected}", f"b: {expected}"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("way", "status"), [("limit=3", "RESOURCE_EXHAUSTED"), ("token", "UNAUTHENTICATED")]
)
def test_an_obstacle_before_a_grpc_server_is_named(tmp_path: Path, way: str, status: str) -> None:
    with serving(way, program="grpc_server.py") as one, serving(program="grpc_server.py") as other:
        sides = f"a=grpc://{one}", f"b=grpc://{other}"
        done = wirelab(
            "compare", *sides, "--proto", "reflection", "--only", "get_item", *QUICK,
            folder=tmp_path,
        )  # fmt: skip

    assert done.returncode not in (ExitCode.OK, ExitCode.FAILED)
    assert status in done.stderr
    assert "verdict" not in done.stdout


@pytest.mark.parametrize(
    ("way", "expected", "code"),
    [
        ("limit=2", LIMITED, ExitCode.NOT_READY),
        ("cookie", SESSION, ExitCode.NOT_READY),
        ("token=abcdef", TOKEN, ExitCode.NOT_READY),
        ("redirect", LOGIN, ExitCode.BAD_INPUT),
    ],
)
def test_init_names_an_obstacle_and_leaves_nothing(
    tmp_path: Path, way: str, expected: Obstacle, code: ExitCode
) -> None:
    with serving(way) as one:
        arguments = "--openapi", OPENAPI, "--address", f"rest=http://{one}"
        done = wirelab("init", "own", *arguments, "--yes", folder=tmp_path)

    assert done.returncode == code
    assert str(expected) in " ".join(done.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_init_names_credentials_that_expire_meanwhile(tmp_path: Path) -> None:
    secret = "correct-horse-battery-staple"
    with serving(f"token={secret}", "expires=20") as one:
        done = wirelab(
            *("init", "own", "--openapi", OPENAPI, "--address", f"rest=http://{one}", "--yes"),
            *("--header", "Authorization: Bearer ${API_TOKEN}"),
            folder=tmp_path,
            environment={"API_TOKEN": secret},
        )

    assert done.returncode == ExitCode.NOT_READY, done.stderr
    assert f"rest, get_item: {TOKEN}" in " ".join(done.stderr.split())
    assert secret not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("way", "expected"),
    [(("limit=60",), LIMITED), (("token=abcdef", "expires=60"), TOKEN)],
)
def test_an_obstacle_that_appears_under_load_is_named_and_nothing_is_decided(
    tmp_path: Path, way: Sequence[str], expected: Obstacle
) -> None:
    with serving(*way) as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items/7"
        done = wirelab(
            *("compare", *sides, "--header", "Authorization: Bearer ${API_TOKEN}", *QUICK),
            folder=tmp_path,
            environment={"API_TOKEN": "abcdef"},
        )

    assert done.returncode not in (ExitCode.OK, ExitCode.FAILED)
    output = " ".join(done.stderr.split())
    assert output.count(f"under load {expected}") == 1
    assert f"expected 200, got {expected.status}: '{{" in output
    assert "verdict" not in done.stdout


@pytest.mark.parametrize(
    ("path", "servers", "expected"),
    [
        ("", "", "give the address with that prefix, such as {address}/api"),
        ("/items/7", "", "without a path, as the description has no prefix: {address}"),
        ("/api", "/api", "give the address with that prefix, such as {address}/v1"),
        ("/v2", "/shop", "give the address with the prefix of the description: {address}/shop"),
    ],
)
def test_404_to_every_operation_leads_to_the_prefix(
    tmp_path: Path, path: str, servers: str, expected: str
) -> None:
    description = OPENAPI.read_text()
    if servers:
        description += f"servers: [{{ url: {servers} }}]\n"
    (tmp_path / "api.yaml").write_text(description)
    with serving("below=/v1/") as one:
        address = f"http://{one}"
        sides = f"a={address}{path}", f"b={address}{path}"
        compared = wirelab("compare", *sides, "--openapi", "api.yaml", *QUICK, folder=tmp_path)
        arguments = "--openapi", "api.yaml", "--address", f"rest={address}{path}"
        begun = wirelab("init", "own", *arguments, "--yes", folder=tmp_path)

    for done, name in ((compared, "a"), (begun, "rest")):
        assert done.returncode == ExitCode.BAD_INPUT
        output = " ".join(done.stderr.split())
        assert f"{name} answers 404 to " in output
        assert f" below {address}{path or '/'}: " in output
        assert f"{expected.format(address=address)} " in f"{output} "


@pytest.mark.parametrize(
    ("scheme", "arguments", "expected"),
    [
        ("grpc", ("--proto", HERE / "items.proto"), INSTEAD_OF_GRPC),
        ("grpc", ("--proto", "reflection"), INSTEAD_OF_GRPC),
        ("h2c", ("--path", "/items/7"), "it answers HTTP/1.1, not"),
    ],
    ids=["file", "reflection", "h2c"],
)
def test_a_server_of_http1_is_recognised_where_http2_is_needed(
    tmp_path: Path, scheme: str, arguments: Sequence[str | Path], expected: str
) -> None:
    with serving() as one:
        sides = f"a={scheme}://{one}", f"b={scheme}://{one}"
        done = wirelab("compare", *sides, *arguments, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert f"hint: {expected}" in " ".join(done.stderr.split())


def test_init_recognises_a_server_of_http1_where_grpc_is_needed(tmp_path: Path) -> None:
    with serving() as one:
        arguments = "--proto", HERE / "items.proto", "--address", f"grpc=grpc://{one}"
        done = wirelab("init", "own", *arguments, "--yes", folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert f"hint: {INSTEAD_OF_GRPC}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("http://localhost:1/",),
        ("main", "HEAD", "--start", "serve"),
        (*URLS, "--margin", "50"),
        (*URLS, "--path", "items"),
        (*URLS, "--ci", "--json"),
        (*URLS, "--openapi", "no"),
        (*URLS, "--fail-if", "nwe.p99>20ms"),
        ("library", "rest", "graphql", "--fail-if", "old.p99>20ms"),
    ],
    ids=["one side", "no port", "margin", "path", "two forms", "no file", "limit", "of a domain"],
)
def test_a_mistake_on_the_command_line_gets_one_clear_message(
    tmp_path: Path, arguments: Sequence[str]
) -> None:
    done = wirelab("compare", *arguments, folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT
    assert done.stderr.startswith("error: ")
    assert_worded(error_of(done))


@pytest.mark.parametrize(
    ("side", "code", "expected", "hint"),
    [
        ("b=ftp://localhost/", ExitCode.BAD_INPUT, "one of grpc", []),
        (
            *("b=http://localhost:9/", ExitCode.NOT_READY, "does not answer"),
            ["  * hint: is it running?"],
        ),
    ],
)
def test_obstacles_are_also_reported_in_markdown(
    tmp_path: Path, side: str, code: ExitCode, expected: str, hint: list[str]
) -> None:
    done = wirelab("compare", "a=http://localhost:9/", side, "--ci", folder=tmp_path)

    assert done.returncode == code
    heading, _, what, *then = done.stdout.splitlines()
    assert heading == "### wirelab compare: failed"
    assert what.startswith("* ")
    assert expected in what
    assert then == hint
    assert "error: " in done.stderr


@pytest.mark.parametrize(
    ("a", "b", "names", "hint"),
    [
        ("http://localhost:9", "http://localhost:9", ["a", "b"], "is it running?"),
        ("http://{one}/items/7", "https://{one}/items/7", ["b"], "it answers without"),
        ("http://{one}/no", "http://{one}/no", ["a:", "b:"], PATH_HINT),
    ],
    ids=["no server", "no TLS", "no such path"],
)
def test_all_sides_that_do_not_answer_are_named_in_one_message(
    tmp_path: Path, a: str, b: str, names: list[str], hint: str
) -> None:
    with serving() as one:
        sides = (f"a={a.format(one=one)}", f"b={b.format(one=one)}")
        done = wirelab("compare", *sides, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    *failed, last = done.stderr.partition("\nerror: ")[2].splitlines()
    assert [line.split()[0] for line in failed] == names
    assert last.startswith(f"hint: {hint}")


def test_a_process_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with serving() as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items/7"
        done = wirelab("compare", *sides, "--pid", "b=4194999", folder=tmp_path)

    assert done.returncode == ExitCode.BAD_INPUT
    assert "--pid: b is '4194999'" in done.stderr


def test_only_existing_operations_can_be_chosen(tmp_path: Path) -> None:
    with serving() as one:
        sides = f"a=http://{one}", f"b=http://{one}"
        done = wirelab(
            "compare", *sides, "--openapi", OPENAPI, "--only", "get_itm", folder=tmp_path
        )

    assert done.returncode == ExitCode.BAD_INPUT
    assert "get_item" in done.stderr


@pytest.mark.parametrize("below", ["", "domain"])
def test_a_domain_of_wirelab_that_is_also_a_folder_here_is_not_guessed(
    tmp_path: Path, below: str
) -> None:
    folder = Path("shop", below)
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "domain.toml").write_text("")
    arguments = "rest", "grpc", "--budget", "1s"

    for command in (("compare", "shop", *arguments), ("verify", "shop")):
        done = wirelab(*command, folder=tmp_path)
        assert done.returncode == ExitCode.BAD_INPUT
        output = " ".join(done.stderr.split())
        assert output.startswith("error: 'shop' ")
        assert f"'./{folder}'" in output

    ours = output.split("'")[-2]
    for name, chosen in ((f"./{folder}", tmp_path / folder), (ours, Path(ours))):
        done = wirelab("compare", name, "none", "nobody", folder=tmp_path)
        assert ("domain.toml" in done.stderr) == (chosen != Path(ours)), done.stderr
        assert "a folder here" not in done.stderr


def test_a_server_that_ends_is_a_fault_with_its_own_remedy(tmp_path: Path) -> None:
    with serving() as old, serving("ends=200") as new:
        sides = f"old=http://{old}/items/7", f"new=http://{new}/items/7"
        done = wirelab("compare", *sides, "--ci", *QUICK, folder=tmp_path)

    headline = done.stdout.splitlines()[0]
    assert done.returncode == ExitCode.FAULTS, done.stderr
    assert headline.endswith("; new stopped answering")
    assert "restart it" in done.stdout
    assert "measure longer" not in done.stdout
    assert "--budget" not in done.stdout
