"""What a session asked about explanations: the finding, its grade by a model, and the samples drawn so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import streamlit as st

from core.explaining.background import Told
from core.explaining.finding import Finding
from core.explaining.judging import Case, Judged, Setup, judging
from core.llm.saying import Sampling
from core.types import Example, Failure
from pages.ui import services
from pages.ui.explain import form
from pages.ui.explain.form import Sampled, Subject


@dataclass(eq=False)
class _Asked:
    """Everything of one session; a finding or grade is of the text that it was asked about."""

    finding: tuple[Example, Told[Finding]] | None = None
    grade: tuple[Case, Setup, Told[Judged]] | None = None
    strips: dict[Subject, list[Told[Sampled]]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Told[Finding] | Told[Judged] | Told[Sampled]]:
        if self.finding:
            yield self.finding[1]
        if self.grade:
            yield self.grade[2]
        for strip in self.strips.values():
            yield from strip


def ask_for_finding(sampling: Sampling) -> None:
    _asked().finding = form.example(), Told(services.engine(), [form.finding_talk(sampling)])


def finding() -> Finding | Failure | None:
    """What was found of the summary as it stands; None while nothing came."""
    asked = _asked().finding
    return next(iter(asked[1].outcomes), None) if asked and asked[0] == form.example() else None


def ask_for_grade(finding: Finding, sampling: Sampling) -> None:
    case, setup = form.case_of(finding), form.setup_now()
    _asked().grade = case, setup, Told(services.engine(), [judging(case, setup, sampling)])


def grade(case: Case, setup: Setup) -> Judged | Failure | None:
    """What was said of this explanation in this set-up; None while nothing came."""
    asked = _asked().grade
    return next(iter(asked[2].outcomes), None) if asked and asked[:2] == (case, setup) else None


def draw(finding: Finding | None, sampling: Sampling) -> None:
    """Ask for further samples."""
    at = form.warmed(sampling)
    subject = form.subject_now(finding, at)
    told = Told(services.engine(), form.sample_talks(subject, at))
    _asked().strips.setdefault(subject, []).append(told)


def drawn(subject: Subject) -> list[Sampled | Failure]:
    """The samples of all presses, in order."""
    return [outcome for told in _asked().strips.get(subject, []) for outcome in told.outcomes]


def note_drawn() -> None:
    """Remember what this run will have drawn; what comes meanwhile is new."""
    st.session_state["explain-drawn"] = _came()


def explanations_came() -> bool:
    """Whether more has come than this run has drawn."""
    drawn_so_far: int = st.session_state.get("explain-drawn", 0)
    return _came() != drawn_so_far


def under_way() -> tuple[int, int]:
    """Of all that is being asked for, how much has come, and how much there is."""
    running = [told for told in _asked() if told.running]
    return sum(len(told.outcomes) for told in running), sum(told.total for told in running)


def drop_all() -> None:
    for told in _asked():
        told.drop()


def _came() -> int:
    return sum(told.came for told in _asked())


def _asked() -> _Asked:
    asked: _Asked = st.session_state.setdefault("explain-asked", _Asked())
    return asked
