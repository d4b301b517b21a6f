"""h2load: nghttp2's own generator, for HTTP/1.1, HTTP/2 and so for gRPC."""

from benches.peers.case import Case
from benches.peers.generator import Order, Reported, duration_us, find
from benches.peers.material import CALL, grpc_frame_path


class H2load:
    """It prints no percentiles."""

    name = "h2load"
    program = "h2load"

    def carries(self, case: Case) -> bool:
        """Return whether it supports the case; Debian's does not support HTTP/3."""
        return case.protocol in {"http1", "tls", "http2", "grpc"}

    def command(self, order: Order) -> list[str]:
        """Return the command line."""
        case = order.case
        command = [order.program, "-t1", f"-c{case.connections}", f"-m{case.streams}"]
        command.append(f"-n{order.requests}" if order.requests else f"-D{order.seconds:g}")
        if case.rate_per_s:
            command.append(f"--rps={case.rate_per_s / case.connections:g}")
        if case.protocol in {"http1", "tls"}:
            command.append("--h1")
        if case.protocol == "grpc":
            frame = str(grpc_frame_path(order.material, case.body))
            headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
            return [*command, *headers, "-d", frame, f"http://127.0.0.1:{order.port}/{CALL}"]
        return [*command, order.url]

    def read(self, order: Order) -> Reported:
        """Read the summary."""
        text = order.output.read_text()
        counts = find(r"(\d+) done, (\d+) succeeded, (\d+) failed", text)
        times = find(r"^time for request:\s+(\S+)\s+(\S+)\s+(\S+)", text)
        return Reported(
            requests=int(counts[2]),
            errors=int(counts[3]),
            seconds=duration_us(find(r"^finished in ([\d.]+\w+),", text)[1]) / 1e6,
            mean_us=duration_us(times[3]),
        )
