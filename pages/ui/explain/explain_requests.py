"""Requests of the forms under Explain to language models, and their results in this session."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from core.errors import Problem, attempt
from core.evaluation import (
    Detection,
    ExplainFunction,
    ExplainMode,
    ExplanationCase,
    ExplanationGrade,
    JudgeSetup,
    PairwiseAnswer,
    cause_conversation,
    detect_and_explain,
    explain_conversation,
    explain_given_detection,
    explanation_signature,
    fresh_samplings,
    judge_conversation,
    pairwise_conversation,
    parse_judge,
    require_panel,
)
from core.evaluation import judge_signature as judge_by
from core.models import Sampling, resolve_model
from core.scoring import Conversation, ConversationTask
from core.text import document_for_reader
from core.types import Example, ExplanationFlaw, Failure, Grade, Verdict
from pages.server import services
from pages.ui.probe.pair import current_edits, current_pair, edited_summary
from pages.ui.shared.endpoint_form import chosen_endpoint, chosen_model
from pages.ui.shared.session_state import WidgetValue, page_state

EXPLAIN_MODES: Mapping[str, ExplainFunction] = MappingProxyType(
    {"Detect and explain": detect_and_explain, "Explain the error": explain_given_detection}
)
VERDICT_SAMPLES, GRADE_SAMPLES = "Verdict", "Grade"
"""Outcomes that can be sampled."""

_MAX_FIRST_SAMPLE = 1 << 48

SampleOutcome = Detection | ExplanationGrade


@dataclass(frozen=True, slots=True)
class SampleSubject:
    """Signature of the model that is sampled, and the text it is sampled about; `converse` asks for a sample."""

    signature: str
    about: Example | tuple[ExplanationCase, JudgeSetup]
    converse: Callable[[Sampling], Conversation[Any]] = field(compare=False)


def current_example() -> Example:
    """The summary in the editor."""
    return current_pair().as_example("explained", edited_summary())


def case_of_finding(finding: Detection) -> ExplanationCase:
    """A finding with what it may be judged by; an unedited summary has no other to be compared with."""
    reference = " ".join(edit.explanation for edit in current_edits() if edit.explanation)
    seed = current_pair().original if current_edits() else ""
    about = current_example()
    return ExplanationCase("graded", finding.explanation, document_for_reader(about), seed, about.summary, reference)


def chosen_sampling(endpoint: str) -> Sampling:
    """Model that the form asks; `endpoint` where it leaves no choice. Raises TouchstoneError where none can be asked.

    Whatever is pressed reads the form again: what was typed and not yet sent when the button was drawn comes with the press.
    """
    name = chosen_endpoint("explain", endpoint)
    return Sampling(resolve_model(chosen_model("explain"), name), endpoint=name)


def finding_conversation(sampling: Sampling) -> Conversation[Detection]:
    return explain_conversation(EXPLAIN_MODES[explain_state().mode], current_example(), sampling)


def chosen_setup() -> JudgeSetup:
    """Inputs that a judge is to read, by the form."""
    return explain_state().setup


def chosen_subject(finding: Detection | None, sampling: Sampling) -> SampleSubject:
    """Subject of the samples, by the form: D&E of the summary, or the grade of a finding. Raises TouchstoneError."""
    if finding is None or ExplainState.sampled.of(True).get() == VERDICT_SAMPLES:
        about = current_example()
        return SampleSubject(
            explanation_signature(ExplainMode.DETECT, sampling),
            about,
            partial(explain_conversation, detect_and_explain, about),
        )
    case, setup = case_of_finding(finding), chosen_setup()
    return SampleSubject(judge_by(setup, sampling), (case, setup), partial(judge_conversation, case, setup))


def at_sample_temperature(sampling: Sampling) -> Sampling:
    """The same at the temperature at which samples are drawn."""
    return replace(sampling, temperature=explain_state().temperature)


def sample_conversations(subject: SampleSubject, sampling: Sampling) -> list[Conversation[SampleOutcome]]:
    """The conversations of as many further samples as the form says."""
    # a start that was not used before, on this machine or another with the same cache: every sample is asked for
    samples = fresh_samplings(sampling, secrets.randbelow(_MAX_FIRST_SAMPLE), explain_state().number)
    return [subject.converse(sample) for sample in samples]


def run_if_possible(endpoint: str, ask: Callable[[Sampling], None]) -> None:
    """Do what a button says; where no endpoint can be asked, the form that is drawn next says why."""
    if not isinstance(attempt(partial(chosen_sampling, endpoint)), Problem):
        ask(chosen_sampling(endpoint))


@dataclass(eq=False)
class ExplainState:
    """State of Explain: what was asked in this session; a finding or grade is of the text that it was asked about.

    `samples` are the presses on Draw, by what is sampled.
    """

    finding: tuple[Example, ConversationTask[Detection]] | None = None
    grade: tuple[ExplanationCase, JudgeSetup, ConversationTask[ExplanationGrade]] | None = None
    samples: dict[SampleSubject, list[ConversationTask[SampleOutcome]]] = field(default_factory=dict)
    panel: tuple[ExplanationCase, JudgeSetup, tuple[Sampling, ...], ConversationTask[ExplanationGrade]] | None = None
    comparison: tuple[Example, str, ConversationTask[PairwiseAnswer]] | None = None
    count_drawn: int = 0

    mode = WidgetValue[str]("explain-way", next(iter(EXPLAIN_MODES)))
    setup = WidgetValue[JudgeSetup]("explain-setup", JudgeSetup.V1)
    sampled = WidgetValue[str]("explain-sampled", VERDICT_SAMPLES)
    temperature = WidgetValue[float]("explain-temperature", 1.0)
    number = WidgetValue[int]("explain-number", 5)
    verdict_of = WidgetValue[Verdict | None]("explain-verdict", None)
    grade_of = WidgetValue[Grade | None]("explain-grade", None)
    judges = WidgetValue[list[str]]("explain-judges", [])
    ask_cause = WidgetValue[bool]("explain-ask-cause", False)
    flaw_of = WidgetValue[ExplanationFlaw | None]("explain-cause", None)

    @property
    def tasks(
        self,
    ) -> Iterator[ConversationTask[Any]]:
        if self.finding:
            yield self.finding[1]
        if self.grade:
            yield self.grade[2]
        if self.panel:
            yield self.panel[3]
        if self.comparison:
            yield self.comparison[2]
        for tasks in self.samples.values():
            yield from tasks


def explain_state() -> ExplainState:
    return page_state(ExplainState)


def ask_for_finding(sampling: Sampling) -> None:
    explain_state().finding = (
        current_example(),
        ConversationTask(services.engine(), [finding_conversation(sampling)]),
    )


def current_finding() -> Detection | Failure | None:
    """Finding about the summary in the editor; None while none came."""
    request = explain_state().finding
    return next(iter(request[1].results), None) if request and request[0] == current_example() else None


def grade_conversation(case: ExplanationCase, setup: JudgeSetup, sampling: Sampling) -> Conversation[ExplanationGrade]:
    """For the grade, and for the cause where the form wants it."""
    ask = cause_conversation if explain_state().ask_cause else judge_conversation
    return ask(case, setup, sampling)


def ask_for_grade(finding: Detection, sampling: Sampling) -> None:
    case, setup = case_of_finding(finding), chosen_setup()
    explain_state().grade = (
        case,
        setup,
        ConversationTask(services.engine(), [grade_conversation(case, setup, sampling)]),
    )


def current_grade(case: ExplanationCase, setup: JudgeSetup) -> ExplanationGrade | Failure | None:
    """The grade of this explanation in this set-up; None while nothing came."""
    request = explain_state().grade
    return next(iter(request[2].results), None) if request and request[:2] == (case, setup) else None


def chosen_judges() -> tuple[Sampling, ...]:
    """The panel in the form; raises TouchstoneError for one that cannot be asked."""
    judges = tuple(map(parse_judge, explain_state().judges or []))
    require_panel(judges)
    return judges


def panel_conversations(
    case: ExplanationCase, setup: JudgeSetup, judges: Sequence[Sampling]
) -> list[Conversation[ExplanationGrade]]:
    return [judge_conversation(case, setup, judge) for judge in judges]


def ask_panel(finding: Detection) -> None:
    case, setup, judges = case_of_finding(finding), chosen_setup(), chosen_judges()
    task = ConversationTask(services.engine(), panel_conversations(case, setup, judges))
    explain_state().panel = (case, setup, judges, task)


def panel_outcomes(
    case: ExplanationCase, setup: JudgeSetup
) -> tuple[tuple[Sampling, ...], list[ExplanationGrade | Failure]]:
    """The judges who were asked last about this explanation in this set-up, and what came of them so far, in their order."""
    request = explain_state().panel
    return (request[2], list(request[3].results)) if request and request[:2] == (case, setup) else ((), [])


def comparison_conversation(sampling: Sampling) -> Conversation[PairwiseAnswer]:
    """Of the summary in the editor with the original one."""
    about = current_example()
    return pairwise_conversation(about.id, document_for_reader(about), current_pair().original, about.summary, sampling)


def ask_for_comparison(sampling: Sampling) -> None:
    task = ConversationTask(services.engine(), [comparison_conversation(sampling)])
    explain_state().comparison = (current_example(), current_pair().original, task)


def current_comparison() -> PairwiseAnswer | Failure | None:
    """Comparison of the summary in the editor with the original; None while none came."""
    request = explain_state().comparison
    same = request and request[:2] == (current_example(), current_pair().original)
    return next(iter(request[2].results), None) if request and same else None


def draw_samples(finding: Detection | None, sampling: Sampling) -> None:
    """Ask for further samples."""
    at = at_sample_temperature(sampling)
    subject = chosen_subject(finding, at)
    task = ConversationTask(services.engine(), sample_conversations(subject, at))
    explain_state().samples.setdefault(subject, []).append(task)


def drawn_samples(subject: SampleSubject) -> list[SampleOutcome | Failure]:
    """The samples of all presses, in order."""
    return [outcome for task in explain_state().samples.get(subject, []) for outcome in task.results]


def mark_drawn() -> None:
    """Remember what this run will have drawn; what comes meanwhile is new."""
    explain_state().count_drawn = _arrived_count()


def explanations_arrived() -> bool:
    """True if more has come than this run has drawn."""
    return _arrived_count() != explain_state().count_drawn


def pending_counts() -> tuple[int, int]:
    """Of all that is being asked for, how much has come, and how much there is."""
    running = [task for task in explain_state().tasks if task.running]
    return sum(len(task.results) for task in running), sum(task.progress.total for task in running)


def are_stopping() -> bool:
    """True if all that is being asked for was cancelled, and ends with the answer under way."""
    return all(task.progress.stopping for task in explain_state().tasks if task.running)


def cancel_requests() -> None:
    for task in explain_state().tasks:
        task.cancel()


def _arrived_count() -> int:
    return sum(task.version for task in explain_state().tasks)
