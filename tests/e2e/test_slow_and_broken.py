"""Metrics that are slow, broken or not here: each spoils only its own row and no old number passes for a new one."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.models import NO_HEADER
from tests.e2e.bench import Bench, example
from tests.e2e.server import Server
from tests.e2e.waiting import START_MS, go_to, idle, press, quiet

pytestmark = pytest.mark.e2e


@pytest.fixture
def bench(page: Page, plugged_server: Server) -> Bench:
    opened = Bench(page, plugged_server)
    opened.open()
    return opened


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Keep a held model from answering."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A checkpoint of the kind "held"."""
    (tmp_path / "config.json").write_text(json.dumps({}))
    (tmp_path / "model.safetensors").write_bytes(NO_HEADER + str(tmp_path).encode())
    return tmp_path


def test_an_old_answer_is_never_shown_as_that_of_the_newer_text_and_a_broken_metric_spoils_only_its_own_row(
    bench: Bench, held: Path
) -> None:
    expect(bench.row("broken")).to_contain_text("An unexpected error stopped this; the log has the details")
    expect(bench.row("broken").get_by_role("button", name="Retry")).to_be_visible()
    slow, row = f"slow[checkpoint={held}]", bench.row(f"slow[checkpoint={held}]")
    summary = example().example.summary
    first, second = f"{summary} It rained.", f"{summary} It rained all day."
    count = len(summary.split())
    bench.add_metric(slow)
    expect(bench.score(slow)).to_have_text(f"{count}.000")
    with holding(held):
        bench.write(first)
        expect(row).to_have_class(re.compile("pending"))  # queued, where its noise under edits was asked for before
        expect(bench.cell("rouge2", 5)).to_have_accessible_name("ROUGE-2, sentence 5, score: 0.00")
        bench.write(second)
        expect(bench.page.locator(".sentences")).to_contain_text("It rained all day.")
        expect(bench.row("rouge2")).to_contain_text("ready")
        expect(row).to_have_class(re.compile("pending"))
        seen = watch(bench, slow)
    bench.settled(example().example.document, second)
    expect(bench.score(slow)).to_have_text(f"{count + 4}.0")
    shown = bench.page.evaluate(seen)
    assert [value for pending, value in shown if not pending] == [f"{count + 4}.0"]


def watch(bench: Bench, spec: str) -> str:
    """Collect what the row shows from now on; gives the expression that tells it: [still pending, score]."""
    bench.row(spec).evaluate(
        """row => {
        window.seen = [];
        const look = () => {
            const now = [row.classList.contains('pending'), row.querySelector('td.after .value').textContent];
            if (JSON.stringify(now) !== JSON.stringify(window.seen.at(-1))) window.seen.push(now);
        };
        new MutationObserver(look).observe(row, { subtree: true, childList: true, characterData: true, attributes: true });
        look();
        }"""
    )
    return "window.seen"


@pytest.fixture
def truncated(tiny_deberta: Path, tmp_path: Path) -> Path:
    """A checkpoint whose weights end in the middle, as after a broken download."""
    folder = shutil.copytree(tiny_deberta, tmp_path / "truncated")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    return folder


@pytest.fixture
def huge(tiny_deberta: Path, tmp_path: Path) -> Path:
    """A checkpoint of 600 MB, all zeros, which take no room on the disk."""
    folder = shutil.copytree(tiny_deberta, tmp_path / "huge")
    tensor = {"dtype": "F32", "shape": [150, 1_000_000], "data_offsets": [0, 600_000_000]}
    header = json.dumps({"weight": tensor}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + 600_000_000)
    return folder


@pytest.mark.slow
def test_each_model_that_cannot_answer_says_what_to_do_while_the_others_score(
    bench: Bench, held: Path, truncated: Path, huge: Path, tiny_deberta: Path
) -> None:
    told = {
        f"minicheck-deberta[checkpoint={truncated}]": "is cut off: ",
        f"minicheck-deberta[checkpoint={huge}]": "needs 0.6 GB and models may take 0.5 GB. Raise TOUCHSTONE_MEMORY",
        "minicheck-roberta[checkpoint=/does/not/exist]": "There is no folder '/does/not/exist'",
        f"hungry[checkpoint={held}]": "does not fit into the memory of the device. Unload another model",
        "bespoke-minicheck-7b": "Set TOUCHSTONE_LLM_BASE_URL",
    }
    well = f"minicheck-deberta[checkpoint={tiny_deberta}]"
    for spec in (*told, well):
        bench.add_metric(spec)
        expect(bench.row(spec)).to_be_visible()
        bench.page.keyboard.press("Escape")
    bench.add_metric("rogue2")
    bench.message("Did you mean 'rouge2'?")
    bench.page.keyboard.press("Escape")
    bench.press("Score all")
    for spec, words in told.items():
        expect(bench.row(spec)).to_contain_text(words)
        expect(bench.score(spec)).to_have_text("–")
    expect(bench.row(well).locator(".family")).to_have_text(
        f"Entailment · checkpoint=…/{tiny_deberta.parent.name}/{tiny_deberta.name}"
    )
    summary = example().example.summary + " It rained."
    bench.write(summary)
    bench.shows(summary)
    bench.press("Score all")
    for spec in ("rouge2", "semantic-similarity", well):
        expect(bench.row(spec)).to_contain_text("ready")
        expect(bench.score(spec)).to_have_text(re.compile(r"\d\.\d+"))


@pytest.mark.slow
def test_a_hub_that_cannot_be_reached_is_said_within_seconds_and_models_are_loaded_and_unloaded(
    bench: Bench, tiny_roberta: Path
) -> None:
    bench.add_metric("minicheck-roberta")
    row = bench.row("minicheck-roberta")
    expect(row).to_contain_text("needs download")
    bench.page.keyboard.press("Escape")
    row.get_by_role("button", name="Download").click()
    expect(row).to_contain_text("cannot be reached")
    expect(row.locator(".act")).to_be_visible()
    expect(bench.row("rouge2")).to_contain_text("ready")

    spec, page = f"minicheck-roberta[checkpoint={tiny_roberta}]", bench.page
    bench.add_metric(spec)
    expect(bench.row(spec)).to_contain_text("ready", timeout=START_MS)
    page.keyboard.press("Escape")
    bench.row(spec).locator(".title").click()
    expect(bench.evidence()).not_to_have_count(0)
    page.get_by_text("What MiniCheck RoBERTa saw").click()
    expect(page.get_by_text("piece(s) of the document")).to_be_visible()
    expect(page.locator(".document .tag.piece")).not_to_have_count(0)

    go_to(page, "Metrics")
    for kind in ("sequence_classifier", "token_count"):
        model = page.locator(".st-key-other-models").get_by_text(f"{tiny_roberta} · {kind.replace('_', ' ')}")
        expect(model).to_be_visible(timeout=START_MS)
        press(page.locator(f'[class*="st-key-unload-"][class*="roberta"][class*="-{kind}"]').get_by_role("button"))
        expect(model).to_have_count(0)

    press(page.locator(".st-key-card-semantic-similarity").get_by_role("button"))
    card, bar = page.locator(".st-key-metric-semantic-similarity"), page.get_by_text("for models in use")
    expect(card.get_by_role("button", name="Unload")).to_be_visible(timeout=START_MS)
    quiet(bench.server.pid)  # noise that is measured in the background would load it again
    idle(page)
    full = bar.inner_text()
    press(card.get_by_role("button", name="Unload"))
    expect(card).to_contain_text("not loaded")
    idle(page)
    assert memory(bar.inner_text()) < memory(full)
    press(card.get_by_role("button", name=re.compile("^Load")))
    expect(card.get_by_role("button", name="Unload")).to_be_visible()
    expect(bar).to_have_text(full)


def memory(words: str) -> float:
    """Megabytes in use, from the text over the bar."""
    number, unit, *_ = words.split()
    return float(number) * {"GB": 1000, "MB": 1}[unit]
