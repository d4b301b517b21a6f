"""The guides say what works: their commands are executed as they stand, but for ports and time."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from tests.compare.running import HERE, OPENAPI, QUICK, serving, wirelab
from wirelab.analysis import analyse
from wirelab.bundle import Bundle
from wirelab.domain_file import load_domain
from wirelab.statistics import Outcome
from wirelab.terminal.exit_codes import ExitCode

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
GUIDE = (GUIDES / "compare-your-own-api.md").read_text()
README = (GUIDES.parents[1] / "README.md").read_text()
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
SERVERS = {
    "8081": ("slow=0.003",),
    "8082": (),
    "8083": (),
    "8084": ("token=secret-of-the-guide",),
    "8085": (),
}
"""What is said to listen at which port. REST is so slow that the verdict is beyond doubt."""
SPEAK_GRPC = ("8083", "8085")
GATEWAY = {
    "rpc.proto": """
syntax = "proto3"; package etcdserverpb;
import "google/api/annotations.proto"; import "mvccpb/kv.proto";
service KV {
  rpc Range(RangeRequest) returns (RangeResponse) {
    option (google.api.http) = { post: "/v3/kv/range" body: "*" };
  }
}
message RangeRequest { bytes key = 1; bool keys_only = 2; }
message RangeResponse { repeated mvccpb.KeyValue kvs = 1; }
""",
    "third_party/mvccpb/kv.proto": """
syntax = "proto3"; package mvccpb; message KeyValue { bytes key = 1; bytes value = 2; }
""",
    "rpc.swagger.json": """
{"swagger": "2.0", "consumes": ["application/json"],
 "paths": {"/v3/kv/range": {"post": {"operationId": "KV_Range",
   "parameters": [{"name": "body", "in": "body", "required": true,
                   "schema": {"$ref": "#/definitions/RangeRequest"}}],
   "responses": {"200": {"schema": {"$ref": "#/definitions/RangeResponse"}}}}}},
 "definitions": {
   "RangeRequest": {"properties": {"key": {"type": "string", "format": "byte"},
                                   "keys_only": {"type": "boolean"}}},
   "RangeResponse": {"properties": {"kvs": {"type": "array",
                                            "items": {"$ref": "#/definitions/KeyValue"}}}},
   "KeyValue": {"properties": {"key": {"type": "string", "format": "byte"},
                               "value": {"type": "string", "format": "byte"}}}}}
""",
    "keys.csv": "key\nYQ==\nYg==\n",
}
"""The descriptions of a gRPC service behind a gateway, as those of etcd, and keys for it."""
COMMON = {"kv": {"kv_range"}, "catalogue": {"get_item", "list_items"}}
"""Operations that the descriptions of a domain have in common."""
BEFORE = {"run": ("--design", "smoke", "--output", "ran"), "compare": QUICK}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A repository of a small server with two versions, and the servers of the guide."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "api.yaml").write_text(OPENAPI.read_text())
    (folder / "serve.py").write_text((HERE / "servers.py").read_text())
    for name, text in GATEWAY.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "Makefile").write_text(f"serve:\n\t@exec {sys.executable} serve.py $(PORT)\n")
    for command in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("add", "."),
        ("commit", "--quiet", "-m", "first"),
        ("checkout", "--quiet", "-b", "faster"),
        ("commit", "--quiet", "--allow-empty", "-m", "second"),
    ):
        who = "-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"
        subprocess.run(["git", *who, *command], cwd=folder, check=True)
    with ExitStack() as ends:
        ports = {
            port: ends.enter_context(
                serving(*ways, program="grpc_server.py" if port in SPEAK_GRPC else "servers.py")
            ).rpartition(":")[2]
            for port, ways in SERVERS.items()
        }
        yield folder, ports


def test_the_readme_shows_the_first_command_of_the_guide() -> None:
    assert COMMANDS[0] in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_guide_works(world: tuple[Path, dict[str, str]], command: str) -> None:
    """In their order: later ones use what earlier ones have written."""
    folder, ports = world
    written = re.sub(r"localhost:(\d+)", lambda found: f"localhost:{ports[found[1]]}", command)
    words = re.findall(r"'[^']*'|[^\s']+", written)
    _, name, *arguments = (word.strip("'") for word in words)
    if name == "run":
        take_few_turns(folder / arguments[0] / "study.toml")
    done = wirelab(
        *(name, *arguments, *BEFORE.get(name, ())),
        folder=folder,
        environment={"API_TOKEN": "secret-of-the-guide"},
    )

    expected = {ExitCode.OK, ExitCode.CANNOT_TELL}
    if "--ci" in arguments:
        expected.add(ExitCode.SLOWER)  # a result: one protocol may be slower than the other
    assert done.returncode in expected, done.stderr
    assert "Traceback" not in done.stderr
    if name == "init":
        assert (
            COMMON[arguments[0]] <= load_domain(folder / arguments[0] / "domain").operations.keys()
        )
    if name == "run":
        assert faster(folder / "ran") == {"w-get-item": "grpc", "w-list-items": "grpc"}


def take_few_turns(study: Path) -> None:
    """Shorten the blocks of a study: REST is so slow that the verdict needs no long ones."""
    written = study.read_text()
    assert "permutations = 15" in written
    study.write_text(written.replace("permutations = 15", "permutations = 2"))


def faster(bundle: Path) -> dict[str, str]:
    """Return which of two contenders each workload of a study has found to be faster."""
    found = {}
    for pair in analyse(Bundle.open(bundle)).pairs:
        assert pair.verdict is not None
        labels = {Outcome.FASTER: pair.a.contender, Outcome.SLOWER: pair.b.contender}
        found[pair.a.workload] = labels.get(pair.verdict.outcome, pair.verdict.words)
    return found


def test_no_version_is_left_behind(world: tuple[Path, dict[str, str]]) -> None:
    folder, _ = world
    listed = subprocess.run(
        ["git", "worktree", "list"], cwd=folder, check=True, capture_output=True, text=True
    )

    assert len(listed.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "block",
    re.findall(
        r"^```yaml\n(.*?)^```",
        (GUIDES / "continuous-integration.md").read_text(),
        re.MULTILINE | re.DOTALL,
    ),
)
def test_the_examples_of_continuous_integration_are_yaml_with_existing_options(
    block: str, tmp_path: Path
) -> None:
    assert isinstance(yaml.safe_load(block), dict)
    options = set(re.findall(r"(?<=\s)--[a-z-]+", block[block.index("wirelab compare") :]))
    known = wirelab("compare", "--help", folder=tmp_path, environment={"COLUMNS": "200"}).stdout

    assert [each for each in options if each not in known and each != "--body-file"] == []
