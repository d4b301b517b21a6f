"""Figure 2 of muppaneni: the advice on which protocol suits which use, beside measured figures."""

from wirelab.analysis.extension import Additions, Extension, Measurements, Section
from wirelab.study import Study, load_extension_file

from .figures import compare
from .model import Suitability


class Advice:
    """The advice and the figures as a section."""

    def check(self, study: Study) -> None:
        """Check suitability.toml."""
        load_extension_file(study, Suitability)

    def additions(self, measurements: Measurements) -> Additions:
        """Compare the advice with the measurements; add nothing if no demand was measured."""
        table = load_extension_file(measurements.study, Suitability)
        figures = compare(table, measurements.cells, measurements.values)
        if figures is None:
            return Additions()
        return Additions((Section("suitability", figures, is_summary=True),))


EXTENSION: Extension = Advice()
