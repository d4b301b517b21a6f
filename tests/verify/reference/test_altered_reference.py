"""What `verify` reports if the reference of a domain is another one than its contenders follow."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.note_servers import Logic, serving
from tests.support.note_verification import errors, verified
from wirelab.domain import Dataset
from wirelab.domain.checks import ErrorCase
from wirelab.inputs.problems import ProblemsError


def test_an_answer_of_the_reference_that_depends_on_chance_is_no_finding(
    dataset: Dataset, tmp_path: Path
) -> None:
    by_chance = changed(
        dataset, tmp_path, "return self.notes[id]", "return {'at': __import__('time').time_ns()}"
    )
    with (
        serving("rest", Logic(dataset)) as address,
        pytest.raises(ProblemsError, match=r"reference\.py: read\(id='note 0.*'\): answer/at is"),
    ):
        verified("rest", by_chance, address)


def test_declared_errors_that_a_protocol_cannot_express_are_not_counted_as_sent(
    dataset: Dataset, tmp_path: Path
) -> None:
    refusing = changed(dataset, tmp_path, "if limit < 1", "if limit in ('many', 0)")
    listing = refusing.domain.operations["list"]
    of_text = ErrorCase(parameters={"limit": "many"}, refusal="invalid")
    operations = {
        **refusing.domain.operations,
        "list": replace(listing, errors=(*listing.errors, of_text)),
    }
    domain = replace(refusing.domain, operations=operations)
    with serving("grpc", Logic(dataset)) as address:
        done = verified("grpc", replace(refusing, domain=domain), address)

    assert errors(done) == []
    sent = done.sent
    assert (sent.operations, sent.sequences) == (6, 1)
    assert (sent.declared_errors, sent.inexpressible_errors) == (5, 1)


def changed(dataset: Dataset, folder: Path, old: str, new: str) -> Dataset:
    """Return a data set of the domain with another text in its reference."""
    script = (dataset.domain.folder / "reference.py").read_text()
    assert old in script
    (folder / "reference.py").write_text(script.replace(old, new))
    return replace(dataset, domain=replace(dataset.domain, folder=folder))
