"""Operations whose correct answers differ in their bytes, and so cannot be checked by a hash."""

from collections.abc import Sequence
from dataclasses import replace

from wirelab.verify.plans import Plan, PlannedRequest


def drop_varying_bytes(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Drop the expected bytes of all requests of an operation whose answers varied at least once.

    Two answers to a request can have the same bytes by chance: a server that shuffles three keys
    repeats an order once in six times. Requests with expected bytes lose `known`, which they do not
    need.
    """
    varying: dict[str, bool] = {}
    for plan in plans:
        for request in _requests(plan):
            if _varies(request):
                has_length = request.expectation.body_length is not None
                varying[plan.operation] = varying.get(plan.operation, True) and has_length
    return tuple(
        replace(
            plan,
            rounds=tuple(
                tuple(_settled(request, varying.get(plan.operation)) for request in together)
                for together in plan.rounds
            ),
        )
        for plan in plans
    )


def _settled(request: PlannedRequest, has_length: bool | None) -> PlannedRequest:
    """Return the request with its expectation; `has_length` is None if the bytes do not vary."""
    known = request.known
    if known is None or _varies(request):
        return request
    if has_length is None:
        return PlannedRequest(request.request, request.expectation)
    reply = known.exchange.reply
    loose = known.codec.loose_expectation(reply, has_length=has_length)
    return PlannedRequest(request.request, loose, known)


def _varies(request: PlannedRequest) -> bool:
    return request.known is not None and request.expectation.body_xxh3 is None


def _requests(plan: Plan) -> list[PlannedRequest]:
    return [request for together in plan.rounds for request in together]
