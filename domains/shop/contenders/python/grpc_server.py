"""The shop over gRPC: grpc.aio, with server reflection."""

import asyncio
import inspect
import signal
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import grpc
import shop_pb2 as pb
import shop_pb2_grpc as services
from grpc_reflection.v1alpha import reflection

import messages
from catalogue import Catalogue
from checkout import Orders
from checks import checked
from deadline import within
from plain import plain
from refusal import told
from settings import Settings
from shop import Shop
from types_ import (
    Checkout,
    Login,
    NewUser,
    OrderStatus,
    Page,
    ProductInput,
    ReviewInput,
    StockCount,
    UserInput,
    Watch,
    Wish,
    Wishes,
)
from users import Users

GRACE_S = 0.5
CODES = {
    "not_found": grpc.StatusCode.NOT_FOUND,
    "invalid": grpc.StatusCode.INVALID_ARGUMENT,
    "unauthenticated": grpc.StatusCode.UNAUTHENTICATED,
    "out_of_stock": grpc.StatusCode.FAILED_PRECONDITION,
    "payment_refused": grpc.StatusCode.FAILED_PRECONDITION,
    "unavailable": grpc.StatusCode.UNAVAILABLE,
    "too_late": grpc.StatusCode.DEADLINE_EXCEEDED,
    "internal": grpc.StatusCode.INTERNAL,
}
Context: TypeAlias = grpc.aio.ServicerContext


def refusing(service: type[Any]) -> type[Any]:
    """Give what the methods of a service raise its status, and bound them by their deadlines."""
    for name, method in list(vars(service).items()):
        if name[0].isupper():
            setattr(
                service, name, (_stream if inspect.isasyncgenfunction(method) else _unary)(method)
            )
    return service


def _unary(method: Callable[..., Any]) -> Callable[..., Any]:
    async def call(self: Any, request: Any, context: Context) -> Any:
        try:
            left_s = context.time_remaining()
            if left_s is None:
                return await method(self, request, context)
            async with within(left_s):
                return await method(self, request, context)
        except Exception as error:
            refused = told(error)
            await context.abort(CODES[refused.kind], refused.detail)

    return call


def _stream(method: Callable[..., Any]) -> Callable[..., Any]:
    async def call(self: Any, request: Any, context: Context) -> AsyncIterator[Any]:
        try:
            async for item in method(self, request, context):
                yield item
        except Exception as error:
            refused = told(error)
            await context.abort(CODES[refused.kind], refused.detail)

    return call


class ControlService(services.ControlServicer):
    async def Ping(self, request: pb.PingRequest, context: Context) -> pb.PingResponse:
        return pb.PingResponse(status="ok")


@refusing
class CatalogueService(services.CatalogueServicer):
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def ListProducts(self, request: Any, context: Context) -> pb.ProductList:
        page = checked(Page, {"after": request.after, "limit": request.limit})
        products = await self._catalogue.page(page)
        if request.include_reviews:
            await self._catalogue.with_reviews(products)
        return messages.products(products)

    async def ListSummaries(self, request: Any, context: Context) -> pb.SummaryList:
        page = checked(Page, {"after": request.after, "limit": request.limit})
        products = await self._catalogue.page(page)
        await self._catalogue.with_reviews(products)
        return messages.summaries(products)

    async def ReadProduct(self, request: Any, context: Context) -> pb.Product:
        product = await self._catalogue.read(request.id)
        if request.include_reviews:
            await self._catalogue.with_reviews([product])
        return messages.product(product)

    async def CreateProduct(self, request: Any, context: Context) -> pb.Product:
        product = checked(ProductInput, plain(request.product))
        return messages.product(await self._catalogue.create(product))

    async def UpdateProduct(self, request: Any, context: Context) -> pb.Product:
        product = checked(ProductInput, plain(request.product))
        return messages.product(await self._catalogue.update(request.id, product))

    async def DeleteProduct(self, request: pb.Id, context: Context) -> pb.Id:
        return pb.Id(id=await self._catalogue.delete(request.id))

    async def CreateReview(self, request: Any, context: Context) -> pb.Review:
        review = checked(ReviewInput, plain(request.review))
        made = await self._catalogue.create_review(request.product_id, request.user_id, review)
        return messages.review(made)

    async def ReadReview(self, request: pb.Id, context: Context) -> pb.Review:
        return messages.review(await self._catalogue.read_review(request.id))

    async def UpdateReview(self, request: Any, context: Context) -> pb.Review:
        review = checked(ReviewInput, plain(request.review))
        return messages.review(await self._catalogue.update_review(request.id, review))

    async def DeleteReview(self, request: pb.Id, context: Context) -> pb.Id:
        return pb.Id(id=await self._catalogue.delete_review(request.id))

    async def WatchProducts(self, request: Any, context: Context) -> AsyncIterator[pb.ProductEvent]:
        async for event in self._catalogue.watch(checked(Watch, plain(request))):
            yield messages.event(event)

    async def CountStock(self, request: AsyncIterator[Any], context: Context) -> pb.StockSummary:
        counts = [checked(StockCount, plain(count)) async for count in request]
        return pb.StockSummary(received=await self._catalogue.count_stock(counts))

    async def QuoteWishes(
        self, request: AsyncIterator[Any], context: Context
    ) -> AsyncIterator[pb.Quote]:
        async for wish in request:
            yield messages.quote(await self._catalogue.quote(checked(Wish, plain(wish))))

    async def ProductsById(self, request: pb.Ids, context: Context) -> pb.ProductList:
        return messages.products(await self._catalogue.by_id(list(request.ids)))

    async def Reserve(self, request: Any, context: Context) -> pb.Reserved:
        wishes = checked(Wishes, plain(request))
        return pb.Reserved(unit_prices_cents=await self._catalogue.reserve(request.key, wishes))

    async def Release(self, request: pb.ReleaseRequest, context: Context) -> pb.ReleaseResponse:
        await self._catalogue.release(request.key)
        return pb.ReleaseResponse()


@refusing
class UsersService(services.UsersServicer):
    def __init__(self, users: Users) -> None:
        self._users = users

    async def Login(self, request: Any, context: Context) -> pb.Session:
        return messages.session(await self._users.login(checked(Login, plain(request))))

    async def ReadUser(self, request: pb.Id, context: Context) -> pb.User:
        return messages.user(await self._users.read(request.id))

    async def CreateUser(self, request: pb.NewUser, context: Context) -> pb.User:
        return messages.user(await self._users.create(checked(NewUser, plain(request))))

    async def UpdateUser(self, request: Any, context: Context) -> pb.User:
        user = checked(UserInput, plain(request.user))
        return messages.user(await self._users.update(request.id, user))

    async def DeleteUser(self, request: pb.Id, context: Context) -> pb.Id:
        return pb.Id(id=await self._users.delete(request.id))

    async def ResolveShipping(self, request: Any, context: Context) -> pb.Shipping:
        return messages.shipping(await self._users.shipping(request.token, request.address_id))


@refusing
class OrdersService(services.OrdersServicer):
    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    async def Checkout(self, request: pb.CheckoutRequest, context: Context) -> pb.Order:
        return messages.order(await self._orders.checkout(checked(Checkout, plain(request))))

    async def ReadOrder(self, request: pb.Id, context: Context) -> pb.Order:
        return messages.order(await self._orders.read(request.id))

    async def UpdateOrder(self, request: Any, context: Context) -> pb.Order:
        status = checked(OrderStatus, plain(request)).status
        return messages.order(await self._orders.update(request.id, status))

    async def DeleteOrder(self, request: pb.Id, context: Context) -> pb.Id:
        return pb.Id(id=await self._orders.delete(request.id))

    async def ListOrders(self, request: Any, context: Context) -> pb.OrderList:
        page = checked(Page, {"limit": request.limit})
        found = await self._orders.of_user(
            request.user_id, page.limit, products=request.include_products
        )
        return messages.orders(found)


async def serve(shop: Shop, settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    compression = grpc.Compression.Gzip if settings.compressed else None
    # Without this a second server on the same port would silently share its calls.
    options = [("grpc.so_reuseport", 0)]
    if settings.pending is not None:  # By default, some are dropped from 1,000 on, all from 3,000.
        options += [
            ("grpc.server.max_pending_requests", settings.pending),
            ("grpc.server.max_pending_requests_hard_limit", settings.pending),
        ]
    server = grpc.aio.server(options=options, compression=compression)
    names = ["Control"]
    services.add_ControlServicer_to_server(ControlService(), server)
    if shop.catalogue:
        services.add_CatalogueServicer_to_server(CatalogueService(shop.catalogue), server)
        names.append("Catalogue")
    if shop.users:
        services.add_UsersServicer_to_server(UsersService(shop.users), server)
        names.append("Users")
    if shop.orders:
        services.add_OrdersServicer_to_server(OrdersService(shop.orders), server)
        names.append("Orders")
    described = (f"shop.v1.{name}" for name in names)
    reflection.enable_server_reflection((*described, reflection.SERVICE_NAME), server)
    try:
        server.add_insecure_port(f"{settings.host}:{settings.port}")
    except RuntimeError as error:
        raise OSError(error) from error
    await server.start()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    await ended.wait()
    await server.stop(GRACE_S)
