"""What one window of a client showed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """Times are means of one transaction, in µs."""

    transactions: int
    throughput_per_s: float
    response_mean_us: float
    client_cpu_us: float

    def outside_us(self, users: int) -> float:
        """Return what passes from an answer to the same user's next request.

        By Little's law users / throughput is the time from one request of a user to the next; what
        of it is not response time is the client's.
        """
        return users / self.throughput_per_s * 1e6 - self.response_mean_us
