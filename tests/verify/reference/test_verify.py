"""A contender that answers correctly is accepted; another is refused, with the location."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, Literal

import pytest

from tests.support.note_servers import Handler, Logic, Tamper, http, rest, serving
from tests.support.note_verification import PROTOCOLS, WORKLOADS, Workload, errors, verified
from tests.support.wording import assert_worded
from wirelab import protocol
from wirelab.domain import Dataset
from wirelab.domain.model import Binding
from wirelab.domain.reference import load_reference
from wirelab.errors import Log
from wirelab.protocol.clients.client import connect
from wirelab.verify.findings.finding_reasons import (
    BytesVary,
    Differs,
    Ended,
    FindingReason,
    GivenUp,
    MishandledMalformed,
    NoReply,
    NoRows,
    NoValue,
    UnusualRefusal,
    WronglyAnswered,
    WronglyRefused,
    WrongPointer,
)
from wirelab.verify.reference.comparison import GivenUpError, ReferenceComparison
from wirelab.verify.servers.faults import ServerFaults

INTERNAL = WronglyRefused(refusal="internal")
NO_JSON = MishandledMalformed(what="a body that is not JSON")


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_correct_contender_passes_and_is_planned(name: str, dataset: Dataset) -> None:
    with serving(name, Logic(dataset)) as address:
        done = verified(name, dataset, address, WORKLOADS)

    assert [str(finding) for finding in errors(done)] == []
    planned = [(plan.workload, plan.parameter_set) for plan in done.plans]
    expected = [("fetch_one", 0), ("fetch_one", 1), ("fetch_one", 2)]
    expected += [("fetch_all", 0), ("control", 0), ("insert", 0), ("insert", 1)]
    assert planned == expected
    for plan in done.plans:
        [[planned_request]] = plan.rounds
        reads = plan.workload != "insert"
        assert (planned_request.expectation.body_xxh3 is not None) == reads


def wrong_price(operation: str, answer: Any) -> Any:
    if operation == "read" and isinstance(answer, dict) and "price" in answer:
        return {**answer, "price": answer["price"] + 1}
    return answer


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_wrong_field_is_named_with_both_values(name: str, dataset: Dataset) -> None:
    with serving(name, Logic(dataset, wrong_price)) as address:
        done = verified(name, dataset, address, WORKLOADS)

    finding = next(each for each in errors(done) if each.operation == "read")
    assert finding.path == "/price"
    assert isinstance(finding.expected, float)
    assert finding.got == finding.expected + 1
    assert finding.contender == f"{name}-test"
    assert "/price" in str(finding)
    assert (finding.times, finding.calls) == (3, 5)
    assert set(finding.parameters) == {"id"}
    [step] = finding.steps
    assert "life, step 2" in step
    assert [each for each in errors(done) if each.operation == "read"] == [finding]
    assert "fetch_one" not in {plan.workload for plan in done.plans if plan.parameter_set == 0}


def test_a_response_without_the_answer_names_the_pointer(dataset: Dataset) -> None:
    read = dataset.domain.operations["read"]
    ((request,),) = read.bindings["rest"].rounds
    elsewhere = Binding(((request.model_copy(update={"answer": "/note"}),),))
    changed = replace(read, bindings={**read.bindings, "rest": elsewhere})
    operations = {**dataset.domain.operations, "read": changed}
    domain = replace(dataset.domain, operations=operations)
    with serving("rest", Logic(dataset)) as address:
        done = verified("rest", replace(dataset, domain=domain), address, WORKLOADS)

    finding = next(each for each in errors(done) if each.operation == "read")
    assert isinstance(finding.reason, WrongPointer)
    assert "operation.read.rest.answer is '/note'" in finding.reason.problem


def test_a_response_whose_answer_is_null_names_the_pointer(dataset: Dataset) -> None:
    def loses_the_list(method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        listed = path.startswith("/notes?")
        form = "application/json"
        return (200, form, b'{"notes": null}') if listed else rest(logic)(method, path, body)

    logic = Logic(dataset)
    with http(loses_the_list) as address:
        done = verified("rest", dataset, address)

    finding = next(each for each in errors(done) if each.operation == "list")
    assert finding.reason == NoValue(pointer="/notes")


def loses_a_tag(operation: str, answer: Any) -> Any:
    return {**answer, "tags": answer["tags"][1:]} if operation == "update" else answer


def drops_the_last(operation: str, answer: Any) -> Any:
    return answer[:-1] if operation == "list" else answer


def reverses(operation: str, answer: Any) -> Any:
    return answer[::-1] if operation == "list" else answer


def returns_no_id(operation: str, answer: Any) -> Any:
    return {**answer, "id": None} if operation == "create" else answer


def returns_unknown_ids(operation: str, answer: Any) -> Any:
    return {**answer, "id": "an invention"} if operation == "create" else answer


def numbers_as_text(operation: str, answer: Any) -> Any:
    return {**answer, "read_count": str(answer["read_count"])} if operation == "read" else answer


@pytest.mark.parametrize(
    ("tamper", "operation", "path", "reason"),
    [
        (loses_a_tag, "update", "/tags", Differs()),
        (drops_the_last, "list", "/4", Differs()),
        (reverses, "list", "/0/id", Differs(in_order=True)),
        (returns_no_id, "create", "/id", Differs()),
        (returns_unknown_ids, "read", "", WronglyRefused(refusal="not_found")),
        (numbers_as_text, "read", "/read_count", Differs()),
    ],
)
def test_every_kind_of_wrong_answer_is_found(
    tamper: Tamper, operation: str, path: str, reason: FindingReason, dataset: Dataset
) -> None:
    with serving("rest", Logic(dataset, tamper)) as address:
        done = verified("rest", dataset, address)

    found = [(each.operation, each.path, each.reason) for each in errors(done)]
    assert (operation, path, reason) in found


def test_all_mistakes_are_found_in_one_pass(dataset: Dataset) -> None:
    def tamper(operation: str, answer: Any) -> Any:
        return drops_the_last(operation, loses_a_tag(operation, wrong_price(operation, answer)))

    with serving("rest", Logic(dataset, tamper)) as address:
        done = verified("rest", dataset, address)

    assert {"read", "list", "update"} <= {each.operation for each in errors(done)}


class Forgetful(Logic):
    """Deletes nothing, however politely it says so."""

    def call(self, operation: str, **parameters: Any) -> Any:
        if operation == "delete":
            self.inside.read(**parameters)
            return parameters["id"]
        return super().call(operation, **parameters)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_deleted_rows_must_be_removed(name: str, dataset: Dataset) -> None:
    with serving(name, Forgetful(dataset)) as address:
        done = verified(name, dataset, address)

    found = [each for each in errors(done) if each.operation == "read"]
    assert [each.reason for each in found] == [WronglyAnswered()]
    assert "not_found" in found[0].expected
    assert "life, step 6" in found[0].steps[0]


def replacing(
    dataset: Dataset, when: Callable[[str, str, bytes, int], bool], status: int, body: bytes
) -> Handler:
    """Return a right REST server that answers some requests, or replies, in another way."""
    right = rest(Logic(dataset))

    def handle(method: str, path: str, request: bytes) -> tuple[int, str, bytes]:
        reply = right(method, path, request)
        if when(method, path, request, reply[0]):
            return status, "application/json" if status < 300 else "text/html", body
        return reply

    return handle


@pytest.mark.parametrize(
    ("replaced", "status", "found"),
    [
        (404, 500, [("read", INTERNAL), ("delete", INTERNAL)]),
        (422, 404, [("list", WronglyRefused(refusal="not_found"))]),
        (400, 500, [("create", NO_JSON.model_copy(update={"refusal": "internal"}))]),
        (400, 201, [("create", NO_JSON)]),
    ],
    ids=["fault", "wrong kind", "malformed: fault", "malformed: accepted"],
)
def test_what_must_be_refused_must_be_refused_rightly(
    replaced: int, status: int, found: list[tuple[str, FindingReason]], dataset: Dataset
) -> None:
    handler = replacing(dataset, lambda *request: request[3] == replaced, status, b"{}")
    with http(handler) as address:
        done = verified("rest", dataset, address)

    wrong = [(each.operation, each.reason) for each in errors(done)]
    assert all(each in wrong for each in found)
    assert done.sent.malformed_requests > 0


def test_a_response_that_is_no_refusal_is_shown_with_what_was_expected(dataset: Dataset) -> None:
    handler = replacing(dataset, lambda *request: request[3] == 404, 405, b"")
    with http(handler) as address:
        done = verified("rest", dataset, address)

    [first, *_] = [each for each in errors(done) if each.operation == "read"]
    assert first.reason == WronglyRefused(refusal="unreadable")
    assert first.expected == "refused as not_found"
    assert_worded(first.got)


def test_a_refusal_in_an_unusual_form_is_only_a_warning(dataset: Dataset) -> None:
    handler = replacing(dataset, lambda *request: request[3] == 404, 404, b"<h1>Not found</h1>")
    with http(handler) as address:
        done = verified("rest", dataset, address)

    assert errors(done) == []
    warnings = {each.operation: each.reason for each in done.findings}
    assert isinstance(warnings["read"], UnusualRefusal)
    assert "text/html" in warnings["read"].remark


@pytest.mark.parametrize(("form", "checked"), [("06", "length"), ("", "status")])
def test_unstable_bytes_fall_back_with_a_warning(
    form: str, checked: Literal["length", "status"], dataset: Dataset
) -> None:
    right, moments = rest(Logic(dataset)), count(9)  # 9 and 10: not even the length is the same.

    def handle(method: str, path: str, request: bytes) -> tuple[int, str, bytes]:
        status, media_type, body = right(method, path, request)
        moment = f',"moment":"{next(moments):{form}}"}}'.encode()
        return status, media_type, body[:-1] + moment

    with http(handle) as address:
        workloads = {"control": Workload("ping", 1)}
        done = verified("rest", dataset, address, workloads)

    [plan] = [plan for plan in done.plans if plan.workload == "control"]
    expectation = plan.rounds[0][0].expectation
    assert expectation.body_xxh3 is None
    assert (expectation.body_length is not None) == (checked == "length")
    reasons = [each.reason for each in done.findings if each.operation == "ping"]
    assert reasons == [BytesVary(checked=checked, is_sampled=True)]


def test_an_answer_that_is_wrong_the_second_time_is_found(dataset: Dataset) -> None:
    right, pings = rest(Logic(dataset)), count()

    def handle(method: str, path: str, request: bytes) -> tuple[int, str, bytes]:
        status, media_type, body = right(method, path, request)
        # The first is the workload's, the second the one that shows whether its bytes vary.
        return status, media_type, b'{"status":"no"}' if path == "/ping" and next(pings) else body

    with http(handle) as address:
        done = verified("rest", dataset, address, {"control": Workload("ping", 1)})

    [error] = errors(done)
    assert (error.operation, error.got) == ("ping", "no")
    assert done.plans == ()


def test_a_composed_operation_is_planned_in_rounds(dataset: Dataset) -> None:
    with serving("rest", Logic(dataset)) as address:
        done = verified("rest", dataset, address, {"follow": Workload("follow", 8)})

    assert errors(done) == []
    shapes = {tuple(len(round_) for round_ in plan.rounds) for plan in done.plans}
    # A note points to none, one or two others; one of them twice, and it is asked for once.
    assert shapes == {(1,), (1, 1), (1, 2)}


def test_a_missing_server_is_abandoned_soon(dataset: Dataset) -> None:
    with serving("rest", Logic(dataset)) as address:
        pass
    done = verified("rest", dataset, address)

    assert errors(done) == list(done.findings)
    kinds = [type(each.reason) for each in done.findings]
    assert kinds == [NoReply, GivenUp]


ENDED, LOG = Ended(service="", exit="exit code 3"), Log("log", "out of memory")


class EndedServer(ServerFaults):
    """A server whose process has ended."""

    def ended(self) -> tuple[Ended, Log | None] | None:
        return ENDED, LOG


def test_a_server_that_ends_while_its_cache_may_be_old_is_named_once(dataset: Dataset) -> None:
    codec = protocol.get("rest").bind(dataset.domain, "/")
    reference = load_reference(dataset.domain, dataset)
    with serving("rest", Logic(dataset)) as address:
        pass
    with connect(codec.transport, address, codec.path, timeout_s=10.0) as client:
        comparison = ReferenceComparison("rest-test", codec, client, reference, EndedServer())
        operation = dataset.domain.operations["ping"]
        with pytest.raises(GivenUpError):
            comparison.compare_until_equal(operation, {}, {}, (), within_s=60.0)

    assert [(each.reason, each.log) for each in comparison.findings] == [(ENDED, LOG)]


def test_a_workload_without_rows_is_an_error_and_the_others_continue(
    dataset: Dataset, cache: Any
) -> None:
    empty = Dataset.generate(dataset.domain, 0, 1, cache)
    with serving("rest", Logic(empty)) as address:
        done = verified(
            "rest", empty, address, {"fetch": Workload("read"), "add": WORKLOADS["insert"]}
        )

    [error] = errors(done)
    assert error.operation == "read"
    assert isinstance(error.reason, NoRows)
    assert [plan.workload for plan in done.plans] == ["add", "add"]


def test_an_operation_without_a_binding_is_a_note(dataset: Dataset) -> None:
    with serving("soap", Logic(dataset)) as address:
        done = verified("soap", dataset, address)

    assert [(each.severity, each.operation) for each in done.findings] == [("note", "follow")]


def test_a_finding_names_the_request_and_the_step_of_a_sequence(dataset: Dataset) -> None:
    with serving("rest", Logic(dataset, loses_a_tag)) as address:
        done = verified("rest", dataset, address)

    texts = [str(each) for each in errors(done) if each.operation == "update"]
    assert all(text.startswith("rest-test update (PUT /notes/") for text in texts)
    step = " calls, also in sequence life, step 3, after read; first: "
    assert any(step in text for text in texts)
