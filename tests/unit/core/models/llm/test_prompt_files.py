"""Prompt files: ours can all be read, one of another folder takes the place of ours, a bad one is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadSettingError
from core.models.llm.prompts import PROMPTS_FOLDER, bundled_prompt, load_prompt, read_prompt

BUNDLED = sorted(file.stem for file in PROMPTS_FOLDER.glob("*.md"))
HEAD = "---\nversion: 7\nvariables: summary\npaper: none\n---\n"
GOOD = f"{HEAD}\n# System\n\nYou shout.\n\n# User\n\nShout {{{{summary}}}}\n## loudly\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", BUNDLED)
def test_ours_can_be_read_and_say_where_they_come_from(name: str) -> None:
    found = bundled_prompt(name)
    assert found.name == name
    assert all([found.version, found.title, found.does, found.paper, found.variables])


def test_a_file_of_the_folder_takes_the_place_of_ours_and_the_others_stay(folder: Path) -> None:
    (folder / "paraphrased.md").write_text(GOOD, encoding="utf-8")
    mine = load_prompt("paraphrased", ("document", "summary"))
    assert (mine.version, mine.system, mine.user) == ("7", "You shout.", "Shout {{summary}}\n## loudly")
    assert mine.signature != bundled_prompt("paraphrased").signature
    assert load_prompt("simplified", ("document", "summary")) == bundled_prompt("simplified")


def test_an_edited_file_counts_at_once(folder: Path) -> None:
    (folder / "paraphrased.md").write_text(GOOD, encoding="utf-8")
    before = load_prompt("paraphrased", ["summary"])
    (folder / "paraphrased.md").write_text(GOOD.replace("You shout", "You whisper"), encoding="utf-8")
    assert load_prompt("paraphrased", ["summary"]).system == "You whisper."
    assert load_prompt("paraphrased", ["summary"]).signature != before.signature


def test_without_a_folder_ours_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    assert load_prompt("negated", ["summary"]) == bundled_prompt("negated")


def test_a_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(BadSettingError, match=r"TOUCHSTONE_PROMPTS_DIR is '.*nowhere', which is no folder"):
        load_prompt("negated", ["summary"])


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "must begin with a line of three dashes"),
        ("version: 1\n", 1, "must begin with a line of three dashes"),
        ("---\nversion: 1\n", 2, "not closed"),
        (GOOD.replace("paper", "papier"), 4, "expected one of version, variables, paper"),
        (GOOD.replace("paper: none", "paper none"), 4, "expected one of .*got 'paper none'"),
        (GOOD.replace("paper: none", "version: 8"), 4, "each once"),
        (GOOD.replace("paper: none\n", ""), 4, "does not say 'paper'"),
        (GOOD.replace("version: 7", "version:"), 5, "does not say 'version'"),
        (GOOD.replace("# User", "# Uzer"), 7, "`# System` and then `# User`"),
        (GOOD.replace("# System", "Hello."), 11, "`# System` and then `# User`"),
        (GOOD.replace("\n# System", "Hello.\n# System"), 6, "where it is not read"),
        (GOOD.replace("You shout.", ""), 7, "nothing under this heading"),
        (GOOD.replace("{{summary}}", "{{sumary}}"), 13, r"\{\{sumary\}\} is not among the variables: summary"),
        (GOOD.replace("{{summary}}", "{{summary"), 13, "written {{name}}"),
        (GOOD.replace("{{summary}}", "it"), 5, "'summary' stands nowhere in the text"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    (tmp_path / "bad.md").write_text(text, encoding="utf-8")
    with pytest.raises(BadSettingError, match=rf"^The prompt file .*bad\.md, line {line}: .*{problem}"):
        read_prompt(tmp_path / "bad.md")


@pytest.mark.parametrize(
    ("variables", "text", "problem"),
    [
        (
            "summary, author",
            "{{summary}} by {{author}}",
            r"no text for the variable 'author'\. Known: document, summary",
        ),
        ("document", "{{document}}", "'summary' is missing"),
    ],
)
def test_a_replacement_reads_what_there_is_and_all_that_ours_reads(
    folder: Path, variables: str, text: str, problem: str
) -> None:
    bad = GOOD.replace("variables: summary", f"variables: {variables}").replace("{{summary}}", text)
    (folder / "paraphrased.md").write_text(bad, encoding="utf-8")
    with pytest.raises(BadSettingError, match=rf"paraphrased\.md, line 3: .*{problem}"):
        load_prompt("paraphrased", ("document", "summary"))


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSettingError, match=r"bad\.md cannot be read as UTF-8 text"):
        read_prompt(tmp_path / "bad.md")
