"""A metric with other settings: chosen in a form made of its fields, on Probe and on its card."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.bench import Bench
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, enter, go_to, pick_option, press

pytestmark = pytest.mark.e2e


@pytest.fixture
def bench(page: Page, plugged_server: Server) -> Bench:
    opened = Bench(page, plugged_server)
    opened.open()
    return opened


def form(page: Page, name: str) -> Locator:
    """The fields of a metric, by the name of the setting."""
    return page.locator(f'[class*="st-key-set-{name}-"]')


def field(page: Page, name: str, setting: str) -> Locator:
    return page.locator(f".st-key-set-{name}-{setting}")


def pick(page: Page, name: str, setting: str, choice: str) -> None:
    pick_option(field(page, name, setting).get_by_role("combobox"), choice, exact=True)


def fill(page: Page, name: str, setting: str, value: str) -> None:
    enter(field(page, name, setting).locator("input"), value)


def open_form(bench: Bench, title: str) -> None:
    bench.metrics_button.click()
    choose_metric(bench.page, title)


def choose_metric(page: Page, title: str) -> None:
    pick_option(page.get_by_role("combobox", name="With other settings"), title, exact=True, typed=title)


@pytest.mark.slow
def test_a_folder_a_number_and_a_number_type_are_set_in_a_form_and_scored_and_a_card_opens_the_same_form(
    bench: Bench, tiny_deberta: Path
) -> None:
    page, name = bench.page, "minicheck-deberta"
    spec = f"{name}[checkpoint={tiny_deberta},dtype=bfloat16,chunk_tokens=200]"
    open_form(bench, "MiniCheck DeBERTa")
    expect(form(page, name)).to_have_count(8)
    expect(field(page, name, "max_tokens").locator("input")).to_have_value("2048")
    fill(page, name, "checkpoint", str(tiny_deberta))
    expect(page.get_by_test_id("stCode")).to_contain_text(str(tiny_deberta))  # drawn again: a list would close
    pick(page, name, "dtype", "bfloat16")
    fill(page, name, "chunk_tokens", "200")
    expect(page.get_by_test_id("stCode")).to_have_text(spec)
    press(bench.page.get_by_role("button", name="Add to the bench"))
    expect(form(page, name)).to_have_count(0)
    expect(bench.row(spec)).to_contain_text("ready", timeout=START_MS)
    page.keyboard.press("Escape")
    bench.row(spec).locator(".title").click()
    page.get_by_text("What MiniCheck DeBERTa saw").click()
    expect(page.get_by_text("dtype:bfloat16")).to_be_visible()
    bench.add_metric(f"{name}[checkpoint={tiny_deberta}]")
    expect(bench.row(f"{name}[checkpoint={tiny_deberta}]")).to_contain_text("ready", timeout=START_MS)
    page.keyboard.press("Escape")
    go_to(page, "Metrics")
    models = page.locator(".st-key-other-models")
    expect(models.get_by_text(f"{tiny_deberta} · sequence classifier · bfloat16")).to_be_visible(timeout=START_MS)
    expect(models.get_by_text(f"{tiny_deberta} · sequence classifier")).to_have_count(2)

    press(page.locator(".st-key-card-rouge2").get_by_role("button", name="ROUGE-2"))
    pick(page, "rouge2", "measured", "recall")
    press(page.get_by_role("button", name="Add to the bench"))
    expect(page.get_by_test_id("stToast")).to_contain_text("rouge2[measured=recall] is on the bench of Probe.")
    page.keyboard.press("Escape")
    go_to(page, "Probe")
    expect(bench.row("rouge2[measured=recall]")).to_contain_text("ready", timeout=START_MS)


@pytest.mark.slow
def test_wrong_values_are_answered_by_the_metric_and_a_switch_without_a_model_moves_a_score(
    bench: Bench, tmp_path: Path
) -> None:
    page, name = bench.page, "bespoke-minicheck-7b"
    open_form(bench, "MiniCheck RoBERTa")
    fill(page, "minicheck-roberta", "max_tokens", "9999")
    bench.message("max_tokens")
    expect(page.get_by_role("button", name="Add to the bench")).to_be_disabled()
    fill(page, "minicheck-roberta", "max_tokens", "256")
    expect(page.get_by_role("button", name="Add to the bench")).to_be_enabled()

    choose_metric(page, "Bespoke-MiniCheck 7B")
    fill(page, name, "checkpoint", str(tmp_path))
    expect(page.get_by_test_id("stCode")).to_contain_text(str(tmp_path))
    pick(page, name, "through", "transformers")
    expect(page.get_by_role("button", name="Add to the bench")).to_be_enabled()
    press(field(page, name, "trust_remote_code").locator("label").first)
    bench.message(f"set TOUCHSTONE_TRUSTED_REPOS={tmp_path} and try again")
    expect(page.get_by_role("button", name="Add to the bench")).to_be_disabled()

    choose_metric(page, "ROUGE-2")
    pick(page, "rouge2", "measured", "f1")
    press(field(page, "rouge2", "stemmer").locator("label").first)
    expect(page.get_by_test_id("stCode")).to_have_text("rouge2[measured=f1,stemmer=false]")
    press(page.get_by_role("button", name="Add to the bench"))
    expect(bench.row("rouge2[measured=f1,stemmer=false]")).to_contain_text("ready")
    assert bench.score("rouge2").inner_text() != bench.score("rouge2[measured=f1,stemmer=false]").inner_text()
