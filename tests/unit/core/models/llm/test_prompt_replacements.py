"""Prompts of one's own: put in the place of ours, compared with them, taken back; what cannot be used is never saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS
from core.edits.perturbations.prompted import Prompted
from core.errors import BadSettingError, UnknownNameError
from core.models.llm import prompt_replacements
from core.models.llm.prompts import PROMPTS_FOLDER, bundled_prompt, load_prompt
from core.settings import Settings

NAME = "negated"
MINE = "---\nversion: 1-mine\nvariables: summary\npaper: none\n---\n\n# System\n\nBe odd.\n\n# User\n\nOddly: {{summary}}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    return tmp_path


def test_every_prompt_is_ours_at_first() -> None:
    for name in prompt_replacements.prompt_names():
        found = prompt_replacements.prompt_entry(name)
        assert (found.replacement, found.active, found.error) == (None, bundled_prompt(name), "")
        assert found.text == (PROMPTS_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def test_a_prompt_of_ones_own_is_used_from_then_on() -> None:
    new = prompt_replacements.replace_prompt(NAME, MINE)
    assert load_prompt(NAME, ["summary"]) == new == prompt_replacements.prompt_entry(NAME).active
    assert new.signature.startswith("prompt:negated@1-mine#")
    assert prompt_replacements.prompt_entry(NAME).replacement == MINE


def test_line_ends_of_another_system_make_no_other_prompt() -> None:
    signature = prompt_replacements.replace_prompt(NAME, MINE).signature
    assert prompt_replacements.replace_prompt(NAME, MINE.replace("\n", "\r\n")).signature == signature


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (MINE.replace("Oddly: {{summary}}", "Oddly."), "line 5: the variable 'summary' stands nowhere"),
        (MINE.replace("{{summary}}", "{{summary}} {{author}}"), "line 13: {{author}} is not among the variables"),
        (
            MINE.replace("variables: summary", "variables: summary, author").replace("Oddly", "By {{author}}"),
            "line 3: there is no text for the variable 'author'. Known: document, summary",
        ),
        (MINE.replace("# User", "# Reader"), "`# System` and then `# User`"),
        (MINE.replace("version: 1-mine", "version: 1"), "The version is 1, which is that of ours"),
        ("", "it must begin with a line of three dashes"),
    ],
    ids=["unused variable", "unlisted variable", "unknown variable", "no user part", "our version", "empty"],
)
def test_a_text_that_cannot_be_used_is_refused_and_what_was_there_stays(text: str, problem: str) -> None:
    prompt_replacements.replace_prompt(NAME, MINE)
    with pytest.raises(BadSettingError) as raised:
        prompt_replacements.replace_prompt(NAME, text)
    assert problem in str(raised.value)
    assert prompt_replacements.prompt_entry(NAME).replacement == MINE


def test_reverting_uses_ours_again() -> None:
    prompt_replacements.replace_prompt(NAME, MINE)
    prompt_replacements.revert_prompt(NAME)
    assert prompt_replacements.prompt_entry(NAME).active == bundled_prompt(NAME)
    prompt_replacements.revert_prompt(NAME)
    assert prompt_replacements.prompt_entry(NAME).replacement is None


def test_nothing_that_was_in_use_is_lost(folder: Path) -> None:
    for word in ("odd", "even", "even"):
        prompt_replacements.replace_prompt(NAME, MINE.replace("odd", word))
    prompt_replacements.revert_prompt(NAME)
    kept = sorted((folder / "earlier").iterdir())
    assert [file.name for file in kept] == ["negated-001.md", "negated-002.md"]
    assert ["Be odd." in file.read_text(encoding="utf-8") for file in kept] == [True, False]


def test_a_file_that_was_broken_outside_is_shown_with_what_is_wrong(folder: Path) -> None:
    (folder / f"{NAME}.md").write_text("Just negate it.", encoding="utf-8")
    found = prompt_replacements.prompt_entry(NAME)
    assert (found.active, found.replacement) == (None, "Just negate it.")
    assert found.error.startswith("The prompt file negated.md, line 1: it must begin")


def test_the_folder_is_made_where_it_is_the_default_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_PROMPTS_DIR")
    default = tmp_path / "var" / "prompts"
    monkeypatch.setattr(Settings.model_fields["prompts_dir"], "default", str(default))
    Settings.model_rebuild(force=True)
    try:
        assert prompt_replacements.prompt_entry(NAME).replacement is None
        prompt_replacements.replace_prompt(NAME, MINE)
        assert (default / f"{NAME}.md").read_text(encoding="utf-8") == MINE
    finally:
        monkeypatch.undo()
        Settings.model_rebuild(force=True)


def test_without_a_folder_nothing_can_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    with pytest.raises(BadSettingError, match="TOUCHSTONE_PROMPTS_DIR is set to nothing"):
        prompt_replacements.replace_prompt(NAME, MINE)
    assert prompt_replacements.prompt_entry(NAME).active == bundled_prompt(NAME)


@pytest.mark.parametrize("name", ["../negated", "negatd", "earlier/negated-001"])
def test_only_prompts_that_exist_can_be_replaced(name: str) -> None:
    with pytest.raises(UnknownNameError, match="No prompt is named"):
        prompt_replacements.replace_prompt(name, MINE)


def test_a_replacement_may_read_whatever_its_perturbation_has() -> None:
    prompted = [plugin for plugin in PERTURBATIONS if issubclass(plugin, Prompted)]
    for plugin in prompted:
        assert set(prompt_replacements.prompt_entry(plugin.prompt_name).known) == {"document", "summary"}
    prompt_replacements.replace_prompt(
        NAME, MINE.replace("variables: summary", "variables: summary, document").replace("Oddly", "{{document}}")
    )
    assert load_prompt(NAME, ("document", "summary")).variables == ("summary", "document")
