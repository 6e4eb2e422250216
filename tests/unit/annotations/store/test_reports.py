"""Reports of pins in the database: changed by revisions, a person's own, and read by others once shared."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotations.people.people import Role, add_person
from annotations.store.backup import backup, restore
from annotations.store.records import ChangedElsewhereError, ReadOnlyError, RecordError, RightsError
from annotations.store.reports import MAX_PARTS, MAX_WORK, PersonReports, ReportPart, Work
from annotations.store.store import Store


def reports_of(store: Store, name: str) -> PersonReports:
    with store.writing() as session:
        return PersonReports(store, add_person(session, name, Role.RESEARCHER).id)


def test_pins_are_added_at_the_end_and_put_into_another_order(store: Store) -> None:
    own = reports_of(store, "ada")
    id = own.create(" Harbour ")
    for content in ("one", "two"):
        own.pin(id, content, f"Text of {content}")
    row = own.report(id)
    assert (row.title, row.owner, row.pins, row.shared) == ("Harbour", "ada", 2, False)
    own.revise(replace(row, title="Harbours", parts=(ReportPart("Between"), *reversed(row.parts))))
    changed = own.report(id)
    assert changed.title == "Harbours"
    assert [part.text for part in changed.parts] == ["Between", "Text of two", "Text of one"]
    contents = own.contents(changed)
    assert [contents[part.pin] for part in changed.parts if part.pin] == ["two", "one"]


def test_the_report_that_was_changed_last_comes_first(store: Store) -> None:
    own = reports_of(store, "ada")
    first, second = own.create("first"), own.create("second")
    assert [row.id for row in own.own()] == [second, first]
    own.pin(first, "{}")
    assert [row.id for row in own.own()] == [first, second]


def test_a_removed_report_is_shown_to_nobody(store: Store) -> None:
    ada, ben = reports_of(store, "ada"), reports_of(store, "ben")
    id = ada.create("Harbour")
    ada.revise(replace(ada.report(id), shared=True))
    ada.remove(id)
    assert (ada.own(), ben.of_others()) == ([], [])
    with pytest.raises(RecordError, match="no such report"):
        ada.report(id)


def test_others_read_a_report_only_once_it_is_shared_and_never_change_it(store: Store) -> None:
    ada, ben = reports_of(store, "ada"), reports_of(store, "ben")
    id = ada.create("Harbour")
    ada.pin(id, "secret")
    row = ada.report(id)
    for read in (ben.report, ben.remove):
        with pytest.raises(RecordError, match="not shared with you"):
            read(id)
    with pytest.raises(RecordError, match="not shared with you"):
        ben.contents(row)
    assert ben.of_others() == []

    ada.revise(replace(row, shared=True))
    shared = ben.report(id)
    assert (shared.owner, [*ben.contents(shared).values()], ben.of_others()) == ("ada", ["secret"], [shared])
    assert ben.own() == []
    for change in (
        lambda: ben.pin(id, "{}"),
        lambda: ben.revise(replace(shared, title="Mine")),
        lambda: ben.remove(id),
    ):
        with pytest.raises(RightsError, match="ada's"):
            change()
    assert ada.report(id) == shared

    ada.revise(replace(shared, shared=False))
    with pytest.raises(RecordError, match="not shared with you"):
        ben.report(id)


def test_a_change_of_an_older_state_is_refused(store: Store) -> None:
    own = reports_of(store, "ada")
    row = own.report(own.create("Harbour"))
    own.revise(replace(row, title="One"))
    with pytest.raises(ChangedElsewhereError, match="another window"):
        own.revise(replace(row, title="Two"))
    assert own.report(row.id).title == "One"


def test_a_pin_of_another_report_cannot_be_put_into_ones_own(store: Store) -> None:
    ada, ben = reports_of(store, "ada"), reports_of(store, "ben")
    hidden = ada.create("Harbour")
    ada.pin(hidden, "secret")
    row = ben.report(ben.create("Mine"))
    with pytest.raises(RecordError, match="not in the report"):
        ben.revise(replace(row, parts=ada.report(hidden).parts))


@pytest.mark.parametrize("title", [" ", "a\0b", "long " * 100])
def test_a_title_that_cannot_be_kept_is_refused(store: Store, title: str) -> None:
    own = reports_of(store, "ada")
    with pytest.raises(RecordError):
        own.create(title)
    assert own.own() == []


def test_a_report_has_not_endlessly_many_parts(store: Store) -> None:
    own = reports_of(store, "ada")
    row = own.report(own.create("Harbour"))
    with pytest.raises(RecordError, match="at most"):
        own.revise(replace(row, parts=(ReportPart("more"),) * (MAX_PARTS + 1)))


def test_a_demonstration_keeps_no_report(sqlite_url: str) -> None:
    with closing(Store.open(sqlite_url, read_only=True)) as store, pytest.raises(ReadOnlyError):
        PersonReports(store, "local").create("Harbour")


@pytest.mark.slow
def test_a_backup_has_the_reports(url: str, tmp_path: Path) -> None:
    with closing(Store.open(url)) as store:
        own = reports_of(store, "ada")
        own.pin(own.create("Harbour"), "{}")
        kept = own.own()
        owner = kept[0].owner_id
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    assert backup(url, tmp_path / "kept.db")["reportrevision"] == 2
    restore(tmp_path / "kept.db", restored, replace=False)
    with closing(Store.open(restored)) as store:
        assert PersonReports(store, owner).own() == kept


def test_things_are_put_into_an_own_project_once_and_taken_out(store: Store) -> None:
    ada, ben = reports_of(store, "ada"), reports_of(store, "ben")
    pair, run = Work("pair", "p1"), Work("run", "r1")
    id = ada.create("Harbour", "Who saw the tug?", [pair])
    ada.put(id, run)
    ada.put(id, run)
    row = ada.report(id)
    assert (row.question, row.work, row.revision) == ("Who saw the tug?", (pair, run), 2)
    ada.revise(replace(row, question="Who saw it?", work=()))
    ada.take_out(id, pair)
    assert (ada.report(id).question, ada.report(id).work) == ("Who saw it?", (run,))

    ada.revise(replace(ada.report(id), shared=True))
    for change in (lambda: ben.put(id, pair), lambda: ben.take_out(id, run)):
        with pytest.raises(RightsError, match="ada's"):
            change()


def test_what_no_project_holds_is_refused(store: Store) -> None:
    own = reports_of(store, "ada")
    for work, why in (
        ([Work("label", "x")], "only: pair, run"),  # type: ignore[arg-type]
        ([Work("pair", "a\0b")], "the id of a thing"),
        ([Work("pair", str(number)) for number in range(MAX_WORK + 1)], "at most 500 things"),
    ):
        with pytest.raises(RecordError, match=why):
            own.create("Harbour", work=work)
