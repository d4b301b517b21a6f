"""The shop's schema in Strawberry: its types are those of types_.py, with what is loaded apart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import strawberry
from strawberry.extensions import ParserCache, ValidationCache

import types_ as shop
from checks import checked
from graphql_errors import coded
from refusal import not_served

Info = strawberry.Info[Any, Any]


@strawberry.type
class Review:
    id: int
    product_id: int
    user_id: int
    rating: int
    headline: str
    body: str
    written_on: str


@strawberry.type
class Product:
    id: int
    title: str
    description: str
    price_cents: int
    stock: int
    pictures: list[str]

    @strawberry.field
    async def reviews(self, info: Info, first: int = 5) -> list[Review]:
        checked(shop.Page, {"limit": first})
        return await info.context["loaders"].reviews((self.id, first))


@strawberry.type
class Address:
    id: int
    street: str
    city: str
    postal_code: str
    country: str


@strawberry.type
class Session:
    user_id: int
    name: str
    token: str


@strawberry.type
class Shipping:
    user_id: int
    ship_to: str


@strawberry.type
class Payment:
    amount_cents: int
    card_ending: str
    paid_on: str


@strawberry.type
class OrderLine:
    product_id: int
    quantity: int
    unit_price_cents: int

    @strawberry.field
    async def product(self, info: Info) -> Product | None:
        return await info.context["loaders"].product(self.product_id)


@strawberry.type
class Order:
    id: int
    user_id: int
    placed_on: str
    status: str
    total_cents: int
    ship_to: str
    payment: Payment

    @strawberry.field
    async def lines(self, info: Info) -> list[OrderLine]:
        known: Any = self
        if known.lines is not None:  # of a checkout
            return known.lines
        return await info.context["loaders"].lines(self.id)


@strawberry.type
class User:
    id: int
    email: str
    name: str
    registered_on: str
    addresses: list[Address]

    @strawberry.field
    async def orders(self, info: Info, first: int = 20) -> list[Order]:
        checked(shop.Page, {"limit": first})
        return await info.context["loaders"].orders((self.id, first))


@strawberry.type
class ProductEvent:
    id: int
    product_id: int
    kind: str
    price_cents: int
    stock: int


@strawberry.input
class ProductInput:
    title: str
    description: str
    price_cents: int
    stock: int
    pictures: list[str]


@strawberry.input
class ReviewInput:
    rating: int
    headline: str
    body: str


@strawberry.input
class AddressInput:
    street: str
    city: str
    postal_code: str
    country: str


@strawberry.input
class NewUser:
    email: str
    name: str
    password: str
    address: AddressInput


@strawberry.input
class UserInput:
    email: str
    name: str


@strawberry.input
class WishInput:
    product_id: int
    quantity: int


@strawberry.input
class CheckoutInput:
    token: str
    address_id: int
    lines: list[WishInput]
    card_number: str
    idempotency_key: str | None = strawberry.UNSET


def service(info: Info, name: str) -> Any:
    """Return a service, if this program serves it."""
    found = getattr(info.context["shop"], name)
    if found is None:
        raise not_served()
    return found


def plain(form: Any) -> dict[str, Any]:
    """Return what a client wrote as plain values."""
    given = strawberry.asdict(form)
    return {name: value for name, value in given.items() if value is not strawberry.UNSET}


@strawberry.type
class Query:
    @strawberry.field
    async def ping(self) -> str:
        return "ok"

    @strawberry.field
    async def products(self, info: Info, after: int = 0, first: int = 20) -> list[Product]:
        page = checked(shop.Page, {"after": after, "limit": first})
        return await service(info, "catalogue").page(page)

    @strawberry.field
    async def products_by_id(self, info: Info, ids: list[int]) -> list[Product]:
        return await service(info, "catalogue").by_id(ids)

    @strawberry.field
    async def product(self, info: Info, id: int) -> Product | None:
        return await service(info, "catalogue").read(id)

    @strawberry.field
    async def review(self, info: Info, id: int) -> Review | None:
        return await service(info, "catalogue").read_review(id)

    @strawberry.field
    async def user(self, info: Info, id: int) -> User | None:
        return await service(info, "any_users").read(id)

    @strawberry.field
    async def order(self, info: Info, id: int) -> Order | None:
        return await service(info, "orders").head(id)

    @strawberry.field
    async def shipping(self, info: Info, token: str, address_id: int) -> Shipping | None:
        return await service(info, "users").shipping(token, address_id)


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def create_product(self, info: Info, product: ProductInput) -> Product | None:
        asked = checked(shop.ProductInput, plain(product))
        return await service(info, "catalogue").create(asked)

    @strawberry.mutation
    async def update_product(self, info: Info, id: int, product: ProductInput) -> Product | None:
        asked = checked(shop.ProductInput, plain(product))
        return await service(info, "catalogue").update(id, asked)

    @strawberry.mutation
    async def delete_product(self, info: Info, id: int) -> int | None:
        return await service(info, "catalogue").delete(id)

    @strawberry.mutation
    async def create_review(
        self, info: Info, product_id: int, user_id: int, review: ReviewInput
    ) -> Review | None:
        asked = checked(shop.ReviewInput, plain(review))
        return await service(info, "catalogue").create_review(product_id, user_id, asked)

    @strawberry.mutation
    async def update_review(self, info: Info, id: int, review: ReviewInput) -> Review | None:
        asked = checked(shop.ReviewInput, plain(review))
        return await service(info, "catalogue").update_review(id, asked)

    @strawberry.mutation
    async def delete_review(self, info: Info, id: int) -> int | None:
        return await service(info, "catalogue").delete_review(id)

    @strawberry.mutation
    async def login(self, info: Info, user_id: int, password: str) -> Session | None:
        asked = checked(shop.Login, {"user_id": user_id, "password": password})
        return await service(info, "users").login(asked)

    @strawberry.mutation
    async def create_user(self, info: Info, user: NewUser) -> User | None:
        return await service(info, "users").create(checked(shop.NewUser, plain(user)))

    @strawberry.mutation
    async def update_user(self, info: Info, id: int, user: UserInput) -> User | None:
        return await service(info, "users").update(id, checked(shop.UserInput, plain(user)))

    @strawberry.mutation
    async def delete_user(self, info: Info, id: int) -> int | None:
        return await service(info, "users").delete(id)

    @strawberry.mutation
    async def checkout(self, info: Info, checkout: CheckoutInput) -> Order | None:
        return await service(info, "orders").checkout(checked(shop.Checkout, plain(checkout)))

    @strawberry.mutation
    async def update_order(self, info: Info, id: int, status: str) -> Order | None:
        asked = checked(shop.OrderStatus, {"status": status})
        return await service(info, "orders").update(id, asked.status)

    @strawberry.mutation
    async def delete_order(self, info: Info, id: int) -> int | None:
        return await service(info, "orders").delete(id)

    @strawberry.mutation
    async def reserve(self, info: Info, key: str, lines: list[WishInput]) -> list[int] | None:
        wishes = checked(shop.Wishes, {"lines": list(map(plain, lines))})
        return await service(info, "catalogue").reserve(key, wishes)

    @strawberry.mutation
    async def release(self, info: Info, key: str) -> bool | None:
        await service(info, "catalogue").release(key)
        return True


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def product_events(
        self, info: Info, count: int, after: int = 0
    ) -> AsyncIterator[ProductEvent]:
        try:
            watch = checked(shop.Watch, {"after": after, "count": count})
            async for event in service(info, "catalogue").watch(watch):
                yield event
        except Exception as error:  # Strawberry itself formats the errors of subscriptions
            raise coded(error) from error


class Schema(strawberry.Schema):
    """The schema; what goes wrong is logged where it is formatted, once."""

    def process_errors(self, errors: Any, execution_context: Any = None) -> None:
        """Leave errors to graphql_errors.py."""


CACHES: Any = [lambda: ParserCache(1000), lambda: ValidationCache(1000)]
schema = Schema(Query, Mutation, Subscription, extensions=CACHES)
