"""Items withdrawn, brought back, corrected, handed to somebody, and used as gold, by a manager."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, func, select

from annotations.campaigns.campaign import CampaignSettings, NewTask, add_tasks, load_campaign
from annotations.campaigns.exclusions import mark_reservations
from annotations.campaigns.task_texts import load_task_texts
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.campaigns.work_plan import SELECT_WANTED
from annotations.labelling.queue import reserve_for
from annotations.management.gold_tasks import gold_of_decisions
from annotations.people.people import Member, Right
from annotations.results.progress_counts import count_changed
from annotations.store.campaign_tables import AnswerKey, Task, TaskPlaces, TaskWithdrawal
from annotations.store.records import PairRecord, RecordError, require_text
from annotations.store.response_tables import LimitCounts, Reservation, TaskCounts
from annotations.store.store import Store
from core.stats import format_count
from core.text import recover

HELD_DAYS = 7
"""Days for which an item is held for the person whom it was handed to."""


class ItemActions:
    """Actions of a manager on items of a campaign; raises RightsError for a person without that right."""

    def __init__(self, store: Store, person: Member) -> None:
        person.require(Right.MANAGE)
        self._store = store
        self._person = person

    def withdraw(self, campaign_id: str, tasks: Sequence[str], reason: str) -> int:
        """Withdraw items, and return how many were not before. Raises RecordError as `withdraw_tasks` does."""
        with self._store.writing() as session:
            number = withdraw_tasks(session, load_campaign(session, campaign_id), tasks, reason, self._person.name)
        count_changed(self._store, campaign_id)
        return number

    def bring_back(self, campaign_id: str, tasks: Sequence[str], reason: str) -> int:
        """Hand out withdrawn items again and count their labels; return how many were withdrawn."""
        with self._store.writing() as session:
            number = bring_back_tasks(session, load_campaign(session, campaign_id), tasks, reason, self._person.name)
        count_changed(self._store, campaign_id)
        return number

    def correct(self, campaign_id: str, task: str, texts: CorrectedTexts, reason: str) -> str:
        """Put another version of an item's texts in its place, and return its id; labels of the old one stay with it."""
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            corrected = correct_task(session, campaign, task, texts, reason, self._person.name)
        count_changed(self._store, campaign_id)
        return corrected

    def reassign(self, campaign_id: str, tasks: Sequence[str], person: Member) -> int:
        """Hold items for a person, and return how many; left out are those that they had, may not see, or that want no label."""
        with self._store.writing() as session:
            return reserve_for(session, campaign_id, person, tasks, timedelta(days=HELD_DAYS))

    def use_as_gold(self, campaign_id: str, tasks: Sequence[str]) -> int:
        """Mix decided items in again as gold, and return how many were not before."""
        with self._store.writing() as session:
            campaign = load_campaign(session, campaign_id)
            return add_tasks(session, campaign, gold_of_decisions(session, campaign, tasks))


CorrectedTexts = tuple[str, str, str]
"""A document, an original and a summary; the original is "" for a single summary."""


def withdraw_tasks(
    session: Session,
    campaign: CampaignSettings,
    tasks: Sequence[str],
    reason: str,
    by: str,
    replaced_by: str | None = None,
) -> int:
    """Withdraw tasks of work or gold, and return how many were not before: handed out no more, their labels kept and counted nowhere.

    What somebody has open is taken from them; a label that still comes is kept. Raises RecordError for an empty reason, for
    training and qualification, and in a campaign whose items were drawn.
    """
    require_text("reason", reason)
    if campaign.rules.order == "drawn":
        raise RecordError(
            "The items of this campaign were drawn: without one, the sample is none. Leave it unlabelled, or exclude labels."
        )
    rows = _tasks_of(session, campaign, tasks)
    if taught := [row for row in rows if row.part not in ("work", "gold")]:
        raise RecordError(f"{format_count(len(taught), 'item')} of training or qualification cannot be withdrawn.")
    before = load_withdrawals(session, campaign.id)
    new = [row.id for row in rows if row.id not in before]
    _add_rows(session, new, True, reason, by, replaced_by)
    reservations = update(Reservation).where(col(Reservation.task_id).in_(new))
    session.execute(reservations.where(col(Reservation.state) == "open").values(state="lapsed"))
    session.execute(reservations.values(excluded=True))
    session.execute(delete(TaskPlaces).where(col(TaskPlaces.task_id).in_(new)))
    _count_limits_again(session, campaign)
    return len(new)


def bring_back_tasks(session: Session, campaign: CampaignSettings, tasks: Sequence[str], reason: str, by: str) -> int:
    """Hand out withdrawn tasks again and count their labels, and return how many were withdrawn. Raises RecordError for an empty reason."""
    require_text("reason", reason)
    before = load_withdrawals(session, campaign.id)
    rows = [row for row in _tasks_of(session, campaign, tasks) if row.id in before]
    _add_rows(session, [row.id for row in rows], False, reason, by)
    for person in session.exec(select(Reservation.person_id).where(col(Reservation.task_id).in_(tasks)).distinct()):
        mark_reservations(session, campaign, person)
    for row in rows:
        if row.part == "work":
            _add_places(session, campaign, row)
    _count_limits_again(session, campaign)
    return len(rows)


def correct_task(
    session: Session, campaign: CampaignSettings, id: str, texts: CorrectedTexts, reason: str, by: str
) -> str:
    """Withdraw a task for another version of its texts, which is labelled again, and return the id of that.

    Raises RecordError as `withdraw_tasks` does, for texts that are blank, unchanged or in the campaign already, and for an
    explanation, which belongs to its texts.
    """
    [task] = _tasks_of(session, campaign, [id])
    if id in load_withdrawals(session, campaign.id):
        raise RecordError("The item is withdrawn. Bring it back first, or correct the version that took its place.")
    if task.explanation_id or campaign.questions.unit == "explanation":
        raise RecordError("An explanation is judged with the texts that it was written for. Withdraw the item instead.")
    old, (document, original, summary) = load_task_texts(session, campaign, id), texts
    first = original or summary
    if (document, first) == (old.document, old.left) and summary == (old.right or old.left):
        raise RecordError("The texts are as they were. Change one of them.")
    require_text("reason", reason)
    pair = PairRecord(
        document,
        first,
        summary,
        tuple(recover(first, summary)) if first != summary else (),
        by=by,
        source=f"corrected in campaign {campaign.name}",
        contexts=old.contexts if document == old.document else (),
        question=old.question,
    )
    key = session.get(AnswerKey, id)
    new = NewTask(
        "",
        "gold" if task.part == "gold" else "work",
        asked=task.asked,
        key=key.answers if key else {},
        feedback=key.feedback if key else "",
        pair=pair,
        columns=task.columns,
    )
    newest = select(Task.id).where(Task.campaign_id == campaign.id).order_by(col(Task.position).desc()).limit(1)
    if not add_tasks(session, campaign, [new]):
        raise RecordError("The campaign has an item with these texts already. Withdraw this one instead.")
    session.flush()
    corrected = session.exec(newest).one()
    withdraw_tasks(session, campaign, [id], reason, by, corrected)
    return corrected


def _tasks_of(session: Session, campaign: CampaignSettings, ids: Sequence[str]) -> Sequence[Task]:
    rows = session.exec(
        select(Task).where(Task.campaign_id == campaign.id, col(Task.id).in_(ids)).order_by(col(Task.position))
    ).all()
    if len(rows) < len(set(ids)):
        raise RecordError(f"{len(set(ids)) - len(rows)} of these items are not of {campaign.name!r}. Reload the page.")
    return rows


def _add_rows(
    session: Session, tasks: Sequence[str], withdrawn: bool, reason: str, by: str, replaced_by: str | None = None
) -> None:
    now = datetime.now(UTC)
    session.add_all(
        TaskWithdrawal(task_id=task, withdrawn=withdrawn, reason=reason, replaced_by=replaced_by, by=by, created_at=now)
        for task in tasks
    )
    session.execute(update(TaskCounts).where(col(TaskCounts.task_id).in_(tasks)).values(stale=True))
    session.flush()


def _add_places(session: Session, campaign: CampaignSettings, task: Task) -> None:
    taken = select(func.count()).where(
        Reservation.task_id == task.id,
        Reservation.turn == 1,
        ~col(Reservation.excluded),
        col(Reservation.state).in_(("open", "answered")),
    )
    session.add(
        TaskPlaces(
            task_id=task.id,
            campaign_id=campaign.id,
            taken=session.exec(taken).one(),
            wanted=session.exec(SELECT_WANTED, params={"task": task.id}).first() or 0,
            position=task.position,
            shuffle=task.shuffle,
        )
    )
    session.flush()


def _count_limits_again(session: Session, campaign: CampaignSettings) -> None:
    session.execute(delete(LimitCounts).where(col(LimitCounts.campaign_id) == campaign.id))
    session.expire_all()
