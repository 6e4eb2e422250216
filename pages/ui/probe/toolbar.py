"""The quiet row on top of Probe: what is on the bench and what can be done with it as a whole."""

from __future__ import annotations

import streamlit as st

from core.datasets.bundled import examples
from core.perturbation import PERTURBATIONS
from core.types import Item
from pages.ui import services
from pages.ui.choosing import metrics_popover
from pages.ui.probe import links
from pages.ui.probe import pair as bench
from pages.ui.probe.keeping import keep_button
from pages.ui.probe.loading import load_popover
from pages.ui.probe.rewording import reword

_OTHER = "Another text"


def toolbar() -> None:
    """Draw the row; every control works in a callback, so the page below already shows its effect."""
    pair = bench.current()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="toolbar"):
        _example_picker(pair)
        load_popover()
        _edit_menu(pair)
        st.space("stretch")
        past, future = st.session_state["past"], st.session_state["future"]
        st.button("Undo", icon=":material/undo:", on_click=bench.undo, disabled=not past, key="undo")
        st.button("Redo", icon=":material/redo:", on_click=bench.redo, disabled=not future, key="redo")
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=bench.rewrite,
            args=(pair.original,),
            key="reset",
            disabled=bench.edited() == pair.original,
        )
        keep_button()
        _share(pair)
        metrics_popover()
        if services.settings().demo:
            st.badge("demo: nothing is kept", icon=":material/visibility_lock:", color="orange")


def _example_picker(pair: bench.Pair) -> None:
    seeds = {item.example.id: item for item in examples() if not item.parent}
    options = [*seeds] if pair.example in seeds else [_OTHER, *seeds]
    st.session_state["example"] = pair.example if pair.example in seeds else _OTHER
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
    if chosen != _OTHER:
        bench.open_example(chosen)


def _edit_menu(pair: bench.Pair) -> None:
    variants = {_label(item): item for item in examples() if item.parent and item.parent == pair.example}
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


def _label(item: Item) -> str:
    return f"{item.title} ({item.error_type or 'harmless'})"


def _try_edit(variants: dict[str, Item], perturbations: dict[str, str]) -> None:
    state = st.session_state
    if state["tried"] in perturbations:
        reword(PERTURBATIONS.parse(perturbations[state["tried"]]))
        return
    item = variants[state["tried"]]
    bench.rewrite(item.example.summary, item.edits)
    state["intended"], state["intended-type"] = item.intended, item.error_type


def _share(pair: bench.Pair) -> None:
    with st.popover("Link", icon=":material/link:", key="share"):
        if not pair.example:
            st.write("This text is only in your browser. Keep the pair first: its link then opens it.")
            return
        st.write("This link opens the same pair with the same edits.")
        st.code(
            f"{st.context.url or ''}{links.link(pair.example, pair.original, bench.edits())}",
            language=None,
            wrap_lines=True,
        )
