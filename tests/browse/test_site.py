"""What `wirelab browse` answers, and how little it does for it."""

import json
import re
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.bundles.capacities import write_capacities
from tests.support.bundles.hostile import EVIL
from tests.support.wording import assert_worded
from tests.versions.ledger_lines import line
from wirelab.analysis.cautions.runs import Altered
from wirelab.analysis.synopsis import Synopsis
from wirelab.browse.cache import Cache
from wirelab.browse.catalogue import Catalogue
from wirelab.browse.reader import BundleReader
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode
from wirelab.versions.ledger import append_lines

from .library import another, many, remember
from .serving import PATIENCE_S, Serving, browse, browsing, ids, tree


@dataclass(frozen=True)
class Library:
    """A folder of bundles that are served."""

    folder: Path
    cache: Path
    serving: Serving

    def id_of(self, name: str) -> str:
        """Return the id of a bundle by the name of its folder."""
        page = tree(self.serving.get("/"))
        (item,) = page.xpath(f"//li[contains(@class, 'entry')][.//text()='{name}']/@id")
        return str(item).removeprefix("b-")


@pytest.fixture(scope="module")
def library(
    bundle: Bundle, slower: Bundle, hostile: Bundle, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    """Whole bundles and broken ones, all read."""
    folder = tmp_path_factory.mktemp("library")
    another(bundle, folder / "whole", created_utc="2026-11-20T09:00:00Z")
    another(slower, folder / "slower", created_utc="2026-11-21T09:00:00Z")
    another(bundle, folder / "newer", format="wirelab-bundle/2")
    another(bundle, folder / "altered", seal=False, created_utc="2026-11-19T09:00:00Z")
    another(bundle, folder / "interrupted", status="interrupted")
    another(hostile, folder / "hostile")
    unplanned = another(bundle, folder / "unplanned", seal=False, status="interrupted")
    (unplanned / "schedule.json").unlink()
    (unplanned / "schedule.json").write_text('{"design": ')
    torn = another(bundle, folder / "torn", seal=False)
    for block in (torn / "blocks").iterdir():
        (block / "block.json").unlink()
        (block / "block.json").write_text('{"block": {"id": "b01')
    cache = tmp_path_factory.mktemp("cache")
    with browsing(folder, cache) as serving:
        serving.all_read()
        yield Library(folder, cache, serving)


@pytest.fixture(scope="module")
def capacities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A bundle of rates, read."""
    folder, cache = tmp_path_factory.mktemp("capacities"), tmp_path_factory.mktemp("cache")
    write_capacities(folder / "capacity")
    with browsing(folder, cache) as serving:
        serving.all_read()
        yield Library(folder, cache, serving)


def entry(library: Library, name: str) -> str:
    """Return all that the list says of a bundle, on one line."""
    (item,) = tree(library.serving.get("/")).xpath(f"//li[@id='b-{library.id_of(name)}']")
    return " ".join(item.text_content().split())


def test_signs_have_a_key_for_times_and_one_for_rates_where_there_are_any(
    library: Library, capacities: Library
) -> None:
    assert "Rates relative" not in library.serving.get("/").text
    (key,) = tree(capacities.serving.get("/")).xpath("//p[contains(@class, 'signs')]")

    output = " ".join(key.text_content().split())
    assert output.startswith("Rates relative ")
    assert "▲ clearly more" in output


def test_the_list_shows_study_design_date_machine_and_verdicts(library: Library) -> None:
    text = entry(library, "whole")

    assert "kaminski-2022" in text
    assert "lab, 6 blocks" in text
    assert "2026-11-20 09:00" in text
    assert "fabricated for tests" in text
    assert re.search(r"▼0\.\d\d×, clearly faster", text)
    assert "clearly slower" in text


def test_the_newest_comes_first_and_unreadable_ones_last(library: Library) -> None:
    shown = ids(library.serving.get("/"))

    names = [library.id_of(name) for name in ("slower", "altered", "newer")]
    assert [shown.index(name) for name in names] == sorted(shown.index(name) for name in names)
    assert shown[-1] == library.id_of("newer")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("altered", "altered since"),
        ("interrupted", "6 of 6 blocks"),
        ("newer", "another version"),
        ("torn", "block.json"),
        ("unplanned", "schedule.json"),
    ],
)
def test_each_fault_has_its_message(library: Library, name: str, words: str) -> None:
    assert words in entry(library, name)


def test_search_and_filter_work_by_the_address_alone(library: Library) -> None:
    found = library.serving.get("/?q=grpc+2026-11-21")

    assert ids(found) == [library.id_of("slower")]
    assert "No bundle matches" in library.serving.get("/?q=nothing+is+called+so").text
    assert tree(found).xpath("string(//input[@name='q']/@value)") == "grpc 2026-11-21"


def test_a_report_is_that_of_the_bundle_and_self_contained(library: Library) -> None:
    response = library.serving.ready(f"/bundle/{library.id_of('whole')}")

    assert response.status_code == 200
    assert response.headers["content-security-policy"].startswith("sandbox ")
    assert "allow-same-origin" not in response.headers["content-security-policy"]
    assert tree(response).xpath("//p[@class='home']/a/@href") == ["/"]
    assert tree(response).xpath("//table[contains(@class, 'matrix')]")


def test_a_report_in_the_bundle_is_never_served(library: Library) -> None:
    report = library.folder / "whole" / "report"
    report.mkdir()
    (report / "report.html").write_text("<h1>believe me</h1>")

    response = library.serving.ready(f"/bundle/{library.id_of('whole')}")

    assert "believe me" not in response.text


def test_the_report_of_an_altered_bundle_reports_it(library: Library) -> None:
    response = library.serving.ready(f"/bundle/{library.id_of('altered')}")

    assert Altered.TITLE in response.text


@pytest.mark.parametrize("is_compared", [False, True])
def test_a_bundle_that_cannot_be_read_has_a_message_for_a_report_and_a_comparison(
    library: Library, *, is_compared: bool
) -> None:
    torn = library.id_of("torn")
    both = f"/compare?b={torn}&b={library.id_of('whole')}"
    response = library.serving.ready(both if is_compared else f"/bundle/{torn}")

    assert response.status_code == 400
    assert is_compared or "torn" in tree(response).xpath("string(//h1)")
    assert "block.json" in response.text


def test_two_bundles_side_by_side(library: Library) -> None:
    names = [library.id_of("slower"), library.id_of("whole")]
    page = tree(library.serving.ready(f"/compare?b={names[0]}&b={names[1]}"))

    assert_worded(page.xpath("string(//p[@class='lead'])"))
    assert "1 decided differently" in page.xpath("string(//ul[@class='counts'])")
    links = page.xpath("//table[contains(@class, 'courses')]//thead//a/@href")
    assert links == [f"/bundle/{name}" for name in names[::-1]]  # the oldest first
    assert "seed" in page.xpath("//table[@class='differences']//td/text()")


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("", 400, "Nothing to compare"),
        ("b=000000000000", 400, "Nothing to compare"),
        ("b=000000000000&b=111111111111", 404, "moved or deleted"),
        ("&".join(f"b={number}" for number in range(13)), 400, "Too many bundles"),
    ],
)
def test_bundles_that_cannot_be_compared_are_reported(
    library: Library, query: str, status: int, words: str
) -> None:
    response = library.serving.get(f"/compare?{query}")

    assert response.status_code == status
    assert words in response.text


def test_ratios_of_two_metrics_are_not_compared(bundle: Bundle, capacities: Library) -> None:
    serving = capacities.serving
    another(bundle, capacities.folder / "times")
    names = ids(serving.get("/"))
    serving.all_read()
    response = serving.ready(f"/compare?b={names[0]}&b={names[1]}")

    assert response.status_code == 400
    assert "newest bundle" in response.text


@pytest.mark.parametrize(
    "path",
    [
        "/bundle/none",
        "/bundle/..%2f..%2fetc%2fpasswd",
        "/bundle/%2e%2e",
        "/entry/x",
        "/static/../x",
    ],
)
def test_addresses_reach_only_bundles_of_the_folder(library: Library, path: str) -> None:
    response = library.serving.get(path)

    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")


def test_untrusted_text_is_never_markup(library: Library) -> None:
    serving = library.serving
    name = library.id_of("hostile")
    pages = [
        serving.get("/"),
        serving.get(f"/?q={EVIL}"),
        serving.get(f"/entry/{name}"),
        serving.ready(f"/bundle/{name}"),
        serving.get(f"/compare?b={name}&b={library.id_of('whole')}"),
        serving.get(f"/bundle/{EVIL}"),
    ]

    for page in pages:
        assert not tree(page).xpath("//img[@onerror]"), page.url
        assert not tree(page).xpath("//script[contains(., 'owned')][not(@type)]"), page.url


def test_other_names_of_this_machine_are_refused(library: Library) -> None:
    assert library.serving.get("/", host="rebound.example").status_code == 400


def test_ten_concurrent_requests_get_the_same_page(library: Library) -> None:
    library.serving.all_read()

    with ThreadPoolExecutor(10) as pool:
        pages = list(pool.map(lambda _: library.serving.get("/"), range(40)))

    assert {page.status_code for page in pages} == {200}
    assert len({page.text for page in pages}) == 1


def test_the_page_of_an_empty_folder_states_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with browsing(tmp_path / "empty", tmp_path / "cache") as serving:
        page = tree(serving.get("/"))

        assert page.xpath("string(//h1)") == "No bundles here"
        assert "wirelab browse FOLDER" in page.text_content()


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code = browse(tmp_path, "--port", port, cache=tmp_path / "cache", log=log).wait(PATIENCE_S)

    assert code == ExitCode.NOT_READY
    assert f" port {port}" in log.read_text()
    assert "--port" in log.read_text()


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = browse(tmp_path / "none", cache=tmp_path / "cache", log=log).wait(PATIENCE_S)

    assert code == ExitCode.BAD_INPUT
    assert "no folder" in log.read_text()


class Opened:
    """Counts the files below a folder that this process opens."""

    def __init__(self) -> None:
        self.below: Path | None = None
        self.paths: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.below is None or event != "open":
            return
        if isinstance(arguments[0], str) and arguments[0].startswith(str(self.below)):
            self.paths.append(arguments[0])


def test_a_list_of_a_hundred_opens_one_small_file_of_each_once(
    bundle: Bundle, synopsis: Synopsis, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    folder = tmp_path / "library"
    for path in many(bundle, folder, 100):
        remember(cache, path, synopsis)
    opened = Opened()
    opened.below = tmp_path
    with BundleReader(cache) as reader:
        catalogue = Catalogue(folder, cache, reader)

        listing = catalogue.listing()
        of_bundles = [path for path in opened.paths if path.startswith(str(folder))]
        of_cache = [path for path in opened.paths if path.startswith(str(cache.folder))]
        assert all(entry.synopsis for entry in listing.entries)
        assert {Path(path).name for path in of_bundles} == {"bundle.json"}
        assert len(of_bundles) <= 300  # each format, version and content
        assert len(of_cache) == 100
        assert reader.progress.total == 0

        opened.paths.clear()
        assert catalogue.listing() == listing
        assert opened.paths == []
        opened.below = None


def test_the_next_server_does_not_read_bundles_again(library: Library) -> None:
    names = [library.id_of(name) for name in ("whole", "slower")]
    library.serving.all_read()
    with browsing(library.folder, library.cache) as serving:
        listed = serving.get("/")
        compared = serving.get(f"/compare?b={names[0]}&b={names[1]}")

        assert json.loads(serving.get("/progress").text)["text"] == ""
    assert "Not read yet" not in listed.text
    assert compared.status_code == 200


def test_histories_are_linked_and_drawn_and_damaged_ones_explained(
    library: Library,
) -> None:
    good, bad = library.folder / "speed.jsonl", library.folder / "deep" / "damaged.jsonl"
    append_lines(good, [line(number, 0.1 * (number > 5)) for number in range(12)])
    append_lines(bad, [line(1, 0.0)])
    bad.write_text(bad.read_text() + "{}")
    (library.folder / "other.jsonl").write_text("{}")

    links = {
        link.text_content(): link.get("href")
        for link in tree(library.serving.get("/")).xpath("//p[@class='histories']/a")
    }

    assert links.keys() == {"speed.jsonl", "deep/damaged.jsonl"}
    page = library.serving.get(links["speed.jsonl"])
    assert page.headers["content-security-policy"].startswith("sandbox ")
    assert "1.11×" in page.text
    assert library.serving.get(links["deep/damaged.jsonl"]).status_code == 400
    assert library.serving.get("/history/none").status_code == 404
    good.unlink()
    bad.unlink()
