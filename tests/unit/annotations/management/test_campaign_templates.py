"""Templates of campaigns open as their papers ran them: qualified people write, each error once, and the export is BUMP's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from annotations.campaigns.assignment import EVERYBODY
from annotations.campaigns.campaign import CampaignRules, CampaignSettings, VersionContent
from annotations.campaigns.questions import bundled_question_sets, check_answers, read_questions, unswap_answers
from annotations.campaigns.task_texts import ShownTask
from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.labelling.labelling import AnnotatorActions
from annotations.labelling.queue import NoTask
from annotations.labelling.responses import SentResponse
from annotations.management.campaign_templates import (
    CampaignTemplate,
    campaign_templates,
    qualification_of,
    template_tasks,
)
from annotations.management.candidates import ready_known_tasks, tasks_for_candidate
from annotations.management.manage import ManagerActions, local_member
from annotations.people.people import Role, add_person
from annotations.store.records import RecordError
from annotations.store.store import Store
from core.data.datasets.bump import Bump
from core.text import to_records
from core.types import Edit, ErrorType, Span
from pages.ui.campaigns.item_pool import bundled_candidates

TERMS = ExportTerms("CC-BY-4.0", "15 € an hour", "Signed.")
TEMPLATES = {template.name: template for template in campaign_templates()}


@pytest.mark.parametrize("template", campaign_templates(), ids=lambda template: template.name)
def test_a_template_has_rules_known_answers_and_what_the_paper_had(template: CampaignTemplate) -> None:
    questions = read_questions(bundled_question_sets()[template.questions])
    rules = CampaignRules.model_validate({**template.rules, "template": template.name})
    tasks = template_tasks(template, questions, bundled_candidates())
    parts = [task.part for task in tasks.values()]
    assert (parts.count("training"), parts.count("gold")) == (template.training, template.gold)
    assert all(task.feedback and task.key for task in tasks.values())
    documents = [task.pair.document for task in tasks.values() if task.pair]
    assert len(set(documents)) == len(tasks)
    if template.gold:
        answers = {str(task.key[questions.measure]) for task in tasks.values() if task.part == "gold"}
        assert len(answers) == 2  # nobody is right by always answering the same
    for task in tasks.values():
        optional = tuple(question.model_copy(update={"required": False}) for question in questions.questions)
        assert check_answers(questions.model_copy(update={"questions": optional}), task.key) == task.key
    assert not [line for line in template.differences(rules) if " here, " in line and template.name.startswith("bump")]


def test_a_changed_rule_is_said_beside_the_paper() -> None:
    template = TEMPLATES["bump-task-1"]
    rules = CampaignRules.model_validate({**template.rules, "overlap": 3, "check_code": False})
    assert template.differences(rules)[:2] == [
        "Overlap: 3 here, 1 in the paper.",
        "Check code: no here, yes in the paper.",
    ]


def opened(store: Store, name: str) -> tuple[ManagerActions, CampaignSettings, CampaignSettings]:
    """The campaign of a template on fourteen bundled summaries, two of each type, and the one that qualifies for it."""
    template = TEMPLATES[name]
    text = bundled_question_sets()[template.questions]
    questions = read_questions(text)
    manager = ManagerActions(store, local_member(store, "ada"))
    rules = CampaignRules.model_validate({**template.rules, "template": template.name})
    known = template_tasks(template, questions, bundled_candidates())
    originals = [
        candidate for candidate in bundled_candidates() if not candidate.edited and candidate.name not in known
    ]
    types = [kind for kind in ErrorType if kind is not ErrorType.OTHER]
    turns = zip(originals[:14], types * 2, strict=True)
    work = [task for candidate, kind in turns for task in tasks_for_candidate(candidate, questions, [kind])]
    qualification = qualification_of(template, "Our BUMP", "ada")
    assert qualification is not None
    campaign = manager.create_qualified(
        "Our BUMP", VersionContent(text, "", rules), [*known.values(), *work], EVERYBODY, qualification
    )
    [first] = [row for row in manager.campaigns() if row.name == qualification.name]
    return manager, campaign, first


def annotator(store: Store, name: str) -> AnnotatorActions:
    with store.writing() as session:
        return AnnotatorActions(store, add_person(session, name, Role.ANNOTATOR))


def qualify(person: AnnotatorActions, campaign: CampaignSettings, wrong: int = 0) -> None:
    known = {task.pair.edited: task.key for task in ready_known_tasks(campaign.questions, "ada") if task.pair}
    for number in range(len(known)):
        task = person.next(campaign.id)
        assert isinstance(task, ShownTask)
        edited, right = next(row for row in known.items() if row[0] in {task.left, task.right})
        answers = {**unswap_answers(campaign.questions, right, swapped=edited == task.left and bool(task.right))}
        if campaign.questions.name == "label-pairs":
            answers["explanation"] = "The document says another thing."
        else:
            answers |= {"confidence": 5} | ({"reason": "Another thing."} if answers["verdict"] != "consistent" else {})
        if number < wrong:
            answers = {"unfaithful": "neither"}
        person.send(SentResponse(task.reservation, "answer", f"q{task.reservation}", answers))


def write(person: AnnotatorActions, campaign: CampaignSettings) -> list[tuple[str, str]]:
    """Edit until there is nothing left: the last word of the summary becomes another one; what was asked, by stage."""
    asked = []
    while isinstance(task := person.next(campaign.id), ShownTask):
        asked.append((task.stage.value, str(task.error_type)))
        edit = Edit(Span(len(task.left) - 1, len(task.left)), f" of Velm {len(asked)}.")
        answers = {
            "possible": "yes",
            "edit": to_records(task.left, [edit]),
            "explanation": "The document has no such thing.",
        }
        person.send(SentResponse(task.reservation, "answer", f"w{task.reservation}", answers))
    return asked


def work_behind_a_qualification(
    store: Store, name: str, earlier: Sequence[str] = (), **rules: object
) -> tuple[ManagerActions, CampaignSettings, CampaignSettings]:
    """Two items of work of a template, without training, each with an earlier label of these people, and the campaign that qualifies."""
    template = TEMPLATES[name]
    text = bundled_question_sets()[template.questions]
    questions = read_questions(text)
    answer = next(iter(questions.by_id[questions.measure].values))
    originals = [candidate for candidate in bundled_candidates() if not candidate.edited][:2]
    work = [
        replace(task, earlier=dict.fromkeys(earlier, answer))
        for candidate in originals
        for task in tasks_for_candidate(candidate, questions, [ErrorType.INTRINSIC_ENTITY])
    ]
    manager = ManagerActions(store, local_member(store, "ada"))
    qualification = qualification_of(template, "Work", "ada")
    assert qualification is not None
    content = VersionContent(text, "", CampaignRules.model_validate({**template.rules, **rules}))
    campaign = manager.create_qualified("Work", content, work, EVERYBODY, qualification, earlier)
    [first] = [row for row in manager.campaigns() if row.name == qualification.name]
    return manager, campaign, first


@pytest.mark.parametrize("name", [template.name for template in TEMPLATES.values() if template.qualification])
def test_nobody_gets_an_item_before_the_qualification(store: Store, name: str) -> None:
    _, campaign, first = work_behind_a_qualification(store, name)
    tove = annotator(store, "tove")
    assert isinstance(tove.next(campaign.id), NoTask)
    qualify(tove, first)
    assert isinstance(tove.next(campaign.id), ShownTask)


def test_earlier_labels_come_along_behind_a_qualification(store: Store) -> None:
    manager, campaign, _ = work_behind_a_qualification(store, "rate-of-errors", ["mira"])
    assert [label.person for label in manager.labels(campaign.id)] == ["mira (imported)"] * 2


def test_answers_are_filled_in_after_a_campaign_is_made_also_behind_a_qualification(store: Store) -> None:
    with pytest.raises(RecordError, match="No answers are filled in yet"):
        work_behind_a_qualification(store, "rate-of-errors", mode="pre-annotated")
    assert not ManagerActions(store, local_member(store, "ada")).campaigns()


def test_two_people_run_bump_task_1_to_its_export(store: Store, tmp_path: Path) -> None:
    manager, campaign, first = opened(store, "bump-task-1")
    assert manager.campaigns()[0].name == first.name  # the one that people see first
    assert (first.rules.pass_right, first.rules.check_code, campaign.rules.overlap) == (6, True, 1)
    tove, karin, erik = (annotator(store, name) for name in ("tove", "karin", "erik"))
    qualify(tove, first)
    qualify(karin, first, wrong=1)
    qualify(erik, first, wrong=2)
    done = [write(tove, campaign), write(karin, campaign)]
    assert [stage for stage, _ in done[0]].count("training") == 7
    assert {kind for stage, kind in done[0] if stage == "training"} == {
        str(kind) for kind in ErrorType if kind is not ErrorType.OTHER
    }
    assert sum(stage == "work" for asked in done for stage, _ in asked) == 14  # each once: one person an error
    assert not any(stage == "work" for stage, _ in write(erik, campaign))
    nothing = erik.next(campaign.id)
    assert isinstance(nothing, NoTask)
    content = ExportActions(store, local_member(store, "ada")).file(campaign.id, "bump", TERMS)
    records = json.loads(content)
    assert len(records) == 14
    (tmp_path / "task1_dataset.json").write_bytes(content)
    items = [item for item in Bump().read(tmp_path / "task1_dataset.json") if getattr(item, "parent", None)]
    assert {str(item.error_type) for item in items} == {str(kind) for kind in ErrorType if kind is not ErrorType.OTHER}
