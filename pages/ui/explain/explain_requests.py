"""What the forms under Explain ask language models for, and what has come of it in this session."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.engine.conversation import Conversation
from core.engine.engine import ConversationTask
from core.errors import Problem, attempt
from core.explanations.detect import (
    ExplainFunction,
    Finding,
    detect_and_explain,
    explain_conversation,
    explain_given_detection,
)
from core.explanations.detect import detection_signature as detection_by
from core.explanations.judge import Case, Judgement, JudgeSetup, judge_conversation
from core.explanations.judge import judge_signature as judge_by
from core.explanations.stability import fresh_samplings
from core.llm.chat import Sampling
from core.llm.endpoints import resolve_model
from core.types import Example, Failure
from pages.ui import services
from pages.ui.probe import pair as bench

EXPLAIN_MODES: Mapping[str, ExplainFunction] = MappingProxyType(
    {"Detect and explain": detect_and_explain, "Explain the error": explain_given_detection}
)
VERDICT_SAMPLES, GRADE_SAMPLES = "Verdict", "Grade"
"""What can be sampled."""

_MAX_FIRST_SAMPLE = 1 << 48

SampleOutcome = Finding | Judgement


@dataclass(frozen=True, slots=True)
class SampleSubject:
    """Who is sampled, by its signature, about what; `talk` asks for a sample."""

    by: str
    about: Example | tuple[Case, JudgeSetup]
    talk: Callable[[Sampling], Conversation[Any]] = field(compare=False)


def current_example() -> Example:
    """The summary as it stands in the editor."""
    return Example("explained", bench.current_pair().document, bench.edited_summary())


def case_of_finding(finding: Finding) -> Case:
    """A finding with what it may be judged by; an unedited summary has no other to be compared with."""
    reference = " ".join(edit.explanation for edit in bench.current_edits() if edit.explanation)
    seed = bench.current_pair().original if bench.current_edits() else ""
    about = current_example()
    return Case("graded", finding.explanation, about.document, seed, about.summary, reference)


def chosen_sampling(endpoint: str) -> Sampling:
    """Who is asked, as the form stands; `endpoint` where it leaves no choice. Raises TouchstoneError where nobody can be.

    Whatever is pressed reads the form anew: what was typed and not yet sent when the button was drawn comes with the press.
    """
    state = st.session_state
    chosen: str = state.get("explain-endpoint", endpoint)
    return Sampling(resolve_model(state["explain-model"], chosen), endpoint=chosen)


def finding_conversation(sampling: Sampling) -> Conversation[Finding]:
    return explain_conversation(EXPLAIN_MODES[st.session_state["explain-way"]], current_example(), sampling)


def chosen_setup() -> JudgeSetup:
    """What a judge is to read, as the form stands."""
    setup: JudgeSetup = st.session_state["explain-setup"]
    return setup


def chosen_subject(finding: Finding | None, sampling: Sampling) -> SampleSubject:
    """What is sampled, as the form stands: D&E of the summary, or the grade of a finding. Raises TouchstoneError."""
    if finding is None or st.session_state["explain-sampled-True"] == VERDICT_SAMPLES:
        about = current_example()
        return SampleSubject(detection_by(sampling), about, partial(explain_conversation, detect_and_explain, about))
    case, setup = case_of_finding(finding), chosen_setup()
    return SampleSubject(judge_by(setup, sampling), (case, setup), partial(judge_conversation, case, setup))


def at_sample_temperature(sampling: Sampling) -> Sampling:
    """The same at the temperature at which samples are drawn."""
    return replace(sampling, temperature=st.session_state["explain-temperature"])


def sample_conversations(subject: SampleSubject, sampling: Sampling) -> list[Conversation[SampleOutcome]]:
    """The conversations of as many further samples as the form says."""
    # from where nobody drew before, on this machine or another with the same cache: every sample is asked for
    samples = fresh_samplings(sampling, secrets.randbelow(_MAX_FIRST_SAMPLE), st.session_state["explain-number"])
    return [subject.talk(one) for one in samples]


def run_if_possible(endpoint: str, ask: Callable[[Sampling], None]) -> None:
    """Do what a button says; where nobody can be asked, the form that is drawn next tells why."""
    if not isinstance(attempt(partial(chosen_sampling, endpoint)), Problem):
        ask(chosen_sampling(endpoint))


@dataclass(eq=False)
class _Requests:
    """Everything of one session; a finding or grade is of the text that it was asked about."""

    finding: tuple[Example, ConversationTask[Finding]] | None = None
    grade: tuple[Case, JudgeSetup, ConversationTask[Judgement]] | None = None
    strips: dict[SampleSubject, list[ConversationTask[SampleOutcome]]] = field(default_factory=dict)

    def __iter__(
        self,
    ) -> Iterator[ConversationTask[Finding] | ConversationTask[Judgement] | ConversationTask[SampleOutcome]]:
        if self.finding:
            yield self.finding[1]
        if self.grade:
            yield self.grade[2]
        for strip in self.strips.values():
            yield from strip


def ask_for_finding(sampling: Sampling) -> None:
    _session_requests().finding = (
        current_example(),
        ConversationTask(services.engine(), [finding_conversation(sampling)]),
    )


def current_finding() -> Finding | Failure | None:
    """What was found of the summary as it stands; None while nothing came."""
    asked = _session_requests().finding
    return next(iter(asked[1].results), None) if asked and asked[0] == current_example() else None


def ask_for_grade(finding: Finding, sampling: Sampling) -> None:
    case, setup = case_of_finding(finding), chosen_setup()
    _session_requests().grade = (
        case,
        setup,
        ConversationTask(services.engine(), [judge_conversation(case, setup, sampling)]),
    )


def current_grade(case: Case, setup: JudgeSetup) -> Judgement | Failure | None:
    """What was said of this explanation in this set-up; None while nothing came."""
    asked = _session_requests().grade
    return next(iter(asked[2].results), None) if asked and asked[:2] == (case, setup) else None


def draw_samples(finding: Finding | None, sampling: Sampling) -> None:
    """Ask for further samples."""
    at = at_sample_temperature(sampling)
    subject = chosen_subject(finding, at)
    told = ConversationTask(services.engine(), sample_conversations(subject, at))
    _session_requests().strips.setdefault(subject, []).append(told)


def drawn_samples(subject: SampleSubject) -> list[SampleOutcome | Failure]:
    """The samples of all presses, in order."""
    return [outcome for told in _session_requests().strips.get(subject, []) for outcome in told.results]


def mark_drawn() -> None:
    """Remember what this run will have drawn; what comes meanwhile is new."""
    st.session_state["explain-drawn"] = _arrived_count()


def explanations_arrived() -> bool:
    """Whether more has come than this run has drawn."""
    drawn_so_far: int = st.session_state.get("explain-drawn", 0)
    return _arrived_count() != drawn_so_far


def pending_counts() -> tuple[int, int]:
    """Of all that is being asked for, how much has come, and how much there is."""
    running = [told for told in _session_requests() if told.running]
    return sum(len(told.results) for told in running), sum(told.progress.total for told in running)


def cancel_requests() -> None:
    for told in _session_requests():
        told.cancel()


def _arrived_count() -> int:
    return sum(told.version for told in _session_requests())


def _session_requests() -> _Requests:
    asked: _Requests = st.session_state.setdefault("explain-asked", _Requests())
    return asked
