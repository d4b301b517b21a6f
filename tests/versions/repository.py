"""Repositories of a server whose commits take a planted time."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = """\
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

settings = dict(line.split("=") for line in Path("settings").read_text().split())
seconds = float(settings["seconds"]) * float(os.environ.get("FACTOR", "1"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(6, 1, 1)

    def do_GET(self):
        time.sleep(seconds if self.path.startswith(settings.get("path", "/")) else 0.001)
        body = json.dumps({"path": self.path, "answer": settings.get("answer", "same")}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
START = f"exec {sys.executable} serve.py {{port}}"


def git(folder: Path, *arguments: str) -> str:
    """Run git as somebody; return its output."""
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    local = ("-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *who, *local, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, subject: str, **settings: object) -> str:
    """Commit the server with these settings; return the id."""
    lines = [f"{name}={value}" for name, value in settings.items()]
    (folder / "settings").write_text("\n".join([*lines, f"subject={subject}"]))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, commits: Sequence[Mapping[str, object]]) -> list[str]:
    """Create a repository with a commit for each of these settings, tagged v0, v1, ...; the ids."""
    folder.mkdir(parents=True)
    (folder / "serve.py").write_text(SERVER)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    ids = []
    for number, settings in enumerate(commits):
        ids.append(commit(folder, f"v{number}", **settings))
        git(folder, "tag", f"v{number}")
    return ids
