"""Readiness: a contender is ready when it answers the control operation like the reference."""

from collections.abc import Callable
from typing import Any

from wirelab.domain.dataset import Dataset
from wirelab.domain.reference import load_reference
from wirelab.protocol.base import Codec
from wirelab.protocol.client import connect
from wirelab.verify.comparison import Comparison

PATIENCE_S = 2.0
"""How long the control operation, which uses no store, may take."""


class NotReadyError(Exception):
    """The control operation is not answered correctly (yet); the text contains the reply."""


def readiness(contender: str, codec: Codec[Any], dataset: Dataset) -> Callable[[str], None]:
    """Return a check that takes host:port and raises `NotReadyError` until a contender is ready."""
    reference = load_reference(dataset.domain, dataset)
    control = dataset.domain.control
    assert control is not None, "a domain with a reference has a control"
    [parameters] = dataset.draw(control, 1, seed=1)

    def check(address: str) -> None:
        with connect(codec.transport, address, codec.path, PATIENCE_S) as client:
            comparison = Comparison(contender, codec, client, reference)
            comparison.compare(control, parameters)
        if comparison.findings:
            raise NotReadyError("\n".join(str(finding) for finding in comparison.findings))

    return check
