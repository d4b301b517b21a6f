"""Answers of the shop as its reference gives them, and what is right to make of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor

from wirelab.domain import Dataset, Domain, load_reference
from wirelab.protocol import get
from wirelab.protocol.descriptions.protobuf import to_value
from wirelab.protocol.grpc import GrpcRequest, Services
from wirelab.protocol.key_case import outward

OPERATIONS = {
    "session": "login",
    "profile": "read_user",
    "order": "read_order",
    "product": "read_product",
    "products": "list_products",
    "orders": "list_orders",
}
"""What each answer is an answer to; the smallest first."""


@dataclass(frozen=True, slots=True)
class ShopAnswer:
    """One answer: its value, its JSON and the message that it is in Protocol Buffers."""

    name: str
    value: object
    message: Descriptor

    @property
    def text(self) -> str:
        """Return it as a REST server writes it, without the object that is around a list."""
        return json.dumps(outward(self.value, "camel"), separators=(",", ":"), ensure_ascii=False)

    def is_json(self, written: bytes) -> bool:
        """Return whether these bytes are this answer as JSON."""
        return bool(json.loads(written) == outward(self.value, "camel"))

    def is_message(self, written: bytes) -> bool:
        """Return whether these bytes are this answer as a message; a list is a field of one."""
        made = message_factory.GetMessageClass(self.message).FromString(written)
        value, right = _filled(to_value(made)), _filled(self.value)
        if isinstance(right, list):
            return isinstance(value, dict) and list(value.values()) == [right]
        return value == right


def shop_answers(shop: Domain, dataset: Dataset, seed: int = 1) -> list[ShopAnswer]:
    """Ask the reference for one answer of each kind."""
    reference = load_reference(shop, dataset)
    messages = _messages(shop)
    answers = []
    for name, operation in OPERATIONS.items():
        (parameters,) = dataset.draw(shop.operations[operation], 1, seed)
        answers.append(ShopAnswer(name, reference.call(operation, parameters), messages[operation]))
    return answers


def _messages(shop: Domain) -> Mapping[str, Descriptor]:
    """Return what gRPC answers each operation with."""
    services = get("grpc").read(shop.interface.files["grpc"])
    assert isinstance(services, Services)
    found = {}
    for name in OPERATIONS.values():
        request = shop.operations[name].bindings["grpc"].rounds[0][0]
        assert isinstance(request, GrpcRequest)
        found[name] = services.methods[request.method].output_type
    return found


def _filled(value: object) -> object:
    """Leave out empty lists: a message has all of its lists, JSON only those asked for."""
    if isinstance(value, dict):
        return {key: _filled(item) for key, item in value.items() if item != []}
    return [_filled(item) for item in value] if isinstance(value, list) else value
