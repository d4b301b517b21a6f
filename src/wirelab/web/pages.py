"""Pages from templates: the report's template engine, with everything escaped, and its style."""

from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from wirelab.report.environment import environment
from wirelab.report.page import page_style
from wirelab.report.palette import Palette

REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""A report names in its own head what it may run; and it is nobody's neighbour, not even ours."""


class Pages:
    """The templates of one package, which may build on `base.html`; rendered as responses.

    `sheet`: the name of a style sheet in the package's `templates`, added to the shared ones.
    `palette` is what templates draw contenders' marks with; the style sheet knows its colours.
    """

    def __init__(self, package: str, *, sheet: str = "", palette: Palette | None = None) -> None:
        self._jinja = environment()
        own, shared = PackageLoader(package), PackageLoader("wirelab.web")
        loaders: list[BaseLoader] = [own, shared]
        if self._jinja.loader is not None:
            loaders.append(self._jinja.loader)
        self._jinja.loader = ChoiceLoader(loaders)
        self._sheets = [_text("wirelab.web", "web.css")]
        if sheet:
            self._sheets.append(_text(package, sheet))
        self.style = ""
        """The report's style sheet, that of all served pages, and the package's own."""
        self.use(palette or Palette({}, {}))

    def use(self, palette: Palette) -> None:
        """Draw contenders' marks with this palette from now on."""
        self._jinja.globals["palette"] = palette
        self.style = "\n".join([page_style(self._jinja, palette), *self._sheets])

    def respond(
        self, request: Request, template: str, *, status: int = 200, **content: Any
    ) -> Response:
        """Render a template. It sees `request`, and `content`, of which all text is escaped."""
        page = self._jinja.get_template(template).render(request=request, status=status, **content)
        return HTMLResponse(page, status_code=status)


def report_response(page: str) -> Response:
    """Serve a report that `wirelab.report` rendered, in an origin of its own."""
    # Browsers refuse a page that is sandboxed and claims a window of its own at the same time.
    opener = {"Cross-Origin-Opener-Policy": "unsafe-none"}
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY, **opener})


def _text(package: str, name: str) -> str:
    return (files(package) / "templates" / name).read_text(encoding="utf-8")
