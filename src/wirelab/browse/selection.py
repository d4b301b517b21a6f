"""Which bundles to show: by search words, study and design."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from wirelab.browse.catalogue import Entry

PAGE = 100
"""Number of bundles per page."""

LONGEST = 200
"""Maximum number of characters of a search."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's selection; all fields are empty for all bundles. Pages count from 1."""

    words: str = ""
    study: str = ""
    design: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Selection":
        """Read the query of an address; invalid parts are ignored."""
        page = query.get("page", "")
        return cls(
            words=query.get("q", "").strip()[:LONGEST],
            study=query.get("study", ""),
            design=query.get("design", ""),
            page=max(1, int(page)) if page.isdecimal() and len(page) < 6 else 1,
        )

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return not (self.words or self.study or self.design)

    def address(self, page: int) -> str:
        """Return the address of another page of the same selection."""
        query = {"q": self.words, "study": self.study, "design": self.design}
        if page > 1:
            query["page"] = str(page)
        given = urlencode({name: value for name, value in query.items() if value})
        return f"/?{given}" if given else "/"

    def pick(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the selected bundles of all pages."""
        searched = self.words.casefold().split()
        return [
            entry
            for entry in entries
            if (not self.study or study_of(entry) == self.study)
            and (not self.design or design_of(entry) == self.design)
            and (not searched or _holds(entry, searched))
        ]


@dataclass(frozen=True, slots=True)
class Choices:
    """The studies and designs that bundles can be selected by."""

    studies: tuple[str, ...]
    designs: tuple[str, ...]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Choices":
        """List every study and every design once, in alphabetical order."""
        studies, designs = {study_of(each) for each in entries}, {design_of(e) for e in entries}
        return cls(tuple(sorted(studies - {""})), tuple(sorted(designs - {""})))


def study_of(entry: Entry) -> str:
    """Return the id of a bundle's study; "" if it cannot be read."""
    return entry.found.info.study if entry.found.info else ""


def design_of(entry: Entry) -> str:
    """Return a bundle's design; "" if it cannot be read."""
    return entry.found.info.design if entry.found.info else ""


def _holds(entry: Entry, words: Iterable[str]) -> bool:
    text = "\n".join(_texts(entry)).casefold()
    return all(word in text for word in words)


def _texts(entry: Entry) -> Iterator[str]:
    """Yield all texts that a search for a bundle covers."""
    yield entry.found.name
    if (info := entry.found.info) is not None:
        yield from (info.id, info.study, info.design, info.status)
        yield from (info.created_utc, info.created_utc.replace("T", " "), info.wirelab_version)
    yield from entry.problems
    if (synopsis := entry.synopsis) is not None:
        yield from (synopsis.title, synopsis.machine, *synopsis.labels, *synopsis.labels.values())
        yield from (record.protocol for record in synopsis.contenders.values())
        yield from synopsis.cautions
        for setting in synopsis.settings:
            yield setting.title
            for cell in setting.cells:
                if cell.versus is not None:
                    yield cell.versus.said.words
