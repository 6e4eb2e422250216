"""The forms on Probe that ask a language model, as a script: what to set, what a press costs, and what keeps it from being asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]
SILENT = "http://127.0.0.1:9/v1"
UNKEYED = '[hosted]\nbase_url = "https://api.example/v1"\nkey_from = "KEY_OF_NOBODY"\n'
TWO = f'[mini]\nbase_url = "{SILENT}"\nmodel = "small"\n\n[bare]\nbase_url = "{SILENT}"\n'


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    for name in ("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "ENDPOINTS", "PROMPTS_DIR"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}", "")


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Set a file of endpoints."""

    def write(toml: str) -> None:
        (tmp_path / "endpoints.toml").write_text(toml)
        monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "endpoints.toml"))

    return write


def told(app: AppTest) -> list[str]:
    assert not app.exception
    return [one.value.replace("\\", "") for one in [*app.info, *app.error, *app.caption]]


def keys(app: AppTest) -> set[str | None]:
    return {one.key for one in app.button}


def test_without_an_endpoint_both_forms_say_what_to_set_and_ask_nobody(probe: Open) -> None:
    app = probe()
    assert sum("Set TOUCHSTONE_LLM_BASE_URL" in line for line in told(app)) == 2
    assert not keys(app) & {"explain-ask", "edits-ask"}


@pytest.mark.slow
def test_a_chat_model_of_this_machine_needs_no_endpoint(probe: Open, tmp_path: Path) -> None:
    app = probe()
    for key in ("explain-model", "edits-model"):
        app.text_input(key=key).set_value(f"local:{tmp_path}")
    app.run()
    assert keys(app) >= {"explain-ask", "edits-ask"}
    assert not any("Set TOUCHSTONE_LLM_BASE_URL" in line for line in told(app))
    assert any("Answered by a model on this machine" in line for line in told(app))
    assert any("lacks config.json" in line for line in told(app))
    app.text_input(key="explain-model").set_value("local:owner/absent").run()
    assert "explain-download" in keys(app)


def test_endpoints_none_of_which_can_be_used_say_what_each_lacks(probe: Open, listed: Callable[[str], None]) -> None:
    listed(UNKEYED)
    assert sum("key_from names KEY_OF_NOBODY, which is not set." in line for line in told(probe())) == 2


def test_the_endpoints_of_a_file_can_be_asked_without_a_default_one(probe: Open, listed: Callable[[str], None]) -> None:
    listed(TWO)
    app = probe()
    assert app.selectbox(key="explain-endpoint").options == ["mini", "bare"]
    assert keys(app) >= {"explain-ask", "edits-ask"}
    assert sum(line.startswith("1 question to endpoints, about ") for line in told(app)) == 2
    app.selectbox(key="explain-endpoint").set_value("bare").run()
    assert any("Set model under [bare]" in line for line in told(app))
    assert "explain-ask" not in keys(app)


def test_a_prompt_that_cannot_be_used_is_told_before_anything_is_asked(
    probe: Open, listed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed(TWO)
    (tmp_path / "detect-explain.md").write_text("no head\n", encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(tmp_path))
    assert any("detect-explain.md" in line for line in told(probe()))
