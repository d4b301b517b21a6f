"""The tables of domain.toml about verification: wrong calls, sequences of calls, and outages."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from wirelab.domain.file_model import Pointer
from wirelab.domain.refusal import RefusalKind
from wirelab.inputs.file_model import FileModel


class ErrorCase(FileModel):
    """An entry of `errors`: a call that every contender must refuse, and the reason."""

    parameters: dict[str, Any]
    """The parameters that make the call wrong, by name; the others are drawn as usual."""
    refusal: RefusalKind
    """The reason, which each protocol expresses with its own error."""


class Step(FileModel):
    """An entry of `steps`: one call of a sequence. `{name}` inserts a value remembered earlier."""

    operation: str
    """Name of the operation to call."""
    parameters: Mapping[str, Any] = {}
    """Values of its parameters, by name; the others are drawn as usual."""
    remember: Mapping[str, Pointer] = {}
    """Values of the answer for later steps: for each name a JSON pointer into the answer, without a
    reference into its common shape. With a reference, its answer must have them."""


class Sequence(FileModel):
    """`[sequence.NAME]`: calls that verification makes in this order, such as the life of a row.

    It makes them on contender and reference, each with the ids that it created itself, and compares
    the answers. In a domain without a reference, it makes them if `one_backend = true` and the
    operations that write are allowed: writes through one contender, reads through all, then writes
    through the next one. It compares what all of them read.
    """

    summary: str
    """What the sequence shows, in one line."""
    steps: tuple[Step, ...] = Field(min_length=1)
    """The calls, at least one."""


class Look(FileModel):
    """An entry of `looks`: a read that shows whether an outage has changed anything."""

    operation: str
    """Name of the operation to call. It must have `effect = "read"`."""
    parameters: Mapping[str, Any] = {}
    """Values of its parameters, by name; `{name}` inserts a remembered value. The others are drawn
    as usual."""
    service: str = ""
    """Name of the service to ask. Default: the one that clients ask."""


class Outage(FileModel):
    """`[outage.NAME]`: the required result of an operation while a service that it needs fails.

    `wirelab verify` makes the services of contenders fail one by one. While answers of the services
    are slow, the operation must still succeed. While a service is silent, answers after the
    deadline or has ended, the operation must be refused within `deadline_s`, with the error that
    the protocol has for it, and must change nothing: afterwards, all `looks` must match the
    reference, which did not perform the operation.
    """

    summary: str
    """What must hold, in one line."""
    operation: str
    """Name of the operation to call."""
    parameters: Mapping[str, Any] = {}
    """Values of its parameters, by name; the others are drawn as usual."""
    remember: Mapping[str, Pointer] = {}
    """Values of the first answer for `{name}` in the `looks`: for each name a JSON pointer into the
    answer. The reference's answer must have them."""
    deadline_s: float = Field(gt=0)
    """Seconds within which the operation must be refused. Verification allows 2 s more, for a busy
    machine."""
    looks: tuple[Look, ...] = Field(min_length=1)
    """The reads that show that nothing has changed, at least one."""
