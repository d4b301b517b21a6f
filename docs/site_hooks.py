"""What the site adds to docs/: the root's pages, the report's colours, the gallery of reports.

Files stay where readers of a repository look for them; the site shows them as pages of its own. A
link to a file that is no page becomes the file's path, since the site has to work by itself.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from gallery import gallery, pages_of
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pathspec.gitignore import GitIgnoreSpec

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "CONTRIBUTING.md": "contributing/guide.md",
    "ARCHITECTURE.md": "contributing/architecture.md",
    "SECURITY.md": "contributing/security.md",
    "CHANGELOG.md": "contributing/changelog.md",
}
"""Files of the root, and where the site has them."""

STYLE = ROOT / "src" / "wirelab" / "report" / "templates" / "style.css"
COLOURS = "assets/colours.css"
"""The report's style sheet, and the colours in it, which the site has for each of its schemes."""

REPORTS = ROOT / "docs" / "examples"
HOME, EXAMPLES = "index.md", "examples/README.md"

CDN = "https://unpkg.com/iframe-worker/shim"
SHIM = "assets/iframe-worker.js"
"""What the search needs in pages that are opened as files; a CDN would not be there."""

UNNAMED = 'data-md-component="search" role="dialog"'

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")
_EMPTY_HEAD = re.compile(r"<th([^>]*)></th>")
_COLOUR = re.compile(r"--[\w-]+: #[0-9a-f]+;")
_SOURCES = {page: source for source, page in PAGES.items()}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out the Markdown of reports that are there as pages, too."""
    twice = [path for path in REPORTS.glob("*/*.md") if path.with_suffix(".html").exists()]
    lines = [path.relative_to(ROOT / "docs").as_posix() for path in twice]
    config.exclude_docs += GitIgnoreSpec.from_lines(lines)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, the colours, and the pages of replications."""
    for source, page in PAGES.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=content))
    for page, content in {COLOURS: _colours(), **pages_of()}.items():
        files.append(File.generated(config, page, content=content))
    return files


def _colours() -> str:
    """Return the report's colours as variables of both schemes."""
    light, dark, *_ = STYLE.read_text(encoding="utf-8").split(":root {")[1:]
    schemes = zip(("default", "slate"), (light, dark), strict=True)
    return "\n".join(
        f'[data-md-color-scheme="{scheme}"] {{ {" ".join(_COLOUR.findall(text))} }}'
        for scheme, text in schemes
    )


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Make empty heads of tables, which Markdown needs, cells that are no heads."""
    return _EMPTY_HEAD.sub(r"<td\1></td>", html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Let every page load what it needs from the site itself, and name its dialog."""
    return _own(output, relpath(SHIM, str(PurePosixPath(page.file.dest_uri).parent)))


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Do the same for the page that is shown where there is none."""
    return _own(output, f"/{SHIM}")


def _own(output: str, shim: str) -> str:
    return output.replace(CDN, shim).replace(UNNAMED, f'{UNNAMED} aria-label="Search"')


def on_page_markdown(
    markdown: str,
    page: Page,
    config: MkDocsConfig,  # noqa: ARG001
    files: Files,
) -> str:
    """Point links at pages of the site, or name the file where there is none; add the gallery."""
    here = page.file.src_uri
    if here == HOME:
        page.meta["hide"] = ["navigation", "toc"]
    if here == EXAMPLES:
        page.meta["hide"] = ["toc"]
        title, _, rest = markdown.partition("\n")
        markdown = f"{title}\n\n{gallery()}\n{rest}"
    source = _SOURCES.get(here, f"docs/{here}")
    reports = {f"docs/{each.src_uri}" for each in files if each.src_uri.endswith(".html")}

    def lead(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if not target:
            return match[0]
        path = normpath(str(PurePosixPath(source).parent / target))
        as_page = path.removesuffix("md") + "html"
        path = next((it for it in (as_page, f"docs/{as_page}") if it in reports), path)
        path_in_site = PAGES.get(path, path.removeprefix("docs/"))
        if path in PAGES or (path.startswith("docs/") and files.get_file_from_path(path_in_site)):
            return f"[{text}]({relpath(path_in_site, str(PurePosixPath(here).parent))}{anchor})"
        return f"{text} (`{path}`)" if path not in text else text

    return _LINK.sub(lead, markdown)
