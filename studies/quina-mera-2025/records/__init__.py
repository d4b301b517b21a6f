"""The records of quina-mera-2025: requests in the paper's form, and Tables 5 to 10 from them."""

from wirelab.analysis.extension import Additions, Extension, Measurements, ReportFile, Section
from wirelab.study import Study

from .requests import bundle_records
from .tables import by_proxy


class Records:
    """The tables as a section, and the records as a file."""

    def check(self, study: Study) -> None:
        """Accept the study, since the extension has no file of its own."""

    def additions(self, measurements: Measurements) -> Additions:
        """Compute the tables; none if nothing was measured yet."""
        bundle, study = measurements.bundle, measurements.study
        tables = by_proxy(bundle_records(bundle, study))
        if not tables:
            return Additions()

        def as_csv() -> str:
            return str(bundle_records(bundle, study).to_csv(index=False))

        return Additions(
            sections=(Section("records", tables),), files=(ReportFile("records.csv", as_csv),)
        )


EXTENSION: Extension = Records()
