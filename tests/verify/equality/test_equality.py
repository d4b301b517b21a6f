"""Equality without a reference: what is proved, what is not compared, and what proves nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.compare.running import serving
from tests.support.verification import verify_domain
from wirelab import protocol
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import without_values
from wirelab.protocol.clients.client import connect
from wirelab.study import Workload
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify import Equality

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
Verify = Callable[..., tuple[ExitCode, str]]


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Return a function that verifies servers, and returns the code and what it said."""

    def carry_out(
        *servers: str, common: str = "", effect: str = "read", sets: int = 40
    ) -> tuple[ExitCode, str]:
        manifest = tmp_path / "domain" / "contenders" / "found"
        manifest.mkdir(parents=True)
        domain = DOMAIN.format(common=common).replace('effect = "read"', f'effect = "{effect}"')
        (tmp_path / "domain" / "domain.toml").write_text(domain)
        named = zip(NAMES, servers, strict=False)
        entries = [ENTRY.format(name=name, address=address) for name, address in named]
        (manifest / "contender.toml").write_text("".join([CONTENDER, *entries]))
        rows = [{"operation": "get_item", "parameters": {"id": n}} for n in range(sets)]
        rows += [{"operation": "list_items", "parameters": {"limit": n + 1}} for n in range(sets)]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / "domain" / "parameters.ndjson").write_text(lines)
        code = verify_domain(tmp_path / "domain")
        output = capsys.readouterr()
        return code, " ".join((output.out + output.err).split())

    return carry_out


def test_equal_answers_are_equal(verify: Verify) -> None:
    with serving() as one, serving() as other:
        code, output = verify(one, other)

    assert code == ExitCode.OK
    assert "equal one: one" in output
    assert "equal other: other" in output
    assert "not compared" not in output


def test_a_difference_is_named_once_with_its_place_and_both_values(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused other: other" in output
    assert "other get_item /name: differs from the answer of one, in 40 of 40" in output
    assert "list_items" not in output.partition("refused other")[2]
    assert "equal one: one" in output
    assert (
        "warning: one get_item: equality is not proved: compared only with other, which was refused"
    ) in output
    assert "not compared" not in output


def test_parameters_without_values_are_reported_before_servers_are_called(tmp_path: Path) -> None:
    stack = tmp_path / "contenders" / "found"
    stack.mkdir(parents=True)
    (stack / "contender.toml").write_text(CONTENDER + ENTRY.format(name="a", address="localhost:1"))
    (tmp_path / "domain.toml").write_text(DOMAIN.format(common=""))
    rows = [{"operation": "list_items", "parameters": {name: 3}} for name in ("limit", "limits")]
    (tmp_path / "parameters.ndjson").write_text("\n".join(map(json.dumps, rows)))
    fixed = Workload(title="", operation="list_items", parameters={"limit": 5})

    with pytest.raises(ProblemsError) as error:
        verify_domain(tmp_path)

    assert [str(each) for each in error.value.problems] == [
        f"{tmp_path}/parameters.ndjson: {key} missing; expected a value in each set of parameters"
        + hint
        for key, hint in (
            (
                "get_item.id",
                ' (hint: such as {"operation": "get_item", "parameters": {"id": "…"}}, with values'
                " that servers know)",
            ),
            ("list_items.limit", " (hint: did you mean 'limits'?)"),
        )
    ]
    assert not without_values([fixed], load_domain(tmp_path))


def test_ignored_or_projected_parts_do_not_differ(verify: Verify) -> None:
    with serving() as one, serving("wrong") as other:
        code, _ = verify(one, other, common='common = { ignored = ["name"] }')

    assert code == ExitCode.OK


def test_a_field_that_differs_between_two_calls_is_quarantined_and_named(verify: Verify) -> None:
    with serving("clock") as one, serving("clock") as other:
        code, output = verify(one, other)

    assert code == ExitCode.OK
    assert "differs between two answers to the same request: not compared: " in output
    assert "(get_item /asked_at" in output


def test_few_parameter_sets_are_counted(verify: Verify) -> None:
    with serving() as one, serving() as other:
        _, output = verify(one, other, sets=1)

    assert "compared with 1 parameter set instead of 30" in output


def test_empty_answers_prove_nothing(verify: Verify) -> None:
    with serving("empty") as one, serving("empty") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "list_items: all answers are empty: two empty answers are equal and prove" in output


@pytest.mark.parametrize(
    "ways",
    [("empty",), ("fails",), ("wrong", "limit=90")],
    ids=["empty", "fails", "wrong, and limited later"],
)
def test_a_refused_server_does_not_affect_later_ones(verify: Verify, ways: tuple[str, ...]) -> None:
    with serving(*ways) as one, serving() as other, serving() as third:
        code, output = verify(one, other, third)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused one: one" in output
    assert "equal other: other" in output
    assert "equal third: third" in output


def test_another_order_differs_unless_it_is_declared(verify: Verify) -> None:
    with serving() as one, serving("reversed") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "list_items" in output


def test_one_server_alone_proves_nothing(verify: Verify) -> None:
    with serving() as one:
        code, output = verify(one, "localhost:9")

    assert code == ExitCode.NOT_READY
    assert (
        "nothing was verified: without a reference, at least two contenders must answer" in output
    )
    assert "equal one" not in output


def test_a_contender_compared_only_with_a_refused_one_is_not_called_equal(
    verify: Verify,
) -> None:
    with serving() as one, serving("wrong", "reversed") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused other: other" in output
    assert "skipped one: compared only with other, which was refused" in output
    assert "equal one" not in output
    assert "not compared" not in output


def test_a_difference_from_several_contenders_is_reported_once(verify: Verify) -> None:
    with serving() as one, serving() as other, serving("wrong") as third:
        _, output = verify(one, other, third)

    assert output.count("differs from the answer") == 1
    assert "third get_item /name: differs from the answers of one and other, in 40 of 40" in output


def test_an_operation_that_no_other_contender_answers_is_noted(verify: Verify) -> None:
    with serving() as one, serving("forbids") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "equal one: one" in output
    assert "one list_items: not compared: no other accepted contender answers it" in output


def test_an_answer_that_varies_as_a_whole_proves_nothing(verify: Verify) -> None:
    with serving("grows") as one, serving("object") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "refused one: one" in output
    assert "one list_items: nothing of its answers can be compared" in output


def test_an_obstacle_of_one_operation_leaves_the_others_to_be_compared(verify: Verify) -> None:
    with serving() as one, serving("forbids", "wrong") as other:
        code, output = verify(one, other)

    assert code == ExitCode.VERIFY_FAILED
    assert "other list_items: it does not allow the method (405)" in output
    assert "other get_item /name: differs from the answer of one, in 40 of 40" in output


def test_a_shape_that_cannot_be_applied_is_an_error_of_its_operation(verify: Verify) -> None:
    with serving() as one, serving() as other:
        code, output = verify(
            one, other, common='common = { project = { rest = "{n: length(price)}" } }'
        )

    assert code == ExitCode.VERIFY_FAILED
    assert "get_item: its answer over rest has no common shape: the expression " in output


def test_contenders_without_an_operation_to_compare_are_not_called_equal(verify: Verify) -> None:
    with serving() as one, serving() as other:
        code, output = verify(one, other, effect="write")

    assert code == ExitCode.NOT_READY
    assert (
        "error: nothing was verified: no operation of own only reads hint: --allow-writes" in output
    )
    assert "none of its operations was compared with another contender" in output
    assert "equal one" not in output


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
    rows = [
        {"operation": name, "parameters": {"id": n}}
        for name in ("put_item", "delete_item")
        for n in range(30)
    ]
    (tmp_path / "parameters.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
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
    row = {"operation": "get_item", "parameters": {"id": 1}}
    (tmp_path / "parameters.ndjson").write_text(json.dumps(row))

    code = verify_domain(tmp_path)
    output = capsys.readouterr().err

    assert code == ExitCode.VERIFY_FAILED, output
    assert "fails get_item: it fails: HTTP 500: " in output
    assert "  | broken pool" in output.splitlines()
    assert "ends get_item: ended with exit code 3; the end of /" in output
    assert "  | out of handles" in output.splitlines()
