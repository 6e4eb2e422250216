"""The Prompts page as a script: read and not changed in a demonstration, and told what is wrong with a prompt of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotations.people.people import Member, Role
from core.models.llm.prompts import PROMPTS_FOLDER
from pages.ui.shared import prompt_forms

Open = Callable[..., AppTest]


def prompts(open_page: Open) -> AppTest:
    app = open_page("metrics", prompt="all").run()
    assert not app.exception
    return app


def told(app: AppTest) -> str:
    return " ".join(one.value.replace("\\", "") for one in [*app.info, *app.error])


def test_in_a_demonstration_prompts_are_only_read(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.setenv("TOUCHSTONE_DEMO", "1")
    app = prompts(open_page)
    assert "prompts can be read here and not changed" in told(app)
    assert not app.text_area
    assert not [button.label for button in app.button if "Save" in button.label]


def test_who_may_not_see_the_page_any_more_replaces_no_prompt(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    app = prompts(open_page)
    monkeypatch.setattr(prompt_forms, "current_member", lambda: Member("id", "eve", Role.ANNOTATOR))
    app = next(button for button in app.button if button.label == "Save and use").click().run()
    assert "may not see scores and edit pairs" in told(app)
    assert not list(tmp_path.glob("*.md"))


def test_a_prompt_of_ones_own_that_cannot_be_used_says_so(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = sorted(file.stem for file in PROMPTS_FOLDER.glob("*.md"))[0]
    (tmp_path / f"{name}.md").write_text("no head\n", encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    app = prompts(open_page)
    assert "It cannot be used: " in told(app)
    assert f"{name}.md" in told(app)


def test_a_folder_that_is_not_there_is_told(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path / "nowhere"))
    assert "which is no folder. Make it, or unset it." in told(prompts(open_page))
