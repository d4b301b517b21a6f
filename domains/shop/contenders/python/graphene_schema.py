"""The shop's schema in Graphene; objects resolve from those of types_.py."""

from collections.abc import AsyncIterator
from typing import Any

from graphene import (
    Argument,
    Boolean,
    Field,
    InputObjectType,
    Int,
    List,
    NonNull,
    ObjectType,
    Schema,
    String,
)

import types_ as shop
from checks import checked
from refusal import not_served


def service(info: Any, name: str) -> Any:
    """Return a service, if this program serves it."""
    found = getattr(info.context["shop"], name)
    if found is None:
        raise not_served()
    return found


def some(kind: Any) -> NonNull:
    """Return the type of a list without gaps."""
    return NonNull(List(NonNull(kind)))


class Review(ObjectType):
    id = Int(required=True)
    product_id = Int(required=True)
    user_id = Int(required=True)
    rating = Int(required=True)
    headline = String(required=True)
    body = String(required=True)
    written_on = String(required=True)


class Product(ObjectType):
    id = Int(required=True)
    title = String(required=True)
    description = String(required=True)
    price_cents = Int(required=True)
    stock = Int(required=True)
    pictures = Field(some(String))
    reviews = Field(some(Review), first=Int(required=True, default_value=5))

    def resolve_reviews(it: Any, info: Any, first: int) -> Any:
        checked(shop.Page, {"limit": first})
        return info.context["loaders"].reviews((it.id, first))


class Address(ObjectType):
    id = Int(required=True)
    street = String(required=True)
    city = String(required=True)
    postal_code = String(required=True)
    country = String(required=True)


class Session(ObjectType):
    user_id = Int(required=True)
    name = String(required=True)
    token = String(required=True)


class Shipping(ObjectType):
    user_id = Int(required=True)
    ship_to = String(required=True)


class Payment(ObjectType):
    amount_cents = Int(required=True)
    card_ending = String(required=True)
    paid_on = String(required=True)


class OrderLine(ObjectType):
    product_id = Int(required=True)
    quantity = Int(required=True)
    unit_price_cents = Int(required=True)
    product = Field(Product)

    def resolve_product(it: Any, info: Any) -> Any:
        return info.context["loaders"].product(it.product_id)


class Order(ObjectType):
    id = Int(required=True)
    user_id = Int(required=True)
    placed_on = String(required=True)
    status = String(required=True)
    total_cents = Int(required=True)
    ship_to = String(required=True)
    payment = Field(Payment, required=True)
    lines = Field(some(OrderLine))

    def resolve_lines(it: Any, info: Any) -> Any:
        return info.context["loaders"].lines(it.id) if it.lines is None else it.lines


class User(ObjectType):
    id = Int(required=True)
    email = String(required=True)
    name = String(required=True)
    registered_on = String(required=True)
    addresses = Field(some(Address))
    orders = Field(some(Order), first=Int(required=True, default_value=20))

    def resolve_orders(it: Any, info: Any, first: int) -> Any:
        checked(shop.Page, {"limit": first})
        return info.context["loaders"].orders((it.id, first))


class ProductEvent(ObjectType):
    id = Int(required=True)
    product_id = Int(required=True)
    kind = String(required=True)
    price_cents = Int(required=True)
    stock = Int(required=True)


class ProductInput(InputObjectType):
    title = String(required=True)
    description = String(required=True)
    price_cents = Int(required=True)
    stock = Int(required=True)
    pictures = some(String)


class ReviewInput(InputObjectType):
    rating = Int(required=True)
    headline = String(required=True)
    body = String(required=True)


class AddressInput(InputObjectType):
    street = String(required=True)
    city = String(required=True)
    postal_code = String(required=True)
    country = String(required=True)


class UserInput(InputObjectType):
    email = String(required=True)
    name = String(required=True)


class NewUser(UserInput):
    password = String(required=True)
    address = AddressInput(required=True)


class WishInput(InputObjectType):
    product_id = Int(required=True)
    quantity = Int(required=True)


class CheckoutInput(InputObjectType):
    token = String(required=True)
    address_id = Int(required=True)
    lines = some(WishInput)
    card_number = String(required=True)
    idempotency_key = String()


ID = {"id": Int(required=True)}


class Query(ObjectType):
    ping = String(required=True)
    products = Field(
        some(Product),
        after=Int(required=True, default_value=0),
        first=Int(required=True, default_value=20),
    )
    products_by_id = Field(some(Product), ids=Argument(some(Int)))
    product = Field(Product, **ID)
    review = Field(Review, **ID)
    user = Field(User, **ID)
    order = Field(Order, **ID)
    shipping = Field(Shipping, token=String(required=True), address_id=Int(required=True))

    def resolve_ping(_: Any, info: Any) -> str:
        return "ok"

    def resolve_products(_: Any, info: Any, after: int, first: int) -> Any:
        page = checked(shop.Page, {"after": after, "limit": first})
        return service(info, "catalogue").page(page)

    def resolve_products_by_id(_: Any, info: Any, ids: list[int]) -> Any:
        return service(info, "catalogue").by_id(ids)

    def resolve_product(_: Any, info: Any, id: int) -> Any:
        return service(info, "catalogue").read(id)

    def resolve_review(_: Any, info: Any, id: int) -> Any:
        return service(info, "catalogue").read_review(id)

    def resolve_user(_: Any, info: Any, id: int) -> Any:
        return service(info, "any_users").read(id)

    def resolve_order(_: Any, info: Any, id: int) -> Any:
        return service(info, "orders").head(id)

    def resolve_shipping(_: Any, info: Any, token: str, address_id: int) -> Any:
        return service(info, "users").shipping(token, address_id)


class Mutation(ObjectType):
    create_product = Field(Product, product=ProductInput(required=True))
    update_product = Field(Product, **ID, product=ProductInput(required=True))
    delete_product = Field(Int, **ID)
    create_review = Field(
        Review,
        product_id=Int(required=True),
        user_id=Int(required=True),
        review=ReviewInput(required=True),
    )
    update_review = Field(Review, **ID, review=ReviewInput(required=True))
    delete_review = Field(Int, **ID)
    login = Field(Session, user_id=Int(required=True), password=String(required=True))
    create_user = Field(User, user=NewUser(required=True))
    update_user = Field(User, **ID, user=UserInput(required=True))
    delete_user = Field(Int, **ID)
    checkout = Field(Order, checkout=CheckoutInput(required=True))
    update_order = Field(Order, **ID, status=String(required=True))
    delete_order = Field(Int, **ID)
    reserve = Field(List(NonNull(Int)), key=String(required=True), lines=Argument(some(WishInput)))
    release = Field(Boolean, key=String(required=True))

    def resolve_create_product(_: Any, info: Any, product: dict[str, Any]) -> Any:
        return service(info, "catalogue").create(checked(shop.ProductInput, product))

    def resolve_update_product(_: Any, info: Any, id: int, product: dict[str, Any]) -> Any:
        return service(info, "catalogue").update(id, checked(shop.ProductInput, product))

    def resolve_delete_product(_: Any, info: Any, id: int) -> Any:
        return service(info, "catalogue").delete(id)

    def resolve_create_review(
        _: Any, info: Any, product_id: int, user_id: int, review: dict[str, Any]
    ) -> Any:
        asked = checked(shop.ReviewInput, review)
        return service(info, "catalogue").create_review(product_id, user_id, asked)

    def resolve_update_review(_: Any, info: Any, id: int, review: dict[str, Any]) -> Any:
        return service(info, "catalogue").update_review(id, checked(shop.ReviewInput, review))

    def resolve_delete_review(_: Any, info: Any, id: int) -> Any:
        return service(info, "catalogue").delete_review(id)

    def resolve_login(_: Any, info: Any, user_id: int, password: str) -> Any:
        asked = checked(shop.Login, {"user_id": user_id, "password": password})
        return service(info, "users").login(asked)

    def resolve_create_user(_: Any, info: Any, user: dict[str, Any]) -> Any:
        return service(info, "users").create(checked(shop.NewUser, user))

    def resolve_update_user(_: Any, info: Any, id: int, user: dict[str, Any]) -> Any:
        return service(info, "users").update(id, checked(shop.UserInput, user))

    def resolve_delete_user(_: Any, info: Any, id: int) -> Any:
        return service(info, "users").delete(id)

    def resolve_checkout(_: Any, info: Any, checkout: dict[str, Any]) -> Any:
        return service(info, "orders").checkout(checked(shop.Checkout, checkout))

    def resolve_update_order(_: Any, info: Any, id: int, status: str) -> Any:
        asked = checked(shop.OrderStatus, {"status": status})
        return service(info, "orders").update(id, asked.status)

    def resolve_delete_order(_: Any, info: Any, id: int) -> Any:
        return service(info, "orders").delete(id)

    def resolve_reserve(_: Any, info: Any, key: str, lines: list[dict[str, Any]]) -> Any:
        return service(info, "catalogue").reserve(key, checked(shop.Wishes, {"lines": lines}))

    async def resolve_release(_: Any, info: Any, key: str) -> bool:
        await service(info, "catalogue").release(key)
        return True


class Subscription(ObjectType):
    product_events = Field(
        NonNull(ProductEvent),
        after=Int(required=True, default_value=0),
        count=Int(required=True),
    )

    async def subscribe_product_events(
        _: Any, info: Any, after: int, count: int
    ) -> AsyncIterator[shop.ProductEvent]:
        watch = checked(shop.Watch, {"after": after, "count": count})
        async for event in service(info, "catalogue").watch(watch):
            yield event

    def resolve_product_events(event: Any, info: Any, after: int, count: int) -> Any:
        return event


schema = Schema(Query, Mutation, Subscription)
