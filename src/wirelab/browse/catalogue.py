"""The bundles of a folder with their synopses, and those that are still to be read."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from wirelab.analysis.synopsis import Synopsis
from wirelab.browse.cache import Cache, Reading
from wirelab.browse.folder_scan import FolderScan, ScannedBundle
from wirelab.browse.reader import BundleReader, Progress, ReadingJob

FRESH_S = 1.0
"""Seconds for which one scan of the folder is reused."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bundle in the list; `reading` is None until it has been read."""

    found: ScannedBundle
    reading: Reading | None

    @property
    def synopsis(self) -> Synopsis | None:
        """Its synopsis; None until it has been read, or if it cannot be read."""
        return self.reading.synopsis if self.reading else None

    @property
    def problems(self) -> tuple[str, ...]:
        """Why it cannot be read; empty if it can, or has not been tried."""
        return self.found.problems or (self.reading.problems if self.reading else ())

    @property
    def is_unread(self) -> bool:
        """Whether it is still to be read."""
        return not self.problems and self.synopsis is None

    @property
    def created_utc(self) -> str:
        """When it was created; "" if unknown."""
        return self.found.info.created_utc if self.found.info else ""


@dataclass(frozen=True, slots=True)
class Listing:
    """All bundles, the newest first; those that cannot be opened come last."""

    entries: tuple[Entry, ...]
    notes: tuple[str, ...]
    progress: Progress

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""
        return next((each for each in self.entries if each.found.id == name), None)


class Catalogue:
    """The bundles below a folder. Thread-safe."""

    def __init__(self, folder: Path, cache: Cache, reader: BundleReader) -> None:
        self.folder = folder
        self._cache = cache
        self._reader = reader
        self._looking = threading.Lock()
        self._scan = FolderScan()
        self._looked_s = float("-inf")
        self._readings: dict[str, Reading] = {}
        self._requested: dict[str, str] = {}

    def listing(self) -> Listing:
        """Scan the folder, unless that was done recently, and plan what to read."""
        with self._looking:
            if time.monotonic() - self._looked_s > FRESH_S:
                self._scan = self._scan.look(self.folder)
                self._looked_s = time.monotonic()
            keys = {found.key for found in self._scan.found}
            self._readings = {key: self._readings[key] for key in self._readings.keys() & keys}
            entries = [Entry(found, self._reading(found)) for found in self._scan.found]
            notes = self._scan.notes
            self._plan(entries)
        entries.sort(key=lambda entry: entry.created_utc, reverse=True)
        return Listing(tuple(entries), notes, self._reader.progress)

    def report(self, entry: Entry) -> str | None:
        """Return a bundle's report; None until it has been rendered, which this requests.

        For a bundle that grows faster than it is read, this is the state at the request.
        """
        scanned = entry.found
        requested = self._requested.setdefault(scanned.id, scanned.key)
        page = self._cache.report(scanned.key) or self._cache.report(requested)
        if page is not None or self._reader.fault(requested, with_report=True):
            self._requested.pop(scanned.id, None)
        elif not entry.problems:
            self._reader.want(_job(replace(scanned, key=requested), with_report=True))
        return page

    def report_problems(self, entry: Entry) -> tuple[str, ...]:
        """Return why there is no report; empty if one can be rendered."""
        return entry.problems or self._reader.fault(entry.found.key, with_report=True)

    def want(self, entries: Iterable[Entry]) -> None:
        """Read these before all others."""
        for entry in entries:
            self._reader.want(_job(entry.found))

    def _plan(self, entries: Iterable[Entry]) -> None:
        """Plan to read unread bundles, unless a study is writing one.

        Reading would take CPU time from the contenders.
        """
        entries = list(entries)
        unread = [entry for entry in entries if entry.is_unread and not entry.found.is_written]
        unread.sort(key=lambda entry: entry.created_utc, reverse=True)
        is_measuring = any(entry.found.is_written for entry in entries)
        self._reader.plan([_job(entry.found) for entry in unread], paused=is_measuring)

    def _reading(self, found: ScannedBundle) -> Reading | None:
        """Return the result for a bundle, from memory, from the cache, or its failure."""
        if found.info is None:
            return None
        known = self._readings.get(found.key) or self._cache.reading(found.key)
        if known is None:
            fault = self._reader.fault(found.key, with_report=False)
            return Reading(problems=fault) if fault else None
        self._readings[found.key] = known
        return known


def _job(found: ScannedBundle, *, with_report: bool = False) -> ReadingJob:
    return ReadingJob(str(found.path.absolute()), found.key, found.name, with_report)
