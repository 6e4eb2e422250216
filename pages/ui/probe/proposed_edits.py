"""Edits of the original summary that a language model proposes: asked for, shown with their checks, applied or kept."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotations.store.records import PairRecord
from core.edits import (
    EDITS_PER_REQUEST,
    INTENDED_VERDICT,
    AcceptedEdit,
    EditForm,
    Editor,
    EditRequestTask,
    Proposals,
    TrivialityJudgement,
    trivial_kind,
)
from core.errors import TouchstoneError
from core.models import is_local_model
from core.text import edit_origin
from core.text import edits as executable
from core.types import Example, Failure, Intention
from pages.server import services
from pages.ui.probe.pair import current_pair, intend, rewrite_summary
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.shared.endpoint_form import (
    available_endpoints,
    choose_endpoint_and_model,
    chosen_endpoint,
    chosen_model,
    estimate_line,
)
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import diff_html, escape_markdown, escape_message
from pages.ui.shared.notices import leave_receipt
from pages.ui.shared.session_user import user_name

_CONTEXT_CHARACTERS = 60


def show_proposals(request: EditRequestTask) -> None:
    """Everything that has come so far, in the order of the answer."""
    outcome, verdicts = request.outcome, request.verdicts
    if problem := outcome.error if isinstance(outcome, Failure) else request.error:
        st.error(escape_message(problem), icon=":material/error:")
    if not isinstance(outcome, Proposals):
        return
    used = f"{len(outcome.accepted)} of {len(outcome.checked)} can be used. {outcome.remark}"
    by = outcome.accepted[0].edit.by if outcome.accepted else ""
    st.caption(escape_markdown(f"{used}\n{by}"))
    grid = st.grid("auto", min_column_width=380, gap="small")
    for edit in outcome.checked:
        with grid.cell():
            if isinstance(edit, AcceptedEdit):
                _accepted_card(edit, request, verdicts.get(edit.number))
            else:
                with st.container(border=True, height="stretch", key=f"proposed-{edit.number}", gap="small"):
                    st.badge(f"{edit.number}: {edit.reason_kind}", icon=":material/block:", color="red")
                    st.caption(escape_markdown(edit.error))
                    st.code(edit.text, language="json", wrap_lines=True)


def _accepted_card(edit: AcceptedEdit, request: EditRequestTask, verdict: TrivialityJudgement | Failure | None) -> None:
    def apply() -> None:
        """Put the summary with just this edit into the editor; undo brings back the text before."""
        intend(Intention(INTENDED_VERDICT))
        rewrite_summary(edit.edited, [edit.edit])

    with st.container(border=True, height="stretch", key=f"proposed-{edit.number}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(f"{edit.number}: executed", icon=":material/check:", color="green")

            origin = edit_origin(edit.edit, request.example.summary, request.example.document)
            if origin:
                words = "are" if origin == "intrinsic" else "are not all"
                st.badge(origin, color="gray", help=f"The words that it inserts {words} in the document.")
            kind = trivial_kind(edit.edit, request.example.summary)
            st.badge(f"rule: {kind or 'not trivial'}", color="orange" if kind else "blue")

            if isinstance(verdict, TrivialityJudgement):
                reason = escape_markdown(verdict.because)
                st.badge(
                    f"model: {verdict.kind or 'not trivial'}", color="orange" if verdict.kind else "blue", help=reason
                )
            elif isinstance(verdict, Failure):
                st.badge("model: no verdict", icon=":material/error:", color="red", help=escape_message(verdict.error))
            elif request.judged and request.running:
                st.badge("model: …", color="gray")
        laid = executable.as_segments(request.example.summary, [edit.edit])
        st.html(diff_html(executable.abridge_unchanged(laid, _CONTEXT_CHARACTERS)))
        st.caption(escape_markdown(edit.edit.explanation))
        for remark in edit.remarks:
            st.caption(f":material/flag: {escape_markdown(remark)}")
        with st.container(horizontal=True):
            st.button("Apply", key=f"apply-{edit.number}", icon=":material/edit:", on_click=apply)
            demo = services.settings().demo
            st.button(
                "Keep as pair",
                key=f"keep-{edit.number}",
                icon=":material/bookmark_add:",
                on_click=_keep_edit,
                args=(edit,),
                disabled=demo,
                help="Nothing is kept in this demo." if demo else "Saves the pair with the model, prompt and endpoint.",
            )


def _keep_edit(edit: AcceptedEdit) -> None:
    pair = current_pair()
    record = PairRecord(
        document=pair.document,
        original=pair.original,
        edited=edit.edited,
        edits=(edit.edit,),
        by=user_name(),
        intended=INTENDED_VERDICT,
        title=pair.title,
        domain=pair.domain,
        source=pair.source,
        contexts=pair.contexts,
        question=pair.question,
    )
    try:
        receipt = services.store().save_pair(record)
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("kept" if receipt.is_new else "known", receipt.id)


_LOOK_S = 0.3
_FORM_TITLES = {EditForm.EXECUTABLE: "Replacements", EditForm.REWRITTEN: "Whole summaries"}


def edits_request_form() -> None:
    """The form, unfolded where an endpoint can be asked; one line where none can."""
    endpoints = available_endpoints("edits")
    with st.expander(f"Ask a language model for {EDITS_PER_REQUEST} edits", expanded=bool(endpoints), key="ask-edits"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            endpoint, model = choose_endpoint_and_model(endpoints, "edits")
            if not endpoints and not is_local_model(model):
                return
            st.segmented_control(
                "The model writes",
                list(_FORM_TITLES),
                default=EditForm.EXECUTABLE,
                key=ProbeState.edit_form.key,
                required=True,
                format_func=lambda form: _FORM_TITLES[form],
                help="Replacements are executed; whole summaries are compared with the original, as older benchmarks were made.",
            )
            st.button(
                "Ask", key="edits-ask", icon=":material/send:", type="primary", on_click=_send_request, args=(endpoint,)
            )
        st.checkbox("Then ask it which of them are trivial", True, key=ProbeState.judge_triviality.key)
        editor = _chosen_editor(endpoint)
        more = f"; then {EDITS_PER_REQUEST} short ones at most" if probe_state().judge_triviality else ""
        estimate_line([editor.propose_conversation(_example_to_edit())], more)


def edits_answer() -> None:
    """Show the result of the last press, where it was about the summary on the bench."""
    request = current_edits_request()
    probe_state().edit_count_drawn = (
        request.version if request else None
    )  # before it is drawn: what comes meanwhile is new
    if not request:
        return

    def drop_request() -> None:
        state = probe_state()
        if state.edit_request:
            state.edit_request.cancel()
        state.edit_request = None

    with st.container(border=True, key="edits-answer"):
        running = request.running
        with st.container(horizontal=True, vertical_alignment="center"):
            if running:
                _watch_answer(request)
            else:
                st.markdown("**Edits of the original summary, proposed by a language model**", width="content")
            st.space("stretch")
            # not in the fragment: what is pressed there reruns only the fragment
            label, icon = ("Cancel", ":material/stop:") if running else ("Close", ":material/close:")
            st.button(label, key="edits-drop", icon=icon, on_click=drop_request)

        show_proposals(request)


def current_edits_request() -> EditRequestTask | None:
    """Last request, where it was about the summary on the bench."""
    request = probe_state().edit_request
    return request if request and request.example == _example_to_edit() else None


def edits_arrived() -> bool:
    """True if more of an answer has come than this run has drawn."""
    request = current_edits_request()
    return request is not None and request.version != probe_state().edit_count_drawn


def _send_request(endpoint: str) -> None:
    """Another press about the same summary is another draw."""
    state = probe_state()
    if state.edit_request:
        state.edit_request.cancel()
    # read here: what was typed and not yet sent when the button was drawn has come with the press
    editor = _chosen_editor(chosen_endpoint("edits", endpoint))
    example = _example_to_edit()
    state.edit_samples = {**state.edit_samples, (example, replace(editor, sample=0)): editor.sample + 1}
    state.edit_request = EditRequestTask(services.engine(), editor, example, state.judge_triviality)


def _chosen_editor(endpoint: str) -> Editor:
    """The editor of the next press."""
    state = probe_state()
    editor = Editor(state.edit_form, chosen_model("edits"), endpoint)
    return replace(editor, sample=state.edit_samples.get((_example_to_edit(), editor), 0))


def _example_to_edit() -> Example:
    return current_pair().as_example("edits", current_pair().original)


@st.fragment(run_every=_LOOK_S)
def _watch_answer(request: EditRequestTask) -> None:
    """Look for news next to the page; while scores arrive the page's own loop looks."""
    if edits_arrived():
        st.rerun()
    st.markdown("Edits are being written …" if request.outcome is None else "Asking which of them are trivial …")
    endpoint_waits()
