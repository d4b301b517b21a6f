"""The shop over REST: FastAPI under uvicorn, errors as application/problem+json (RFC 9457)."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import shop_pb2 as pb
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

import messages
from caching import kept
from catalogue import Catalogue
from checkout import Orders
from checks import checked, given
from http_serving import bounded, run
from refusal import Refusal
from rest_body import problem, read, reply, reply_id
from rest_streams import stream_routes
from settings import Settings
from shop import Shop
from types_ import (
    Checkout,
    Login,
    NewReview,
    NewUser,
    Order,
    OrderStatus,
    Page,
    Product,
    ProductInput,
    Review,
    ReviewInput,
    Session,
    Shipping,
    ShippingRequest,
    User,
    UserInput,
    Wishes,
)
from users import Users

INTERFACE = Path(__file__).resolve().parents[2] / "openapi.yaml"


class Route(APIRoute):
    """A route whose work ends when its client waits no longer, and that answers its own failures.

    Starlette would close the connection after an exception that nobody handles.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                if "left_s" not in request.scope:
                    return await handle(request)
                async with bounded(request.scope):
                    return await handle(request)
            except Exception as error:
                return await _failed(request, error)

        return answer


class KeptRoute(Route):
    """A route whose answers caches may keep."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            return kept(request, await handle(request))

        return answer


async def serve(shop: Shop, settings: Settings) -> None:
    """Serve the resources of the services that this program has."""
    app = FastAPI(openapi_url=None)  # the interface is the one of the domain
    for error in (Refusal, HTTPException, RequestValidationError):
        app.add_exception_handler(error, _failed)
    router = APIRouter(route_class=Route)
    _control(router)
    if shop.catalogue:
        public = APIRouter(route_class=KeptRoute if settings.cached else Route)
        _catalogue(public, shop.catalogue)
        app.include_router(public)
        stream_routes(app, shop.catalogue)
    if shop.users:
        _users(router, shop.users)
    if shop.orders:
        _orders(router, shop.orders)
    app.include_router(router)
    await run(app, settings)


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, RequestValidationError):
        wrong = "; ".join(f"{item['loc'][-1]}: {item['msg']}" for item in error.errors())
        error = Refusal("invalid", wrong)
    elif isinstance(error, HTTPException):
        error = Refusal("not_found", f"there is nothing at {request.url.path}")
    return await problem(request, error)


def _control(router: APIRouter) -> None:
    @router.get("/ping")
    async def ping(request: Request) -> Response:
        return reply(request, "ok", str, lambda it: pb.PingResponse(status=it), under="status")

    @router.get("/openapi.yaml")
    async def interface() -> Response:
        return FileResponse(INTERFACE, media_type="application/yaml")


def _catalogue(router: APIRouter, catalogue: Catalogue) -> None:
    @router.get("/products")
    async def list_products(
        request: Request,
        after: int | None = None,
        limit: int | None = None,
        ids: str | None = None,
        include: str = "",
    ) -> Response:
        if ids is None:
            products = await catalogue.page(checked(Page, given(after=after, limit=limit)))
        else:
            products = await catalogue.by_id(_numbers(ids))
        if include == "reviews":
            await catalogue.with_reviews(products)
        return reply(request, products, list[Product], messages.products, under="products")

    @router.post("/products")
    async def create_product(request: Request) -> Response:
        product = await read(request, ProductInput, pb.ProductInput)
        made = await catalogue.create(product)
        return reply(request, made, Product, messages.product, status=201)

    @router.get("/products/{id}")
    async def read_product(request: Request, id: int, include: str = "") -> Response:
        product = await catalogue.read(_id(id))
        if include == "reviews":
            await catalogue.with_reviews([product])
        return reply(request, product, Product, messages.product)

    @router.put("/products/{id}")
    async def update_product(request: Request, id: int) -> Response:
        product = await read(request, ProductInput, pb.ProductInput)
        made = await catalogue.update(_id(id), product)
        return reply(request, made, Product, messages.product)

    @router.delete("/products/{id}")
    async def delete_product(request: Request, id: int) -> Response:
        return reply_id(request, await catalogue.delete(_id(id)))

    @router.get("/products/{id}/reviews")
    async def list_reviews(request: Request, id: int, limit: int = 20) -> Response:
        page = checked(Page, {"limit": limit})
        product = await catalogue.read(_id(id))
        [reviews] = await catalogue.reviews_of([product.id], page.limit)
        return reply(request, reviews, list[Review], messages.reviews, under="reviews")

    @router.post("/products/{id}/reviews")
    async def create_review(request: Request, id: int) -> Response:
        review = await read(request, NewReview, pb.NewReview)
        made = await catalogue.create_review(_id(id), review.user_id, review)
        return reply(request, made, Review, messages.review, status=201)

    @router.get("/reviews/{id}")
    async def read_review(request: Request, id: int) -> Response:
        return reply(request, await catalogue.read_review(_id(id)), Review, messages.review)

    @router.put("/reviews/{id}")
    async def update_review(request: Request, id: int) -> Response:
        review = await read(request, ReviewInput, pb.ReviewInput)
        made = await catalogue.update_review(_id(id), review)
        return reply(request, made, Review, messages.review)

    @router.delete("/reviews/{id}")
    async def delete_review(request: Request, id: int) -> Response:
        return reply_id(request, await catalogue.delete_review(_id(id)))

    @router.put("/reservations/{key}")
    async def reserve(request: Request, key: str) -> Response:
        prices = await catalogue.reserve(key, await read(request, Wishes, pb.Reservation))
        return reply(
            request,
            prices,
            list[int],
            lambda it: pb.Reserved(unit_prices_cents=it),
            under="unitPricesCents",
        )

    @router.delete("/reservations/{key}")
    async def release(request: Request, key: str) -> Response:
        await catalogue.release(key)
        return reply(request, {}, dict, lambda _: pb.ReleaseResponse())


def _users(router: APIRouter, users: Users) -> None:
    @router.post("/sessions")
    async def login(request: Request) -> Response:
        session = await users.login(await read(request, Login, pb.LoginRequest))
        return reply(request, session, Session, messages.session)

    @router.post("/users")
    async def create_user(request: Request) -> Response:
        user = await users.create(await read(request, NewUser, pb.NewUser))
        return reply(request, user, User, messages.user, status=201)

    @router.get("/users/{id}")
    async def read_user(request: Request, id: int) -> Response:
        return reply(request, await users.read(_id(id)), User, messages.user)

    @router.put("/users/{id}")
    async def update_user(request: Request, id: int) -> Response:
        user = await users.update(_id(id), await read(request, UserInput, pb.UserInput))
        return reply(request, user, User, messages.user)

    @router.delete("/users/{id}")
    async def delete_user(request: Request, id: int) -> Response:
        return reply_id(request, await users.delete(_id(id)))

    @router.post("/shipping")
    async def resolve_shipping(request: Request) -> Response:
        asked = await read(request, ShippingRequest, pb.ShippingRequest)
        shipping = await users.shipping(asked.token, asked.address_id)
        return reply(request, shipping, Shipping, messages.shipping)


def _orders(router: APIRouter, orders: Orders) -> None:
    @router.get("/users/{id}/orders")
    async def list_orders(
        request: Request, id: int, limit: int = 20, include: str = ""
    ) -> Response:
        page = checked(Page, {"limit": limit})
        found = await orders.of_user(_id(id), page.limit, products=include == "products")
        return reply(request, found, list[Order], messages.orders, under="orders")

    @router.post("/orders")
    async def checkout(request: Request) -> Response:
        order = await orders.checkout(await read(request, Checkout, pb.CheckoutRequest))
        return reply(request, order, Order, messages.order, status=201)

    @router.get("/orders/{id}")
    async def read_order(request: Request, id: int) -> Response:
        return reply(request, await orders.read(_id(id)), Order, messages.order)

    @router.patch("/orders/{id}")
    async def update_order(request: Request, id: int) -> Response:
        asked = await read(request, OrderStatus, pb.UpdateOrderRequest)
        return reply(request, await orders.update(_id(id), asked.status), Order, messages.order)

    @router.delete("/orders/{id}")
    async def delete_order(request: Request, id: int) -> Response:
        return reply_id(request, await orders.delete(_id(id)))


def _id(id: int) -> int:
    if abs(id) >= 2**31:
        raise Refusal("not_found", "there is no such id")
    return id


def _numbers(text: str) -> list[int]:
    try:
        return [_id(int(number)) for number in text.split(",")]
    except ValueError:
        raise Refusal("invalid", "ids: numbers with commas between") from None
