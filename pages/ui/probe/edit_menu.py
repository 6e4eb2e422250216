"""Edits to try: those that come with an example, and perturbations of the text in the editor, by rule or by a language model."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from core.data import bundled_items
from core.edits import PERTURBATIONS, Perturbation, PerturbationCard, refusal
from core.model_reference import local_checkpoints
from core.models import ModelStatus
from core.scoring import Conversation, ConversationTask
from core.text import edits as executable
from core.text import sentences
from core.types import Edit, Example, Failure, Intention, Item
from pages.server import services
from pages.ui.probe.pair import current_pair, edited_summary, intend, rewrite_summary
from pages.ui.probe.probe_state import LoadedPair, ProbeState, VariantRequest, probe_state
from pages.ui.shared.endpoint_form import download_button
from pages.ui.shared.endpoint_waits import endpoint_waits
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.paper_kinds import paper_title, papers_with_kinds

_LOOK_S = 0.3


def start_variant(perturbation: Perturbation) -> None:
    """Rewrite the summary in the editor; each press draws again, and drops what is being written."""
    cancel_variant()
    text = edited_summary()
    example = current_pair().as_example("", text)
    draw = partial(perturbation.rounds, example, random.getrandbits(32))
    conversation = Conversation(perturbation.spec, example, draw, perturbation.checkpoints())
    if perturbation.checkpoints():
        task = ConversationTask(services.engine(), [conversation])
        probe_state().variant_request = VariantRequest(perturbation, text, task)
        return
    [(_, result)] = services.engine().converse([conversation])
    _put_into_editor(perturbation, text, result)


def apply_variant() -> None:
    """Put what was written into the editor, which is not drawn yet; an answer about another text is not used."""
    request = probe_state().variant_request
    if request is None or request.task.running:
        return
    probe_state().variant_request = None
    if request.text != edited_summary():
        leave_notice("The summary was changed while the model wrote: its variant is not used.")
        return
    for result in request.task.results:
        _put_into_editor(request.perturbation, request.text, result)


def variant_ready() -> bool:
    """True if a variant was written that is not in the editor yet."""
    request = probe_state().variant_request
    return request is not None and not request.task.running


def variant_progress() -> None:
    """A line while something is being written, with the way to stop it."""
    if request := probe_state().variant_request:
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch_variant(request.perturbation.card.title)
            # not in the fragment: what is pressed there counts only when the page's own loop has ended
            st.button("Cancel", key="rewording-cancel", on_click=cancel_variant)


def cancel_variant() -> None:
    if request := probe_state().variant_request:
        request.task.cancel()
        probe_state().variant_request = None


@st.fragment(run_every=_LOOK_S)
def _watch_variant(title: str) -> None:
    """Look for the answer next to the page; where scores still arrive the page's own loop looks."""
    if variant_ready() or probe_state().variant_request is None:
        st.rerun()
    st.caption(escape_markdown(f"“{title}”: the model is writing …"))
    endpoint_waits()


def _put_into_editor(perturbation: Perturbation, text: str, result: Sequence[Edit] | Failure) -> None:
    if isinstance(result, Failure):
        leave_notice(result.error)
        return
    if text != current_pair().original:
        rewrite_summary(executable.apply(text, result))
        return
    intend(perturbation.card.intention)
    rewrite_summary(executable.apply(text, result), result)


_GROUPS: dict[str, Callable[[PerturbationCard], bool]] = {
    "Harmless": lambda card: card.form == "rule" and card.intent == "preserving",
    "Breaking": lambda card: card.form == "rule" and card.intent == "breaking",
    "Gaming": lambda card: card.form == "rule" and card.intent == "gaming",
    "Model of this machine": lambda card: card.form == "model",
    "Language model": lambda card: card.form == "prompt",
}


def edit_menu(pair: LoadedPair) -> None:
    """The popover in the toolbar: edits that come with the example and perturbations, in groups; a press closes it."""
    box = st.popover(
        "Try an edit",
        icon=":material/auto_fix_high:",
        key=ProbeState.edit_menu_open.key,
        on_change="rerun",
        help="Edits that come with the example, and perturbations of the text in the editor.",
    )
    if box.open:
        with box, st.container(key="edit-menu", gap="small"):
            stories = [item for item in bundled_items() if item.parent and item.parent == pair.example]
            if stories:
                st.caption("**Stories** of this example")
                with st.container(horizontal=True, gap="xsmall"):
                    for item in stories:
                        label = escape_label(f"{item.title} ({item.error_type or 'harmless'})")
                        st.button(label, key=f"try-{item.example.id}", on_click=_try_story, args=(item,))
            example = current_pair().as_example("", edited_summary())
            for paper in papers_with_kinds():
                with st.expander(escape_label(paper_title(paper.name)), icon=":material/menu_book:"):
                    for kinds in paper.perturbations().values():
                        _perturbation_buttons(kinds, example)
                    st.page_link(
                        "views/evaluate.py",
                        label="All of the paper on this pair, with all metrics",
                        icon=":material/playlist_play:",
                        query_params={"paper": paper.name, "pairs": "probe"},
                    )
            for title, belongs in _GROUPS.items():
                st.caption(f"**{title}**")
                kinds = {plugin.card.title: plugin() for plugin in PERTURBATIONS if belongs(plugin.card)}
                _perturbation_buttons(kinds, example)


def _perturbation_buttons(kinds: Mapping[str, Perturbation], example: Example) -> None:
    """A button for each by its title; those that cannot edit the text as it stands are greyed, with the reason below, and what to do."""
    plugins = [*kinds.values()]
    refusals = {title: refusal(kind, example) for title, kind in kinds.items()}
    with st.container(horizontal=True, gap="xsmall"):
        for title, plugin in kinds.items():
            st.button(
                escape_label(title),
                key=f"try-{plugin.spec}",
                on_click=_try_perturbation,
                args=(plugin,),
                disabled=bool(refusals[title]),
                help=plugin.card.does,
            )
    titles_by_reason: dict[str, list[str]] = {}
    for title, plugin in kinds.items():
        if reason := refusals[title]:
            # of a rule the first sentence says all about the text; of a model the next ones say how to get it
            text = (
                next((span.of(reason) for span in sentences(reason)), reason) if plugin.card.form == "rule" else reason
            )
            titles_by_reason.setdefault(text, []).append(title)
    lines = [
        escape_markdown(why)
        if len(of) == len(plugins) > 1
        else f"*{escape_markdown(', '.join(of))}*: {escape_markdown(why)}"
        for why, of in titles_by_reason.items()
    ]
    if lines:
        st.caption("  \n".join(lines))
    if any(plugin.card.form == "model" for plugin in plugins):
        pool = services.engine().pool
        for checkpoint in dict.fromkeys(
            model for plugin in plugins for model in local_checkpoints(plugin.checkpoints())
        ):
            state = pool.state(checkpoint)
            if state.status is ModelStatus.NEEDS_DOWNLOAD:
                download_button(checkpoint, f"try-download-{checkpoint.kind}")
            elif state.status is ModelStatus.DOWNLOADING:
                st.caption(escape_message(f"{checkpoint.source}: {state.message or state.status}"))
        st.page_link("views/stress.py", label="Name models of your own on Stress test", icon=":material/bolt:")


def _try_story(item: Item) -> None:
    probe_state().edit_menu_open = False
    intend(Intention(item.intended, item.error_type))
    rewrite_summary(item.example.summary, item.edits)


def _try_perturbation(perturbation: Perturbation) -> None:
    probe_state().edit_menu_open = False
    start_variant(perturbation)
