"""Every contender answers as the reference does: the proof that a study begins with."""

from dataclasses import dataclass, field

import pytest

from tests.library.standing import CONTENDERS, LIBRARY
from tests.support.filling import refill
from tests.support.standing import Named
from wirelab.domain import Dataset, load_reference
from wirelab.lab.stores.store import Database
from wirelab.protocol import get
from wirelab.protocol.clients.client import connect
from wirelab.verify import verify

PHRASES = {"Author - 1": 3112, "Author - 100": 111, "Author - 1000": 11}
AUTHORS = LIBRARY.states["catalogue"].records


@dataclass(frozen=True)
class Search:
    """A workload of the study."""

    phrase: str
    operation: str = "find_authors"
    parameter_sets: int = 1
    parameters: dict[str, object] = field(init=False)
    instances: bool = False
    instances_from: str = ""
    inline: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", {"phrase": self.phrase})


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return Dataset.generate(LIBRARY, AUTHORS, 1, tmp_path_factory.mktemp("cache"))


def test_the_three_phrases_match_as_often_as_published(dataset: Dataset) -> None:
    reference = load_reference(LIBRARY, dataset)

    for phrase, count in PHRASES.items():
        found = reference.call("find_authors", {"phrase": phrase})
        assert isinstance(found, list)
        assert len(found) == count


def test_every_country_is_known(dataset: Dataset) -> None:
    known = set((LIBRARY.folder / "countries.txt").read_text(encoding="utf-8").splitlines())

    assert {author["country"] for author in dataset.tables["author"]} <= known


@pytest.mark.parametrize("name", CONTENDERS)
def test_verify_finds_nothing(
    name: str, contender_named: Named, dataset: Dataset, store: Database
) -> None:
    workloads = {phrase: Search(phrase) for phrase in PHRASES}
    contender = contender_named(name)
    path = contender.contender.path
    codec = get(contender.contender.protocol).bind(LIBRARY, path)
    refill(store, dataset)
    with connect(codec.transport, contender.address, path) as client:
        verified = verify(name, codec, client, dataset, workloads)

    assert [str(finding) for finding in verified.findings] == []
    assert {plan.workload for plan in verified.plans} == set(PHRASES)
    assert all(plan.rounds[0][0].expectation.body_xxh3 for plan in verified.plans)


def test_the_build_names_every_file_that_goes_into_it() -> None:
    contender = CONTENDERS["rest-spring"]
    sources = {
        str(path.relative_to(contender.folder))
        for path in contender.folder.rglob("*")
        if path.is_file() and "target" not in path.parts
    }
    listed = {name for name in contender.build.inputs if not name.startswith("..")}

    assert sources - {"README.md", "contender.toml", ".gitignore"} == listed
