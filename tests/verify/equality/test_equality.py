"""Equality without a reference: what is proved, what is not compared, and what proves nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.compare.running import serving
from tests.support.verification import verify_domain
from tests.support.wording import assert_worded, raises_worded
from tests.verify.equality.reports import Verified, verify_as_json, write_parameters
from wirelab import protocol
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import without_values
from wirelab.protocol.clients.client import connect
from wirelab.study import Workload
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Equality
from wirelab.verify.findings.equality_reasons import (
    AllEmpty,
    DiffersFromOthers,
    FewSets,
    NotProved,
    OnlyStatusCompared,
    Varies,
    only_with_refused,
)
from wirelab.verify.findings.finding_reasons import Ended, Fails, FindingReason, Obstructed
from wirelab.verify.servers.obstacles import Obstacle

DOMAIN = """
name = "own"
title = "Own"
summary = "items"
parameters = "parameters.ndjson"

[operation.get_item]
summary = "one item"
effect = "read"
parameters = ["id"]
{common}

[operation.get_item.rest]
method = "GET"
path = "/items/{{id}}"

[operation.list_items]
summary = "items"
effect = "read"
parameters = ["limit"]

[operation.list_items.rest]
method = "GET"
path = "/items?limit={{limit}}"
"""
CONTENDER = """
stack = "found"
title = "Servers that run already"
"""
ENTRY = """
[contender.{name}]
title = "{name}"
protocol = "rest"
address = "http://{address}"
"""
STARTED_SERVER = """
import http.server, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        Handler.asked += 1
        if Handler.asked > 1 and sys.argv[3] == "ends":
            print("out of handles", flush=True)
            os._exit(3)
        if Handler.asked > 1:
            print("broken pool", flush=True)
            self.send_error(500)
            return
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

address = sys.argv[1], int(sys.argv[2])
http.server.ThreadingHTTPServer(address, Handler).serve_forever()
"""
NAMES = ("one", "other", "third")
SETS = 40
IN_ALL = DiffersFromOthers(others=("one",), differing=SETS, compared=SETS)
FORBIDDEN = Obstructed(obstacle=Obstacle(405, allowed="POST"))
Verify = Callable[..., Verified]


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Return a function that verifies servers."""

    def carry_out(
        *servers: str, common: str = "", effect: str = "read", sets: int = SETS
    ) -> Verified:
        manifest = tmp_path / "domain" / "contenders" / "found"
        manifest.mkdir(parents=True)
        domain = DOMAIN.format(common=common).replace('effect = "read"', f'effect = "{effect}"')
        (tmp_path / "domain" / "domain.toml").write_text(domain)
        named = zip(NAMES, servers, strict=False)
        entries = [ENTRY.format(name=name, address=address) for name, address in named]
        (manifest / "contender.toml").write_text("".join([CONTENDER, *entries]))
        write_parameters(
            tmp_path / "domain",
            *(("get_item", {"id": n}) for n in range(sets)),
            *(("list_items", {"limit": n + 1}) for n in range(sets)),
        )
        return verify_as_json(tmp_path / "domain", capsys)

    return carry_out


def test_equal_answers_are_equal(verify: Verify) -> None:
    with serving() as one, serving() as other:
        done = verify(one, other)

    assert (done.code, done.equal, done.findings) == (ExitCode.OK, ["one", "other"], [])


def test_a_difference_is_named_once_with_its_place_and_both_values(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        done = verify(one, other)

    assert done.code == ExitCode.VERIFY_FAILED
    assert (done.equal, done.refused) == (["one"], ["other"])
    assert done.errors == [("other", "get_item", "/name", IN_ALL)]
    assert done.remarks == [("one", "get_item", "", NotProved(refused=("other",)))]
    found = done.findings[0]
    assert found.got == str(found.expected).upper()


def test_parameters_without_values_are_reported_before_servers_are_called(tmp_path: Path) -> None:
    stack = tmp_path / "contenders" / "found"
    stack.mkdir(parents=True)
    (stack / "contender.toml").write_text(CONTENDER + ENTRY.format(name="a", address="localhost:1"))
    (tmp_path / "domain.toml").write_text(DOMAIN.format(common=""))
    write_parameters(tmp_path, ("list_items", {"limit": 3}), ("list_items", {"limits": 3}))
    fixed = Workload(title="", operation="list_items", parameters={"limit": 5})

    with raises_worded(ProblemsError) as error:
        verify_domain(tmp_path)

    assert [each.key for each in error.value.problems] == ["get_item.id", "list_items.limit"]
    assert not without_values([fixed], load_domain(tmp_path))


def test_ignored_or_projected_parts_do_not_differ(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        done = verify(one, other, common='common = { ignored = ["name"] }')

    assert done.code == ExitCode.OK


def test_a_field_that_differs_between_two_calls_is_quarantined_and_named(verify: Verify) -> None:
    with serving("clock") as one, serving("clock") as other:
        done = verify(one, other)

    assert done.code == ExitCode.OK
    for name in ("one", "other"):
        assert (name, "get_item", "/asked_at", Varies()) in done.remarks


def test_few_parameter_sets_are_counted(verify: Verify) -> None:
    with serving() as one, serving() as other:
        done = verify(one, other, sets=1)

    assert FewSets(parameter_sets=1, usual=30) in [reason for *_, reason in done.remarks]


@pytest.mark.parametrize(
    ("ways", "contender", "path", "reason"),
    [
        (("empty", "empty"), "one", "", AllEmpty()),
        (("grows", "object"), "one", "", OnlyStatusCompared(of="values")),
        (("sound", "forbids"), "other", "", FORBIDDEN),
        (
            *(("sound", "reversed"), "other", "/0/id"),
            DiffersFromOthers(others=("one",), differing=SETS - 1, compared=SETS),
        ),
    ],
)
def test_a_list_that_proves_nothing_or_differs_is_refused(
    verify: Verify, ways: tuple[str, str], contender: str, path: str, reason: FindingReason
) -> None:
    with serving(ways[0]) as one, serving(ways[1]) as other:
        done = verify(one, other)

    assert done.code == ExitCode.VERIFY_FAILED
    assert contender in done.refused
    assert (contender, "list_items", path, reason) in done.errors


@pytest.mark.parametrize(
    "ways", [("empty",), ("fails",), ("wrong", "limit=90")], ids=["empty", "fails", "limited later"]
)
def test_a_refused_server_does_not_affect_later_ones(verify: Verify, ways: tuple[str, ...]) -> None:
    with serving(*ways) as one, serving() as other, serving() as third:
        done = verify(one, other, third)

    assert done.code == ExitCode.VERIFY_FAILED
    assert (done.refused, done.equal) == (["one"], ["other", "third"])


def test_one_server_alone_proves_nothing(verify: Verify) -> None:
    with serving() as one:
        done = verify(one, "localhost:9")

    assert (done.code, done.equal) == (ExitCode.NOT_READY, [])
    assert_worded(done.messages.partition("error: ")[2])


def test_a_contender_compared_only_with_a_refused_one_is_not_called_equal(
    verify: Verify,
) -> None:
    with serving() as one, serving("wrong", "reversed") as other:
        done = verify(one, other)

    assert done.code == ExitCode.VERIFY_FAILED
    assert (done.refused, done.equal) == (["other"], [])
    assert done.skipped == {"one": only_with_refused(("other",))}
    assert done.remarks == []


def test_a_difference_from_several_contenders_is_reported_once(verify: Verify) -> None:
    with serving() as one, serving() as other, serving("wrong") as third:
        done = verify(one, other, third)

    both = DiffersFromOthers(others=("one", "other"), differing=SETS, compared=SETS)
    assert done.errors == [("third", "get_item", "/name", both)]


def test_an_obstacle_of_one_operation_leaves_the_others_to_be_compared(verify: Verify) -> None:
    with serving() as one, serving("forbids", "wrong") as other, serving("forbids") as third:
        done = verify(one, other, third)

    assert done.equal == ["one"]
    assert ("other", "list_items", "", FORBIDDEN) in done.errors
    assert ("other", "get_item", "/name", IN_ALL) in done.errors
    assert ("one", "list_items", "", NotProved(refused=())) in done.remarks


def test_contenders_without_an_operation_to_compare_are_not_called_equal(verify: Verify) -> None:
    with serving() as one, serving() as other:
        done = verify(one, other, effect="write")

    assert (done.code, done.equal, list(done.skipped)) == (ExitCode.NOT_READY, [], ["one", "other"])
    assert_worded(done.messages.partition("error: ")[2])
    assert_worded(done.skipped["one"])


WRITES = """
name = "own"
title = "Own"
summary = "writes"
parameters = "parameters.ndjson"

[operation.put_item]
summary = "replace an item"
effect = "write"
parameters = ["id"]

[operation.put_item.rest]
method = "PUT"
path = "/items/{id}"
status = 204

[operation.delete_item]
summary = "remove an item"
effect = "write"
parameters = ["id"]

[operation.delete_item.rest]
method = "DELETE"
path = "/items/{id}"
"""


def test_writes_may_be_empty_and_need_not_be_possible_twice(tmp_path: Path) -> None:
    (tmp_path / "domain.toml").write_text(WRITES)
    writes = ("put_item", "delete_item")
    write_parameters(tmp_path, *((name, {"id": n}) for name in writes for n in range(30)))
    domain = load_domain(str(tmp_path))
    codec = protocol.get("rest").bind(domain, "/")
    workloads = {
        name: Workload(title=name, operation=name, state="", parameter_sets=3)
        for name in domain.operations
    }
    equality = Equality(domain)
    for contender in ("one", "other"):
        with serving() as address, connect(codec.transport, address) as client:
            verification = equality.verify(contender, codec, client, workloads)

        assert [it.reason for it in verification.findings if it.severity == "error"] == []
        assert {plan.workload for plan in verification.plans} == {"put_item", "delete_item"}
    assert equality.compared() == {"one", "other"}


def test_a_server_that_fails_or_ends_is_shown_with_the_end_of_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "contenders" / "started"
    folder.mkdir(parents=True)
    (folder / "serve.py").write_text(STARTED_SERVER)
    entries = [
        f'[contender.{name}]\ntitle = "{name}"\nprotocol = "rest"\n'
        f'command = ["{{python}}", "serve.py", "{{host}}", "{{port}}", "{name}"]\n'
        for name in ("fails", "ends")
    ]
    (folder / "contender.toml").write_text("".join([CONTENDER, *entries]))
    (tmp_path / "domain.toml").write_text(
        DOMAIN.format(common="").partition("[operation.list_items]")[0]
    )
    write_parameters(tmp_path, ("get_item", {"id": 1}))

    done = verify_as_json(tmp_path, capsys)

    assert done.code == ExitCode.VERIFY_FAILED
    fails = next(each for each in done.findings if isinstance(each.reason, Fails))
    ends = next(each for each in done.findings if isinstance(each.reason, Ended))
    assert (fails.contender, ends.contender) == ("fails", "ends")
    assert ends.reason == Ended(service="", exit="exit code 3")
    assert "\n  | broken pool" in str(fails.log)
    assert "\n  | out of handles" in str(ends.log)
