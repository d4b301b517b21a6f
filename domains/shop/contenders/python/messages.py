"""Messages of shop.proto from what the shop answers, for gRPC and for REST."""

from collections.abc import Sequence

import shop_pb2 as pb

from types_ import Order, Product, ProductEvent, Quote, Review, Session, Shipping, User


def product(it: Product) -> pb.Product:
    return pb.Product(
        id=it.id,
        title=it.title,
        description=it.description,
        price_cents=it.price_cents,
        stock=it.stock,
        pictures=it.pictures,
        reviews=map(review, it.reviews or ()),
    )


def products(them: Sequence[Product]) -> pb.ProductList:
    return pb.ProductList(products=map(product, them))


def summaries(them: Sequence[Product]) -> pb.SummaryList:
    return pb.SummaryList(products=map(_summary, them))


def _summary(it: Product) -> pb.ProductSummary:
    return pb.ProductSummary(
        id=it.id,
        title=it.title,
        price_cents=it.price_cents,
        stock=it.stock,
        reviews=(
            pb.ReviewSummary(rating=each.rating, headline=each.headline)
            for each in it.reviews or ()
        ),
    )


def review(it: Review) -> pb.Review:
    return pb.Review(
        id=it.id,
        product_id=it.product_id,
        user_id=it.user_id,
        rating=it.rating,
        headline=it.headline,
        body=it.body,
        written_on=it.written_on,
    )


def reviews(them: Sequence[Review]) -> pb.Product:
    """Return reviews in the message that has such a list."""
    return pb.Product(reviews=map(review, them))


def user(it: User) -> pb.User:
    return pb.User(
        id=it.id,
        email=it.email,
        name=it.name,
        registered_on=it.registered_on,
        addresses=(
            pb.Address(
                id=address.id,
                street=address.street,
                city=address.city,
                postal_code=address.postal_code,
                country=address.country,
            )
            for address in it.addresses
        ),
    )


def session(it: Session) -> pb.Session:
    return pb.Session(user_id=it.user_id, name=it.name, token=it.token)


def shipping(it: Shipping) -> pb.Shipping:
    return pb.Shipping(user_id=it.user_id, ship_to=it.ship_to)


def order(it: Order) -> pb.Order:
    return pb.Order(
        id=it.id,
        user_id=it.user_id,
        placed_on=it.placed_on,
        status=it.status,
        total_cents=it.total_cents,
        ship_to=it.ship_to,
        payment=pb.Payment(
            amount_cents=it.payment.amount_cents,
            card_ending=it.payment.card_ending,
            paid_on=it.payment.paid_on,
        ),
        lines=(
            pb.OrderLine(
                product_id=line.product_id,
                quantity=line.quantity,
                unit_price_cents=line.unit_price_cents,
                product=line.product and product(line.product),
            )
            for line in it.lines or ()
        ),
    )


def orders(them: Sequence[Order]) -> pb.OrderList:
    return pb.OrderList(orders=map(order, them))


def event(it: ProductEvent) -> pb.ProductEvent:
    return pb.ProductEvent(
        id=it.id,
        product_id=it.product_id,
        kind=it.kind,
        price_cents=it.price_cents,
        stock=it.stock,
    )


def quote(it: Quote) -> pb.Quote:
    return pb.Quote(
        product_id=it.product_id,
        quantity=it.quantity,
        unit_price_cents=it.unit_price_cents,
        available=it.available,
    )
