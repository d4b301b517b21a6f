"""Headers and status of answers over one protocol: which belong to an answer, and which differ."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from wirelab.protocol.http import EVENT_STREAM, media_type
from wirelab.protocol.message import WireReply

CONTENT_TYPE = "content-type"
STATUS, EVENTS = ":status", ":events"
OF_EVENTS = ("event:", "id:")
"""Beginnings of lines with the type and the id of a server-sent event."""
OF_CONNECTIONS = {"connection", "keep-alive", "transfer-encoding", "alt-svc", "via", "upgrade"}
OF_SERVERS = {"server", "x-powered-by", "x-aspnet-version", "x-served-by", "x-generator"}
OF_MOMENTS = {"date", "age", "expires", "server-timing", "x-runtime", "x-response-time"}
OF_MOMENTS |= {"x-process-time", "x-request-id", "x-correlation-id", "x-trace-id", "traceparent"}
OF_MOMENTS |= {"tracestate", "set-cookie", "retry-after", "x-envoy-upstream-service-time"}
OF_BYTES = {"content-length", "content-encoding", "etag", "last-modified", "accept-ranges", "vary"}
NOT_COMPARED = OF_CONNECTIONS | OF_SERVERS | OF_MOMENTS | OF_BYTES
"""Headers that describe a connection, a program, a moment or bytes, but not what is answered."""
OF_POLICIES: tuple[str, ...] = (
    "access-control-",
    "cross-origin-",
    "x-frame-",
    "x-content-type-",
    "x-xss-",
)
OF_POLICIES += ("content-security-", "cache-control", "pragma", "referrer-policy", "x-ratelimit")
OF_POLICIES += ("permissions-policy", "strict-transport-", "x-dns-", "x-download-", "ratelimit")
OF_POLICIES += ("x-permitted-", "origin-agent-", "allow", "grpc-", "x-robots-", "nel", "report-to")
"""Beginnings of headers with rules for clients, which frameworks send by default."""

HEADER = "header "
"""The beginning of a header's name among the parts that a domain ignores."""

Headers = dict[str, str]


@dataclass(frozen=True, slots=True)
class HeaderDifference:
    """A header whose value differs, None where it is missing."""

    name: str
    one: str | None
    other: str | None
    """The first two values that differ."""
    differing: int
    compared: int
    """Numbers of parameter sets."""

    @property
    def is_of_answer(self) -> bool:
        """Whether both answers have it, and it says something about what is answered."""
        both = self.one is not None and self.other is not None
        return both and not self.name.startswith(OF_POLICIES)


@dataclass
class AnswerHeaders:
    """The headers of one contender's answers, by the number of the parameter set."""

    values: dict[int, Headers] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    """Headers that differed between two answers to the same request."""

    def add(self, number: int, one: WireReply, two: WireReply) -> None:
        """Add two answers to the same request."""
        first, second = headers_of(one), headers_of(two)
        self.values[number] = first
        names = first.keys() | second.keys()
        self.varying |= {name for name in names if first.get(name) != second.get(name)}

    def differences(
        self, other: "AnswerHeaders", ignored: Collection[str]
    ) -> Iterator[HeaderDifference]:
        """Yield the headers that differ from another contender's."""
        left_out = {
            *self.varying,
            *other.varying,
            *(pointer_.removeprefix(HEADER) for pointer_ in ignored),
        }
        shared = sorted(self.values.keys() & other.values.keys())
        pairs = [(other.values[number], self.values[number]) for number in shared]
        names = {name for pair in pairs for headers in pair for name in headers}
        for name in sorted(names - left_out):
            values = [(one.get(name), two.get(name)) for one, two in pairs]
            if differing := [pair for pair in values if pair[0] != pair[1]]:
                # A value that is missing now and then is a difference, too.
                first = next((pair for pair in differing if None not in pair), differing[0])
                yield HeaderDifference(name, *first, len(differing), len(pairs))


def headers_of(reply: WireReply) -> Headers:
    """Return the headers that belong to an answer, by their names in lower case.

    As in HTTP/2, the status is one of them; the types and ids of server-sent events are, too.
    """
    found: Headers = {STATUS: str(reply.status)}
    for key, value in reply.headers:
        name = key.lower()
        if name not in NOT_COMPARED and not name.startswith(":"):
            found[name] = f"{found[name]}, {value}" if name in found else value
    if CONTENT_TYPE in found:
        kind = media_type(reply)
        is_json = kind in ("application/json", "text/json") or kind.endswith("+json")
        found[CONTENT_TYPE] = "application/json" if is_json else kind
        if kind == EVENT_STREAM:
            lines = reply.content.decode("utf-8", errors="surrogateescape").splitlines()
            found[EVENTS] = "; ".join(line for line in lines if line.startswith(OF_EVENTS))
    return found
