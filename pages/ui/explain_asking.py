"""What a session asked about explanations: the finding, its grade by a model, and the samples drawn so far."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.explaining.background import Told
from core.explaining.finding import Explain, Finding, detect_and_explain, explain_given_detection, explaining
from core.explaining.finding import signature as detection_by
from core.explaining.judging import Case, Judged, Setup, judging
from core.explaining.judging import signature as judge_by
from core.explaining.stability import fresh
from core.job import Talk
from core.llm.saying import Sampling
from core.types import Example, Failure
from pages.ui import pair as bench
from pages.ui import services

WAYS: Mapping[str, Explain] = MappingProxyType(
    {"Detect and explain": detect_and_explain, "Explain the error": explain_given_detection}
)
_FURTHEST = 1 << 48

Sampled = Finding | Judged


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is sampled, by its signature, about what; `talk` asks for a sample."""

    by: str
    about: Example | tuple[Case, Setup]
    talk: Callable[[Sampling], Talk[Any]] = field(compare=False)


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


def example() -> Example:
    """The summary as it stands in the editor."""
    return Example("explained", bench.current().document, bench.edited())


def case_of(finding: Finding) -> Case:
    """A finding with what it may be judged by; an unedited summary has no other to be compared with."""
    reference = " ".join(edit.explanation for edit in bench.edits() if edit.explanation)
    seed = bench.current().original if bench.edits() else ""
    about = example()
    return Case("graded", finding.explanation, about.document, seed, about.summary, reference)


def ask_for_finding(way: str, sampling: Sampling) -> None:
    asked, about = _asked(), example()
    asked.finding = about, Told(services.engine(), [explaining(WAYS[way], about, sampling)])


def finding() -> Finding | Failure | None:
    """What was found of the summary as it stands; None while nothing came."""
    asked = _asked().finding
    return next(iter(asked[1].outcomes), None) if asked and asked[0] == example() else None


def ask_for_grade(case: Case, setup: Setup, sampling: Sampling) -> None:
    _asked().grade = case, setup, Told(services.engine(), [judging(case, setup, sampling)])


def grade(case: Case, setup: Setup) -> Judged | Failure | None:
    """What was said of this explanation in this set-up; None while nothing came."""
    asked = _asked().grade
    return next(iter(asked[2].outcomes), None) if asked and asked[:2] == (case, setup) else None


def verdict_of(about: Example, sampling: Sampling) -> Subject:
    """D&E of a summary. Raises TouchstoneError where nobody can be asked."""
    return Subject(detection_by(sampling), about, partial(explaining, detect_and_explain, about))


def grade_of(case: Case, setup: Setup, sampling: Sampling) -> Subject:
    """The grade of an explanation. Raises TouchstoneError where nobody can be asked."""
    return Subject(judge_by(setup, sampling), (case, setup), partial(judging, case, setup))


def draw(subject: Subject, sampling: Sampling, number: int) -> None:
    """Ask for further samples."""
    # from where nobody drew before, on this machine or another with the same cache: every sample is asked for
    samples = fresh(sampling, secrets.randbelow(_FURTHEST), number)
    _asked().strips.setdefault(subject, []).append(Told(services.engine(), [subject.talk(one) for one in samples]))


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


def running() -> bool:
    return any(told.running for told in _asked())


def drop_all() -> None:
    for told in _asked():
        told.drop()


def _came() -> int:
    return sum(told.came for told in _asked())


def _asked() -> _Asked:
    asked: _Asked = st.session_state.setdefault("explain-asked", _Asked())
    return asked
