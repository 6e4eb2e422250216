"""What the store promises: all or nothing, once, for ever, whoever else writes."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from annotations.people.people import Role, add_person
from annotations.store import campaign_tables, people_tables, response_tables
from annotations.store.dataset_import import DatasetSource
from annotations.store.records import (
    AuditRecord,
    NotSavedError,
    PairRecord,
    ReadOnlyError,
    RecordError,
    ThresholdRecord,
)
from annotations.store.reports import PersonReports
from annotations.store.store import Store
from annotations.store.tables import Draft, StoreTable
from annotations.store.writes import DRAFT_DAYS, upsert_draft
from core.types import Context, Edit, Span, Verdict
from tests.unit.annotations.conftest import SLOW_ON_POSTGRES
from tests.unit.annotations.pair_samples import AFTER, BEFORE, DOCUMENT, EDITS, FAILED, ORIGINAL, PAIR, record

OF_CAMPAIGNS = {
    row.__tablename__
    for tables in (people_tables, campaign_tables, response_tables)
    for row in vars(tables).values()
    if isinstance(row, type) and issubclass(row, StoreTable) and row.__module__ == tables.__name__
}
APPEND_ONLY = sorted(set(StoreTable.metadata.tables) - {"draft", "projectlink"} - OF_CAMPAIGNS)

WRITER = """
import sys
from tests.unit.annotations.pair_samples import record
from annotations.store.store import Store
store = Store.open(sys.argv[1])
for number in range(100_000):
    receipt = store.save_label(record(f"{sys.argv[2]}-{number}", annotator=sys.argv[2]))
    print(receipt.revision, flush=True)
"""


# what the store promises is tried on both databases for each change
@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"{request.param}_url"))


def test_a_kept_pair_comes_back_with_edits_and_scores(store: Store) -> None:
    receipt = store.save_pair(PAIR)
    stored = store.pair(receipt.id)
    assert stored is not None
    assert (stored.id, stored.created_at, stored.pair) == (receipt.id, receipt.created_at, PAIR)


def test_the_same_pair_twice_is_one_pair(store: Store) -> None:
    first, again = store.save_pair(PAIR), store.save_pair(PAIR)
    assert (first.is_new, again.is_new) == (True, False)
    assert (first.id, first.created_at) == (again.id, again.created_at)
    counts = store.counts()
    assert [counts[table] for table in ("document", "item", "edit", "origin", "score")] == [1, 2, 1, 1, 3]


def test_scores_of_two_versions_are_both_kept(store: Store) -> None:
    store.save_pair(PAIR)
    newer = replace(AFTER, signature="rouge2|split:punkt|touchstone:0.2.0", score=0.5)
    stored = store.pair(store.save_pair(replace(PAIR, outcomes=(newer,))).id)
    assert stored is not None
    assert stored.pair.outcomes == (BEFORE, AFTER, FAILED, newer)


def test_another_intention_for_the_same_edit_is_kept_and_shown_last(store: Store) -> None:
    first = store.save_pair(PAIR)
    second = store.save_pair(replace(PAIR, by="carl", intended=Verdict.BORDERLINE))
    assert (second.id, second.is_new) == (first.id, True)
    stored = store.pair(first.id)
    assert stored is not None
    assert (stored.pair.by, stored.pair.intended) == ("carl", Verdict.BORDERLINE)
    assert [row.by for row in store.saved()] == ["carl", "ada"]


def test_an_unedited_summary_is_kept_with_its_scores_on_both_sides(store: Store) -> None:
    pair = PairRecord(DOCUMENT, ORIGINAL, ORIGINAL, (), by="ada", outcomes=(BEFORE,))
    stored = store.pair(store.save_pair(pair).id)
    assert stored is not None
    assert stored.pair == replace(pair, outcomes=(BEFORE, replace(BEFORE, example_id="edited")))
    assert store.counts()["item"] == 1


def test_an_unknown_id_gives_nothing(store: Store) -> None:
    assert store.pair("0123456789abcdef") is None
    assert store.draft("none") is None
    assert store.saved() == []


def test_the_order_in_which_edits_are_given_does_not_matter(store: Store) -> None:
    edits = (Edit(Span(21, 25), "boats"), *EDITS)
    pair = replace(PAIR, edited="The board sold two boats.", edits=edits, outcomes=())
    assert store.save_pair(pair).id == store.save_pair(replace(pair, edits=edits[::-1])).id


def test_a_record_fills_its_tables_and_gives_the_item_back(store: Store) -> None:
    receipt = store.save_label(record())
    assert receipt.is_new
    counts = store.counts()
    assert [counts[table] for table in ("label", "editjudgement", "explanation", "explanationjudgement")] == [1] * 4
    stored = store.pair(receipt.id)
    assert stored is not None
    assert (stored.pair.edits, stored.pair.intended, stored.pair.by) == (EDITS, None, "")


def test_a_receipt_tells_the_time_in_utc_the_second_time_too(store: Store) -> None:
    start = datetime.now(UTC)
    store.save_label(record())
    again = store.save_label(record())
    assert start <= again.created_at <= datetime.now(UTC)


def test_a_kept_pair_and_a_label_of_it_are_of_one_item(store: Store) -> None:
    assert store.save_pair(PAIR).id == store.save_label(record()).id


def test_a_label_alone_fills_no_other_judgement(store: Store) -> None:
    store.save_label(record(answers=None, explanation="", explanation_by="", grade=None, cause=None))
    counts = store.counts()
    assert [counts[table] for table in ("label", "editjudgement", "explanation", "explanationjudgement")] == [
        1,
        0,
        0,
        0,
    ]


def test_a_double_press_gives_one_row_and_the_same_receipt(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        receipts = list(pool.map(lambda _: store.save_label(record()), range(8)))
    assert sorted(receipt.is_new for receipt in receipts) == [False] * 7 + [True]
    assert {(receipt.id, receipt.created_at, receipt.revision) for receipt in receipts} == {
        (receipts[0].id, receipts[0].created_at, 1)
    }
    assert store.counts()["label"] == 1


def test_another_label_under_a_known_event_is_refused_not_dropped(store: Store) -> None:
    store.save_label(record())
    with pytest.raises(RecordError, match="NOT saved: its event id belongs to another label"):
        store.save_label(record(verdict=Verdict.CONSISTENT))


def test_a_changed_mind_is_the_next_revision_of_that_person(store: Store) -> None:
    labels = [("ben", "a"), ("ben", "b"), ("cem", "c"), ("ben", "d")]
    assert [store.save_label(record(event, annotator=name)).revision for name, event in labels] == [1, 2, 1, 3]


def test_the_list_shows_labels_and_pairs_newest_first(store: Store) -> None:
    store.save_pair(PAIR)
    store.save_label(record())
    label, pair = store.saved()
    assert (label.kind, label.by, label.verdict, label.confidence, label.revision, label.note) == (
        *("label", "ben", Verdict.INCONSISTENT),
        *(4, 1, "sold, not bought"),
    )
    assert (pair.kind, pair.by, pair.verdict, pair.revision) == ("pair", "ada", Verdict.INCONSISTENT, None)
    assert label.title == pair.title == "Tugs"
    assert store.saved(limit=1) == [label]


@pytest.mark.parametrize("table", ["edit", "label", "editjudgement", "explanationjudgement"])
def test_a_write_that_fails_in_the_middle_leaves_nothing(store: Store, table: str) -> None:
    before = store.counts()
    refuse_inserts(store, table)
    with pytest.raises(NotSavedError, match="NOT saved"):
        store.save_label(record())
    assert store.counts() == before


def refuse_inserts(store: Store, table: str) -> None:
    on_sqlite = f"CREATE TRIGGER broken BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'broken'); END"
    on_postgres = f"ALTER TABLE {table} ADD CONSTRAINT broken CHECK (false)"
    with store.writing() as session:
        session.execute(text(on_sqlite if store.engine.dialect.name == "sqlite" else on_postgres))


@pytest.mark.parametrize("change", ["UPDATE {} SET created_at = created_at", "DELETE FROM {}"])
def test_the_database_refuses_to_change_or_delete(store: Store, change: str) -> None:
    store.save_pair(PAIR)
    store.save_label(record())
    store.append_run(store.begin_run("mine", "local", "plan"), ["line"])
    store.import_dataset(DatasetSource("harbour", "pairs", "harbour.jsonl", "ab"), [], dict)
    store.tag_version("harbour", "first", "local")
    store.save_audits([AuditRecord("rouge2", "rouge2|1", "harbour", "ab" * 32, "0.1.0", "{}", datetime.now(UTC))])
    store.save_threshold(ThresholdRecord("own", "rouge2", "{}", datetime.now(UTC)))
    replace(store, read_code=lambda _: {"numpy": "2.4.6"}).save_audits(
        [AuditRecord("bleu", "bleu|code:aaaaaaaaaaaa", "harbour", "ab" * 32, "0.1.0", "{}", datetime.now(UTC))]
    )
    with store.writing() as session:
        own = PersonReports(store, add_person(session, "ada", Role.RESEARCHER).id)
    own.pin(own.create("Harbour"), "{}")
    before = store.counts()
    tables = [table for table in APPEND_ONLY if table not in {"edit", "sample", "versionfile"}]
    assert [table for table in tables if not before[table]] == []
    for table in tables:
        with pytest.raises(NotSavedError, match=f"{table} only grows"), store.writing() as session:
            session.execute(text(change.format(table)))
    assert store.counts() == before


@pytest.mark.parametrize("change", ["UPDATE edit SET replace_text = 'kept'", "DELETE FROM edit"])
def test_the_database_refuses_to_change_or_delete_an_edit(store: Store, change: str) -> None:
    store.save_pair(PAIR)
    with pytest.raises(NotSavedError, match="edit only grows"), store.writing() as session:
        session.execute(text(change))


def test_the_database_refuses_answers_out_of_order(store: Store) -> None:
    item = store.save_pair(PAIR).id
    with pytest.raises(NotSavedError, match="ck_editjudgement_controlled"), store.writing() as session:
        session.execute(
            text(
                "INSERT INTO editjudgement (item_id, annotator, revision, inconsistent, interesting, controlled, event_id,"
                " created_at) VALUES (:item, 'ben', 1, TRUE, FALSE, TRUE, 'e', CURRENT_TIMESTAMP)"
            ),
            {"item": item},
        )


@pytest.mark.parametrize("url", SLOW_ON_POSTGRES, indirect=True)
def test_twenty_people_write_at_once_and_nothing_is_lost(store: Store) -> None:
    def label(person: int) -> list[int | None]:
        return [store.save_label(record(f"{person}-{n}", annotator=f"a{person % 10}")).revision for n in range(8)]

    with ThreadPoolExecutor(20) as pool:
        revisions = list(pool.map(label, range(20)))
    assert store.counts()["label"] == 160
    for person in range(10):
        assert sorted(revisions[person] + revisions[person + 10]) == list(range(1, 17))


@pytest.mark.parametrize("url", SLOW_ON_POSTGRES, indirect=True)
def test_kill_9_loses_no_acknowledged_label(url: str) -> None:
    path = [str(Path(__file__).parent), str(Path(__file__).parents[4])]
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {path}\n{WRITER}", url]
    names = [f"writer{number}" for number in range(2)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in names]
    acknowledged = [[writer.stdout.readline() for _ in range(50)] for writer in writers if writer.stdout]
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
    acknowledged = [
        lines + (writer.communicate()[0].splitlines()) for lines, writer in zip(acknowledged, writers, strict=True)
    ]
    store = Store.open(url)
    saved = {(row.by, row.revision) for row in store.saved(limit=100_000)}
    confirmed = {(name, int(line)) for name, lines in zip(names, acknowledged, strict=True) for line in lines}
    assert len(confirmed) >= 100
    assert confirmed <= saved
    assert damage(store) == ""
    store.close()


def damage(store: Store) -> str:
    if store.engine.dialect.name != "sqlite":
        return ""
    with store.engine.connect() as connection:
        verdict = str(connection.exec_driver_sql("PRAGMA integrity_check").scalar())
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return "" if verdict == "ok" and not broken else f"{verdict} {broken}"


def test_a_draft_is_written_over_and_survives_a_restart(url: str) -> None:
    first = Store.open(url)
    first.save_draft("tab-1", "ben", "{}")
    first.save_draft("tab-1", "ben", '{"text": "half a th"}')
    first.close()
    again = Store.open(url)
    assert again.draft("tab-1") == '{"text": "half a th"}'
    assert again.counts()["draft"] == 1
    again.close()


def test_the_recent_drafts_of_an_owner_come_newest_first(store: Store) -> None:
    for id, owner in (("a", "ben"), ("b", "ann"), ("c", "ben"), ("d", "ben")):
        store.save_draft(id, owner, f"draft {id}")
    assert store.recent_drafts("ben", 2) == ["draft d", "draft c"]
    assert store.recent_drafts("eve", 2) == []


def test_a_draft_is_forgotten_after_a_month(url: str) -> None:
    store = Store.open(url)
    now = datetime.now(UTC)
    with store.writing() as session:
        upsert_draft(session, Draft(id="old", owner="ben", payload="", updated_at=now - timedelta(days=DRAFT_DAYS + 1)))
        upsert_draft(session, Draft(id="new", owner="ben", payload="", updated_at=now - timedelta(days=DRAFT_DAYS - 1)))
    store.close()
    again = Store.open(url)
    assert (again.draft("old"), again.draft("new")) == (None, "")
    again.close()


def test_a_demonstration_reads_everything_and_writes_nothing(url: str) -> None:
    full = Store.open(url)
    receipt = full.save_pair(PAIR)
    full.save_label(record())
    full.close()
    demo = Store.open(url, read_only=True)
    stored = demo.pair(receipt.id)
    assert stored is not None
    assert stored.pair == PAIR
    assert len(demo.saved()) == 2
    for write in (
        lambda: demo.save_pair(PAIR),
        lambda: demo.save_label(record()),
        lambda: demo.save_draft("a", "b", "c"),
    ):
        with pytest.raises(ReadOnlyError, match=r"NOT saved.*without TOUCHSTONE_DEMO"):
            write()
    demo.close()


def test_a_demonstration_cannot_write_even_past_the_store(url: str) -> None:
    Store.open(url).close()
    demo = Store.open(url, read_only=True)
    with pytest.raises(NotSavedError, match=r"read-?only"), replace(demo, read_only=False).writing() as session:
        session.execute(text("DELETE FROM draft"))
    demo.close()


def test_a_demonstration_leaves_the_file_as_it_is(sqlite_url: str) -> None:
    full = Store.open(sqlite_url)
    full.save_pair(PAIR)
    full.close()
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    demo = Store.open(sqlite_url, read_only=True)
    with pytest.raises(ReadOnlyError):
        demo.save_label(record())
    demo.counts()
    demo.close()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_a_demonstration_without_a_database_is_empty_and_makes_no_file(tmp_path: Path) -> None:
    demo = Store.open(f"sqlite:///{tmp_path}/var/none.db", read_only=True)
    assert demo.saved() == []
    assert set(demo.counts().values()) == {0}
    with pytest.raises(ReadOnlyError):
        demo.save_pair(PAIR)
    demo.close()
    assert list(tmp_path.iterdir()) == []


def test_a_pair_keeps_its_contexts_and_question(store: Store) -> None:
    contexts = (Context("Board", Span(0, 32)), Context("Tugs", Span(33, 52)))
    pair = replace(PAIR, contexts=contexts, question="What did it buy?")
    receipt = store.save_pair(pair)
    assert receipt.id != store.save_pair(PAIR).id
    stored = store.pair(receipt.id)
    assert stored
    assert (stored.pair.contexts, stored.pair.question) == (contexts, "What did it buy?")
