"""`wirelab verify` with a contender of three services, each of which is made to fail."""

import shutil

import pytest

from wirelab.commands.verify import verify_command
from wirelab.exit_codes import ExitCode

THREE = ("rest-chi-services", "graphql-apollo-services", "grpc-aio-services")


@pytest.mark.thorough(reason="the check is tried on small services, and these by test_services.py")
@pytest.mark.parametrize("name", THREE)
def test_nothing_is_lost_and_every_refusal_is_right(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "rest-chi-services" and shutil.which("go") is None:
        pytest.skip("no Go here")

    code = verify_command(
        "shop", only=[name], environment="native", seed=1, stores={}, data=None, as_json=False
    )

    shown = capsys.readouterr()
    assert code is ExitCode.OK, shown.err
    assert f"equal    {name}" in shown.out
    assert "services that fail, of 1 contender" in shown.err
