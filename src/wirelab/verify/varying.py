"""Operations whose right answers differ in their bytes: no hash can be expected of any of them."""

from collections.abc import Sequence
from dataclasses import replace

from wirelab.verify.findings import Plan, PlannedRequest


def settle(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Expect no bytes of requests whose operation was once answered in others.

    That two answers to a request have the same bytes may be chance: a server that shuffles three
    keys repeats itself once in six times. Requests of which bytes are expected lose `known`, for
    which nobody asks then.
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
    """Return the request as it is expected; `has_length` is None where bytes do not vary."""
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
