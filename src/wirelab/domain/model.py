"""The keys of domain.toml.

A domain is data and the operations that servers offer on it. `DomainFile` lists the top-level keys,
the other headings those of its tables. An unknown key or name is an error. All errors of this file
and of the files that it names are reported together, then those of dialects, then of contenders.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, BeforeValidator, Field

from wirelab.domain.checks import ErrorCase, Outage, Sequence
from wirelab.domain.file_model import FileInFolder, Pointer
from wirelab.domain.kinds import Kinds, in_words, kind_of
from wirelab.domain.stores import State, Stores
from wirelab.inputs.file_model import FileModel, Misfit
from wirelab.inputs.problems import Problem
from wirelab.inputs.times import read_seconds

KeyCase = Literal["snake", "camel"]
Effect = Literal["read", "write", "none"]

REFERENCE_FILE = "reference.py"


PYTHON = "{python}"
"""The placeholder for wirelab's Python in a command."""
COUNT = "--count"
"""The generator's option for the number of rows of the first table."""


class Data(FileModel):
    """`[data]`: how the rows are generated; left out if the servers keep their own data.

    wirelab calls the generator with `--count N --skip N --seed N --format FORMAT --output PATH`.
    FORMAT is `ndjson` or `csv`. PATH is a file, or with `tables` a folder, in which each table gets
    the file NAME.FORMAT. The same arguments must always produce the same bytes: wirelab writes the
    `extra` rows twice, or without them a few others (with `size`, those of the smallest state), and
    refuses a generator if they differ, or if it ignores `--skip`. If another seed gives the same
    rows, it warns: set `data_seed` in studies of fixed data.
    """

    generator: tuple[str, ...] = ()
    """The command that writes the rows: a program in the domain's folder, one of wirelab's or one
    on PATH, with its arguments. `{python}` is wirelab's Python, as in `["{python}",
    "generate.py"]`."""
    records: str | None = None
    """Name of the only table. Exactly one of `records` and `tables`."""
    several: tuple[str, ...] = Field(default=(), alias="tables")
    """Names of several tables. A state's number of records is that of the first; the generator
    decides how many rows the others get."""
    key: str = "id"
    """Name of the key column, the same in all tables; no two rows of a table have the same key.
    Rows to insert (`"new game"`) come without it."""
    extra: int = Field(default=16, ge=0)
    """Number of rows of each table beyond those in the store, for operations that insert rows. Must
    be 0 with a `size` of your own."""
    size: str = Field(default=COUNT, pattern="^--")
    """The generator's option for the size, for generators that take no number of rows, such as
    `--scale-factor`. A state's `records` is then its value, and there are no rows beyond the
    store's."""
    queries: tuple[str, ...] = ()
    """Command of a query generator, for workloads with `instances = true`. It gets the same size
    and seed as the generator, and `--instances N`. It prints up to N JSON objects for each
    operation, one per line, with `template` (the operation's name, in any case) and `parameters`.
    Default: none."""

    def misfits(self) -> Iterator[Misfit]:
        """Yield what contradicts the generator, its option for the size or its tables."""
        if self.size != COUNT and self.extra:
            written = self.extra if "extra" in self.model_fields_set else None
            expected = f"0, since a generator with {self.size} as its size writes no rows beyond it"
            yield Misfit("extra", written, expected, "write extra = 0")
        if not self.generator and (self.records is not None or self.several):
            tables = "tables" if self.records is None else "records"
            expected = f"a command that writes the rows of {tables}"
            yield Misfit("generator", None, expected)
        if self.generator and self.records is None and not self.several:
            yield Misfit("records", None, "the name of the only table, or tables instead")
        if self.records is not None and self.several:
            yield Misfit.excluding(["records", "tables"], "records is the only table")
        if len(set(self.several)) < len(self.several):
            yield Misfit("tables", list(self.several), "names that are unique")

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that the generator fills."""
        if not self.generator:
            return ()
        return self.several if self.records is None else (self.records,)


class Interface(FileModel):
    """`[interface]`: the native descriptions of the interface.

    wirelab checks the operations of each protocol against them when it loads the domain.
    """

    files: dict[str, FileInFolder]
    """Not a key itself: `[interface]` has a key for each protocol, with the path of its description
    in the domain's folder: `rest` (OpenAPI), `graphql` (schema), `grpc` (.proto, or descriptors in
    a .binpb file), `soap` (WSDL), `mcp` (the answer to tools/list, as JSON). A header that
    OpenAPI requires is in the binding, or in `headers` of each contender."""
    key_case: Mapping[str, KeyCase] = {}
    """By protocol: how it spells keys, `snake` (default) or `camel`. domain.toml itself always uses
    snake case."""

    def case(self, protocol: str) -> KeyCase:
        """Return how a protocol spells the keys of this domain."""
        return self.key_case.get(protocol, "snake")


def _compiles(expression: str) -> str:
    try:
        jmespath.compile(expression)
    except JMESPathError as error:
        raise ValueError(f"a JMESPath expression: {' '.join(str(error).split())}") from None
    return expression


Expression = Annotated[str, AfterValidator(_compiles)]
"""A JMESPath expression."""


class RequestTemplate(FileModel):
    """The keys that the requests of all protocols share.

    In strings, `{name}` inserts a parameter; a string that is only `{name}` becomes the value
    itself. `{{` and `}}` stand for braces. An operation that takes several requests lists them as
    `rounds = [[…], […]]`; the requests of a round are sent together, and later rounds can use the
    answers of earlier ones.
    """

    each: Pointer = ""
    """In a later round: a JSON pointer to values in the answers so far. The request is sent once
    for each different value, which is `{item}` in the request. Default: sent once."""
    into: Pointer = ""
    """JSON pointer to the place of this answer in the operation's answer. Each `*` is filled by the
    `*` of `each` at the same position. Default: it is the whole answer."""
    answer: Pointer = ""
    """JSON pointer to the part of the response that is the answer. The description of the
    interface must contain it, as far as that describes responses; `wirelab verify` names
    what a response has instead. Default: the whole response."""
    select: Expression | None = None
    """A JMESPath expression that takes from this part what the operation answers with, if a client
    gets more than it needs, such as a whole resource. What it leaves out is not compared with
    another protocol's answer; the load engine compares the bytes of the whole response. Default:
    all of it."""


@dataclass(frozen=True, slots=True)
class Binding:
    """How one protocol expresses one operation: rounds of requests, usually a single request."""

    rounds: tuple[tuple[RequestTemplate, ...], ...]

    @property
    def composed(self) -> bool:
        """Whether the operation takes more than one request."""
        return len(self.rounds) > 1 or len(self.rounds[0]) > 1

    def requests(self) -> list[tuple[str, int, RequestTemplate]]:
        """Return each request with its key below that of the binding, and the number of its round.

        The key begins with a dot; it is "" if the operation is one request.
        """
        return [
            (f".rounds.{number}.{position}" if self.composed else "", number, request)
            for number, requests in enumerate(self.rounds)
            for position, request in enumerate(requests)
        ]


def _number_or_time(written: object) -> object:
    if isinstance(written, str):
        with suppress(ValueError):
            read_seconds(written, needs_unit=True)
            return written
    elif isinstance(written, int | float) and not isinstance(written, bool) and written >= 0:
        return written
    raise ValueError("a number of at least 0, or a time with its unit, such as 500ms, 5s or 7d")


Tolerance = Annotated[float | str, BeforeValidator(_number_or_time)]
"""The largest allowed difference of two numbers or, with a unit, of two times."""


class Common(FileModel):
    """`common` of an operation: how answers are compared if no reference defines the correct one.

    Parts of an answer are pointers without the leading slash; `*` stands for every item of a list.
    """

    project: Mapping[str, Expression] = {}
    """By protocol: a JMESPath expression that converts its answer to the common shape. Default: the
    answer as it is."""
    ignored: tuple[str, ...] = ()
    """Parts that are not compared, also of an answer that a protocol has them in alone, and headers
    as `header NAME`. Other values that are not compared are named, and must be less than half of
    an answer. Default: none."""
    ordered: dict[str, Expression] = Field(default={}, alias="sorted")
    """Lists whose order does not matter: for each part, a JMESPath expression of an item, by which
    the list is sorted before it is compared. Default: the order matters."""
    tolerance: Mapping[str, Tolerance] = {}
    """By part: the largest allowed difference of two numbers or, with a unit, of two times, such as
    `5s` or `2min`; 0 accepts a number written as text. Default: none."""


def _named(parameters: object) -> object:
    """Accept a list of names for parameters whose values are all in the file of parameters."""
    if isinstance(parameters, list) and all(isinstance(name, str) for name in parameters):
        return dict.fromkeys(parameters)
    return parameters


class OperationFile(FileModel):
    """`[operation.NAME]`: one operation, in terms that hold for all protocols.

    The tables `[operation.NAME.PROTOCOL]` define it for `rest`, `graphql`, `grpc`, `websocket`,
    `soap`, `jsonrpc` and `mcp`.
    """

    summary: str
    """What the operation does, in one line."""
    effect: Effect
    """`read`, `write`, or `none` for the control, which touches no store and takes no parameters. A
    domain with a generator needs a control, which also shows when a server is ready."""
    parameters: Annotated[Mapping[str, Any], BeforeValidator(_named)] = {}
    """For each parameter the source of its values: `"game.id"` a column of an existing row,
    `"game"` a whole row, `"new game"` a row that is not in the store, `"new game.name"` a column of
    such a row, `"new game[count]"` as many such rows as the parameter `count` states, `"= text"`
    that text; any other value is itself, of a kind that the interface allows. A list of names if
    the domain's file of parameters has the values."""
    answer: str = ""
    """Name of what the operation returns, for readers of the file; it is not evaluated."""
    errors: tuple[ErrorCase, ...] = ()
    """Calls that must be refused. Default: none."""
    masked: tuple[str, ...] = ()
    """Parts of the answer that only the server can know, such as new ids: pointers without the
    leading slash, in which `*` stands for every item of a list. They must be present, also in
    the reference's answer; their values are not compared."""
    common: Common = Common()
    """How answers are compared in a domain without a reference."""


class DomainFile(FileModel):
    """The file itself: its top-level keys and its tables.

    A domain with a generator also needs `reference.py`, whose class `Reference` returns the right
    answers.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    """Identifier of the domain: lower-case letters, digits, `_` and `-`."""
    title: str
    """Title of the domain."""
    summary: str
    """What the domain is about, in one line."""
    parameters: FileInFolder | None = None
    """File of parameters for a domain whose servers keep their own data: one JSON object per
    line, with `operation` and `parameters`. Default: none."""
    one_backend: bool = False
    """True states that all contenders work on the same data. Verification that may write then
    runs the sequences: it writes through one contender and reads through all, and refuses
    contenders that read something else."""
    data: Any = None
    """The rows; see `[data]`."""
    interface: Any = None
    """The descriptions; see `[interface]`."""
    store: Any = None
    """The stores; see `[store]`."""
    state: Any = None
    """`[state.NAME]` tables."""
    operation: Any = None
    """`[operation.NAME]` tables."""
    sequence: Any = None
    """`[sequence.NAME]` tables. Default: none."""
    outage: Any = None
    """`[outage.NAME]` tables. Default: none."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One action that a client asks for, and how each protocol expresses it.

    `parameters` are sources of values (see parameters.py), `masked` the parts of the answer that
    only the server can know, as pointers without the leading slash.
    """

    name: str
    summary: str
    effect: Effect
    parameters: Mapping[str, object]
    answer: str
    errors: tuple[ErrorCase, ...]
    masked: tuple[str, ...]
    bindings: Mapping[str, Binding]
    common: Common = field(default_factory=Common)
    kinds: Mapping[str, Kinds] = field(default_factory=dict)
    """The kinds of values that parameters take, as far as the descriptions of all protocols say."""
    declared: Mapping[str, Kinds] = field(default_factory=dict)
    """The kinds of values that replace those of domain.toml, if no description says which."""
    missing_headers: Mapping[str, Mapping[str, Problem]] = field(default_factory=dict)
    """By protocol: the headers in lower case that its description requires and the binding lacks,
    each with the problem of a contender that does not add it to its requests."""

    def why_unfit(self, parameter: str, value: object) -> str:
        """Return which kinds of values a parameter takes; "" if this value is one of them."""
        kind, what = kind_of(value), f"{parameter} of {self.name}"
        for known, why in (
            (self.kinds, f"as the interface describes {what}"),
            (self.declared, f"as the value of {what} in domain.toml"),
        ):
            kinds = known.get(parameter)
            if kinds is not None and kind is not None and kind not in kinds:
                return f"{in_words(kinds)}, {why}"
        return ""


@dataclass(frozen=True, slots=True)
class Domain:
    """Data and the operations that servers offer on it, loaded and checked."""

    name: str
    title: str
    summary: str
    folder: Path
    data: Data
    interface: Interface
    stores: Stores
    states: Mapping[str, State]
    operations: Mapping[str, Operation]
    sequences: Mapping[str, Sequence]
    outages: Mapping[str, Outage] = field(default_factory=dict)
    dialects: Mapping[str, "Domain"] = field(default_factory=dict)
    reference: Mapping[str, bool | str] = field(default_factory=dict)
    """Options for the reference; only dialects have some."""
    parameter_file: Path | None = None
    one_backend: bool = False
    spelled_in: str = "domain.toml"
    """The file that binds the operations to protocols: domain.toml, or that of a dialect."""

    @property
    def protocols(self) -> set[str]:
        """The protocols that some operation is bound to."""
        return {name for operation in self.operations.values() for name in operation.bindings}

    def in_dialect(self, dialect: str) -> "Domain":
        """Return the domain in a contender's dialect; "" is the domain's own interface."""
        return self.dialects[dialect] if dialect else self

    @property
    def has_reference(self) -> bool:
        """Whether a reference defines the right answers; otherwise contenders are compared."""
        return (self.folder / REFERENCE_FILE).is_file()

    @property
    def control(self) -> Operation | None:
        """The operation that touches no store: a server that answers it is ready."""
        return next((each for each in self.operations.values() if each.effect == "none"), None)
