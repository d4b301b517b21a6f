"""Functions in a process of their own: their results, their errors, and limits."""

import time
from pathlib import Path

import pytest

from wirelab.inputs import apart as apart_module
from wirelab.inputs.apart import LimitError, apart
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.descriptions.openapi import read_openapi
from wirelab.scaffold.descriptions.sources import described

NESTED_MERGES = "\n".join(
    ["x0: &x0 {a: 1}"]
    + [f"x{n}: &x{n} {{<<: [{', '.join([f'*x{n - 1}'] * 8)}]}}" for n in range(1, 30)]
)
PATHS = "\npaths: {/a: {get: {responses: {'200': {description: ok}}}}}\n"


def test_a_result_comes_back_without_what_was_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert apart(print, "in between") is None
    assert apart(divmod, 7, 2) == (3, 1)
    assert "in between" not in capfd.readouterr().out


def test_an_error_comes_back(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        apart(divmod, 7, 0)
    (tmp_path / "none").write_text("paths: 1")
    with pytest.raises(ProblemsError) as here:
        read_openapi(tmp_path / "none")
    with pytest.raises(ProblemsError) as there:
        apart(read_openapi, tmp_path / "none")
    assert there.value.problems == here.value.problems


@pytest.mark.parametrize(("function", "argument"), [(time.sleep, 60), (bytes, 2**40)])
def test_limits_are_enforced(
    function: type, argument: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart_module, "SECONDS", 3.0)
    began = time.monotonic()

    with pytest.raises(LimitError, match="3 s" if function is time.sleep else "GiB"):
        apart(function, argument)
    assert time.monotonic() - began < 30


def test_a_small_description_cannot_take_all_time_or_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart_module, "SECONDS", 5.0)
    monkeypatch.setattr(apart_module, "MEMORY_BYTES", 2**30)
    file = tmp_path / "api.yaml"
    file.write_text(f"openapi: 3.0.0\n{NESTED_MERGES}{PATHS}")
    (tmp_path / "domain").mkdir()

    with pytest.raises(ProblemsError, match=r"api\.yaml .* it (took|needs)"):
        described("rest", str(file), tmp_path / "domain")
