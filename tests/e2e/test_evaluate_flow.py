"""The Evaluate page: import, tables, a pair into Probe, the paper pack; and our own labels evaluated."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from annotations.store.dataset_import import DatasetSource
from cli import app
from core.types import PRECOMPUTED, Example, Item, Rating, StoredScore
from tests.e2e.bench import WORK_MS, Bench, example
from tests.e2e.server import Server, serve
from tests.e2e.tabs import choose_view, open_tab, open_view
from tests.e2e.waiting import START_MS, attach, download, enter, go_to, idle, pick_option, press

pytestmark = pytest.mark.e2e

KINDS = ("Intrinsic Predicate", "Extrinsic Entity")
DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away."


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own: what is imported here would be seen by other tests."""
    with serve(tmp_path_factory.mktemp("evaluate")) as running:
        yield running


def record(n: int) -> dict[str, object]:
    """A pair in BUMP's form: "sharp" moves the right way, "blunt" the wrong way on every second one."""
    kind = f"{KINDS[n % 2]} Error"
    return {
        "id": n,
        "article_id": n,
        "article": f"{DOCUMENT} It was ferry number {n}.",
        "reference_summary": "The harbour was closed.",
        "edited_summary": "The harbour was opened.",
        "error_type": kind,
        "corrected_error_type": kind,
        "scores": {
            "sharp_reference": 0.9,
            "sharp_edited": 0.02 * n,
            "blunt_reference": 0.5,
            "blunt_edited": 0.4 + 0.2 * (n % 2),
        },
    }


def open_evaluate(page: Page, server: Server) -> None:
    page.goto(server.url)
    go_to(page, "Evaluate")


def pack_of(page: Page) -> zipfile.ZipFile:
    open_view(page, "Data", "Paper pack")
    return zipfile.ZipFile(
        io.BytesIO(download(page.get_by_role("button", name="Download the paper pack")).read_bytes())
    )


def saved_json(page: Page) -> Any:
    press(page.get_by_role("button", name="Download", exact=True).first)  # that of the study, above its pairs
    saved = download(page.get_by_role("button", name="JSON", exact=True)).read_text(encoding="utf-8")
    page.keyboard.press("Escape")
    return json.loads(saved)


@pytest.fixture
def own_pairs(tmp_path: Path) -> Path:
    path = tmp_path / "task1_own.json"
    path.write_text(json.dumps([record(n) for n in range(12)]), encoding="utf-8")
    return path


def test_from_import_to_tables_to_a_pair_in_probe_to_the_paper_pack(page: Page, fresh: Server, own_pairs: Path) -> None:
    open_evaluate(page, fresh)
    expect(page.get_by_text("Bundled examples (precomputed)").first).to_be_visible(timeout=START_MS)
    page.get_by_role("tab", name="Which metric?").wait_for(
        timeout=WORK_MS
    )  # there is something before anything is imported
    press(page.get_by_text("Import data").first)
    pick_option(page.get_by_role("combobox", name="Form of the data"), "BUMP")
    name = page.get_by_role("textbox", name="Name of the dataset")
    expect(name).to_have_value("bump", timeout=WORK_MS)
    attach(page.locator("input[type=file]").first, own_pairs)
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_enabled(timeout=WORK_MS)
    enter(name, "own pairs")
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text("own pairs: 24 new, 24 read.")).to_be_visible(timeout=WORK_MS)
    assert fresh.count("sample") == 24

    open_view(page, "Which metric?", "Measures")
    choose_view(page, "Measures by slice")
    expect(page).to_have_url(re.compile(r"dataset=own\+pairs"))
    table = page.locator(".stDataFrameGlideDataEditor").first
    table.wait_for(timeout=WORK_MS)
    idle(page)
    table.hover(position={"x": 120, "y": 17})  # as a hand does, that comes from elsewhere
    table.click(position={"x": 120, "y": 87})  # the second metric, as the best comes first
    expect(page.get_by_role("heading", name="blunt · Overall")).to_be_visible()
    expect(
        page.get_by_text(re.compile(r"^50\.0 \[.*\] %; paired bootstrap: p = .*, by Holm; McNemar: p = "))
    ).to_be_visible()

    pack = pack_of(page)
    rows = list(csv.DictReader(io.StringIO(pack.read("tables/measures.csv").decode())))
    shares = {(row["metric"], row["slice"]): float(row["consistency"]) for row in rows}
    assert shares["sharp", "Overall"] == 1.0
    assert [shares["blunt", kind] for kind in KINDS] == [1.0, 0.0]
    assert "**100.0 [" in pack.read("tables/measures-consistency.md").decode()
    assert r"\textbf{100.0}" in pack.read("tables/measures-consistency.tex").decode()
    assert "MIT" in pack.read("data-card.md").decode()
    assert "cli.py import bump task1_own.json --name 'own pairs'" in pack.read("README.md").decode()
    assert b"<svg" in pack.read("figures/measures-heat-map-consistency.svg")

    [edited] = fresh.rows("SELECT item_id FROM sample WHERE key = 'task1-0/edited'")
    page.goto(f"{fresh.url}/?example={edited['item_id']}")
    expect(page.locator("ins").first).to_be_visible(timeout=START_MS)
    expect(page.get_by_text("own pairs, task1-0/edited: inconsistent")).to_be_visible()


@pytest.mark.slow
def test_studies_of_the_bundled_examples_and_of_pairs_are_those_of_the_terminal(
    page: Page, fresh: Server, own_pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{fresh.database}")
    CliRunner().invoke(app, ["import", "bump", str(own_pairs), "--name", "more pairs"], catch_exceptions=False)
    page.goto(f"{fresh.url}/evaluate?dataset={quote(PRECOMPUTED)}")
    open_view(page, "Which metric?", "Measures")
    choose_view(page, "Ranks of metrics")
    expect(page.get_by_text("Rank by ROC AUC with 95 % intervals")).to_be_visible(timeout=WORK_MS)
    choose_view(page, "Share of surface")
    expect(page.get_by_text("What all six explain of a metric")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_text("Not scored")).to_have_count(0)

    page.goto(f"{fresh.url}/evaluate?dataset=more+pairs&by=error_type")
    open_view(page, "Which metric?", "Measures")
    choose_view(page, "Measures by slice")
    by_page = saved_json(page)
    options = ["study", "measures", "--dataset", "more pairs", "--by", "error_type", "--json"]
    assert by_page == json.loads(CliRunner().invoke(app, options).stdout)

    open_view(page, "Improve it", "Calibration over domains")
    expect(page.get_by_text("One domain alone has figures")).to_be_visible(timeout=WORK_MS)
    open_tab(page, "Which metric?")
    expect(page.get_by_text("Metrics disagree on 6 of 12 pairs")).to_be_visible(timeout=WORK_MS)


@pytest.mark.slow
def test_what_was_labelled_here_is_evaluated_and_packed(page: Page, fresh: Server) -> None:
    bench, broken = Bench(page, fresh), example("news-harbour/who-claims")
    bench.open()
    bench.variant(broken.title)
    bench.shows(broken.example.summary)
    bench.press("Keep pair")
    bench.message("Kept as")
    bench.tab("Record")
    bench.choose("The edited summary is", "Inconsistent")
    bench.press("Save label")
    bench.message("Saved: label of")
    page.goto(f"{fresh.url}/evaluate?dataset=our+labels")
    pack = pack_of(page)
    rows = list(csv.DictReader(io.StringIO(pack.read("tables/measures.csv").decode())))
    [row] = [row for row in rows if (row["metric"], row["slice"]) == ("rouge2", "Overall")]
    assert (row["auc_n"], row["failed"]) == ("2", "0")
    assert "our labels" in pack.read("data-card.md").decode()
    assert "rouge2|measured:precision" in pack.read("metrics.md").decode()

    bench.open()
    page.get_by_text("Percentile of this score").click()
    told = re.compile(r"is above \d+ % of all \d+ summaries|^No summary of")
    expect(page.get_by_text(told)).to_be_visible(timeout=WORK_MS)


@pytest.mark.slow
def test_correlations_by_slice_and_the_agreement_of_annotators(page: Page, fresh: Server) -> None:
    items = [
        Item(
            Example(str(n), f"{DOCUMENT} It was ferry number {n}.", f"The harbour closed {n} times."),
            domain=("sea", "land")[n % 2],
            ratings=tuple(
                Rating(judge, "coverage", float((n * k) % 5)) for k, judge in enumerate(("ann", "ben"), start=2)
            ),
            scores=(StoredScore("sharp", float(n % 5)),),
        )
        for n in range(24)
    ]
    with closing(fresh.store()) as store:
        store.import_dataset(DatasetSource("judged", "own", "judged.jsonl", "0" * 64), items, dict)
    page.goto(f"{fresh.url}/evaluate?dataset=judged&by=domain&tab=Correlation")
    expect(page.get_by_text("Williams's test compares Pearson's correlations")).to_be_visible(timeout=WORK_MS)
    [row] = [row for row in saved_json(page)["tables"]["correlations"] if row["slice"] == "sea"]
    assert (row["metric"], row["n"]) == ("sharp", 12)

    choose_view(page, "Agreement of annotators")
    expect(page.get_by_text("2 annotators of 24 items give the same label")).to_be_visible(timeout=WORK_MS)
    expect(page).to_have_url(re.compile("tab=annotator-agreement"))
    page.reload()
    expect(page.get_by_text("2 annotators of 24 items give the same label")).to_be_visible(timeout=START_MS)
