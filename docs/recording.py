"""Record a terminal as a moving picture: `make recording` writes docs/images/compare.svg.

A comparison of two small servers runs in a pseudo-terminal of 80×24, whose screen after each
output becomes a frame. Long pauses are shortened.
"""

import html
import os
import pty
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyte

COLUMNS, ROWS = 80, 24
CHARACTER_PX, LINE_PX, MARGIN_PX = 8.4, 18, 14
FRAME_S, LONGEST_S, LAST_S = 0.2, 0.6, 6.0
"""The least duration of a frame, the longest one, and that of the last one."""
TYPING_S = 0.04
COMMAND = (
    "wirelab compare old=http://localhost:8081/items new=http://localhost:8082/items",
    ["compare", "old=http://localhost:8081/items", "new=http://localhost:8082/items"],
)
SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
items = [{"id": number, "name": f"item {number}", "price": number * 1.5} for number in range(200)]
ready = json.dumps(items).encode()
class Items(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = ready if sys.argv[2] == "new" else json.dumps(items).encode()
        head = (
            "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
            f"Content-Length: {len(body)}\\r\\n\\r\\n"
        )
        self.wfile.write(head.encode() + body)
    def log_message(self, *_):
        pass
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Items).serve_forever()
"""
COLOURS = {
    "default": "#d7dde5", "black": "#3b4252", "red": "#ff7b72", "green": "#56d364",
    "brown": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#fff",
}  # fmt: skip


@contextmanager
def serving() -> Iterator[None]:
    """Run both servers."""
    with ExitStack() as ends:
        for port, name in ((8081, "old"), (8082, "new")):
            process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), name])
            ends.callback(process.wait)
            ends.callback(process.kill)
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
        yield


def frames(arguments: list[str], shown: str) -> Iterator[tuple[float, list[str]]]:
    """Run wirelab in a terminal; yield the duration in seconds and the lines of each frame."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    stream.feed(b"$ ")
    for character in shown:
        stream.feed(character.encode())
        yield TYPING_S, rendered(screen)
    stream.feed(b"\r\n")
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm-256color"}
        os.environ.pop("NO_COLOR", None)
        program = Path(sys.executable).with_name("wirelab")
        os.execv(program, [str(program), *arguments])  # noqa: S606
    began = time.monotonic()
    while True:
        try:
            output = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        stream.feed(output)
        if (passed := time.monotonic() - began) >= FRAME_S:
            yield min(passed, LONGEST_S), rendered(screen)
            began = time.monotonic()
    os.waitpid(child, 0)
    yield LAST_S, rendered(screen)


def rendered(screen: pyte.Screen) -> list[str]:
    """Render each line of the screen as spans of SVG."""
    lines = []
    for row in range(ROWS):
        spans: list[tuple[str, str]] = []
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            colour = COLOURS.get(cell.fg, f"#{cell.fg}")
            style = f"{colour}{' bold' if cell.bold else ''}"
            if spans and spans[-1][0] == style:
                spans[-1] = (style, spans[-1][1] + cell.data)
            else:
                spans.append((style, cell.data))
        lines.append(
            "".join(_span(*span) for span in spans if span[1].strip() or span is not spans[-1])
        )
    return lines


def _span(style: str, text: str) -> str:
    colour, _, bold = style.partition(" ")
    weight = ' font-weight="bold"' if bold else ""
    return f'<tspan fill="{colour}"{weight}>{html.escape(text)}</tspan>'


def svg(recorded: list[tuple[float, list[str]]]) -> str:
    """Draw the frames one below the other, in a window that moves from one to the next."""
    width = round(COLUMNS * CHARACTER_PX + 2 * MARGIN_PX)
    height = ROWS * LINE_PX + 2 * MARGIN_PX
    total_s = sum(seconds for seconds, _ in recorded)
    steps, at_s = [], 0.0
    for number, (seconds, _) in enumerate(recorded):
        steps.append(f"{100 * at_s / total_s:.3f}%{{transform:translateY(-{number * height}px)}}")
        at_s += seconds
    texts = [
        f'<text x="{MARGIN_PX}" y="{number * height + row * LINE_PX + MARGIN_PX}">{line}</text>'
        for number, (_, lines) in enumerate(recorded)
        for row, line in enumerate(lines, start=1)
        if re.sub(r"<[^>]*>", "", line).strip()
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
        f"<style>text{{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}"
        f"@keyframes film{{{''.join(steps)}}}"
        f"#film{{animation:film {total_s:.1f}s steps(1,end) infinite}}"
        f"@media (prefers-reduced-motion:reduce){{#film{{animation:none;"
        f"transform:translateY(-{(len(recorded) - 1) * height}px)}}}}</style>"
        f'<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>'
        f'<g id="film">{"".join(texts)}</g></svg>\n'
    )


def main() -> None:
    """Write the picture to the path on the command line."""
    shown, arguments = COMMAND
    with tempfile.TemporaryDirectory() as folder, serving():
        output = ["--output", str(Path(folder) / "bundle")]
        recorded = list(frames([*arguments, *output], shown))
    Path(sys.argv[1]).write_text(
        svg(recorded).replace(shlex.quote(folder), "bundles"), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
