"""The prompts page: read, edited, refused with the line, compared, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.models.llm.prompts import PROMPTS_FOLDER, bundled_prompt
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, attach, idle, press

pytestmark = pytest.mark.e2e

NAME = "trivial"
OURS = (PROMPTS_FOLDER / f"{NAME}.md").read_text(encoding="utf-8")
MINE = OURS.replace("version: 1", "version: 2-mine").replace("You sort edits", "You arrange edits")


@dataclass(frozen=True)
class Prompts:
    """The page with one prompt open, and the folder of those that replace ours."""

    page: Page
    folder: Path

    def open(self, server: Server) -> None:
        self.page.goto(f"{server.url}/prompts?prompt={NAME}")
        expect(self.page.get_by_role("tab", name="Edit")).to_be_visible(timeout=START_MS)

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("textbox", name="The file: head, system part, user part")

    def tab(self, name: str) -> None:
        press(self.page.get_by_role("tab", name=name))

    def save(self, text: str) -> None:
        idle(self.page)
        self.box.fill(text)
        press(self.page.get_by_role("button", name="Save and use"))

    def is_ours(self) -> None:
        expect(self.page.get_by_role("button", name="Revert to ours")).to_be_disabled()
        expect(self.page.get_by_text(bundled_prompt(NAME).signature).first).to_be_visible()

    def is_mine(self) -> None:
        expect(self.page.get_by_role("button", name="Revert to ours")).to_be_enabled()
        expect(self.page.get_by_text(f"prompt:{NAME}@2-mine#").first).to_be_visible()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prompts")


@pytest.fixture(scope="module")
def prompts_server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("prompting"), TOUCHSTONE_PROMPTS_DIR=str(folder)) as server:
        yield server


@pytest.mark.slow
def test_a_prompt_is_edited_compared_taken_back_and_replaced_by_a_file(
    page: Page, prompts_server: Server, folder: Path, tmp_path: Path
) -> None:
    prompts = Prompts(page, folder)
    prompts.open(prompts_server)
    expect(page.get_by_text("You sort edits of summaries").first).to_be_visible()
    prompts.tab("Edit")
    prompts.is_ours()
    prompts.save(MINE.replace("{{replace_text}}", "{{replaced}}"))
    expect(page.get_by_role("alert").filter(has_text="{{replaced}} is not among the variables")).to_be_visible()
    assert not list(folder.glob("*.md"))

    prompts.save(MINE)
    expect(page.get_by_test_id("stToast").filter(has_text="is used from now on")).to_be_visible()
    prompts.is_mine()
    assert (folder / f"{NAME}.md").read_text(encoding="utf-8") == MINE

    page.reload()
    prompts.tab("Difference")
    expect(page.locator("ins").filter(has_text="arrange")).to_be_visible(timeout=START_MS)
    expect(page.locator("del").filter(has_text="sort")).to_be_visible()

    prompts.tab("Edit")
    expect(prompts.box).to_have_value(MINE)
    press(page.get_by_role("button", name="Revert to ours"))
    prompts.is_ours()
    assert not list(folder.glob("*.md"))
    assert [file.read_text(encoding="utf-8") for file in (folder / "earlier").iterdir()] == [MINE]

    upload = tmp_path / "better.md"
    upload.write_text(MINE, encoding="utf-8")
    attach(page.locator("input[type=file]"), upload)
    expect(prompts.box).to_have_value(MINE)
    press(page.get_by_role("button", name="Save and use"))
    prompts.is_mine()
