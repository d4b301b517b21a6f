"""The versions of a contender in several environments: equal, or a threat to the comparison."""

from wirelab.analysis.cautions.servers import VersionsDiffer, different_versions
from wirelab.bundle import ContenderRecord


def contender(**versions: dict[str, str]) -> ContenderRecord:
    return ContenderRecord(title="REST", protocol="rest", stack="python", versions=versions)


def test_equal_versions_are_stated_once() -> None:
    same = contender(native={"flask": "3.1.0"}, container={"flask": "3.1.0"})

    assert same.version_lines == ["flask 3.1.0"]
    assert list(different_versions({"rest": same}, {"rest": "REST"})) == []


def test_versions_that_differ_are_a_threat_to_the_comparison() -> None:
    differing = contender(
        native={"flask": "3.1.0", "node": "24"}, container={"flask": "3.0.0", "node": "24"}
    )
    lines = ("flask (native 3.1.0, container 3.0.0)", "node 24")

    assert list(different_versions({"rest": differing}, {"rest": "REST"})) == [
        VersionsDiffer({"REST": lines})
    ]
