"""What writing and reading answers of the shop takes, as JSON and as messages.

`benches/serialisation` starts it, gives it answers on standard input, and reads a line for each
form.
"""

import base64
import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import shop_pb2 as pb
from google.protobuf.message import Message
from pydantic import TypeAdapter

import messages
from types_ import Order, Product, Session, User

Write = Callable[[], bytes]
Read = Callable[[bytes], object]

FORMS: dict[str, tuple[Any, Callable[[Any], Message], type[Message]]] = {
    "products": (list[Product], messages.products, pb.ProductList),
    "product": (Product, messages.product, pb.Product),
    "profile": (User, messages.user, pb.User),
    "session": (Session, messages.session, pb.Session),
    "orders": (list[Order], messages.orders, pb.OrderList),
    "order": (Order, messages.order, pb.Order),
}
BATCHES = 5


def taken(action: Callable[[], object], seconds: float) -> dict[str, float]:
    """Return the time and CPU time of an action in ns: the medians of some batches."""
    count = 1
    while _batch(action, count)[0] < 1e9 * seconds / BATCHES:
        count *= 2
    batches = [_batch(action, count) for _ in range(BATCHES)]
    return {
        "time_ns": median(wall for wall, _ in batches) / count,
        "cpu_ns": median(cpu for _, cpu in batches) / count,
    }


def _batch(action: Callable[[], object], count: int) -> tuple[int, int]:
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    for _ in range(count):
        action()
    return time.perf_counter_ns() - wall, time.process_time_ns() - cpu


def ways_of(name: str, text: str) -> dict[str, tuple[Write, Read]]:
    """Return how an answer that is given as JSON is written and read in each form."""
    form, message, kind = FORMS[name]
    adapter = TypeAdapter(form)
    value = adapter.validate_json(text)
    return {
        "json": (
            lambda: adapter.dump_json(value, by_alias=True, exclude_none=True),
            adapter.validate_json,
        ),
        "protobuf": (lambda: message(value).SerializeToString(), kind.FromString),
    }


def line(name: str, form: str, write: Write, read: Read, seconds: float) -> dict[str, Any]:
    """Say what one form of an answer is and takes."""
    written = write()
    return {
        "answer": name,
        "form": form,
        "written": base64.b64encode(written).decode(),
        "write": taken(write, seconds),
        "read": taken(lambda: read(written), seconds),
    }


def main() -> None:
    asked = json.load(sys.stdin)
    for name, text in asked["answers"].items():
        for form, (write, read) in ways_of(name, text).items():
            print(json.dumps(line(name, form, write, read, asked["seconds"])), flush=True)


if __name__ == "__main__":
    main()
