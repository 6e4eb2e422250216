"""The row on top of Probe: what is on the bench, and what can be done with it: edits to try, keeping, links."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotations.store.records import PairRecord
from annotations.store.reports import Work
from core.data import bundled_items
from core.errors import TouchstoneError
from core.text import format_named_languages, name_languages
from pages.server import services
from pages.ui.probe.blind_labels import hides_scores
from pages.ui.probe.board_scores import finished_outcomes, finished_reaction
from pages.ui.probe.claims_tab import current_claims
from pages.ui.probe.edit_menu import edit_menu
from pages.ui.probe.metric_choice import metrics_popover
from pages.ui.probe.opening import dismiss_draft, draft_to_resume, open_example, resume_draft
from pages.ui.probe.pair import (
    current_edits,
    current_intention,
    current_pair,
    edited_summary,
    note_change,
    redo,
    rewrite_summary,
    undo,
)
from pages.ui.probe.pair_pin import pair_pin_button
from pages.ui.probe.pair_upload import upload_popover
from pages.ui.probe.probe_state import ProbeState, probe_state
from pages.ui.results.project_button import project_button
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import leave_receipt
from pages.ui.shared.pair_link import pair_link
from pages.ui.shared.session_user import user_name


def keep_button() -> None:
    demo = services.settings().demo
    st.button(
        "Keep pair",
        icon=":material/bookmark_add:",
        key="keep",
        type="primary",
        shortcut="Alt+K",
        on_click=_keep_pair,
        disabled=demo,
        help="Nothing is kept in this demo." if demo else "Saves the original, the edits and the scores shown.",
    )


def _keep_pair() -> None:
    note_change()
    pair = current_pair()
    try:
        outcomes, name = finished_outcomes(), user_name()
        record = PairRecord(
            document=pair.document,
            original=pair.original,
            edited=edited_summary(),
            edits=tuple(replace(edit, by=edit.by or name) for edit in current_edits()),
            by=name,
            intended=current_intention().verdict,
            error_type=current_intention().error_type,
            title=pair.title,
            domain=pair.domain,
            source=pair.source,
            outcomes=outcomes,
            reaction=finished_reaction(),
            contexts=pair.contexts,
            question=pair.question,
        )
        receipt = services.store().save_pair(record)
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("kept" if receipt.is_new else "known", receipt.id)
    probe_state().saved_pair = receipt.id, pair.document
    if pair.example not in {item.example.id for item in bundled_items()}:
        probe_state().pair = replace(pair, example=receipt.id)


def kept_offer() -> None:
    """A line after a pair was kept, with the way to put it into a project."""
    saved, pair = probe_state().saved_pair, current_pair()
    if saved is None or saved[1] != pair.document:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="kept-offer"):
        st.markdown("The pair is kept.", width="content")
        project_button(Work("pair", saved[0]), pair.title or "Project")
        st.page_link("views/home.py", label="Records", icon=":material/inventory_2:", query_params={"open": "records"})


def draft_offer() -> None:
    """A line where a link opened an example that the same person edited before."""
    if not draft_to_resume():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="draft-offer"):
        st.markdown("You edited this example before.", width="content")
        st.button("Resume your edit", icon=":material/history:", key="resume-draft", on_click=resume_draft)
        st.button("Dismiss", key="dismiss-draft", type="tertiary", on_click=dismiss_draft)


_OTHER_TEXT = "Another text"
_LONG_CHARACTERS, _CHARACTERS_A_SECOND = 1_000_000, 300_000  # whose sentences are found, on a machine of today


def dataset_facts() -> None:
    """Show the facts of datasets about the summary that was opened: its label, error type and source; of a long document
    what its metrics wait for; and the languages of texts that are not in English.
    """
    pair = current_pair()
    example, characters = pair.example, len(pair.document)
    if characters > _LONG_CHARACTERS:
        st.caption(
            f":material/info: The document has {characters:,} characters. Metrics are queued until its sentences are "
            f"found, which takes about {characters // _CHARACTERS_A_SECOND} seconds the first time."
        )
    if languages := format_named_languages({name_languages(pair.document, edited_summary()): 1}):
        st.caption(f":material/translate: {escape_markdown(languages)}")
    samples = services.store().samples_of(example) if example and not hides_scores() else []
    latest = {(sample.dataset, sample.item.example.id): sample for sample in samples}
    lines = []
    for sample in latest.values():
        item = sample.item
        kind = item.error_type or ", ".join(item.categories)
        facts = (item.intended or "no label", kind, item.system, item.domain, item.split)
        line = f"{sample.dataset}, {item.example.id}: {' · '.join(str(fact) for fact in facts if fact)}"
        if item.scores:
            released = " · ".join(f"{score.metric} {score.value:.3g}" for score in item.scores)
            line += f". Released scores, of this summary as it is; they cannot be asked again: {released}"
        lines.append(escape_markdown(line))
    if lines:
        st.caption("  \n".join(lines))


def toolbar() -> None:
    """Draw the row; every control works in a callback, so the page below already shows its effect."""
    pair = current_pair()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="toolbar"):
        # the faithful pairs, those of one domain together, the domains in the order in which they first come
        faithful = [item for item in bundled_items() if not item.parent]
        domains = list(dict.fromkeys(item.domain for item in faithful))
        examples_by_domain = sorted(faithful, key=lambda item: domains.index(item.domain))
        seeds = {item.example.id: item for item in examples_by_domain}
        options = [*seeds] if pair.example in seeds else [_OTHER_TEXT, *seeds]
        other = _title(pair.domain, pair.title) or _OTHER_TEXT
        probe_state().example = pair.example if pair.example in seeds else _OTHER_TEXT
        st.selectbox(
            "Example",
            options,
            key=ProbeState.example.key,
            format_func=lambda id: _title(seeds[id].domain, seeds[id].title) if id in seeds else other,
            label_visibility="collapsed",
            width=300,
            on_change=_open_example,
        )

        upload_popover()
        edit_menu(pair)
        st.space("stretch")
        state = probe_state()
        st.button("Undo", icon=":material/undo:", on_click=undo, disabled=not state.undo_texts, key="undo")
        st.button("Redo", icon=":material/redo:", on_click=redo, disabled=not state.redo_texts, key="redo")
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=rewrite_summary,
            args=(pair.original,),
            key="reset",
            disabled=edited_summary() == pair.original,
        )
        keep_button()
        pair_pin_button()
        with st.popover("Link", icon=":material/link:", key="share"):
            if pair.example:
                pinned, claims = state.pinned, current_claims()
                also = f"{' and the compared ones' if pinned else ''}{', and the claims' if claims else ''}"
                st.write(f"This link opens the same pair with the same edits{also}.")
                query = pair_link(pair.example, pair.original, current_edits(), current_intention(), pinned, claims)
                st.code(f"{st.context.url or ''}{query}", language=None, wrap_lines=True)
            else:
                st.write("This text is only in your browser. Keep the pair first: its link then opens it.")
        metrics_popover()
        if services.settings().demo:
            st.badge("demo: nothing is kept", icon=":material/visibility_lock:", color="orange")


def _title(domain: str, title: str) -> str:
    return " · ".join(part for part in (domain.capitalize(), title) if part)


def _open_example() -> None:
    example = probe_state().example
    if example != _OTHER_TEXT:
        open_example(example)
