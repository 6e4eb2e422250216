"""The row on top of Probe: what is on the bench, and what can be done with it: variants, keeping, links."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from annotations.records import PairRecord
from core import edits as executable
from core.datasets.bundled import bundled_items
from core.engine.conversation import Conversation
from core.engine.engine import ConversationTask
from core.errors import TouchstoneError
from core.perturbation import PERTURBATIONS, Perturbation
from core.types import Edit, Example, Failure, Item, Outcome, Verdict
from pages.ui import notices, services
from pages.ui.markup import escape_markdown
from pages.ui.metric_choice import metrics_popover
from pages.ui.notices import leave_notice, leave_receipt
from pages.ui.probe import pair as bench
from pages.ui.probe.board_scores import finished_outcomes
from pages.ui.probe.pair_upload import upload_popover

_LOOK_S = 0.3


@dataclass(frozen=True, slots=True)
class _VariantRequest:
    """What is being written of which text."""

    perturbation: Perturbation
    text: str
    task: ConversationTask[list[Edit]]


def start_variant(perturbation: Perturbation) -> None:
    """Rewrite the summary as it stands; each press draws anew, and drops what is being written."""
    cancel_variant()
    text = bench.edited_summary()
    example = Example("", bench.current_pair().document, text)
    draw = partial(perturbation.rounds, example, random.getrandbits(32))
    talk = Conversation(perturbation.spec, example, draw, perturbation.checkpoints())
    if perturbation.card.form == "prompt":
        st.session_state["rewording"] = _VariantRequest(perturbation, text, ConversationTask(services.engine(), [talk]))
        return
    [(_, found)] = services.engine().converse([talk])
    _put_into_editor(perturbation, text, found)


def apply_variant() -> None:
    """Put what was written into the editor, which is not drawn yet; an answer about another text is not used."""
    if not variant_ready():
        return
    wanted: _VariantRequest = st.session_state.pop("rewording")
    if wanted.text != bench.edited_summary():
        leave_notice("The summary was changed while the model wrote: its variant is not used.")
        return
    for found in wanted.task.results:
        _put_into_editor(wanted.perturbation, wanted.text, found)


def variant_ready() -> bool:
    """Whether something was written that is not in the editor yet."""
    wanted = _current_request()
    return wanted is not None and not wanted.task.running


def variant_progress() -> None:
    """A line while something is being written, with the way to stop it."""
    if wanted := _current_request():
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch_variant(wanted.perturbation.card.title)
            # not in the fragment: what is pressed there is heard only when the page's own loop has ended
            st.button("Cancel", key="rewording-cancel", on_click=cancel_variant)


def cancel_variant() -> None:
    if wanted := _current_request():
        wanted.task.cancel()
        del st.session_state["rewording"]


def _current_request() -> _VariantRequest | None:
    wanted: _VariantRequest | None = st.session_state.get("rewording")
    return wanted


@st.fragment(run_every=_LOOK_S)
def _watch_variant(title: str) -> None:
    """Look for the answer beside the page; where scores still arrive the page's own loop looks."""
    if variant_ready() or _current_request() is None:
        st.rerun()
    st.caption(escape_markdown(f"“{title}”: the model is writing …"))


def _put_into_editor(perturbation: Perturbation, text: str, found: Sequence[Edit] | Failure) -> None:
    if isinstance(found, Failure):
        leave_notice(found.message)
        return
    if text != bench.current_pair().original:
        bench.rewrite_summary(executable.apply(text, found))
        return
    bench.rewrite_summary(executable.apply(text, found), found)
    st.session_state["intended"] = Verdict.CONSISTENT if perturbation.card.intent == "preserving" else None
    st.session_state["intended-type"] = perturbation.card.error_type


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
    bench.note_change()
    state, pair = st.session_state, bench.current_pair()
    try:
        receipt = services.store().keep_pair(_pair_to_keep(pair, finished_outcomes()))
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("kept" if receipt.fresh else "known", receipt.id)
    if pair.example not in {item.example.id for item in bundled_items()}:
        state["pair"] = replace(pair, example=receipt.id)


def _pair_to_keep(pair: bench.Pair, outcomes: tuple[Outcome, ...]) -> PairRecord:
    state = st.session_state
    return PairRecord(
        document=pair.document,
        original=pair.original,
        edited=bench.edited_summary(),
        edits=tuple(replace(edit, by=edit.by or state["annotator"]) for edit in bench.current_edits()),
        by=state["annotator"],
        intended=state.get("intended"),
        error_type=state.get("intended-type"),
        title=pair.title,
        domain=pair.domain,
        source=pair.source,
        outcomes=outcomes,
    )


_OTHER_TEXT = "Another text"


def toolbar() -> None:
    """Draw the row; every control works in a callback, so the page below already shows its effect."""
    pair = bench.current_pair()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="toolbar"):
        _example_picker(pair)
        upload_popover()
        _edit_menu(pair)
        st.space("stretch")
        past, future = st.session_state["past"], st.session_state["future"]
        st.button("Undo", icon=":material/undo:", on_click=bench.undo, disabled=not past, key="undo")
        st.button("Redo", icon=":material/redo:", on_click=bench.redo, disabled=not future, key="redo")
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=bench.rewrite_summary,
            args=(pair.original,),
            key="reset",
            disabled=bench.edited_summary() == pair.original,
        )
        keep_button()
        _link_popover(pair)
        metrics_popover()
        if services.settings().demo:
            st.badge("demo: nothing is kept", icon=":material/visibility_lock:", color="orange")


def _example_picker(pair: bench.Pair) -> None:
    seeds = {item.example.id: item for item in bundled_items() if not item.parent}
    options = [*seeds] if pair.example in seeds else [_OTHER_TEXT, *seeds]
    st.session_state["example"] = pair.example if pair.example in seeds else _OTHER_TEXT
    st.selectbox(
        "Example",
        options,
        key="example",
        format_func=lambda id: f"{seeds[id].domain.capitalize()} · {seeds[id].title}" if id in seeds else id,
        label_visibility="collapsed",
        width=300,
        on_change=_open_example,
    )


def _open_example() -> None:
    chosen = st.session_state["example"]
    if chosen != _OTHER_TEXT:
        bench.open_example(chosen)


def _edit_menu(pair: bench.Pair) -> None:
    variants = {_variant_label(item): item for item in bundled_items() if item.parent and item.parent == pair.example}
    perturbations = {plugin.card.title: plugin.name for plugin in PERTURBATIONS}
    st.menu_button(
        "Try an edit",
        [*variants, *perturbations],
        icon=":material/auto_fix_high:",
        key="tried",
        on_click=_try_edit,
        args=(variants, perturbations),
        help="Edits that come with the example, and perturbations of whatever stands in the editor.",
    )


def _variant_label(item: Item) -> str:
    return f"{item.title} ({item.error_type or 'harmless'})"


def _try_edit(variants: dict[str, Item], perturbations: dict[str, str]) -> None:
    state = st.session_state
    if state["tried"] in perturbations:
        start_variant(PERTURBATIONS.parse(perturbations[state["tried"]]))
        return
    item = variants[state["tried"]]
    bench.rewrite_summary(item.example.summary, item.edits)
    state["intended"], state["intended-type"] = item.intended, item.error_type


def _link_popover(pair: bench.Pair) -> None:
    with st.popover("Link", icon=":material/link:", key="share"):
        if not pair.example:
            st.write("This text is only in your browser. Keep the pair first: its link then opens it.")
            return
        st.write("This link opens the same pair with the same edits.")
        st.code(
            f"{st.context.url or ''}{notices.pair_link(pair.example, pair.original, bench.current_edits())}",
            language=None,
            wrap_lines=True,
        )
