"""Tables as people have them, imported by the terminal and by the page at the first try, with the same samples."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from annotations.store.store import Store
from cli import app
from tests.doubles.field_tables import FIELD_TABLES, FieldTable
from tests.e2e.bench import WORK_MS
from tests.e2e.server import Server, serve
from tests.e2e.waiting import START_MS, attach, enter, press

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server to which nothing was imported."""
    with serve(tmp_path_factory.mktemp("tables")) as running:
        yield running


def facts(store: Store, table: FieldTable) -> list[dict[str, object]]:
    """What was kept of each sample in order."""
    query = "SELECT facts FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = ? ORDER BY number"
    with store.engine.connect() as connection:
        return [json.loads(row) for (row,) in connection.exec_driver_sql(query, (table.name,))]


def import_in_the_terminal(table: FieldTable, path: Path) -> None:
    found = CliRunner().invoke(app, ["import", table.importer, str(path), "--name", table.name])
    assert found.exit_code == 0, (table.file, found.exception)
    assert table.mapping in found.stderr, table.file


def import_on_the_page(page: Page, table: FieldTable, path: Path) -> None:
    attach(page.locator("input[type=file]").first, path)
    expect(page.get_by_role("button", name="Save this mapping")).to_be_visible(timeout=WORK_MS)
    expect(page.get_by_text(table.note).first).to_be_visible()
    enter(page.get_by_role("textbox", name="Name of the dataset"), table.name)
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text(re.compile(rf"{table.name}: \d+ new"))).to_be_visible(timeout=WORK_MS)
    press(page.get_by_role("button", name=f"Remove {table.file}"))
    expect(page.get_by_role("button", name="Save this mapping")).to_have_count(0)


def counted(found: list[dict[str, object]], kind: str, field: str) -> list[tuple[str, int]]:
    each = (one[field] for fact in found for one in fact.get(kind, []))  # type: ignore[attr-defined]  # lists of objects
    return sorted(Counter(each).items())


def test_tables_as_people_have_them_are_the_same_by_page_and_terminal(
    page: Page, fresh: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'terminal.db'}")
    page.goto(f"{fresh.url}/evaluate")
    press(page.get_by_text("Import data").first)
    page.get_by_role("combobox", name="Form of the data").wait_for(timeout=START_MS)
    for table in FIELD_TABLES:
        table.write(tmp_path)
        import_in_the_terminal(table, tmp_path / table.file)
        import_on_the_page(page, table, tmp_path / table.file)
    by_terminal, by_page = Store.open(f"sqlite:///{tmp_path / 'terminal.db'}"), fresh.store()
    for table in FIELD_TABLES:
        found = facts(by_page, table)
        assert found == facts(by_terminal, table), table.file
        assert [fact.get("intended") for fact in found] == list(table.labels), table.file
        assert counted(found, "scores", "metric") == list(table.scores), table.file
        assert counted(found, "ratings", "aspect") == list(table.ratings), table.file
    by_terminal.close()
    by_page.close()
