"""What the shop answers, and what a client writes: the same for every protocol."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


@dataclass(slots=True)
class Review:
    __pydantic_config__ = CAMEL
    id: int
    product_id: int
    user_id: int
    rating: int
    headline: str
    body: str
    written_on: str


@dataclass(slots=True)
class Product:
    __pydantic_config__ = CAMEL
    id: int
    title: str
    description: str
    price_cents: int
    stock: int
    pictures: list[str]
    reviews: list[Review] | None = None


@dataclass(slots=True)
class Address:
    __pydantic_config__ = CAMEL
    id: int
    street: str
    city: str
    postal_code: str
    country: str


@dataclass(slots=True)
class User:
    __pydantic_config__ = CAMEL
    id: int
    email: str
    name: str
    registered_on: str
    addresses: list[Address] = field(default_factory=list)


@dataclass(slots=True)
class Session:
    __pydantic_config__ = CAMEL
    user_id: int
    name: str
    token: str


@dataclass(slots=True)
class Shipping:
    __pydantic_config__ = CAMEL
    user_id: int
    ship_to: str


@dataclass(slots=True)
class Payment:
    __pydantic_config__ = CAMEL
    amount_cents: int
    card_ending: str
    paid_on: str


@dataclass(slots=True)
class OrderLine:
    __pydantic_config__ = CAMEL
    product_id: int
    quantity: int
    unit_price_cents: int
    product: Product | None = None


@dataclass(slots=True)
class Order:
    __pydantic_config__ = CAMEL
    id: int
    user_id: int
    placed_on: str
    status: str
    total_cents: int
    ship_to: str
    payment: Payment
    lines: list[OrderLine] | None = None


@dataclass(slots=True)
class ProductEvent:
    __pydantic_config__ = CAMEL
    id: int
    product_id: int
    kind: str
    price_cents: int
    stock: int


@dataclass(slots=True)
class Quote:
    __pydantic_config__ = CAMEL
    product_id: int
    quantity: int
    unit_price_cents: int
    available: bool


def _is_sayable(text: str) -> str:
    text.encode()  # no half of a surrogate pair, which cannot be written in UTF-8
    return text


Sayable = Annotated[
    str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f-\x9f]*$"), AfterValidator(_is_sayable)
]
Text = Annotated[Sayable, Field(min_length=1, max_length=200)]
LongText = Annotated[Sayable, Field(min_length=1, max_length=2000)]
Mailbox = Annotated[Text, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")]
Picture = Annotated[Text, StringConstraints(pattern=r"^https://\S+$")]
Card = Annotated[str, StringConstraints(pattern=r"^[0-9]{12,19}$")]
Integer = Annotated[int, Field(ge=-(2**31), lt=2**31)]
Stock = Annotated[int, Field(ge=0, le=1_000_000)]


class Input(BaseModel):
    """What a client writes: nothing beside what is named, and no type for another."""

    model_config = ConfigDict(**CAMEL, extra="forbid", strict=True)


class ProductInput(Input):
    title: Text
    description: LongText
    price_cents: Annotated[int, Field(ge=1, le=100_000_000)]
    stock: Stock
    pictures: Annotated[list[Picture], Field(max_length=10)]


class ReviewInput(Input):
    rating: Annotated[int, Field(ge=1, le=5)]
    headline: Text
    body: LongText


class NewReview(ReviewInput):
    user_id: Integer


class AddressInput(Input):
    street: Text
    city: Text
    postal_code: Annotated[Sayable, Field(min_length=1, max_length=20)]
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]


class UserInput(Input):
    email: Mailbox
    name: Text


class NewUser(UserInput):
    password: Annotated[Sayable, Field(min_length=8, max_length=100)]
    address: AddressInput


class Login(Input):
    user_id: Integer
    password: Annotated[Sayable, Field(min_length=1, max_length=100)]


class ShippingRequest(Input):
    token: str
    address_id: Integer


class OrderStatus(Input):
    status: Annotated[str, StringConstraints(pattern="^(placed|shipped|delivered|returned)$")]


class Wish(Input):
    product_id: Integer
    quantity: Annotated[int, Field(ge=1, le=1_000_000)]


def _none_twice(lines: list[Wish]) -> list[Wish]:
    if len({line.product_id for line in lines}) < len(lines):
        raise ValueError("no product twice")
    return lines


class Wishes(Input):
    lines: Annotated[list[Wish], Field(min_length=1, max_length=50), AfterValidator(_none_twice)]


class Checkout(Wishes):
    token: str
    address_id: Integer
    card_number: Card
    idempotency_key: Annotated[str, Field(max_length=100)] | None = None


class StockCount(Input):
    product_id: Integer
    stock: Stock


class Page(Input):
    after: Annotated[Integer, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class Watch(Input):
    after: Annotated[Integer, Field(ge=0)] = 0
    count: Annotated[int, Field(ge=1, le=1_000_000)]
