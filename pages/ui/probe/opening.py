"""Opening a pair on the bench: a bundled example, a kept pair, what a link says, or the draft of an earlier session."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

from annotations.campaigns.score_views import save_view
from annotations.store import records
from annotations.store.writes import pair_item_id
from core.data import bundled_items
from core.edits import EditableClaims
from core.errors import TouchstoneError
from core.text import edits as executable
from core.types import UNSTATED, Context, Edit, Intention, Item, Span
from pages.server import services
from pages.ui.probe.pair import EDITOR_KEY, current_edits, current_pair, edited_summary, intend, keep_draft
from pages.ui.probe.probe_state import LoadedPair, probe_state
from pages.ui.probe.text_panes import set_editor_text
from pages.ui.shared import pair_link
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.pair_link import PinnedEdit
from pages.ui.shared.session_user import member_let_in, user_name

OPENING = "news-harbour/one-word"  # one word reverses who is to blame
_DRAFTS_LOOKED_AT = 20


def open_pair(
    pair: LoadedPair,
    text: str | None = None,
    meant: Intention = UNSTATED,
    address: str = "",
    pinned: tuple[PinnedEdit, ...] = (),
    claims: EditableClaims | None = None,
) -> None:
    """Put a pair on the bench, edited to `text` where one is given; `address` is the id under which just this opens again.

    Pinned edits and claims of the pair that was there stay where it is the same one.
    """
    state = probe_state()
    same = state.pair and (state.pair.document, state.pair.original) == (pair.document, pair.original)
    state.pinned = pinned or (state.pinned if same else ())
    state.claims = claims or (state.claims if same else None)
    state.claims_error = ""

    spans = [
        [place - pair.document.count("\r\n", 0, place) for place in (context.span.start, context.span.end)]
        for context in pair.contexts
    ]
    state.pair = replace(
        pair,
        original=_with_plain_line_ends(pair.original),
        document=_with_plain_line_ends(pair.document),
        contexts=tuple(Context(context.name, Span(*span)) for context, span in zip(pair.contexts, spans, strict=True)),
    )

    state.undo_texts, state.redo_texts, state.last_shown = [], [], {}
    set_editor_text(EDITOR_KEY, _with_plain_line_ends(pair.original) if text is None else text)
    state.known_text = edited_summary()
    state.opened = (address, edited_summary()) if address else None
    intend(meant)
    keep_draft()

    # on a shared server this person sees scores of both summaries: neither is handed out to them for an unaided label
    opened, store = current_pair(), services.store()
    texts = (opened.document, opened.original, edited_summary())
    if not services.settings().shared or store.read_only or not all(text.strip() for text in texts):
        return
    try:
        original = records.Pair(
            opened.document, opened.original, opened.original, (), contexts=opened.contexts, question=opened.question
        )
        edited = replace(original, edited=edited_summary(), edits=tuple(current_edits()))
        with store.writing_without_sync() as session:
            for item in {pair_item_id(original), pair_item_id(edited)}:
                save_view(session, item, member_let_in().id)
    except TouchstoneError as error:
        leave_notice(
            f"It is not noted that you saw these scores, so that a campaign may ask you for this pair: {error}"
        )


def open_example(example: str, packed: str = "", meant: Intention = UNSTATED) -> None:
    """Open a bundled example, one of its variants or a kept pair by its id; `meant` is said of the edits that are packed.

    Raises TouchstoneError for an unknown one.
    """
    bundled = next((item for item in bundled_items() if item.example.id == example), None)
    stored = None if bundled else services.store().pair(example)
    if bundled:
        pair, text = pair_of_item(bundled)
        stated = Intention(bundled.intended, bundled.error_type)
    elif stored:
        record = stored.pair
        text = record.edited
        pair = LoadedPair(
            example=stored.id,
            title=record.title,
            domain=record.domain,
            source=record.source,
            document=record.document,
            original=record.original,
            declared=record.edits,
            saved=record.outcomes,
            kept=record.edited,
            contexts=record.contexts,
            question=record.question,
        )
        stated = Intention(stored.pair.intended, stored.pair.error_type)
    else:
        raise TouchstoneError(f"No example is called {example!r}. Choose one from the list, or paste a pair.")
    if packed:
        unpacked = pair_link.unpack_edits(packed, pair.original)
        pair, text = replace(pair, declared=tuple(unpacked)), executable.apply(pair.original, unpacked)
        open_pair(pair, text, meant)
        return
    open_pair(pair, text, stated if text != pair.original else UNSTATED, address=example)


def shows_opening_scene() -> bool:
    """True if the scene that opens, or has opened, is the one for somebody who comes for the first time."""
    opened, query = probe_state().opened, st.query_params
    if probe_state().pair:
        return opened is not None and opened[0] == OPENING
    return query.get("example", OPENING) == OPENING and "draft" not in query and "edits" not in query


def leave_pair() -> None:
    """Empty the bench, so that Probe opens what its address names; the draft of what was edited is offered there."""
    probe_state().pair = None


def restore_pair() -> None:
    """Fill an empty bench at the start of a session: from a draft, a link, or with the opening scene."""
    if probe_state().pair:
        return
    query = st.query_params.to_dict()
    draft = services.store().draft(query["draft"]) if "draft" in query else None
    if draft:
        _open_draft(draft)
        return
    first = bundled_items()[0].example.id
    try:
        meant = executable.stated_intention(query.get("intended"), query.get("error_type"))
        open_example(query.get("example", OPENING), query.get("edits", ""), meant)
        if pinned := pair_link.unpack_pinned(query.get("pinned", ""), current_pair().original):
            probe_state().pinned = pinned
            keep_draft()
        if claims := pair_link.unpack_claims(query.get("claims", ""), edited_summary()):
            probe_state().claims = claims
            keep_draft()
        older, here = "", current_pair()
        if "example" in query and "edits" not in query:
            for payload in services.store().recent_drafts(user_name(), _DRAFTS_LOOKED_AT):
                stored = json.loads(payload)
                same = (stored["document"], stored["original"]) == (here.document, here.original)
                if same and stored["edited"] not in (here.original, edited_summary()):
                    older = payload  # the newest of this person that edits what is on the bench otherwise
                    break
        probe_state().older_draft = older
    except TouchstoneError as error:
        open_example(first)
        leave_notice(str(error))


def show_in_address() -> None:
    """Let the address of the page name the pair, so that a reload or a bookmark finds it."""
    state, example = probe_state(), current_pair().example
    parts = {"example": example} if example else {}
    if state.draft_saved:
        parts["draft"] = state.draft_id
    elif state.opened:
        parts["example"] = state.opened[0]
    if st.query_params.to_dict() != parts:
        st.query_params.from_dict(parts)


def pair_of_item(item: Item) -> tuple[LoadedPair, str]:
    """The pair and the edited summary of a dataset's item."""
    original = item.example.summary
    if item.parent:
        original = next(other.example.summary for other in bundled_items() if other.example.id == item.parent)
    pair = LoadedPair(
        example=item.parent or item.example.id,
        title=item.title,
        domain=item.domain,
        source=item.example.id,
        document=item.example.document,
        original=original,
        declared=item.edits,
        contexts=item.example.contexts,
        question=item.example.question,
    )
    return pair, item.example.summary


def draft_to_resume() -> str:
    """Draft that the same person made of the example before, while what the link opened is unchanged; empty without."""
    state = probe_state()
    return state.older_draft if state.opened and state.opened[1] == edited_summary() else ""


def resume_draft() -> None:
    payload, state = draft_to_resume(), probe_state()
    state.older_draft = ""
    if payload:
        _open_draft(payload)


def dismiss_draft() -> None:
    probe_state().older_draft = ""


def _open_draft(payload: str) -> None:
    fields = json.loads(payload)
    text = fields.pop("edited")
    declared = _edits_of_draft(fields.pop("declared"))
    # drafts of before say neither
    meant = _intention_of_draft(fields.pop("meant", {}))
    pinned = tuple(
        PinnedEdit(_edits_of_draft(edit["edits"]), _intention_of_draft(edit["meant"]), edit.get("system", ""))
        for edit in fields.pop("pinned", ())
    )
    claimed = fields.pop("claims", None)
    claims = EditableClaims.from_json(claimed[1], claimed[0]) if claimed else None
    saved = services.store().pair(fields["example"]) if fields["example"] else None
    outcomes = saved.pair.outcomes if saved else ()
    contexts = tuple(Context(context["name"], Span(**context["span"])) for context in fields.pop("contexts", ()))
    pair = LoadedPair(**{**fields, "declared": declared, "saved": outcomes, "contexts": contexts})
    open_pair(pair, text, meant, pinned=pinned, claims=claims)
    leave_notice("Your draft is back." if text != fields["original"] else "")


def _edits_of_draft(records: Iterable[dict[str, Any]]) -> tuple[Edit, ...]:
    return tuple(Edit(Span(**edit["span"]), edit["new"], edit["explanation"], edit["by"]) for edit in records)


def _intention_of_draft(record: dict[str, Any]) -> Intention:
    return executable.stated_intention(record.get("verdict"), record.get("error_type"))


def _with_plain_line_ends(text: str) -> str:
    # a text box knows only this line end; offsets must agree with it
    return text.replace("\r\n", "\n").replace("\r", "\n")
