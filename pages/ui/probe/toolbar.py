"""The row on top of Probe: what is on the bench, and what can be done with it: variants, keeping, links."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from annotations.records import PairRecord
from core import edits as executable
from core.datasets.bundled import bundled_items
from core.engine.conversation import Conversation
from core.engine.engine import ConversationTask
from core.errors import TouchstoneError
from core.perturbation import PERTURBATIONS, Perturbation
from core.types import Edit, Example, Failure, Intention, Item, Outcome, Sample
from pages.ui import notices, services
from pages.ui.markup import escape_markdown
from pages.ui.metric_choice import metrics_popover
from pages.ui.notices import leave_notice, leave_receipt
from pages.ui.probe.board_scores import finished_outcomes, finished_reaction
from pages.ui.probe.pair import (
    current_edits,
    current_intention,
    current_pair,
    edited_summary,
    intend,
    note_change,
    open_example,
    redo,
    rewrite_summary,
    undo,
)
from pages.ui.probe.pair_upload import upload_popover
from pages.ui.probe.probe_state import Pair, ProbeState, VariantRequest, probe_state
from pages.ui.session_user import user_name

_LOOK_S = 0.3


def start_variant(perturbation: Perturbation) -> None:
    """Rewrite the summary in the editor; each press draws again, and drops what is being written."""
    cancel_variant()
    text = edited_summary()
    example = Example("", current_pair().document, text)
    draw = partial(perturbation.rounds, example, random.getrandbits(32))
    conversation = Conversation(perturbation.spec, example, draw, perturbation.checkpoints())
    if perturbation.card.form == "prompt":
        task = ConversationTask(services.engine(), [conversation])
        probe_state().variant_request = VariantRequest(perturbation, text, task)
        return
    [(_, found)] = services.engine().converse([conversation])
    _put_into_editor(perturbation, text, found)


def apply_variant() -> None:
    """Put what was written into the editor, which is not drawn yet; an answer about another text is not used."""
    wanted = probe_state().variant_request
    if wanted is None or wanted.task.running:
        return
    probe_state().variant_request = None
    if wanted.text != edited_summary():
        leave_notice("The summary was changed while the model wrote: its variant is not used.")
        return
    for found in wanted.task.results:
        _put_into_editor(wanted.perturbation, wanted.text, found)


def variant_ready() -> bool:
    """Whether something was written that is not in the editor yet."""
    wanted = probe_state().variant_request
    return wanted is not None and not wanted.task.running


def variant_progress() -> None:
    """A line while something is being written, with the way to stop it."""
    if wanted := probe_state().variant_request:
        with st.container(horizontal=True, vertical_alignment="center"):
            _watch_variant(wanted.perturbation.card.title)
            # not in the fragment: what is pressed there counts only when the page's own loop has ended
            st.button("Cancel", key="rewording-cancel", on_click=cancel_variant)


def cancel_variant() -> None:
    if wanted := probe_state().variant_request:
        wanted.task.cancel()
        probe_state().variant_request = None


@st.fragment(run_every=_LOOK_S)
def _watch_variant(title: str) -> None:
    """Look for the answer next to the page; where scores still arrive the page's own loop looks."""
    if variant_ready() or probe_state().variant_request is None:
        st.rerun()
    st.caption(escape_markdown(f"“{title}”: the model is writing …"))


def _put_into_editor(perturbation: Perturbation, text: str, found: Sequence[Edit] | Failure) -> None:
    if isinstance(found, Failure):
        leave_notice(found.message)
        return
    if text != current_pair().original:
        rewrite_summary(executable.apply(text, found))
        return
    intend(perturbation.card.intention)
    rewrite_summary(executable.apply(text, found), found)


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
        receipt = services.store().save_pair(_pair_to_keep(pair, finished_outcomes()))
    except TouchstoneError as error:
        leave_receipt("error", str(error))
        return
    leave_receipt("kept" if receipt.is_new else "known", receipt.id)
    if pair.example not in {item.example.id for item in bundled_items()}:
        probe_state().pair = replace(pair, example=receipt.id)


def _pair_to_keep(pair: Pair, outcomes: tuple[Outcome, ...]) -> PairRecord:
    name = user_name()
    return PairRecord(
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
    )


_OTHER_TEXT = "Another text"


def dataset_facts() -> None:
    """What datasets say of the summary that was opened: its label, error type and source."""
    example = current_pair().example
    samples = services.store().samples_of(example) if example else []
    latest = {(sample.dataset, sample.item.example.id): sample for sample in samples}
    if latest:
        st.caption("  \n".join(escape_markdown(_sample_facts(sample)) for sample in latest.values()))


def _sample_facts(sample: Sample) -> str:
    item = sample.item
    kind = item.error_type or ", ".join(item.categories)
    facts = (item.intended or "no label", kind, item.system, item.domain, item.split)
    return f"{sample.dataset}, {item.example.id}: {' · '.join(str(fact) for fact in facts if fact)}"


def toolbar() -> None:
    """Draw the row; every control works in a callback, so the page below already shows its effect."""
    pair = current_pair()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="toolbar"):
        _example_picker(pair)
        upload_popover()
        _edit_menu(pair)
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
        _link_popover(pair)
        metrics_popover()
        if services.settings().demo:
            st.badge("demo: nothing is kept", icon=":material/visibility_lock:", color="orange")


def _example_picker(pair: Pair) -> None:
    seeds = {item.example.id: item for item in _examples_by_domain()}
    options = [*seeds] if pair.example in seeds else [_OTHER_TEXT, *seeds]
    probe_state().example = pair.example if pair.example in seeds else _OTHER_TEXT
    st.selectbox(
        "Example",
        options,
        key=ProbeState.example.key,
        format_func=lambda id: f"{seeds[id].domain.capitalize()} · {seeds[id].title}" if id in seeds else id,
        label_visibility="collapsed",
        width=300,
        on_change=_open_example,
    )


def _examples_by_domain() -> list[Item]:
    """The faithful pairs, those of one domain together, the domains in the order in which they first come."""
    seeds = [item for item in bundled_items() if not item.parent]
    domains = list(dict.fromkeys(item.domain for item in seeds))
    return sorted(seeds, key=lambda item: domains.index(item.domain))


def _open_example() -> None:
    chosen = probe_state().example
    if chosen != _OTHER_TEXT:
        open_example(chosen)


def _edit_menu(pair: Pair) -> None:
    variants = {_variant_label(item): item for item in bundled_items() if item.parent and item.parent == pair.example}
    perturbations = {plugin.card.title: plugin.name for plugin in PERTURBATIONS}
    st.menu_button(
        "Try an edit",
        [*variants, *perturbations],
        icon=":material/auto_fix_high:",
        key=ProbeState.tried_edit.key,
        on_click=_try_edit,
        args=(variants, perturbations),
        help="Edits that come with the example, and perturbations of the text in the editor.",
    )


def _variant_label(item: Item) -> str:
    return f"{item.title} ({item.error_type or 'harmless'})"


def _try_edit(variants: dict[str, Item], perturbations: dict[str, str]) -> None:
    state = probe_state()
    if state.tried_edit in perturbations:
        start_variant(PERTURBATIONS.parse(perturbations[state.tried_edit]))
        return
    item = variants[state.tried_edit]
    intend(Intention(item.intended, item.error_type))
    rewrite_summary(item.example.summary, item.edits)


def _link_popover(pair: Pair) -> None:
    with st.popover("Link", icon=":material/link:", key="share"):
        if not pair.example:
            st.write("This text is only in your browser. Keep the pair first: its link then opens it.")
            return
        st.write("This link opens the same pair with the same edits.")
        st.code(
            f"{st.context.url or ''}{notices.pair_link(pair.example, pair.original, current_edits(), current_intention())}",
            language=None,
            wrap_lines=True,
        )
