"""Edits that a language model proposed: red and green, with what the checks say, to be applied or kept as a pair."""

from __future__ import annotations

import streamlit as st

from annotations.records import KeptPair
from core import edits as executable
from core.editing.asked import Asked
from core.editing.proposal import INTENDED, Accepted, Proposals, Rejected
from core.errors import TouchstoneError
from core.extrinsic import origin
from core.trivial import Opinion, trivial
from core.types import Example, Failure
from pages.ui import services
from pages.ui.diff import diff_html
from pages.ui.plain import plain
from pages.ui.probe import pair as bench

_MARGIN = 60


def proposed(asked: Asked) -> None:
    """Everything that has come so far, in the order of the answer."""
    outcome, verdicts = asked.outcome, asked.verdicts
    if problem := outcome.message if isinstance(outcome, Failure) else asked.trouble:
        st.error(plain(problem), icon=":material/error:")
    if not isinstance(outcome, Proposals):
        return
    _summary(outcome)
    grid = st.grid("auto", min_column_width=380, gap="small")
    for one in outcome.checked:
        with grid.cell():
            if isinstance(one, Accepted):
                _accepted(one, asked, verdicts.get(one.number))
            else:
                _rejected(one)


def _summary(outcome: Proposals) -> None:
    """How many can be used, and who made them."""
    used = f"{len(outcome.accepted)} of {len(outcome.checked)} can be used. {outcome.remark}"
    by = outcome.accepted[0].edit.by if outcome.accepted else ""
    st.caption(plain(f"{used}\n{by}"))


def _accepted(one: Accepted, asked: Asked, verdict: Opinion | Failure | None) -> None:
    with st.container(border=True, height="stretch", key=f"proposed-{one.number}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(f"{one.number}: executed", icon=":material/check:", color="green")
            _origin(one, asked.example)
            _by_rule(one, asked.example.summary)
            _by_model(verdict, asked)
        laid = executable.as_segments(asked.example.summary, [one.edit])
        st.html(diff_html(executable.around(laid, _MARGIN)))
        st.caption(plain(one.edit.explanation))
        for remark in one.remarks:
            st.caption(f":material/flag: {plain(remark)}")
        with st.container(horizontal=True):
            st.button("Apply", key=f"apply-{one.number}", icon=":material/edit:", on_click=_apply, args=(one,))
            demo = services.settings().demo
            st.button(
                "Keep as pair",
                key=f"keep-{one.number}",
                icon=":material/bookmark_add:",
                on_click=_keep,
                args=(one,),
                disabled=demo,
                help="Nothing is kept in this demo." if demo else "Saves the pair with the model, prompt and endpoint.",
            )


def _rejected(one: Rejected) -> None:
    with st.container(border=True, height="stretch", key=f"proposed-{one.number}", gap="small"):
        st.badge(f"{one.number}: {one.why}", icon=":material/block:", color="red")
        st.caption(plain(one.reason))
        st.code(one.written, language="json", wrap_lines=True)


def _origin(one: Accepted, example: Example) -> None:
    found = origin(one.edit, example.summary, example.document)
    if found:
        words = "stand" if found == "intrinsic" else "do not all stand"
        st.badge(found, color="gray", help=f"The words that it brings in {words} in the document.")


def _by_rule(one: Accepted, summary: str) -> None:
    kind = trivial(one.edit, summary)
    st.badge(f"rule: {kind or 'not trivial'}", color="orange" if kind else "blue")


def _by_model(verdict: Opinion | Failure | None, asked: Asked) -> None:
    if isinstance(verdict, Opinion):
        said = plain(verdict.because)
        st.badge(f"model: {verdict.kind or 'not trivial'}", color="orange" if verdict.kind else "blue", help=said)
    elif isinstance(verdict, Failure):
        st.badge("model: no verdict", icon=":material/error:", color="red", help=plain(verdict.message))
    elif asked.judged and asked.running:
        st.badge("model: …", color="gray")


def _apply(one: Accepted) -> None:
    """Put the summary with just this edit into the editor; undo brings back what stood there."""
    bench.rewrite(one.edited, [one.edit])
    st.session_state["intended"], st.session_state["intended-type"] = INTENDED, None


def _keep(one: Accepted) -> None:
    state, pair = st.session_state, bench.current()
    kept = KeptPair(
        document=pair.document,
        original=pair.original,
        edited=one.edited,
        edits=(one.edit,),
        by=state["annotator"],
        intended=INTENDED,
        title=pair.title,
        domain=pair.domain,
        source=pair.source,
    )
    try:
        receipt = services.store().keep_pair(kept)
    except TouchstoneError as error:
        state["receipt"] = ("error", str(error))
        return
    state["receipt"] = ("kept" if receipt.fresh else "known", receipt.id)
