"""The tools of the shop: one for each operation."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import Field, Strict

from catalogue import Catalogue
from checkout import Orders
from checks import checked
from shop import Shop
from types_ import (
    Checkout,
    Integer,
    Login,
    NewUser,
    Order,
    OrderStatus,
    Page,
    Product,
    ProductInput,
    Review,
    ReviewInput,
    Session,
    User,
    UserInput,
    Wish,
)
from users import Users

Id = Annotated[Integer, Strict()]
After = Annotated[Id, Field(ge=0)]
Limit = Annotated[Id, Field(ge=1, le=100)]
Function = Callable[..., Awaitable[Any]]


class Registry(Protocol):
    """What functions are registered with, by whether they change something."""

    def reads(self, function: Function) -> Function: ...

    def writes(self, function: Function) -> Function: ...


@dataclass(slots=True)
class Status:
    status: str


@dataclass(slots=True)
class Deleted:
    id: int


@dataclass(slots=True)
class Products:
    products: list[Product]


@dataclass(slots=True)
class OrderList:
    orders: list[Order]


def add_tools(tools: Registry, shop: Shop) -> None:
    """Add the tools of the services that this program has."""

    @tools.reads
    async def ping() -> Status:
        """Say that the server is there."""
        return Status("ok")

    if shop.catalogue:
        _products(tools, shop.catalogue)
        _reviews(tools, shop.catalogue)
    if shop.users:
        _users(tools, shop.users)
    if shop.orders:
        _orders(tools, shop.orders)


def _products(tools: Registry, catalogue: Catalogue) -> None:
    @tools.reads
    async def list_products(after: After = 0, limit: Limit = 20) -> Products:
        """List the products after an id, with their newest reviews."""
        products = await catalogue.page(Page(after=after, limit=limit))
        await catalogue.with_reviews(products)
        return Products(products)

    @tools.reads
    async def read_product(id: Id) -> Product:
        """Read a product with its newest reviews."""
        product = await catalogue.read(id)
        await catalogue.with_reviews([product])
        return product

    @tools.writes
    async def create_product(product: ProductInput) -> Product:
        """Add a product."""
        return await catalogue.create(product)

    @tools.writes
    async def update_product(id: Id, product: ProductInput) -> Product:
        """Replace every field of a product."""
        return await catalogue.update(id, product)

    @tools.writes
    async def delete_product(id: Id) -> Deleted:
        """Remove a product and its reviews."""
        return Deleted(await catalogue.delete(id))


def _reviews(tools: Registry, catalogue: Catalogue) -> None:
    @tools.writes
    async def create_review(productId: Id, userId: Id, review: ReviewInput) -> Review:
        """Add a review of a product by a user."""
        return await catalogue.create_review(productId, userId, review)

    @tools.reads
    async def read_review(id: Id) -> Review:
        """Read a review."""
        return await catalogue.read_review(id)

    @tools.writes
    async def update_review(id: Id, review: ReviewInput) -> Review:
        """Change the rating, the headline and the text of a review."""
        return await catalogue.update_review(id, review)

    @tools.writes
    async def delete_review(id: Id) -> Deleted:
        """Remove a review."""
        return Deleted(await catalogue.delete_review(id))


def _users(tools: Registry, users: Users) -> None:
    @tools.reads
    async def login(userId: Id, password: str) -> Session:
        """Check a password; the token is for checkouts."""
        return await users.login(checked(Login, {"user_id": userId, "password": password}))

    @tools.reads
    async def read_user(id: Id) -> User:
        """Read a user with all addresses."""
        return await users.read(id)

    @tools.writes
    async def create_user(user: NewUser) -> User:
        """Add a user with one address."""
        return await users.create(user)

    @tools.writes
    async def update_user(id: Id, user: UserInput) -> User:
        """Change the email address and the name of a user."""
        return await users.update(id, user)

    @tools.writes
    async def delete_user(id: Id) -> Deleted:
        """Remove a user and the addresses."""
        return Deleted(await users.delete(id))


def _orders(tools: Registry, orders: Orders) -> None:
    @tools.writes
    async def checkout(
        token: str,
        addressId: Id,
        lines: list[Wish],
        cardNumber: str,
        idempotencyKey: str | None = None,
    ) -> Order:
        """Order products: reserve the stock, take the payment, write the order, or nothing."""
        asked = {
            "token": token,
            "address_id": addressId,
            "lines": lines,
            "card_number": cardNumber,
            "idempotency_key": idempotencyKey,
        }
        return await orders.checkout(checked(Checkout, asked))

    @tools.reads
    async def read_order(id: Id) -> Order:
        """Read an order with its lines and payment."""
        return await orders.read(id)

    @tools.writes
    async def update_order(id: Id, status: str) -> Order:
        """Say what has become of an order."""
        return await orders.update(id, checked(OrderStatus, {"status": status}).status)

    @tools.writes
    async def delete_order(id: Id) -> Deleted:
        """Remove an order, its lines and its payment."""
        return Deleted(await orders.delete(id))

    @tools.reads
    async def list_orders(
        userId: Id, limit: Limit = 20, includeProducts: bool = False
    ) -> OrderList:
        """List the newest orders of a user, if wanted with their products."""
        return OrderList(await orders.of_user(userId, limit, products=includeProducts))
