"""Names for contenders in reports: those that the user gave, or else short ones.

A short name is the protocol, and what distinguishes contenders that share it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from wirelab.study import Cell
from wirelab.terminal.words import protocol_title

SIDES = "compared"
"""The id of the stack whose contenders are the sides of `wirelab compare`."""


class LabelParts(Protocol):
    """A contender, or the record of one."""

    @property
    def title(self) -> str:
        """The title in contender.toml."""

    @property
    def protocol(self) -> str:
        """The id of the protocol."""

    @property
    def protocol_name(self) -> str:
        """What contender.toml calls the protocol; "": the name of the protocol."""

    @property
    def stack(self) -> str:
        """The id of the stack."""


def label_contenders(contenders: Mapping[str, LabelParts]) -> dict[str, str]:
    """Give each contender a unique name: the one that the user gave to a side, or a short one.

    A protocol's only contender has the name of the protocol. Several contenders of one protocol
    keep the words of their ids that not all of them share: `rest-spring` and `rest-spring-virtual`
    become "REST" and "REST virtual", `grpc-go` and `connect-go` "gRPC go" and "gRPC connect go".
    The protocol is left out if the study has only one. Ids are kept if short names would be equal.
    A title that is the short name in another spelling replaces it. `protocol_name` in
    contender.toml is the name of a protocol that is bound as another one.
    """
    labels = {name: it.title for name, it in contenders.items() if _is_given(name, it)}
    by_protocol: dict[str, list[str]] = {}
    for name, record in contenders.items():
        if name not in labels:
            title = record.protocol_name or protocol_title(record.protocol)
            by_protocol.setdefault(title, []).append(name)
    for title, names in by_protocol.items():
        prefix = title if len(by_protocol) > 1 else ""
        words = [_without_protocol(name, contenders[name]) for name in names]
        for name, rest in zip(names, _distinguishing(words), strict=True):
            label = " ".join(filter(None, (prefix, rest))) or title
            given = contenders[name].title
            labels[name] = given if given.casefold() == label.casefold() else label
    counted = Counter(labels.values())
    return {name: labels[name] if counted[labels[name]] == 1 else name for name in contenders}


def label_of(cell: Cell, labels: Mapping[str, str]) -> str:
    """Return the name of a cell's contender; a twin is not confused with its contender."""
    label = labels.get(cell.contender, cell.contender)
    return f"{label} (twin)" if cell.twin else label


def _is_given(name: str, side: LabelParts) -> bool:
    """Return whether the user named a side; the title of any other is its address or command."""
    letters = "".join(filter(str.isalnum, side.title.lower()))
    return side.stack == SIDES and letters == name.replace("-", "")


def _without_protocol(name: str, record: LabelParts) -> str:
    """Drop the protocol from the beginning of an id."""
    protocol = record.protocol_name.lower() or record.protocol
    return "" if name == protocol else name.removeprefix(f"{protocol}-")


def _distinguishing(names: Sequence[str]) -> list[str]:
    """Drop the words at both ends that all names share."""
    split = [name.split("-") for name in names]
    if len(split) == 1:
        return [""]
    start = _shared(split)
    end = _shared([words[start:][::-1] for words in split])
    return [" ".join(words[start : len(words) - end]) for words in split]


def _shared(names: Sequence[Sequence[str]]) -> int:
    """Count the words that all names begin with."""
    count = 0
    for words in zip(*names, strict=False):
        if len(set(words)) > 1:
            break
        count += 1
    return count
