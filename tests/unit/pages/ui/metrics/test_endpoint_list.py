"""The endpoints on the Metrics page as a script: what to set where there is none or where they cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]


def told(app: AppTest) -> str:
    assert not app.exception
    return " ".join(one.value.replace("\\", "") for one in [*app.info, *app.error, *app.warning, *app.text])


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL", "ENDPOINTS"):
        monkeypatch.setenv(f"TOUCHSTONE_{name}", "")


def test_without_an_endpoint_one_line_says_what_to_set(open_page: Open) -> None:
    app = open_page("metrics").run()
    assert "No language-model endpoint is set. Add one below, or set TOUCHSTONE_LLM_BASE_URL" in app.info[
        0
    ].value.replace("\\", "")
    assert "Endpoints" in [one.value for one in app.subheader]


def test_a_file_that_cannot_be_read_is_told_and_the_metrics_stay(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOUCHSTONE_ENDPOINTS", str(tmp_path / "none.toml"))
    app = open_page("metrics").run()
    assert "cannot be read: No such file or directory. Make it, or unset the variable." in told(app)
    assert app.button(key="open-rouge2")


def test_an_endpoint_that_is_gone_says_so_on_a_press(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_API_KEY", "sk-a-secret-of-nobody")
    monkeypatch.setenv("TOUCHSTONE_LLM_BUDGET", "3")
    app = open_page("metrics").run()
    assert "model – none set – · 8 at once" in told(app)
    app.button(key="models-default").click().run()
    assert "http://127.0.0.1:9/v1 cannot be reached. Start the server" in told(app)
    assert "sk-a-secret" not in str(app)
