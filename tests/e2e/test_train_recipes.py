"""A cross-encoder of a person's own encoder on the Train tab, from the choice of the recipe to the hub."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotations.store.dataset_import import DatasetSource
from core.models.words.head import CARD_FILE, WEIGHTS_FILE
from core.types import Example, Item, Verdict
from tests.doubles.upload_hub import TOKEN, UploadHub
from tests.e2e.bench import WORK_MS
from tests.e2e.server import serve
from tests.e2e.waiting import enter, pick_option, press
from tests.unit.models.hub import serving

pytestmark = pytest.mark.e2e


def items() -> list[Item]:
    """A supported summary and another one for each of two dozen documents."""
    found = []
    for number in range(24):
        document = f"A ship left the harbour on day {number}. It carried {number + 2} crates of salt. Nobody was hurt."
        for verdict, cargo in ((Verdict.CONSISTENT, "carried"), (Verdict.INCONSISTENT, "never ever carried")):
            pair = Example(f"d{number}/{verdict}", document, f"A ship left the harbour. It {cargo} salt.")
            found.append(Item(pair, intended=verdict, group=f"g{number}"))
    return found


def test_a_cross_encoder_is_trained_and_pushed(page: Page, tmp_path: Path, tiny_roberta: Path) -> None:
    with (
        serving(UploadHub("owner")) as hub,
        serve(
            tmp_path,
            TOUCHSTONE_MODELS_DIR=str(tmp_path / "models"),
            HF_ENDPOINT=hub.address,
            HF_TOKEN=TOKEN,
            HF_HUB_DISABLE_XET="1",
        ) as server,
    ):
        page.goto(f"{server.url}/evaluate")
        with closing(server.store()) as store:
            store.import_dataset(
                DatasetSource("ships", "pairs", "ships.jsonl", "0" * 64, "", "", "local"), items(), dict
            )
        page.goto(f"{server.url}/evaluate?dataset=ships")
        press(page.get_by_role("tab", name="Train"))
        pick_option(page.get_by_role("combobox", name="Recipe"), "Cross-encoder: fine-tuned")
        enter(page.get_by_role("textbox", name="Encoder"), str(tiny_roberta))
        press(page.get_by_role("button", name="Train", exact=True))
        button = page.get_by_role("button", name="Push to the hub")
        expect(button).to_be_visible(timeout=2 * WORK_MS)

        press(button)
        enter(page.get_by_role("textbox", name="Repository"), "someone/ships")
        press(page.get_by_role("button", name="Push", exact=True))
        expect(page.get_by_text("The token may not write to someone/ships.")).to_be_visible(timeout=WORK_MS)
        enter(page.get_by_role("textbox", name="Repository"), "owner/ships")
        press(page.get_by_role("button", name="Push", exact=True))
        expect(page.get_by_text(f"Pushed to {hub.address}/owner/ships")).to_be_visible(timeout=WORK_MS)
        assert {WEIGHTS_FILE, CARD_FILE, "tokenizer.json"} <= set(hub.repositories["owner/ships"])
