"""What a new stress run would cost, in its form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

Open = Callable[..., AppTest]

LOOKS = 200  # at the form until its cost is estimated


def cost_line(app: AppTest) -> str:
    """The line of the cost, once it is estimated; empty where there is none."""
    for _ in range(LOOKS):
        app.run()
        assert not app.exception
        captions = [one.value.replace("\\", "") for one in app.caption]
        if not any("Estimating" in one for one in captions):
            return next((one for one in captions if "to endpoints" in one), "")
    pytest.fail("The cost was not estimated.")


@pytest.mark.slow
def test_the_cost_follows_the_endpoint_its_price_and_the_prompts(
    probe: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    app = probe().switch_page("views/stress.py").run()
    app.session_state["stress-pairs"] = "The pair on Probe"
    app.session_state["stress-metrics"] = ["rouge2"]
    assert cost_line(app) == ""
    app.session_state["stress-metrics"] = ["direct-assessment"]
    assert cost_line(app) == ""

    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")
    assert "the price of default is not set" in cost_line(app)
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_READ", "0")
    monkeypatch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "1")
    priced = cost_line(app)
    assert "; about 0.0" in priced

    prompts = tmp_path / "prompts"
    prompts.mkdir()
    ours = Path(__file__).parents[3] / "core" / "prompts" / "direct-assessment.md"
    (prompts / ours.name).write_text(ours.read_text(encoding="utf-8") + "Think. " * 1000, encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", str(prompts))
    assert tokens(cost_line(app)) > tokens(priced)


def tokens(line: str) -> int:
    """The tokens that are read, of a line like "22 questions to endpoints, about 9,525 tokens read, …"."""
    return int(line.split("about ")[1].split(" tokens")[0].replace(",", ""))
