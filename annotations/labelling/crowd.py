"""Participants of Prolific and MTurk: the study link, one session per participant, its outcome, and the pay or rejection for the platform."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import fsum
from statistics import median
from typing import Literal

from sqlalchemy import bindparam, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotations.campaigns.campaign import CampaignSettings, load_campaign
from annotations.labelling.limits import find_pause, load_states
from annotations.labelling.queue import NoTask, NoTaskReason
from annotations.people.people import Role, add_person, expire_open, find_person
from annotations.people.sign_in import (
    SessionEndedError,
    StartedSession,
    create_invite,
    member_by_session,
    start_session,
)
from annotations.store.campaign_tables import CrowdSession, CrowdStudy, Task
from annotations.store.records import RecordError
from annotations.store.response_tables import Reservation, Response

Platform = Literal["prolific", "mturk"]
PLATFORMS: Mapping[Platform, str] = {"prolific": "Prolific", "mturk": "MTurk"}
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""The assignment that MTurk names before a worker has accepted one."""
PARAMETERS: Mapping[Platform, tuple[str, str, str]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "hitId", "assignmentId"),
}
"""Parameters of a platform's link that name the participant, the study and the submission."""
_COMPLETE = "https://app.prolific.com/submissions/complete?cc="
_SUBMIT_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,100}")
_CODE = re.compile(r"[A-Za-z0-9]{0,40}")
_KEY_BYTES = 12
LEAST_READING = timedelta(minutes=10)
"""Time in which a participant reads the guidelines; who saves nothing in it, or in a third of the session, holds no place any more."""
_MOST_RETURNS = 5  # sessions per place: the number of times that returned and timed-out sessions free their place

SessionOutcome = Literal["open", "completed", "screened out", "paused", "returned", "timed out"]
_SCREENED_OUT: tuple[NoTaskReason, ...] = ("unqualified", "excluded")
_VERDICTS: Mapping[SessionOutcome, str] = {"completed": "approve", "screened out": "screen out", "paused": "reject"}


@dataclass(frozen=True, slots=True)
class StudyTerms:
    """Terms of a study on a crowd platform."""

    platform: Platform
    """Platform that sends the participants."""
    places: int = 20
    """Largest number of participants."""
    minutes: int = 60
    """Time that a participant has, in minutes."""
    completed_code: str = ""
    """Code that tells the platform of a completed session."""
    screened_out_code: str = ""
    """Code for a participant who did not pass the qualification."""
    paused_code: str = ""
    """Code for a participant whom the limits paused."""
    pay: float = 0.0
    """Pay of a completed session, in `currency`."""
    screened_out_pay: float = 0.0
    """Pay of a participant who did not pass the qualification."""
    currency: str = "GBP"
    """Currency of the pay, as a three-letter code."""


class CrowdRefusedError(RecordError):
    """A participant who cannot be let in; the message is for them."""


def set_study(session: Session, campaign_id: str, terms: StudyTerms, by: str) -> str:
    """Let participants of a platform label a campaign, and return the key of the link, which stays when terms change. Raises RecordError."""
    load_campaign(session, campaign_id)
    for code in (terms.completed_code, terms.screened_out_code, terms.paused_code):
        if not _CODE.fullmatch(code):
            raise RecordError(f"{code!r} is no completion code. Codes have letters and digits, at most 40.")
    if terms.platform == "prolific" and not terms.completed_code:
        raise RecordError("Prolific needs a completion code. Copy it from the study there.")
    if not re.fullmatch(r"[A-Z]{3}", terms.currency):
        raise RecordError(f"{terms.currency!r} is no currency. Write three capitals, such as GBP.")
    if min(terms.places, terms.minutes) < 1 or min(terms.pay, terms.screened_out_pay) < 0:
        raise RecordError("A study has at least one place and one minute, and pay is not negative.")
    row = session.get(CrowdStudy, campaign_id)
    key = row.key if row else secrets.token_urlsafe(_KEY_BYTES)
    values = {name: getattr(terms, name) for name in StudyTerms.__slots__}
    session.merge(CrowdStudy(campaign_id=campaign_id, key=key, by=by, created_at=datetime.now(UTC), **values))
    session.flush()
    return key


def load_study(session: Session, campaign_id: str) -> tuple[str, StudyTerms] | None:
    """The key and the terms of the study of a campaign; None where it has none."""
    row = session.get(CrowdStudy, campaign_id)
    return (row.key, _terms(row)) if row else None


def _terms(row: CrowdStudy) -> StudyTerms:
    return StudyTerms(**{name: getattr(row, name) for name in StudyTerms.__slots__})


def study_address(server: str, key: str, platform: Platform) -> str:
    """Link to enter on the platform: Prolific fills in the names between braces, MTurk adds its parameters itself."""
    link = f"{server}/study/{key}"
    if platform == "mturk":
        return link
    return f"{link}?{'&'.join(f'{name}={{{{%{name}%}}}}' for name in PARAMETERS['prolific'])}"


def find_study(session: Session, key: str) -> tuple[CampaignSettings, StudyTerms]:
    """The campaign of a link and its terms. Raises CrowdRefusedError."""
    row = session.exec(select(CrowdStudy).where(CrowdStudy.key == key)).first()
    if row is None:
        raise CrowdRefusedError(
            "There is no study under this link. Please return it on the platform and tell the requester."
        )
    return load_campaign(session, row.campaign_id), _terms(row)


@dataclass(frozen=True, slots=True)
class Participant:
    """Person who came by a link, as the platform names them."""

    id: str
    study: str
    submission: str

    @classmethod
    def read(cls, platform: Platform, parameters: Mapping[str, str]) -> Participant:
        """Read the parameters of a link. Raises CrowdRefusedError for a name that is missing or malformed."""
        values = [parameters.get(name, "") for name in PARAMETERS[platform]]
        for name, value in zip(PARAMETERS[platform], values, strict=True):
            if not _IDENTIFIER.fullmatch(value):
                raise CrowdRefusedError(
                    f"The link does not say who you are: {name} is missing. Open it from {PLATFORMS[platform]}."
                )
        return cls(*values)


@dataclass(frozen=True, slots=True)
class JoinedSession:
    """Session of a participant: its campaign, outcome and code, and the sign-in of their browser while it is open."""

    campaign: CampaignSettings
    terms: StudyTerms
    outcome: SessionOutcome
    code: str
    started: StartedSession | None


def join_study(
    session: Session, key: str, parameters: Mapping[str, str], replaced: str = "", now: datetime | None = None
) -> JoinedSession:
    """Let a participant in, or back into their session; nobody has two. Raises CrowdRefusedError where there is no place for them."""
    now = now or datetime.now(UTC)
    campaign, terms = find_study(session, key)
    who = Participant.read(terms.platform, parameters)
    row = session.exec(
        select(CrowdSession).where(CrowdSession.campaign_id == campaign.id, CrowdSession.participant == who.id)
    ).first()
    if row is None:
        _require_place(session, campaign, terms, now)
        name = participant_name(terms.platform, who.id)  # who may have taken part in another campaign
        person = find_person(session, name) or add_person(session, name, Role.ANNOTATOR)
        if person.role is not Role.ANNOTATOR or not person.active:
            raise CrowdRefusedError("You cannot take part in this study. Please return it on the platform.")
        row = CrowdSession(
            campaign_id=campaign.id,
            person_id=person.id,
            participant=who.id,
            study=who.study,
            submission=who.submission,
            code=secrets.token_hex(5).upper(),
            outcome="open",
            begun_at=now,
            expires_at=now + timedelta(minutes=terms.minutes),
        )
    outcome = _outcome(row, now)
    if outcome == "open":
        if row.submission != who.submission and not _is_here(session, row.person_id, replaced):
            raise CrowdRefusedError(
                "Your session in this study is open under another submission. Open it in the browser in which you began, or "
                "tell the requester that you returned it."
            )
        row.study, row.submission = who.study, who.submission  # accepted again after it was given back
    session.add(row)
    session.flush()
    if outcome != "open":
        return JoinedSession(campaign, terms, outcome, row.code, None)
    invite = create_invite(session, row.person_id, PLATFORMS[terms.platform], days=1 + terms.minutes // (24 * 60))
    session.flush()
    return JoinedSession(campaign, terms, outcome, row.code, start_session(session, invite, replaced, now))


def _is_here(session: Session, person_id: str, cookie: str) -> bool:
    """True if a browser is signed in as this person."""
    try:
        member = member_by_session(session, cookie) if cookie else None
    except SessionEndedError:
        return False
    return member is not None and member.id == person_id


def _require_place(session: Session, campaign: CampaignSettings, terms: StudyTerms, now: datetime) -> None:
    rows = session.exec(select(CrowdSession).where(CrowdSession.campaign_id == campaign.id)).all()
    working = {*session.exec(_SELECT_WORKING, params={"campaign": campaign.id})}
    began = now - max(LEAST_READING, timedelta(minutes=terms.minutes / 3))
    taken = sum(
        (outcome := _outcome(row, now)) in {"completed", "paused"}
        or (outcome == "open" and (row.begun_at > began or row.person_id in working))
        for row in rows
    )
    if not campaign.is_open or taken >= terms.places or len(rows) >= _MOST_RETURNS * terms.places:
        raise CrowdRefusedError(
            "All places of this study are taken. Please return it on the platform: you lose nothing."
        )


def participant_name(platform: Platform, participant: str) -> str:
    """Name of the person whom a platform knows by an id."""
    return f"{PLATFORMS[platform]} {participant}"


def _outcome(row: CrowdSession, now: datetime) -> SessionOutcome:
    if row.outcome == "open" and row.expires_at <= now:
        return "timed out"
    outcome: SessionOutcome = row.outcome  # type: ignore[assignment]  # the table has no others
    return outcome


def last_session(session: Session, person_id: str) -> str | None:
    """The campaign of the newest session of a participant; None for everybody else."""
    own = select(CrowdSession.campaign_id).where(CrowdSession.person_id == person_id)
    return session.exec(own.order_by(col(CrowdSession.id).desc()).limit(1)).first()


def finish_session(session: Session, campaign_id: str, person_id: str, nothing: NoTask | None) -> JoinedSession | None:
    """End the session of a participant who has no more tasks; None while there are some. Raises CrowdRefusedError for a person without a session.

    A participant whom the limits paused ends as paused; one who did not qualify is screened out.
    """
    row = session.exec(
        select(CrowdSession).where(CrowdSession.campaign_id == campaign_id, CrowdSession.person_id == person_id)
    ).first()
    study = session.get(CrowdStudy, campaign_id)
    if row is None or study is None:
        raise CrowdRefusedError("You have no session in this study. Open its link on the platform again.")
    now = datetime.now(UTC)
    if _outcome(row, now) == "open":
        if find_pause(session, campaign_id, person_id):
            row.outcome = "paused"
        elif nothing is None:
            return None
        else:
            row.outcome = "screened out" if nothing.reason in _SCREENED_OUT else "completed"
        row.ended_at = now
        session.add(row)
        expire_open(session, person_id, now, campaign_id)
        session.flush()
    return JoinedSession(load_campaign(session, campaign_id), _terms(study), _outcome(row, now), row.code, None)


def return_session(session: Session, campaign_id: str, participant: str) -> None:
    """End the session of a participant who returned the study on the platform; their place is free. Raises RecordError."""
    query = select(CrowdSession).where(CrowdSession.campaign_id == campaign_id, CrowdSession.participant == participant)
    row = session.exec(query).first()
    if row is None or row.outcome != "open":
        raise RecordError(f"No participant {participant!r} has a session that is open. Reload the page.")
    row.outcome, row.ended_at = "returned", datetime.now(UTC)
    session.add(row)
    expire_open(session, row.person_id, row.ended_at, campaign_id)


def code_of_end(joined: JoinedSession) -> str:
    """Code for the platform after an outcome; "" if it has none."""
    codes = {
        "completed": joined.terms.completed_code,
        "screened out": joined.terms.screened_out_code,
        "paused": joined.terms.paused_code,
    }
    return codes.get(joined.outcome, "")


def completion_address(joined: JoinedSession) -> str:
    """Address of Prolific at which a session ends; "" where its end has no code, and on MTurk."""
    code = code_of_end(joined)
    return f"{_COMPLETE}{code}" if code and joined.terms.platform == "prolific" else ""


def submit_address(address: str) -> str:
    """Address of MTurk that a form with the code is sent to. Raises CrowdRefusedError for another server."""
    if address.rstrip("/") not in _SUBMIT_HOSTS:
        raise CrowdRefusedError("turkSubmitTo of the link is not a server of MTurk. Open the task from MTurk.")
    return f"{address.rstrip('/')}/mturk/externalSubmit"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session for the requester; its fields are the columns of the export."""

    participant: str
    """Id of the participant on the platform."""
    study: str
    """Id of the study on the platform; a HIT of MTurk."""
    submission: str
    """Id of the submission on the platform; an assignment of MTurk."""
    code: str
    """Code that proves to the requester that the session was completed here."""
    outcome: SessionOutcome
    """State of the session, or the way it ended."""
    begun_at: datetime
    """Time at which the participant came in first."""
    ended_at: datetime | None
    """Time of its end; None while it is open."""
    labels: int
    """Number of labels of work."""
    active_minutes: float
    """Minutes in which the participant read or typed."""
    pay: float
    """Amount owed, in the currency of the study."""
    verdict: str
    """Action for the platform, such as approving; "" for none."""
    evidence: str
    """Limit that paused the participant, with the reason; "" for other outcomes."""


def load_sessions(session: Session, campaign: CampaignSettings, now: datetime | None = None) -> list[SessionRow]:
    """Every session of a campaign, in the order in which they began."""
    now, study = now or datetime.now(UTC), session.get(CrowdStudy, campaign.id)
    if study is None:
        return []
    pays = {"completed": study.pay, "screened out": study.screened_out_pay}
    work = dict[str, tuple[int, int]]()
    for person, labels, active_ms in session.execute(_COUNT_WORK, {"campaign": campaign.id}):
        work[person] = (labels, active_ms or 0)
    states = load_states(session, campaign.id)
    rows = session.exec(
        select(CrowdSession).where(CrowdSession.campaign_id == campaign.id).order_by(col(CrowdSession.id))
    )
    sessions = []
    for row in rows:
        outcome, (labels, active_ms) = _outcome(row, now), work.get(row.person_id, (0, 0))
        state = states.get(row.person_id)
        evidence = f"{state.signal}: {state.reason}".removeprefix(": ") if state and state.paused else ""
        sessions.append(
            SessionRow(
                *(row.participant, row.study, row.submission, row.code, outcome, row.begun_at, row.ended_at, labels),
                round(active_ms / 60_000, 1),
                pays.get(outcome, 0.0),
                _VERDICTS.get(outcome, ""),
                evidence if outcome == "paused" else "",
            )
        )
    return sessions


_SELECT_WORKING = (
    select(Reservation.person_id)
    .join(Response, col(Response.reservation_id) == col(Reservation.id))
    .where(col(Reservation.campaign_id) == bindparam("campaign"))
    .distinct()
)
_COUNT_WORK = (
    select_columns(
        col(Reservation.person_id), func.count(func.distinct(col(Reservation.id))), func.sum(col(Response.active_ms))
    )
    .join(Response, col(Response.reservation_id) == col(Reservation.id))
    .join(Task, col(Task.id) == col(Reservation.task_id))
    .where(
        col(Reservation.campaign_id) == bindparam("campaign"),
        col(Response.act) == "answer",
        col(Response.revision) == 1,
        col(Task.part).in_(("work", "gold")),
    )
    .group_by(col(Reservation.person_id))
)


def describe_pay(rows: Sequence[SessionRow], terms: StudyTerms) -> str:
    """Sentences of the data statement: number of participants, outcomes of sessions, pay and time per session and per label."""
    ends = Counter(row.outcome for row in rows)
    done = [row for row in rows if row.outcome == "completed"]
    listed = ", ".join(f"{number} {outcome}" for outcome, number in sorted(ends.items()))
    sessions = f"{len(rows)} participants of {PLATFORMS[terms.platform]} began a session ({listed or 'none'})."
    labels, minutes = sum(row.labels for row in done), fsum(row.active_minutes for row in done)
    if not labels:
        return sessions
    hourly = f", {60 * terms.pay * len(done) / minutes:.2f} an hour of reading and typing" if minutes else ""
    return (
        f"{sessions} A completed session is paid {terms.pay:.2f} {terms.currency}, {terms.pay * len(done) / labels:.3f} a label{hourly}; "
        f"it took {median(row.active_minutes for row in done):.1f} minutes (median), {60 * minutes / labels:.0f} s a label."
    )
