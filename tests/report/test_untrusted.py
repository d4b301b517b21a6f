"""Whatever the texts of a bundle hold, every output can be read and none obeys them."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lxml import html

from tests.support.bundles.hostile import EVIL, TextField, text_fields, write_hostile
from tests.support.bundles.synthetic import copy_of, write_bundle
from tests.support.terminal import shown
from wirelab.analysis import Analysis, analyse
from wirelab.bundle import Bundle
from wirelab.inputs.problems import ProblemsError
from wirelab.report import render_html, render_markdown, terminal_view, to_csv, to_json
from wirelab.report.figures import DrawnFigures, draw_figures
from wirelab.report.palette import Palette
from wirelab.report.vega import Drawing
from wirelab.terminal.untrusted import LONGEST, visible, visible_json

CONTROL = [
    chr(code)
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202E, 0x2066, 0x200B, 0xFEFF)
    if chr(code) not in "\n\t"
]
FORMULA = ("=", "+", "-", "@")
WORST = f"=cmd|' /C calc'!A0 {EVIL} \x1b]0;owned\x07\x1b[31m " + "".join(CONTROL)
HOSTILE = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]), st.sampled_from([*CONTROL, *"<>&\"'|`=+@"])
    ),
    min_size=1,
    max_size=60,
)


def without_controls(text: str) -> bool:
    return not any(character in text for character in CONTROL)


@given(HOSTILE)
def test_no_control_character_is_left_and_plain_text_stays(text: str) -> None:
    seen = visible(text)

    assert without_controls(seen)
    if without_controls(text):
        assert visible(seen) == seen


def test_characters_that_are_no_text_become_visible() -> None:
    assert visible("a\x1b[31mb\u202ec\u2028d\x00") == r"a\x1b[31mb\u202ec\u2028d\x00"
    assert visible("two\r\nlines\n\tand a tab") == "two\nlines\n\tand a tab"
    assert visible("Zażółć 你好 µ 👍") == "Zażółć 你好 µ 👍"


def test_an_endless_text_is_truncated() -> None:
    assert visible("x" * 10**6).endswith(f"… ({10**6 - LONGEST} more characters)")


@given(st.dictionaries(HOSTILE, st.lists(HOSTILE)))
def test_json_stays_valid_and_loses_only_characters_that_are_no_text(
    value: dict[str, list[str]],
) -> None:
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        read = json.loads(visible_json(written.encode()))

        assert read == {visible(key): [*map(visible, texts)] for key, texts in value.items()}


@pytest.mark.parametrize("text", ["x" * (LONGEST + 1), 'say "x", ' * LONGEST])
def test_only_long_strings_of_a_long_document_are_truncated(text: str) -> None:
    value = {"short": ["strings"] * LONGEST, "long": text}

    read = json.loads(visible_json(json.dumps(value).encode()))

    assert read == value | {"long": visible(text)} != value


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("small") / "bundle"
    return write_bundle(folder, requests=50, workloads=("fetch_one",))


def check_every_output(analysis: Analysis) -> None:
    drawn: list[DrawnFigures] = []

    def draw(analysis: Analysis, palette: Palette) -> DrawnFigures:
        drawn.append(draw_figures(analysis, palette))
        return drawn[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wirelab.report.figures.draw_figures", draw)
        page = html.document_fromstring(render_html(analysis).encode())
    terminal, table = shown(terminal_view(analysis), 100), to_csv(analysis)
    (figures,) = drawn

    assert not page.xpath("//script[contains(., 'owned')]")
    assert not page.xpath("//img[@onerror]")
    attributes = [value for element in page.iter() for value in element.attrib.values()]
    pictures = [
        text
        for drawing in drawings(figures)
        for text in (drawing.svg, json.dumps(drawing.spec, ensure_ascii=False))
    ]
    findings = json.loads(to_json(analysis))
    for text in (
        *(page.text_content(), render_markdown(analysis), terminal, table),
        *(*attributes, *pictures, *texts_in(findings)),
    ):
        assert without_controls(text)
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert not [cell for cell in cells if cell.lstrip().startswith(FORMULA) and not is_number(cell)]
    assert findings["format"] == "wirelab-report/3"


def drawings(value: object) -> Iterator[Drawing]:
    """Yield every drawing in nested dataclasses and tuples."""
    if isinstance(value, Drawing):
        yield value
    elif is_dataclass(value):
        yield from drawings([getattr(value, each.name) for each in fields(value)])
    elif isinstance(value, tuple | list):
        for each in value:
            yield from drawings(each)


def texts_in(value: object) -> Iterator[str]:
    """Yield every text of a JSON document, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts_in([*value, *value.values()])
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, which may begin with a sign."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_worst_text_in_every_field_harms_no_output(small: Bundle, tmp_path: Path) -> None:
    check_every_output(analyse(write_hostile(small, tmp_path / "bundle", WORST)))


@pytest.mark.thorough(reason="some eighty reports")
def test_the_worst_text_in_any_field_is_refused_or_harms_no_output(
    small: Bundle, tmp_path: Path
) -> None:
    harmless: list[TextField] = []
    for place, text_field in enumerate(text_fields(small.path)):
        spoiled = copy_of(small, tmp_path / f"bundle-{place}")
        text_field.write(spoiled.path, f"a {WORST}")
        try:
            analysis = analyse(Bundle.open(spoiled.path))
        except ProblemsError:
            continue
        check_every_output(analysis)
        harmless.append(text_field)

    assert {it.file.rpartition("/")[2] for it in harmless} >= {"study.toml", "block.json"}


@pytest.mark.slow
@settings(
    max_examples=4,
    derandomize=True,
    phases=[Phase.generate],  # to make an example smaller would take minutes
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=HOSTILE)
def test_generated_text_in_every_field_harms_no_output(
    small: Bundle, tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("hostile") / "bundle"

    check_every_output(analyse(write_hostile(small, folder, text)))
