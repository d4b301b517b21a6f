"""Plain values of the messages that clients write, read field by field."""

from collections.abc import Callable
from typing import Any

import shop_pb2 as pb
from google.protobuf.message import Message

READERS: dict[type[Message], Callable[[Any], dict[str, Any]]] = {
    pb.ProductInput: lambda it: {
        "title": it.title,
        "description": it.description,
        "price_cents": it.price_cents,
        "stock": it.stock,
        "pictures": list(it.pictures),
    },
    pb.ReviewInput: lambda it: {"rating": it.rating, "headline": it.headline, "body": it.body},
    pb.NewReview: lambda it: {"user_id": it.user_id, **plain(it.review)},
    pb.WatchRequest: lambda it: {"after": it.after, "count": it.count},
    pb.StockCount: lambda it: {"product_id": it.product_id, "stock": it.stock},
    pb.Wish: lambda it: {"product_id": it.product_id, "quantity": it.quantity},
    pb.Reservation: lambda it: {"lines": list(map(plain, it.lines))},
    pb.LoginRequest: lambda it: {"user_id": it.user_id, "password": it.password},
    pb.UserInput: lambda it: {"email": it.email, "name": it.name},
    pb.NewUser: lambda it: {
        "email": it.email,
        "name": it.name,
        "password": it.password,
        "address": plain(it.address),
    },
    pb.AddressInput: lambda it: {
        "street": it.street,
        "city": it.city,
        "postal_code": it.postal_code,
        "country": it.country,
    },
    pb.ShippingRequest: lambda it: {"token": it.token, "address_id": it.address_id},
    pb.CheckoutRequest: lambda it: {
        "token": it.token,
        "address_id": it.address_id,
        "lines": list(map(plain, it.lines)),
        "card_number": it.card_number,
        "idempotency_key": it.idempotency_key,
    },
    pb.UpdateOrderRequest: lambda it: {"status": it.status},
}


def plain(message: Message) -> dict[str, Any]:
    """Return what a client wrote; of numbers and texts left out, zeros and empty ones."""
    return READERS[type(message)](message)
