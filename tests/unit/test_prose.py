"""What README, CONTRIBUTING and docs/ show is true: examples are executed, tables current, links and commands exist."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotations.campaigns.questions import Answer, check_answers, is_asked, read_questions
from cli import app
from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.bundled import bundled_items
from core.data.datasets.formats.known_forms import FORMS, Form
from core.edits.perturbation import PERTURBATIONS, Perturbation
from core.scoring.metric import METRICS, Metric
from core.settings import VERSION, Settings
from core.text import edits as executable
from core.types import Example, Item
from tests.doubles.contributing import found_in_folder
from tests.reference import outdated_rows

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
CHAPTERS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
COMMANDS = sorted(
    {
        (match[1], *re.findall(r"(?<=\s)--[a-z][\w-]*", match[2]))
        for path in CHAPTERS
        for match in re.finditer(
            r"python cli\.py ((?:study )?[a-z][\w-]+)([^`#\n|;)]*)", path.read_text("utf-8").replace("\\\n", "")
        )
    }
)


def test_a_metric_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_in_folder("core/scoring/metrics/quotes.py", tmp_path, METRICS, monkeypatch)  # type: ignore[arg-type]
    metric: Metric = METRICS.parse("quotes[case=true]")
    score = metric.fold(Example("a", 'He said "never again".', 'She heard "Never again".'), [], [])
    assert (score.value, METRICS.parse("quotes").spec) == (0.0, "quotes")


def test_a_perturbation_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_in_folder("core/edits/perturbations/hedge.py", tmp_path, PERTURBATIONS, monkeypatch)  # type: ignore[arg-type]
    perturbation: Perturbation = PERTURBATIONS.parse("hedge")
    edits = perturbation.edits(Example("a", "doc", "It rains. It pours."), random.Random(0))
    assert executable.apply("It rains. It pours.", edits).count(": ") == 2


def test_an_importer_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_in_folder("core/data/datasets/blocks.py", tmp_path, DATASETS, monkeypatch)  # type: ignore[arg-type]
    importer: Importer = DATASETS.parse("blocks")
    source = tmp_path / "blocks.txt"
    source.write_text("A long text.\n---\nA text.\n===\nno dashes", encoding="utf-8")
    item, refusal = importer.read(source)
    assert isinstance(item, Item)
    assert item.example.summary == "A text."
    assert refusal == Refusal(2, "The block has no line of three dashes between document and summary.")


def test_a_form_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_in_folder("core/data/datasets/tool_exports/ferry_desk.py", tmp_path, FORMS, monkeypatch)  # type: ignore[arg-type]
    form: Form = FORMS.get("ferry-desk")()
    record = {"ticket": 1, "notice": "It sails.", "log": "The ferry sails.", "checked_by": "kim", "outcome": "faithful"}
    assert form.matches([record])
    assert form.pairs(record)[0]["annotator"] == "kim"


def test_the_question_set_that_is_shown_can_be_asked() -> None:
    shown = re.search(r"```yaml\n(.*?)```", (ROOT / "docs" / "develop" / "plugins.md").read_text("utf-8"), re.DOTALL)
    assert shown
    tone = read_questions(shown[1])
    words: Answer = [[0, 4]]
    assert check_answers(tone, {"verdict": "more", "words": words}) == {"verdict": "more", "words": words}
    assert not is_asked(tone.by_id["words"], {"verdict": "same"})


def test_the_tables_that_are_made_from_the_code_say_nothing_that_is_not_so() -> None:
    assert outdated_rows(ROOT) == [], "Run: make reference"


def test_the_executable_edit_that_is_shown_applies_to_the_first_example() -> None:
    record = re.search(r"```json\n(.*?)```", (ROOT / "docs" / "guides" / "probe.md").read_text("utf-8"), re.DOTALL)
    assert record
    edits = executable.parse(record[1], bundled_items()[0].example.summary)
    assert json.loads(record[1])["replace_text"] == edits[0].new


def test_every_setting_is_named() -> None:
    text = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    assert [name for name in Settings.model_fields if f"`TOUCHSTONE_{name.upper()}`" not in text] == []


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in DOCUMENTS
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text("utf-8"))
        if not leads_somewhere(path, *target.partition("#")[::2])
    ]
    assert broken == []


def test_no_chapter_links_to_what_lies_outside_of_docs() -> None:
    """The site and the app have this folder alone."""
    outside = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in CHAPTERS[1:]
        for target in re.findall(r"\]\((?!https?:|#)([^)\s#]+)", path.read_text("utf-8"))
        if not (path.parent / target).resolve().is_relative_to(ROOT / "docs")
    ]
    assert outside == []


def test_every_page_is_reached_from_the_contents() -> None:
    contents, lists = ROOT / "docs" / "index.md", [*ROOT.glob("docs/*/index.md"), *ROOT.glob("docs/*/*/index.md")]
    reached = {page for document in [contents, *lists] for page, _ in listed_pages(document)}
    assert {path for path in CHAPTERS[1:] if path != contents} - reached == set()


def test_the_contents_list_a_page_by_its_title() -> None:
    listed = listed_pages(ROOT / "docs" / "index.md")
    assert [(page.name, label) for page, label in listed if title(page) != label] == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_that_is_shown_exists_with_its_options(command: tuple[str, ...]) -> None:
    name, *options = command
    described = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=200)
    assert described.exit_code == 0
    assert [option for option in options if option not in described.output] == []


def test_the_changelog_has_the_version() -> None:
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def listed_pages(document: Path) -> list[tuple[Path, str]]:
    """Pages in the tables and lists of a document, with what they are called there."""
    listed = re.findall(r"^(?:\||-).*?\[([^]]+)\]\(([^)#]+\.md)\)", document.read_text("utf-8"), re.MULTILINE)
    return [((document.parent / target).resolve(), label) for label, target in listed]


def leads_somewhere(document: Path, file: str, heading: str) -> bool:
    target = document.parent / file if file else document
    return target.is_file() and (not heading or heading in anchors(target))


def anchors(document: Path) -> set[str]:
    """Anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def title(document: Path) -> str:
    return document.read_text("utf-8").partition("\n")[0].removeprefix("# ")
