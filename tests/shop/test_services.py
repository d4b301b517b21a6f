"""Three services that call each other: what a checkout comes to, whatever happens to one."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.shop.services import Services, eventually, three_services
from tests.shop.standing import CONTENDERS, OWN, basket
from tests.support.callers import RefusedError
from wirelab.domain import Dataset
from wirelab.errors import LabError
from wirelab.lab.stores.store import Database

ONE_OF_EACH = ("rest-chi", "graphql-apollo", "grpc-aio")
"""Every stack and every protocol once: how a checkout is carried out is written once for each
stack, and how one service calls another once for each protocol of it."""
COMBINED = [
    name
    if name in ONE_OF_EACH
    else pytest.param(
        name, marks=pytest.mark.thorough(reason="each stack and each protocol is tested without it")
    )
    for name in OWN
    if CONTENDERS[name].stack != "rust"  # which serves the whole shop only, as MCP does
    and CONTENDERS[name].protocol != "mcp"
]


@pytest.fixture(scope="module", params=COMBINED)
def services(
    request: pytest.FixtureRequest,
    store: Database,
    dataset: Dataset,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Services]:
    try:
        logs = tmp_path_factory.mktemp(request.param)
        with three_services(request.param, store, dataset, logs) as running:
            yield running
    except LabError as error:
        pytest.skip(str(error))


@pytest.fixture
def requested(dataset: Dataset) -> dict[str, Any]:
    """What one of the generated customers would like to have."""
    return basket(dataset.new_rows["order"][0], lines=[
        {"product_id": 3, "quantity": 2}, {"product_id": 1, "quantity": 1},
    ])  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_lost(services: Services) -> Iterator[None]:
    """Whatever a test does: what is gone from the shelves was sold, and what was sold was paid."""
    before = services.all_stock() + services.sold()
    yield
    eventually(lambda: services.unsettled() == 0, "every checkout is settled")
    eventually(lambda: services.all_stock() + services.sold() == before, "the stock adds up")
    assert services.accounts_agree()


def refused(services: Services, deadline_s: float | None = None, **parameters: Any) -> str:
    """Check out where that must be refused, and return the kind of refusal."""
    with services.client("orders") as client:
        client.deadline_s = deadline_s
        with pytest.raises(RefusedError) as error:
            client.ask("checkout", **parameters)
    return error.value.kind


def test_a_checkout_takes_two_calls_and_writes_what_one_program_writes(
    services: Services, requested: dict[str, Any], dataset: Dataset
) -> None:
    stock = services.stock(3), services.stock(1)
    calls = services.users_proxy.calls, services.catalogue_proxy.calls

    with services.client("orders") as client:
        order = client.ask("checkout", **requested)
        again = client.ask("read_order", id=order["id"])

    products = {row["id"]: row for row in dataset.tables["product"]}
    assert order == again
    assert order["user_id"] == dataset.new_rows["order"][0]["user_id"]
    assert order["ship_to"].count(",") == 2
    assert [line["product_id"] for line in order["lines"]] == [3, 1]
    total = 2 * products[3]["price_cents"] + products[1]["price_cents"]
    assert order["total_cents"] == order["payment"]["amount_cents"] == total
    assert (services.stock(3), services.stock(1)) == (stock[0] - 2, stock[1] - 1)
    assert (services.users_proxy.calls, services.catalogue_proxy.calls) == (
        calls[0] + 1,
        calls[1] + 1,
    )


def test_many_checkouts_share_a_few_connections(
    services: Services, requested: dict[str, Any]
) -> None:
    calls = services.catalogue_proxy.calls

    def check_out(_: int) -> None:
        with services.client("orders") as client:
            for _ in range(5):
                client.ask("checkout", **requested)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check_out, range(8)))

    assert services.catalogue_proxy.calls == calls + 40
    assert services.catalogue_proxy.connections <= 10
    assert services.users_proxy.connections <= 20


def test_the_composed_query_takes_a_call_to_each_service(
    services: Services, requested: dict[str, Any]
) -> None:
    with services.client("orders") as client:
        user = client.ask("checkout", **requested)["user_id"]
        client.ask("checkout", **requested)
        calls = services.users_proxy.calls, services.catalogue_proxy.calls
        orders = client.ask("list_orders", user_id=user, limit=2)

    assert all(line["product"]["title"] for order in orders for line in order["lines"])
    assert (services.users_proxy.calls, services.catalogue_proxy.calls) == (
        calls[0] + 1,
        calls[1] + 1,
    )


def test_each_service_serves_its_own_data_and_calls_others_for_the_rest(services: Services) -> None:
    with services.client("catalogue") as client:
        words = {"rating": 5, "headline": "good", "body": "very good"}
        review = client.ask("create_review", product_id=2, user_id=3, **words)
        assert client.ask("read_product", id=2)["reviews"][0] == review
        with pytest.raises(RefusedError, match="not_found"):
            client.ask("create_review", product_id=2, user_id=100_000, **words)
    with services.client("users") as client:
        assert client.ask("read_user", id=3)["addresses"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"token": "1.00"}, "unauthenticated"),
        ({"address_id": 2_000_000}, "not_found"),
        ({"lines": [{"product_id": 2_000_000, "quantity": 1}]}, "not_found"),
        ({"lines": [{"product_id": 1, "quantity": 1}, {"product_id": 2, "quantity": 900_000}]},
         "conflict"),
        ({"card_number": "4000000000000002"}, "conflict"),
        ({"lines": []}, "invalid"),
    ],
    ids=["token", "address", "product", "stock", "payment", "empty"],
)  # fmt: skip
def test_a_refused_checkout_costs_nothing(
    services: Services, requested: dict[str, Any], change: dict[str, Any], kind: str
) -> None:
    stock, orders = services.all_stock(), services.orders()

    assert refused(services, **(requested | change)) == kind

    eventually(lambda: services.all_stock() == stock, "the stock is as before")
    assert services.orders() == orders


def test_a_key_creates_one_order_however_often_it_is_sent(
    services: Services, requested: dict[str, Any]
) -> None:
    orders, key = services.orders(), f"key {time.monotonic_ns()}"

    def check_out(_: int) -> int:
        with services.client("orders") as client:
            return int(client.ask("checkout", **requested, idempotency_key=key)["id"])

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(check_out, range(12)))

    assert len(ids) == 1
    assert services.orders() == orders + 1


def test_a_killed_service_is_unavailable_until_it_restarts(
    services: Services, requested: dict[str, Any]
) -> None:
    for role in ("catalogue", "users"):
        orders = services.orders()
        services.signal(role, signal.SIGKILL)

        assert refused(services, **requested) == "unavailable"  # and not too late: nobody waits

        assert services.orders() == orders
        services.start(role)
        eventually(lambda: checks_out(services, requested), "the service is found again")


def checks_out(services: Services, requested: dict[str, Any]) -> bool:
    try:
        with services.client("orders") as client:
            return bool(client.ask("checkout", **requested))
    except RefusedError:
        return False


@pytest.mark.parametrize("role", ["catalogue", "users"])
def test_a_frozen_service_is_waited_for_until_the_deadline_and_no_stock_stays_reserved(
    services: Services, requested: dict[str, Any], role: str
) -> None:
    stock, orders = services.all_stock(), services.orders()
    services.signal(role, signal.SIGSTOP)
    try:
        for deadline_s, until_s in ((0.6, 0.6), (None, 2.0)):
            if deadline_s is None and services.contender.protocol == "grpc":
                continue  # the client of the test always has a deadline
            began = time.monotonic()
            assert refused(services, deadline_s, **requested) == "too_late"
            assert until_s - 0.1 < time.monotonic() - began  # it was waited for
    finally:
        services.signal(role, signal.SIGCONT)

    eventually(lambda: services.unsettled() == 0, "what was under way is cancelled")
    eventually(lambda: services.all_stock() == stock, "the stock is as before")
    assert services.orders() == orders
    assert checks_out(services, requested)


def test_a_late_request_that_is_repeated_with_its_key_is_paid_once(
    services: Services, requested: dict[str, Any]
) -> None:
    orders, stock = services.orders(), services.all_stock()
    again = {**requested, "idempotency_key": f"key {time.monotonic_ns()}"}
    services.signal("catalogue", signal.SIGSTOP)
    try:
        assert refused(services, 0.6, **again) == "too_late"
    finally:
        services.signal("catalogue", signal.SIGCONT)

    eventually(lambda: checks_out(services, again), "the key is free or has its order")
    assert checks_out(services, again)
    eventually(lambda: services.unsettled() == 0, "what was under way is settled")

    assert services.orders() == orders + 1
    assert services.all_stock() == stock - 3


def test_a_slow_service_is_waited_for_and_gets_the_deadline(
    services: Services, requested: dict[str, Any]
) -> None:
    services.catalogue_proxy.delay_s = 0.15
    services.users_proxy.deadlines_ms.clear()
    services.catalogue_proxy.deadlines_ms.clear()
    try:
        with services.client("orders") as client:
            client.deadline_s = 5.0
            client.ask("checkout", **requested)  # which has its own deadline
        services.catalogue_proxy.delay_s = 2.5
        assert refused(services, 0.8, **requested) == "too_late"
    finally:
        services.catalogue_proxy.delay_s = 0.0
    if services.contender.protocol != "grpc":
        first, second, *_ = services.catalogue_proxy.deadlines_ms
        assert 0 < first <= 2000
        assert 0 < second <= 800
        assert 0 < services.users_proxy.deadlines_ms[-1] <= 800


def test_checkouts_during_outages_leave_consistent_accounts(
    services: Services, requested: dict[str, Any]
) -> None:
    """The fixture does the sums."""

    def check_out(number: int) -> bool:
        time.sleep(0.05 * number)
        try:
            with services.client("orders") as client:
                client.deadline_s = 1.0
                return bool(client.ask("checkout", **requested))
        except RefusedError:
            return False

    with ThreadPoolExecutor(8) as pool:
        done = pool.map(check_out, range(40))
        for _ in range(2):
            time.sleep(0.3)
            services.signal("catalogue", signal.SIGSTOP)
            time.sleep(1.2)
            services.signal("catalogue", signal.SIGCONT)
        assert any(done)


def test_a_service_of_orders_that_is_killed_during_an_order_settles_it_after_its_restart(
    services: Services, requested: dict[str, Any]
) -> None:
    stock, orders = services.all_stock(), services.orders()
    services.catalogue_proxy.delay_s = 3.0
    try:
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(is_interrupted, services, requested)
            eventually(lambda: services.all_stock() == stock - 3, "the stock is reserved")
            services.signal("orders", signal.SIGKILL)
            assert asking.result()
    finally:
        services.catalogue_proxy.delay_s = 0.0
    assert services.unsettled() == 1

    services.start("orders")

    eventually(lambda: services.unsettled() == 0, "the checkout is abandoned")
    assert services.all_stock() == stock
    assert services.orders() == orders
    assert checks_out(services, requested)


def is_interrupted(services: Services, requested: dict[str, Any]) -> bool:
    """Check out with a service that goes away meanwhile."""
    with services.client("orders") as client:
        try:
            client.ask("checkout", **requested)
        except Exception:  # of whatever library
            return True
    return False
