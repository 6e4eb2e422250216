"""What the forms under Explain ask for, as they stand: of whom, which question, and about what."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.explaining.finding import Explain, Finding, detect_and_explain, explain_given_detection, explaining
from core.explaining.finding import signature as detection_by
from core.explaining.judging import Case, Judged, Setup, judging
from core.explaining.judging import signature as judge_by
from core.explaining.stability import fresh
from core.job import Talk
from core.llm.endpoint import chosen_model
from core.llm.saying import Sampling
from core.trouble import Trouble, attempt
from core.types import Example
from pages.ui.probe import pair as bench

WAYS: Mapping[str, Explain] = MappingProxyType(
    {"Detect and explain": detect_and_explain, "Explain the error": explain_given_detection}
)
VERDICT, GRADE = "Verdict", "Grade"
"""What can be sampled."""

_FURTHEST = 1 << 48

Sampled = Finding | Judged


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is sampled, by its signature, about what; `talk` asks for a sample."""

    by: str
    about: Example | tuple[Case, Setup]
    talk: Callable[[Sampling], Talk[Any]] = field(compare=False)


def example() -> Example:
    """The summary as it stands in the editor."""
    return Example("explained", bench.current().document, bench.edited())


def case_of(finding: Finding) -> Case:
    """A finding with what it may be judged by; an unedited summary has no other to be compared with."""
    reference = " ".join(edit.explanation for edit in bench.edits() if edit.explanation)
    seed = bench.current().original if bench.edits() else ""
    about = example()
    return Case("graded", finding.explanation, about.document, seed, about.summary, reference)


def sampling_now(endpoint: str) -> Sampling:
    """Who is asked, as the form stands; `endpoint` where it leaves no choice. Raises TouchstoneError where nobody can be.

    Whatever is pressed reads the form anew: what was typed and not yet sent when the button was drawn comes with the press.
    """
    state = st.session_state
    chosen: str = state.get("explain-endpoint", endpoint)
    return Sampling(chosen_model(state["explain-model"], chosen), endpoint=chosen)


def finding_talk(sampling: Sampling) -> Talk[Finding]:
    return explaining(WAYS[st.session_state["explain-way"]], example(), sampling)


def setup_now() -> Setup:
    """What a judge is to read, as the form stands."""
    setup: Setup = st.session_state["explain-setup"]
    return setup


def subject_now(finding: Finding | None, sampling: Sampling) -> Subject:
    """What is sampled, as the form stands: D&E of the summary, or the grade of a finding. Raises TouchstoneError."""
    if finding is None or st.session_state["explain-sampled-True"] == VERDICT:
        about = example()
        return Subject(detection_by(sampling), about, partial(explaining, detect_and_explain, about))
    case, setup = case_of(finding), setup_now()
    return Subject(judge_by(setup, sampling), (case, setup), partial(judging, case, setup))


def warmed(sampling: Sampling) -> Sampling:
    """The same at the temperature at which samples are drawn."""
    return replace(sampling, temperature=st.session_state["explain-temperature"])


def sample_talks(subject: Subject, sampling: Sampling) -> list[Talk[Sampled]]:
    """The conversations of as many further samples as the form says."""
    # from where nobody drew before, on this machine or another with the same cache: every sample is asked for
    samples = fresh(sampling, secrets.randbelow(_FURTHEST), st.session_state["explain-number"])
    return [subject.talk(one) for one in samples]


def pressed(endpoint: str, ask: Callable[[Sampling], None]) -> None:
    """Do what a button says; where nobody can be asked, the form that is drawn next tells why."""
    if not isinstance(attempt(partial(sampling_now, endpoint)), Trouble):
        ask(sampling_now(endpoint))
