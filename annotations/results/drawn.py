"""Campaigns whose items were drawn from a pool: the interval of its rate after the labels so far, and the stop once it is narrow."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import bindparam, func
from sqlmodel import Session, col, select

from annotations.campaigns.answer_verdicts import verdicts_of_answers
from annotations.campaigns.assignment import EVERYBODY, CampaignPeople, assign
from annotations.campaigns.campaign import (
    CampaignRules,
    CampaignSettings,
    NewTask,
    VersionContent,
    add_tasks,
    create_campaign,
    own_columns,
    task_id,
)
from annotations.campaigns.questions import bundled_question_sets, read_questions
from annotations.results.resolution import resolve_tasks
from annotations.store.campaign_tables import CampaignDraw, DrawnTask, DrawStop, Task
from annotations.store.imported_datasets import load_imported_samples
from annotations.store.records import CAMPAIGN_PREFIX, LOCAL_LABELS, RecordError
from annotations.store.response_tables import Reservation
from core.stats import DrawnPool, DrawWay, PoolDraw, rate_sequence, selection_probabilities
from core.types import PRECOMPUTED, Verdict

SUMMARY_QUESTIONS = ("label-summaries", "label-frank", "label-tofueval")
"""Question sets whose answers give a verdict on one summary."""

_OUTCOMES: Mapping[Verdict | None, float] = {Verdict.CONSISTENT: 0.0, Verdict.INCONSISTENT: 1.0}
_LOOKS = 30  # for each time that the number of labels doubles, about


_WAYS: Mapping[str, str] = {
    "random": "at random",
    "stratified": "by strata of score",
    "active": "by uncertainty",
}


@dataclass(frozen=True, slots=True)
class DrawProgress:
    """State of a drawn campaign: the 95 % interval of the rate of its pool, valid at every look."""

    way: str
    """Method of the draw."""
    dataset: str
    """Name of the dataset that is the pool."""
    metrics: tuple[str, ...]
    """Metrics whose scores steered the draw."""
    size: int
    """Number of summaries in the pool."""
    points: float
    """Half width at which the rules stop the campaign, in points; 0 for no stop."""
    labels: int
    """Number of drawn items that are done."""
    open: int
    """Number of these that have no verdict; they count either way."""
    low: float
    """Lower end of the interval, in 0..1."""
    high: float
    """Upper end of the interval, in 0..1."""
    stopped: int | None
    """Number of labels at which the campaign stopped; None while it goes on."""

    @property
    def margin(self) -> float:
        """Half the width, in points."""
        return 50 * (self.high - self.low)

    def describe(self) -> str:
        """Sentences for the manager: the interval, and the stop that is met or to come."""
        certain = (
            f"between {100 * self.low:.1f} and {100 * self.high:.1f} % of {self.size:,} summaries of {self.dataset} are inconsistent "
            f"(± {self.margin:.1f} points)"
        )
        if self.stopped is not None:
            return (
                f"The labels are enough, and nothing more is handed out: after {self.stopped:,} items {certain}. That is a 95 % "
                "interval that holds however often one looks. Issue a version that stops at fewer points to go on."
            )
        goal = f" It stops by itself at ± {self.points:g}." if self.points else ""
        if not self.labels:
            return f"Drawn {_WAYS[self.way]} from {self.size:,} summaries of {self.dataset}; the first is not labelled yet.{goal}"
        waiting = (
            f" {self.open:,} of these have no verdict and count either way: decide them under Review."
            if self.open
            else ""
        )
        return f"Drawn {_WAYS[self.way]}: after {self.labels:,} items {certain}.{goal}{waiting}"


@dataclass(frozen=True, slots=True)
class CampaignDrawing:
    """A campaign of drawn items that is to be created."""

    name: str
    """Name of the campaign."""
    way: DrawWay
    """Method of the draw."""
    points: float
    """Half width at which the campaign stops, in points; 0 for no stop."""
    dataset: str
    """Name of the dataset that is the pool."""
    metrics: tuple[str, ...]
    """Metrics whose scores steer the draw."""
    draw: PoolDraw
    """Draw of the stored `items`."""
    items: tuple[str, ...]
    """Ids of the stored items of the pool."""
    overlap: int = 1
    """Number of people who label each item."""
    questions: str = SUMMARY_QUESTIONS[0]
    """Name of the question set."""
    people: CampaignPeople = EVERYBODY
    """People and groups who are assigned."""


def create_drawn_campaign(session: Session, drawing: CampaignDrawing, by: str) -> CampaignSettings:
    """Open a campaign of drawn items, which are labelled in the order of their draw.

    Raises RecordError for a name that is empty or taken, and for questions that give no verdict on one summary.
    """
    if drawing.questions not in SUMMARY_QUESTIONS:
        raise RecordError(
            f"{drawing.questions!r} gives no verdict on one summary. Choose one of {', '.join(SUMMARY_QUESTIONS)}."
        )
    text = bundled_question_sets()[drawing.questions]
    rules = CampaignRules(overlap=drawing.overlap, order="drawn", stop_points=drawing.points)
    content = VersionContent(text, read_questions(text).guidelines, rules)
    campaign = create_campaign(session, drawing.name.strip(), by, content)
    assign(session, campaign.id, drawing.people, by)
    is_local = drawing.dataset in (LOCAL_LABELS, PRECOMPUTED) or drawing.dataset.startswith(CAMPAIGN_PREFIX)
    samples = [] if is_local else load_imported_samples(session, drawing.dataset)
    columns = {sample.stored: own_columns(sample.item) for sample in samples}
    add_tasks(session, campaign, [NewTask(item, columns=columns.get(item, {})) for item in drawing.items])
    _save_draw(session, campaign.id, drawing, by)
    return campaign


def _save_draw(session: Session, campaign_id: str, drawing: CampaignDrawing, by: str) -> None:
    draw = drawing.draw
    pool = draw.pool
    scores = np.column_stack([pool.weights, pool.expected, pool.features])
    session.add(
        CampaignDraw(
            campaign_id=campaign_id,
            way=drawing.way,
            dataset=drawing.dataset,
            metrics=list(drawing.metrics),
            size=pool.size,
            next_arrival=draw.next_arrival if math.isfinite(draw.next_arrival) else None,
            scores=base64.b64encode(scores.astype("<f8").tobytes()).decode(),
            by=by,
            created_at=datetime.now(UTC),
        )
    )
    session.flush()
    session.add_all(
        DrawnTask(
            task_id=task_id(campaign_id, "work", item, "", ""),
            place=int(row),
            weight=float(pool.weights[row]),
            arrival=float(arrival),
        )
        for item, row, arrival in zip(drawing.items, draw.rows, draw.arrivals, strict=True)
    )
    session.flush()


def read_drawn_pool(row: CampaignDraw) -> DrawnPool:
    """The pool of a draw. Raises RecordError for scores that are not those of its summaries."""
    try:
        values = np.frombuffer(base64.b64decode(row.scores, validate=True), "<f8").astype(np.float64)
        columns = values.reshape(row.size, -1)
    except ValueError:
        raise RecordError("The scores of the draw cannot be read. Export the campaign again.") from None
    if columns.shape[1] < 2 or not np.isfinite(columns).all() or (columns[:, 0] <= 0).any():
        raise RecordError("The weights of the draw are none. Export the campaign again.")
    return DrawnPool(columns[:, 0], columns[:, 2:], columns[:, 1])


def load_draw_progress(session: Session, campaign: CampaignSettings) -> DrawProgress | None:
    """The interval as it is now; None of a campaign whose items were not drawn from a pool."""
    row = session.get(CampaignDraw, campaign.id)
    if row is None:
        return None
    places, outcomes = _labelled_places(session, campaign)
    points = campaign.rules.stop_points
    low, high = rate_sequence(read_drawn_pool(row), places, outcomes, (points or _UNSTOPPED_POINTS) / 100).last
    stop = find_stop(session, campaign)
    return DrawProgress(
        row.way,
        row.dataset,
        tuple(row.metrics),
        row.size,
        points,
        len(places),
        int(np.isnan(outcomes).sum()),
        *((stop.low, stop.high) if stop else (low, high)),
        stop.labels if stop else None,
    )


_UNSTOPPED_POINTS = 5.0  # half width that the bets of a campaign without a stopping rule aim at


def note_stop(session: Session, campaign: CampaignSettings, now: datetime) -> None:
    """Stop a drawn campaign once its interval is as narrow as its rules ask, which is checked after every thirtieth of the labels.

    Frequent checks are sound: the interval is valid at every look.
    """
    if not stops(campaign) or find_stop(session, campaign):
        return
    answered = session.exec(_COUNT_ANSWERED, params={"campaign": campaign.id}).one()
    if answered % max(1, answered // _LOOKS):
        return
    progress = load_draw_progress(session, campaign)
    if progress and progress.low <= progress.high and progress.margin <= campaign.rules.stop_points:
        session.add(
            DrawStop(
                campaign_id=campaign.id,
                points=campaign.rules.stop_points,
                labels=progress.labels,
                low=progress.low,
                high=progress.high,
                created_at=now,
            )
        )
        session.flush()


def stops(campaign: CampaignSettings) -> bool:
    """True if a campaign has a stopping rule."""
    return campaign.rules.order == "drawn" and campaign.rules.stop_points > 0


def find_stop(session: Session, campaign: CampaignSettings) -> DrawStop | None:
    """The stop of a campaign that is as certain as its rules ask; None while it goes on."""
    if not stops(campaign):
        return None
    return session.exec(_SELECT_STOP, params={"campaign": campaign.id, "points": campaign.rules.stop_points}).first()


_COUNT_ANSWERED = (
    select(func.count())
    .select_from(Reservation)
    .where(Reservation.campaign_id == bindparam("campaign"), Reservation.state == "answered")
)
_SELECT_STOP = (
    select(DrawStop)
    .where(DrawStop.campaign_id == bindparam("campaign"), col(DrawStop.points) <= bindparam("points"))
    .order_by(col(DrawStop.id))
    .limit(1)
)


def _labelled_places(session: Session, campaign: CampaignSettings) -> tuple[np.ndarray, np.ndarray]:
    """Places in the pool of the drawn items up to the first that is not done, with their outcomes: 1 inconsistent, nan without a verdict.

    An item is done when it has as many labels as the overlap, when it is adjudicated, or when somebody skipped or flagged
    it. Those drawn after one that is not done do not count yet: how long an item takes must not decide if it counts.
    """
    verdicts = {
        task.task: _OUTCOMES.get(verdicts_of_answers(campaign.questions, task.answers)[1], np.nan)
        for task in resolve_tasks(session, campaign)
        if len(task.labels) >= campaign.rules.overlap or task.resolution == "adjudicated"
    }
    passed_over = set(
        session.exec(
            select(Reservation.task_id).where(
                Reservation.campaign_id == campaign.id, col(Reservation.state).in_(("skipped", "flagged"))
            )
        )
    )
    places, outcomes = [], []
    for task, place in session.exec(_SELECT_DRAWN.where(Task.campaign_id == campaign.id)):
        if task not in verdicts and task not in passed_over:
            break
        places.append(place)
        outcomes.append(verdicts.get(task, np.nan))
    return np.array(places, dtype=np.intp), np.array(outcomes, dtype=np.float64)


_SELECT_DRAWN = (
    select(Task.id, DrawnTask.place).join(DrawnTask, col(DrawnTask.task_id) == Task.id).order_by(col(DrawnTask.arrival))
)


def load_selection_probabilities(session: Session, campaign_id: str) -> dict[str, float]:
    """The probability of each drawn task to be among those up to the last one that has a label; of those after it none.

    Empty for a campaign whose items were not drawn.
    """
    row = session.get(CampaignDraw, campaign_id)
    if row is None:
        return {}
    drawn_tasks = session.exec(
        select(Task.id, DrawnTask.weight, DrawnTask.arrival)
        .join(DrawnTask, col(DrawnTask.task_id) == Task.id)
        .where(Task.campaign_id == campaign_id)
        .order_by(col(DrawnTask.arrival))
    ).all()
    labelled = set(
        session.exec(
            select(Reservation.task_id).where(Reservation.campaign_id == campaign_id, Reservation.state == "answered")
        )
    )
    last = max((place for place, (task, _, _) in enumerate(drawn_tasks, start=1) if task in labelled), default=0)
    if not last:
        return {}
    following = drawn_tasks[last][2] if last < len(drawn_tasks) else row.next_arrival
    weights = np.array([weight for _, weight, _ in drawn_tasks[:last]])
    chances = np.ones(last) if following is None else selection_probabilities(weights, following)
    return {task: float(chance) for (task, _, _), chance in zip(drawn_tasks, chances, strict=False)}
