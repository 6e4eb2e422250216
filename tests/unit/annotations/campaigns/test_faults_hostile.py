"""Script, SQL and spreadsheet formulas in every field: kept as the text that they are, and harmless in an export."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from annotations.campaigns.campaign import CampaignRules, NewTask, VersionContent
from annotations.campaigns.questions import Answers, bundled_question_sets
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.labelling import AnnotatorActions
from annotations.management.adjudication import AdjudicatorActions, DisagreementCause, SentDecision
from annotations.management.manage import ManagerActions, local_member
from annotations.people.people import Member, Role
from annotations.store.records import RecordError
from annotations.store.store import Store
from tests.unit.annotations.campaigns.actors import ANSWERS, CampaignFixture, make_campaign, save_items
from tests.unit.annotations.pair_samples import PAIR

HOSTILE = (
    '=HYPERLINK("http://example.org","open")',
    "<script>document.title='taken'</script><img src=x onerror=alert(1)>",
    "x'); DROP TABLE response; --",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "{{7*7}} %(name)s %s $1 :name {0}",
    "\u202eelif\u202c \u2066a\u2069",
    "\"'`;\\\n\n# *a* [b](javascript:alert(1))",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def attack(store: Store) -> CampaignFixture:
    """A campaign in which everything that a person writes is hostile; labelled by two, skipped, flagged and adjudicated."""
    annotator = ManagerActions(store, local_member(store, HOSTILE[0]))
    tasks = [NewTask(pair=replace(PAIR, document=text, original=text, edited=text, edits=())) for text in HOSTILE]
    tasks.append(NewTask(save_items(store, 2)[0], "training", key={"verdict": "consistent"}, feedback=HOSTILE[0]))
    wording = VersionContent(bundled_question_sets()["label-summaries"], HOSTILE[0], CampaignRules(overlap=2))
    opened = CampaignFixture(store, annotator.create(HOSTILE[0], wording, tasks))
    for name, verdict in (("=ben", "consistent"), ("=cem", "inconsistent")):
        label(opened, AnnotatorActions(store, annotator.add_person(name, Role.ANNOTATOR)), verdict)
    settle(opened, annotator.add_person("=dia", Role.ADJUDICATOR))
    return opened


def label(opened: CampaignFixture, annotator: AnnotatorActions, verdict: str) -> None:
    """Answer, with the hostile text of a document as the reason; leave out the formula with plus."""
    while isinstance(work := annotator.next(opened.campaign.id), ShownTask):
        answers: Answers = {"verdict": verdict, "confidence": 3, "reason": work.document}
        annotator.save_draft(work.reservation, {"answers": answers})
        assert annotator.draft(work.reservation) == {"answers": answers}
        if work.document == HOSTILE[3]:
            opened.send(annotator, work, "flag", reason=work.document)
            continue
        opened.send(annotator, work, answers=answers)


def settle(opened: CampaignFixture, judge: Member) -> None:
    annotator, id = AdjudicatorActions(opened.store, judge), opened.campaign.id
    for case in annotator.queue(id).open:
        shown = annotator.task(id, case.task)
        answers, event = ANSWERS["label-summaries"], f"{shown.document} {case.task}"
        annotator.save_decision(
            id, SentDecision(case.task, answers, DisagreementCause.SLIP, shown.responses, event, shown.document)
        )


def test_hostile_text_is_stored_unchanged(store: Store) -> None:
    attacked = attack(store)
    lines = [json.loads(line) for line in exported(attacked, "jsonl").splitlines()]
    found = {kind: {text for line in lines if line["kind"] == kind for text in texts(line)} for kind in kinds(lines)}
    everything, answered = set(HOSTILE), set(HOSTILE) - {HOSTILE[3]}
    assert everything <= found["document"]
    assert everything <= found["item"]
    assert everything <= found["label"]
    assert answered <= found["decision"]
    assert HOSTILE[0] in found["campaign"] & found["version"] & found["task"]
    assert not {"=ben", "=cem", "=dia"} & set().union(*found.values())


@pytest.mark.slow
def test_no_cell_of_an_exported_table_is_a_formula(sqlite_url: str) -> None:
    store = Store.open(sqlite_url)
    attacked = attack(store)
    table = exported(attacked, "csv")
    store.close()
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert [cell for cell in cells if cell.startswith(FORMULA)] == []
    assert {f"'{text}" for text in HOSTILE if text.startswith(FORMULA)} <= set(cells)
    assert {text for text in HOSTILE if not text.startswith(FORMULA)} <= set(cells)


@pytest.mark.parametrize("field", ["asked", "feedback"])
def test_what_no_database_holds_is_refused_with_a_sentence(store: Store, field: str) -> None:
    opened = make_campaign(store, items=0)
    known: dict[str, Any] = {"item_id": save_items(store, 1)[0], "key": {"verdict": "consistent"}, "part": "gold"}
    broken = {"explanation": "half \ud800"} if field == "asked" else "half \ud800"
    with pytest.raises(RecordError, match=r"U\+D800.*cannot be kept"):
        opened.add_tasks([NewTask(**{**known, field: broken})])


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"verdict": "inconsistent", "confidence": 5, "reason": "a" * 20_001}, ""),
        ({"verdict": "consistent", "confidence": 5, "evidence": [[0, 1]] * 400_000}, ""),
        ({"verdict": "consistent", "confidence": 5}, "a" * 20_001),
    ],
)
def test_nobody_sends_more_than_a_field_takes(store: Store, answers: dict[str, Any], reason: str) -> None:
    opened = make_campaign(store, items=1)
    ben = opened.annotator("ben")
    task = opened.next_task(ben)
    with pytest.raises(RecordError, match="characters, and at most"):
        opened.send(ben, task, answers=answers, reason=reason)
    assert ben.progress(opened.campaign.id).answered == 0
    opened.send(ben, task)


def exported(opened: CampaignFixture, name: str) -> str:
    member = local_member(opened.store, HOSTILE[0])
    return ExportActions(opened.store, member).file(opened.campaign.id, name, ExportTerms()).decode()


def kinds(lines: list[dict[str, object]]) -> set[str]:
    return {str(line["kind"]) for line in lines}


def texts(value: object) -> Iterator[str]:
    """Every text in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)
