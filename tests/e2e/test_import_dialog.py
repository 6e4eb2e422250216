"""Exports of tools dropped one after another on the import dialog: each is named, asked about where it must be, and imported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.tool_exports import (
    FALSE,
    TOOL_EXPORTS,
    TRUE,
    argilla,
    doccano,
    inspect_log,
    label_studio,
    prodigy_spans,
    qualtrics,
)
from tests.e2e.waiting import attach, idle, press

pytestmark = pytest.mark.e2e

SENTENCES: dict[Callable[[Path], Path], str] = {
    label_studio: "This looks like a Label Studio export with 2 annotators.",
    prodigy_spans: "This looks like a Prodigy export with 2 annotators.",
    argilla: "This looks like an Argilla export with 2 annotators.",
    doccano: "This looks like a doccano export.",
    qualtrics: "This looks like a Qualtrics export with 2 annotators.",
    inspect_log: "This looks like a log of inspect_ai.",
}
LABELLED = {label_studio, argilla, doccano, qualtrics}
PEOPLE = {label_studio: 2, argilla: 2, qualtrics: 2}
MOST_PRESSES = 3  # from the drop, of a file that asks


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("import")) as running:
        yield running


def stored(server: Server, dataset: str) -> dict[str, tuple[object, list[object]]]:
    """Label and votes of each summary of a dataset, as the database has them."""
    rows = server.rows(
        "SELECT item.text, sample.facts FROM sample JOIN dataset ON dataset.id = sample.dataset_id "
        f"JOIN item ON item.id = sample.item_id WHERE dataset.name = '{dataset}'"
    )
    facts = {str(row["text"]): json.loads(row["facts"]) for row in rows}
    return {text: (fact.get("intended"), fact.get("judgements", [])) for text, fact in facts.items()}


@pytest.mark.parametrize(
    "writers", [TOOL_EXPORTS[:3], TOOL_EXPORTS[3:]], ids=lambda writers: ",".join(write.__name__ for write in writers)
)
def test_exports_are_dropped_one_after_another(
    page: Page, fresh: Server, tmp_path: Path, writers: tuple[Callable[[Path], Path], ...]
) -> None:
    presses: Counter[str] = Counter()
    page.goto(f"{fresh.url}/evaluate")
    for write in writers:
        path = write(tmp_path)
        press(page.get_by_role("button", name="Import data"))
        dialog = page.get_by_role("dialog")
        attach(dialog.locator("input[type=file]").first, path)
        expect(dialog.get_by_text(SENTENCES[write])).to_be_visible(timeout=WORK_MS)
        idle(page)  # while it is drawn again, the button before stands beside the new one
        imports = dialog.get_by_role("button", name="Import", exact=True).last
        if write is label_studio:
            expect(imports).to_be_disabled()
            question = dialog.get_by_text("Which of these mean a consistent summary?")
            expect(question).to_be_in_viewport()
            expect(imports).to_be_in_viewport()
            press(dialog.get_by_role("button", name="a", exact=True))
            presses[path.stem] += 1
        expect(imports).to_be_enabled(timeout=WORK_MS)
        press(imports)
        presses[path.stem] += 1
        expect(page.get_by_text(f"{path.stem}: 2 new, 2 read.")).to_be_visible(timeout=WORK_MS)
        labels = ("consistent", "inconsistent") if write in LABELLED else (None, None)
        table = stored(fresh, path.stem)
        assert {text: label for text, (label, _) in table.items()} == dict(zip((TRUE, FALSE), labels, strict=True))
        assert [len(votes) for _, votes in table.values()] == [PEOPLE.get(write, 0)] * 2
    assert max(presses.values()) <= MOST_PRESSES
