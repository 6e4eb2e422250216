"""Corrections of a sentence that the selected metric doubts: accepted or refused by a key, each a training pair with its explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from annotations.store.records import PairRecord
from core.edits import Editor, Proposals, SuggestedCorrection, corrections, find_passage
from core.errors import TouchstoneError
from core.model_reference import asks_endpoint
from core.models import is_local_model
from core.scoring import Engine, Metric, Request
from core.text import edits as executable
from core.text import sentences
from core.types import Example, Failure, Intention, Result, Span, Verdict
from pages.server import services
from pages.ui.probe.board_rows import format_score
from pages.ui.probe.board_scores import current_selection
from pages.ui.probe.pair import current_pair, edited_summary, intend, rewrite_summary
from pages.ui.shared.background_results import background_result
from pages.ui.shared.endpoint_form import available_endpoints, choose_endpoint_and_model
from pages.ui.shared.markup import diff_html, escape_markdown, escape_message
from pages.ui.shared.notices import leave_receipt
from pages.ui.shared.session_state import page_state
from pages.ui.shared.session_user import user_name

_CONTEXT_CHARACTERS = 60


@dataclass(eq=False)
class CorrectionState:
    """State of the panel: the summaries that were refused, and the sentence and model that a person asked about."""

    refused: set[str] = field(default_factory=set)
    question: tuple[str, str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class ScoredCorrection:
    """A correction with the summary that it makes and its score; None where the metric was not asked or failed."""

    correction: SuggestedCorrection
    edited: str
    score: float | None


def corrections_panel(request: Request, result: Result | None) -> None:
    """Offer corrections one at a time, those that the metric scores best first."""
    with st.expander("Suggest corrections", icon=":material/healing:", key="corrections", on_change="rerun") as box:
        if not box.open:
            return
        metric = next((row for row in request.metrics if row.spec == current_selection(request).spec), None)
        if metric is None or result is None:
            st.write("Select a metric with a score on the board: it says which sentence to correct.")
            return
        doubted = _doubted(metric, result)
        if not doubted:
            return
        text = edited_summary()
        number = st.selectbox(
            "Sentence",
            range(len(doubted)),
            key=f"correct-sentence-{hash((text, metric.spec))}",
            format_func=lambda place: _sentence_label(metric, doubted[place], text),
        )
        span, _, evidence = doubted[number]
        offered = _offered(metric, result.score, span, evidence)
        if offered is not None:
            _offer(metric, result, offered)
        with st.popover("Ask a language model", icon=":material/chat:", type="tertiary", key="corrections-ask-box"):
            _model_form(span.of(text))


def _doubted(metric: Metric, result: Result) -> list[tuple[Span, float | None, Span | None]]:
    """The sentences of the summary with their scores and evidence, the most doubtful first."""
    if not result.parts:
        return [(span, None, None) for span in sentences(edited_summary())]
    sign = -1.0 if metric.card.direction == "lower" else 1.0
    return [(part.span, part.score, part.evidence) for part in sorted(result.parts, key=lambda part: sign * part.score)]


def _sentence_label(metric: Metric, doubted: tuple[Span, float | None, Span | None], text: str) -> str:
    span, score, _ = doubted
    shown = "" if score is None else f"{format_score(score, metric.card.low, metric.card.high)}: "
    return f"{shown}{span.of(text)}"


def _model_form(sentence: str) -> None:
    """Ask a model at an endpoint or on this machine for corrections of the sentence as well; a line where there is none."""
    endpoints = available_endpoints("corrections")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        endpoint, model = choose_endpoint_and_model(endpoints, "corrections")
        if not endpoints and not is_local_model(model):
            return

        def ask() -> None:
            page_state(CorrectionState).question = (edited_summary(), sentence, endpoint, model)

        st.button("Ask this model as well", key="corrections-ask", icon=":material/send:", on_click=ask)


def _offered(metric: Metric, before: float, span: Span, evidence: Span | None) -> list[ScoredCorrection] | None:
    """The corrections that are not refused, those that help by the metric, the best first; None while they are scored."""
    document, text = current_pair().document, edited_summary()
    suggested = corrections(document, text, span, evidence)
    question = page_state(CorrectionState).question
    if question and question[:2] == (text, span.of(text)):
        by_model = _by_model(*question)
        if by_model is None:
            return None
        suggested = [*by_model, *suggested]
    edited = {executable.apply(text, [correction.edit]): correction for correction in reversed(suggested)}
    if asks_endpoint(metric.checkpoints()):  # each score costs money
        scored = [ScoredCorrection(correction, summary, None) for summary, correction in reversed(edited.items())]
    else:
        examples = [current_pair().as_example(f"correction {n}", summary) for n, summary in enumerate(edited)]
        key = ("corrections", metric.spec, document, tuple(edited))
        outcomes = background_result("Scoring corrections…", key, partial(_scores, services.engine(), metric, examples))
        if outcomes is None:
            return None
        sign = {"higher": 1.0, "lower": -1.0}.get(metric.card.direction, 0.0)
        pairs = zip(edited.items(), outcomes, strict=True)
        scored = [ScoredCorrection(correction, summary, score) for (summary, correction), score in pairs]
        scored = [row for row in scored if row.score is not None and (not sign or sign * (row.score - before) > 0)]
        scored.sort(key=lambda row: -sign * (row.score or 0.0))
    return [row for row in scored if row.edited not in page_state(CorrectionState).refused]


def _scores(engine: Engine, metric: Metric, examples: Sequence[Example]) -> list[float | None]:
    outcomes = (outcome for _, outcome in engine.run([metric], examples))
    return [outcome.score if isinstance(outcome, Result) else None for outcome in outcomes]


def _by_model(text: str, sentence: str, endpoint: str, model: str) -> list[SuggestedCorrection] | None:
    """Corrections that a model proposes; None while it answers. An answer that cannot be used is shown."""
    editor, pair = Editor(model=model, endpoint=endpoint, temperature=0.0), current_pair()
    conversation = editor.correct_conversation(pair.as_example("corrected", text), sentence)
    engine = services.engine()  # of the person who asks, whom its thread does not know

    def ask() -> list[Proposals | Failure]:
        return [outcome for _, outcome in engine.converse([conversation])]

    outcomes = background_result("Asking for corrections…", ("corrections by", text, sentence, endpoint, model), ask)
    if outcomes is None:
        return None
    suggested = []
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            st.error(escape_message(outcome.error), icon=":material/error:")
            continue
        suggested += [
            SuggestedCorrection(accepted.edit, find_passage(pair.document, accepted.edited))
            for accepted in outcome.accepted
        ]
    return suggested


def _offer(metric: Metric, result: Result, offered: Sequence[ScoredCorrection]) -> None:
    """The first correction with its passage, and the buttons that accept and refuse it."""
    if not offered:
        st.caption(
            "No correction is left that this metric scores better. Choose another sentence, ask a model, or edit it yourself."
        )
        return
    row, text = offered[0], edited_summary()
    edit = row.correction.edit
    st.html(diff_html(executable.abridge_unchanged(executable.as_segments(text, [edit]), _CONTEXT_CHARACTERS)))
    st.markdown(escape_markdown(edit.explanation))
    if row.correction.passage:
        st.caption(f"The document: “{escape_markdown(row.correction.passage.of(current_pair().document).strip())}”")
    if row.score is not None:
        low, high = metric.card.low, metric.card.high
        change = f"{format_score(result.score, low, high)} → {format_score(row.score, low, high)}"
        st.caption(f"{escape_markdown(metric.card.title)}: {change}. By {escape_markdown(edit.by)}.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Accept", key="correction-accept", type="primary", shortcut="Alt+Y", on_click=_accept, args=(row,))
        st.button("Refuse", key="correction-refuse", shortcut="Alt+N", on_click=_refuse, args=(row,))
        if more := len(offered) - 1:
            st.caption(f"{more} more")


def _refuse(row: ScoredCorrection) -> None:
    page_state(CorrectionState).refused.add(row.edited)


def _accept(row: ScoredCorrection) -> None:
    """Put the correction into the editor and keep it as a pair, whose edited side is meant as consistent."""
    pair, text, edit = current_pair(), edited_summary(), row.correction.edit
    record = PairRecord(
        document=pair.document,
        original=text,
        edited=row.edited,
        edits=(edit,),
        by=user_name(),
        intended=Verdict.CONSISTENT,
        title=pair.title,
        domain=pair.domain,
        source="correction",
        contexts=pair.contexts,
        question=pair.question,
    )
    intend(Intention(Verdict.CONSISTENT))
    rewrite_summary(row.edited, [edit] if text == pair.original else [])
    if services.settings().demo:
        return
    try:
        receipt = services.store().save_pair(record)
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("kept" if receipt.is_new else "known", receipt.id)
