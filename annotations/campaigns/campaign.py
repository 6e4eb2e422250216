"""Parts of a campaign: its rules, its versions, its tasks and their answer keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Literal, Self
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from sqlalchemy import Row, bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.questions import QuestionSet, check_answers, read_questions
from annotations.store.campaign_tables import AnswerKey, Campaign, Task, VersionRow
from annotations.store.records import MAX_TEXT, PairRecord, RecordError, require_storable, require_text
from annotations.store.tables import ItemRow
from annotations.store.writes import content_id, save_pair
from core.types import Item

LabelMode = Literal["unaided", "pre-annotated", "assisted"]
"""Help that a label is given with: none, answers that are filled in, or document sentences that are marked as close."""

ResolveMethod = Literal["majority", "dawid-skene", "mace"]
"""Method by which labels that differ become a final one where nobody adjudicates: their majority, or a model of annotators."""

TaskOrder = Literal["random", "disagreement", "drawn"]


class CampaignRules(BaseModel):
    """Rules by which items are handed out, labelled and resolved.

    0 turns a rule off where its field says nothing else. Limits of a person (`least_…`) warn those who surely fall short, then pause them;
    see `limits`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    overlap: int = Field(2, ge=1, le=20)
    """Number of people who label each item."""
    most_overlap: int = Field(0, ge=0, le=20)
    """Largest number of labels of an item while a model of annotators is not `sure` of it; 0: never more than `overlap`."""
    expires_minutes: int = Field(60, ge=1, le=60 * 24 * 30)
    """Minutes after which an unused reservation is void."""
    apart: int = Field(5, ge=0, le=50)
    """Number of items between two versions of one pair for the same person; `apart_minutes` do as well."""
    apart_minutes: int = Field(60, ge=0, le=60 * 24 * 30)
    """Minutes after which a person may get another version of a pair, however few items are between them."""
    pass_right: int = Field(0, ge=0)
    """Number of right answers in the qualification that a person needs to go on; 0 lets everybody in."""
    gold_every: int = Field(0, ge=0)
    """One in this many items has a known answer; 0 for none."""
    repeat_every: int = Field(0, ge=0)
    """One in this many items repeats an item that the person has answered; 0 for none."""
    calibration: int = Field(0, ge=0, le=500)
    """Number of items at the start that everybody labels."""
    calibration_pause: bool = False
    """Hand out nothing after the calibration round, until a version without it."""
    early_overlap: bool = False
    """Hand out items that somebody has labelled before items that nobody has."""
    order: TaskOrder = "random"
    """Order of the items: random for each person, that of the list, by disagreement of metrics, or as drawn from a pool."""
    stop_points: float = Field(0.0, ge=0, lt=50)
    """Half width, in points, at which the interval of a drawn pool's rate ends the campaign; 0: label all."""
    most_per_person: int = Field(0, ge=0)
    """Largest number of items of work for one person; 0: no limit."""
    deadline: date | None = None
    """Last day (UTC) on which items are handed out."""
    mode: LabelMode = "unaided"
    """Help during labelling: none, answers of a source filled in, or the document sentences closest to the summary marked."""
    shown_columns: tuple[str, ...] = ()
    """Columns of the owner's table that annotators see above the texts."""
    reveal: bool = False
    """Show the scores after a label, and ask for a second label."""
    closed_to: tuple[str, ...] = ()
    """Names of campaigns whose qualification bars from this one: BUMP (Ma et al. 2023) kept the annotators of its two tasks apart."""
    skills: bool = False
    """Give an item that names a skill only to people in the group of that name."""
    grants: str = Field("", max_length=80)
    """Group that a person joins by passing the qualification; "": none."""
    resolve: ResolveMethod = "majority"
    """Method that turns labels into a final one."""
    sure: int = Field(90, ge=50, le=99)
    """Probability of an answer, in %, that a model of annotators needs to resolve an item or to stop asking for labels."""
    least_gold: int = Field(0, ge=0, le=99)
    """Least share of known answers that are right, in %; with it, most of a person's first items have known answers."""
    least_repeats: int = Field(0, ge=0, le=99)
    """Least share of repeated items that are answered as before, in %."""
    least_seconds: int = Field(0, ge=0, le=600)
    """Seconds that at least half of a person's labels take."""
    least_variety: int = Field(0, ge=0, le=99)
    """Least share of labels other than the person's commonest answer, in % of the same share in the labels of others."""
    check_code: bool = False
    """Ask once a session for a code that stands in the guidelines, as BUMP did, so that they are read."""
    template: str = Field("", max_length=80)
    """Template that the campaign was made from; "": none."""
    seed: int = Field(0, ge=0, lt=2**31)
    """Seed of every random order of the campaign."""

    @model_validator(mode="after")
    def _leave_work(self) -> Self:
        if 1 in (self.gold_every, self.repeat_every):
            raise ValueError("gold_every and repeat_every are 0 or at least 2: something must be left to label")
        if 0 < self.most_overlap < self.overlap:
            raise ValueError("most_overlap is 0 or at least the overlap")
        return self


def read_rules(text: str) -> CampaignRules:
    """The rules of a JSON text. Raises RecordError with the field and what is wrong with it."""
    try:
        return CampaignRules.model_validate_json(text)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, detail['loc'])) or 'rules'}: {detail['msg']}" for detail in error.errors()
        )
        raise RecordError(f"The rules cannot be used: {wrong}.") from None


SKILL = "skill"
"""The detail of a task that names the group of people who have the skill for it."""

TaskPart = Literal["training", "qualification", "work", "gold"]
SHUFFLE_PRIME = 2**31 - 1
"""A prime: numbers below it are shuffled by multiplication."""


@dataclass(frozen=True, slots=True)
class VersionContent:
    """Content that a manager writes: questions as YAML, guidelines as Markdown, rules, and whether labels are taken."""

    questions: str
    guidelines: str
    rules: CampaignRules
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """A campaign as its newest version has it."""

    id: str
    name: str
    version: int
    guidelines: str
    questions: QuestionSet
    rules: CampaignRules
    is_open: bool


@dataclass(frozen=True, slots=True)
class ReadGuidelines:
    """A text of guidelines and questions, its `number` from 1, and the first and last version of the campaign that has it."""

    number: int
    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class NewTask:
    """An item to label: one of the store, or a `pair` that is kept with the campaign.

    `key` are the known answers of training, qualification and gold, with the sides unswapped. `asked` is what the questions
    need besides the texts: {"error_type": …} to write, {"explanation": …} to judge.
    """

    item_id: str = ""
    """Id of the item in the store; "" with a pair."""
    part: TaskPart = "work"
    """Part of the campaign."""
    explanation_id: str = ""
    """Id of the explanation to judge; "" for none."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """Details that the questions need, by name."""
    key: Mapping[str, Any] = field(default_factory=dict)
    """Known answers by question; empty for work."""
    feedback: str = ""
    """Explanation that training shows after an answer."""
    pair: PairRecord | None = None
    """Texts that are kept with the campaign; None with an item of the store."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Cells of the owner's table, by column."""
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Answers to the measured question that people gave in another tool, by name."""


def own_columns(item: Item) -> dict[str, str]:
    """The cells of the table that an item came from; of another form its id and system."""
    return dict(item.columns) or {"id": item.example.id} | ({"system": item.system} if item.system else {})


def create_campaign(session: Session, name: str, by: str, content: VersionContent) -> CampaignSettings:
    """Open a campaign. Raises RecordError for a name that is empty or taken and for questions that cannot be read."""
    require_text("name of the campaign", name)
    if session.exec(select(Campaign.id).where(Campaign.name == name)).first():
        raise RecordError(f"There is a campaign called {name!r} already. Choose another name.")
    campaign = Campaign(id=uuid4().hex, name=name, by=by, created_at=datetime.now(UTC))
    session.add(campaign)
    session.flush()
    return add_version(session, campaign.id, by, content)


def add_version(session: Session, campaign_id: str, by: str, content: VersionContent) -> CampaignSettings:
    """Give a campaign its next version; labels given so far keep the number of theirs.

    Raises RecordError for questions that cannot be read.
    """
    read_questions(content.questions)
    require_storable("the guidelines", content.guidelines, most=MAX_TEXT)
    last = session.exec(select(func.max(VersionRow.version)).where(VersionRow.campaign_id == campaign_id)).one()
    session.add(
        VersionRow(
            campaign_id=campaign_id,
            version=(last or 0) + 1,
            guidelines=content.guidelines,
            questions=content.questions,
            rules=content.rules.model_dump_json(),
            open=content.is_open,
            by=by,
            created_at=datetime.now(UTC),
        )
    )
    session.flush()
    return load_campaign(session, campaign_id)


def set_mode(session: Session, campaign_id: str, mode: LabelMode, by: str) -> CampaignSettings:
    """Set the help that annotators get, by a new version unless the newest has it already."""
    newest = session.execute(_SELECT_CAMPAIGN, {"campaign": campaign_id}).one()
    rules = read_rules(newest.rules)
    if rules.mode == mode:
        return read_campaign(newest)
    content = VersionContent(
        newest.questions, newest.guidelines, rules.model_copy(update={"mode": mode}), is_open=newest.open
    )
    return add_version(session, campaign_id, by, content)


# Statements of what happens for every label are made once: making one takes longer than its query.
SELECT_NEWEST_VERSION = (
    select_columns(
        col(Campaign.id),
        col(Campaign.name),
        col(VersionRow.version),
        col(VersionRow.guidelines),
        col(VersionRow.questions),
        col(VersionRow.rules),
        col(VersionRow.open),
    )
    .join(VersionRow, col(VersionRow.campaign_id) == col(Campaign.id))
    .order_by(col(VersionRow.version).desc())
    .limit(1)
)
"""Columns that `read_campaign` reads, of the campaign that a condition names."""

_SELECT_CAMPAIGN = SELECT_NEWEST_VERSION.where(col(Campaign.id) == bindparam("campaign"))


def load_campaign(session: Session, campaign_id: str) -> CampaignSettings:
    """The newest version of a campaign. Raises RecordError for one that is not there."""
    row = session.execute(_SELECT_CAMPAIGN, {"campaign": campaign_id}).first()
    if row is None:
        raise RecordError(f"There is no campaign {campaign_id!r}. Choose one from the list.")
    return read_campaign(row)


def read_campaign(row: Row[Any]) -> CampaignSettings:
    """The campaign of a row of SELECT_NEWEST_VERSION."""
    questions, rules = read_questions(row.questions), read_rules(row.rules)
    return CampaignSettings(row.id, row.name, row.version, row.guidelines, questions, rules, row.open)


def load_guidelines(session: Session, campaign_id: str) -> list[ReadGuidelines]:
    """The texts that annotators of a campaign have read, oldest first; a version that changes a rule has the text of the one before."""
    rows = session.exec(
        select(VersionRow.version, VersionRow.guidelines, VersionRow.questions)
        .where(VersionRow.campaign_id == campaign_id)
        .order_by(col(VersionRow.version))
    ).all()
    texts: list[ReadGuidelines] = []
    for version, guidelines, questions in rows:
        text = format_guidelines(guidelines, read_questions(questions))
        if texts and texts[-1].text == text:
            texts[-1] = replace(texts[-1], last=version)
        else:
            texts.append(ReadGuidelines(len(texts) + 1, text, version, version))
    return texts


def format_guidelines(guidelines: str, questions: QuestionSet) -> str:
    """The guidelines and the questions with the meanings of their answers, a line each."""
    lines = [guidelines.strip() or questions.guidelines.strip()]
    for question in questions.questions:
        lines.append(f"{question.ask} {question.hint}".strip())
        lines += [
            f"- {option.text}: {option.means}" if option.means else f"- {option.text}" for option in question.options
        ]
    return "\n".join(lines)


def load_campaign_by_name(session: Session, name: str) -> CampaignSettings:
    """The newest version of the campaign of a name. Raises RecordError, which names those that exist."""
    ids = dict(session.exec(select(Campaign.name, Campaign.id)).all())
    if name not in ids:
        raise RecordError(f"No campaign is called {name!r}. There are: {', '.join(sorted(ids)) or 'none'}.")
    return load_campaign(session, ids[name])


def load_campaigns(session: Session) -> list[CampaignSettings]:
    """Every campaign, newest first."""
    ids = session.exec(select(Campaign.id).order_by(col(Campaign.created_at).desc())).all()
    return [load_campaign(session, id) for id in ids]


def add_tasks(session: Session, campaign: CampaignSettings, tasks: Iterable[NewTask]) -> int:
    """Add items to a campaign, and return how many are new.

    Raises RecordError for an item that does not fit the questions, and for answer keys that do not.
    """
    before = session.exec(select(func.count()).select_from(Task).where(Task.campaign_id == campaign.id)).one()
    added = 0
    for new in tasks:
        added += _add_task(session, campaign, new, before + added)
    return added


def _add_task(session: Session, campaign: CampaignSettings, new: NewTask, position: int) -> bool:
    item = session.get(ItemRow, save_pair(session, new.pair).id if new.pair else new.item_id)
    if item is None:
        raise RecordError(f"There is no item {new.item_id!r}. Save it first.")

    questions = campaign.questions
    if questions.required_type and not new.asked.get("error_type"):
        raise RecordError(f"{questions.name!r} asks for an edit of a given error type. Say which for item {item.id}.")
    if questions.unit != "summary" and questions.edits != "any" and item.parent_id is None:
        raise RecordError(
            f"Item {item.id} is one summary, and {questions.name!r} asks about pairs. Choose items that were edited."
        )
    if questions.unit == "explanation" and not (new.asked.get("explanation") or new.explanation_id):
        raise RecordError(f"Item {item.id} has no explanation to judge. Choose items with one.")
    if new.part != "work" and not new.key:
        raise RecordError(f"Item {item.id} is for {new.part}, which needs the right answers. Give its key.")
    if new.key:
        check_answers(with_optional_answers(questions), new.key)

    require_storable(f"the details of item {item.id}", *new.asked.values(), new.feedback)
    cells = [text for name, cell in new.columns.items() for text in (name, cell)]
    require_storable(f"the columns of item {item.id}", *cells, most=MAX_TEXT)
    asked_key = hash_asked(new.asked)
    id = task_id(campaign.id, new.part, item.id, new.explanation_id, asked_key)
    if session.get(Task, id):
        return False
    session.add(
        Task(
            id=id,
            campaign_id=campaign.id,
            part=new.part,
            item_id=item.id,
            explanation_id=new.explanation_id,
            asked_key=asked_key,
            asked=dict(new.asked),
            columns=dict(new.columns),
            group=item.parent_id or item.id,
            position=position,
            shuffle=stable_number(campaign.id, id),
            created_at=datetime.now(UTC),
        )
    )
    session.flush()
    if new.key:
        session.add(AnswerKey(task_id=id, answers=dict(new.key), feedback=new.feedback))
    return True


def hash_asked(requirements: Mapping[str, Any]) -> str:
    """Hash of the details of a task, which tells tasks of one item apart; empty without details."""
    return content_id(dict(requirements)) if requirements else ""


def task_id(campaign_id: str, part: str, item_id: str, explanation_id: str, asked_key: str) -> str:
    """The identity of a task: the same item cannot be added twice to the same part of a campaign."""
    return content_id(campaign_id, part, item_id, explanation_id, asked_key)


def with_optional_answers(questions: QuestionSet) -> QuestionSet:
    """The same questions, all optional: an answer key may cover only some of them."""
    optional = tuple(question.model_copy(update={"required": False}) for question in questions.questions)
    return questions.model_copy(update={"questions": optional})


def stable_number(*parts: object) -> int:
    """A pseudo-random number below SHUFFLE_PRIME that is the same for the same parts."""
    digest = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SHUFFLE_PRIME
