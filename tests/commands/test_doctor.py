"""`wirelab doctor`: what this machine has, in as few lines as there are things to know."""

import json

from typer.testing import CliRunner

from wirelab.cli import app


def test_environments_on_some_cpus_are_one_line() -> None:
    done = CliRunner().invoke(app, ["doctor", "--json"])

    named = [each["name"] for each in json.loads(done.stdout) if "native-" in each["name"]]
    assert named == ["environment native-N-cpus"]
