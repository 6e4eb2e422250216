"""The pair on the bench: a document, its original summary and the edited one, with a history to walk.

It lives in the state of the page; the edited text is the editor's. A draft in the database brings it back after a reload.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from annotations.records import StoredPair
from core import edits as executable
from core.claim_edits import EditableClaims
from core.datasets.bundled import bundled_items
from core.errors import TouchstoneError
from core.types import UNSTATED, Context, Edit, Intention, Item, Outcome, Span
from pages.ui import notices, services
from pages.ui.notices import leave_notice
from pages.ui.probe.probe_state import Pair, PinnedEdit, probe_state
from pages.ui.probe.text_panes import Replacement, editor_replacement, editor_text, set_editor_text
from pages.ui.session_user import user_name

EDITOR_KEY = "editor"
OPENING = "news-harbour/one-word"  # one word reverses who is to blame
_DRAFTS_LOOKED_AT = 20
_MAX_UNDO = 200  # undo goes back so far


def current_pair() -> Pair:
    """The pair that `restore_pair` has opened."""
    pair = probe_state().pair
    if pair is None:
        raise LookupError("No pair is open in this session.")
    return pair


def edited_summary() -> str:
    return editor_text(EDITOR_KEY)


def current_edits() -> list[Edit]:
    """The executable edits between the original and the text in the editor."""
    return executable.recover(current_pair().original, edited_summary(), current_pair().declared)


def current_intention() -> Intention:
    """What the edits are meant to be, where somebody said so."""
    return probe_state().meant


def intend(meant: Intention) -> None:
    """State what the edits are meant to be; the fields on the page show it when they are drawn next."""
    state = probe_state()
    state.meant, state.times_meant = meant, state.times_meant + 1


def saved_outcomes() -> tuple[Outcome, ...]:
    """The scores that were kept with just this edited summary."""
    return current_pair().saved if current_pair().kept == edited_summary() else ()


def open_pair(
    pair: Pair,
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
    state.claims_problem = ""
    state.pair = _with_plain_texts(pair)
    state.undo_texts, state.redo_texts, state.last_shown = [], [], {}
    set_editor_text(EDITOR_KEY, _with_plain_line_ends(pair.original) if text is None else text)
    state.known_text = edited_summary()
    state.opened = (address, edited_summary()) if address else None
    intend(meant)
    keep_draft()


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
        pair, text = _pair_of_stored(stored)
        stated = Intention(stored.pair.intended, stored.pair.error_type)
    else:
        raise TouchstoneError(f"No example is called {example!r}. Choose one from the list, or paste a pair.")
    if packed:
        unpacked = notices.unpack_edits(packed, pair.original)
        pair, text = replace(pair, declared=tuple(unpacked)), executable.apply(pair.original, unpacked)
        open_pair(pair, text, meant)
        return
    open_pair(pair, text, stated if text != pair.original else UNSTATED, address=example)


MAX_PINNED = 6


def edit_letter(place: int) -> str:
    """The name of a pinned edit, counted from 0; A is the original."""
    return chr(ord("B") + place)


def is_pinned() -> bool:
    """Whether what stands in the editor is one of the pinned edits."""
    original = current_pair().original
    return edited_summary() in {executable.apply(original, one.edits) for one in probe_state().pinned}


def pin_edit() -> None:
    """Keep what stands in the editor beside other edits of the same summary; nothing where there is no edit or no room."""
    note_change()
    state = probe_state()
    if current_edits() and not is_pinned() and len(state.pinned) < MAX_PINNED:
        state.pinned = (*state.pinned, PinnedEdit(tuple(current_edits()), current_intention()))
        keep_draft()


def unpin(place: int) -> None:
    state = probe_state()
    state.pinned = state.pinned[:place] + state.pinned[place + 1 :]
    keep_draft()


def open_pinned(place: int) -> None:
    """Put a pinned edit into the editor."""
    one = probe_state().pinned[place]
    rewrite_summary(executable.apply(current_pair().original, one.edits), one.edits)
    intend(one.meant)
    keep_draft()


def note_change() -> None:
    """Remember the text before the last change, however it was made; words that were replaced are an edit of their own.

    A press that is about the pair calls this first: what was typed just before may be in the same message.
    """
    state = probe_state()
    if edited_summary() != state.known_text:
        state.undo_texts = [*state.undo_texts, state.known_text][-_MAX_UNDO:]
        state.redo_texts = []
        state.known_text = edited_summary()
        keep_draft()
    if replaced := editor_replacement(EDITOR_KEY):
        _declare_replacement(replaced)


def rewrite_summary(text: str, declared: Sequence[Edit] = ()) -> None:
    """Change the edited summary from outside the editor; declared edits are kept as units."""
    note_change()
    for edit in declared:
        declare_edit(edit)
    set_editor_text(EDITOR_KEY, text)
    note_change()


def declare_edit(edit: Edit) -> None:
    """Remember an edit as a unit with its explanation; it replaces what was declared of the same words."""
    others = [other for other in current_pair().declared if other.span != edit.span]
    probe_state().pair = replace(current_pair(), declared=(*others, edit))
    keep_draft()


def revert_edit(edit: Edit) -> None:
    """Take one edit back and leave the others."""
    rewrite_summary(executable.apply(current_pair().original, [other for other in current_edits() if other != edit]))


def undo() -> None:
    state, text = probe_state(), _text_before_step()
    if state.undo_texts:
        state.redo_texts.append(text)
        _show_step(state.undo_texts.pop())


def redo() -> None:
    state, text = probe_state(), _text_before_step()
    if state.redo_texts:
        state.undo_texts.append(text)
        _show_step(state.redo_texts.pop())


def shows_opening_scene() -> bool:
    """Whether what opens, or has opened, is what somebody sees who comes for the first time."""
    opened, query = probe_state().opened, st.query_params
    if probe_state().pair:
        return opened is not None and opened[0] == OPENING
    return query.get("example", OPENING) == OPENING and "draft" not in query and "edits" not in query


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
        _pin_of_link(query.get("pinned", ""))
        _claims_of_link(query.get("claims", ""))
        probe_state().older_draft = _older_draft() if "example" in query and "edits" not in query else ""
    except TouchstoneError as error:
        open_example(first)
        leave_notice(str(error))


def _pin_of_link(packed: str) -> None:
    if pinned := notices.unpack_pinned(packed, current_pair().original):
        probe_state().pinned = pinned
        keep_draft()


def _claims_of_link(packed: str) -> None:
    if claims := notices.unpack_claims(packed, edited_summary()):
        probe_state().claims = claims
        keep_draft()


def keep_draft() -> None:
    """Save the pair so that a reload finds it again; each session has a draft of its own.

    What can be opened again from its address alone needs none, until it is changed.
    """
    state, pair = probe_state(), current_pair()
    added = bool(state.pinned or state.claims)
    as_opened = state.opened is not None and state.opened[1] == edited_summary() and not added
    if services.store().read_only or (as_opened and not state.draft_saved):
        return
    payload = json.dumps(
        {
            **asdict(replace(pair, saved=())),
            "edited": edited_summary(),
            "meant": asdict(current_intention()),
            "pinned": [asdict(one) for one in state.pinned],
            "claims": [state.claims.summary, state.claims.to_json()] if state.claims else None,
        }
    )
    try:
        services.store().save_draft(state.draft_id, user_name(), payload)
    except TouchstoneError as error:
        leave_notice(f"The draft is not saved, so a reload would lose it: {error}")
    else:
        state.draft_saved = True


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


def pair_of_item(item: Item) -> tuple[Pair, str]:
    """The pair and the edited summary of a dataset's item."""
    original = item.example.summary
    if item.parent:
        original = next(other.example.summary for other in bundled_items() if other.example.id == item.parent)
    pair = Pair(
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


def _pair_of_stored(stored: StoredPair) -> tuple[Pair, str]:
    kept = stored.pair
    pair = Pair(
        example=stored.id,
        title=kept.title,
        domain=kept.domain,
        source=kept.source,
        document=kept.document,
        original=kept.original,
        declared=kept.edits,
        saved=kept.outcomes,
        kept=kept.edited,
        contexts=kept.contexts,
        question=kept.question,
    )
    return pair, kept.edited


def draft_to_resume() -> str:
    """What the same person did to the example before, while what the link opened stands unchanged; empty without."""
    state = probe_state()
    return state.older_draft if state.opened and state.opened[1] == edited_summary() else ""


def resume_draft() -> None:
    payload, state = draft_to_resume(), probe_state()
    state.older_draft = ""
    if payload:
        _open_draft(payload)


def dismiss_draft() -> None:
    probe_state().older_draft = ""


def _older_draft() -> str:
    """The newest draft of this person that edits what is on the bench otherwise than it stands there."""
    here = current_pair()
    for payload in services.store().recent_drafts(user_name(), _DRAFTS_LOOKED_AT):
        draft = json.loads(payload)
        same = (draft["document"], draft["original"]) == (here.document, here.original)
        if same and draft["edited"] not in (here.original, edited_summary()):
            return payload
    return ""


def _open_draft(payload: str) -> None:
    fields = json.loads(payload)
    text = fields.pop("edited")
    declared = _edits_of_draft(fields.pop("declared"))
    # drafts of before say neither
    meant = _intention_of_draft(fields.pop("meant", {}))
    pinned = tuple(
        PinnedEdit(_edits_of_draft(one["edits"]), _intention_of_draft(one["meant"])) for one in fields.pop("pinned", ())
    )
    claimed = fields.pop("claims", None)
    claims = EditableClaims.from_json(claimed[1], claimed[0]) if claimed else None
    saved = services.store().pair(fields["example"]) if fields["example"] else None
    outcomes = saved.pair.outcomes if saved else ()
    contexts = tuple(Context(one["name"], Span(**one["span"])) for one in fields.pop("contexts", ()))
    pair = Pair(**{**fields, "declared": declared, "saved": outcomes, "contexts": contexts})
    open_pair(pair, text, meant, pinned=pinned, claims=claims)
    leave_notice("Your draft is back." if text != fields["original"] else "")


def _edits_of_draft(records: Iterable[dict[str, Any]]) -> tuple[Edit, ...]:
    return tuple(Edit(Span(**edit["span"]), edit["new"], edit["explanation"], edit["by"]) for edit in records)


def _intention_of_draft(record: dict[str, Any]) -> Intention:
    return executable.stated_intention(record.get("verdict"), record.get("error_type"))


def _declare_replacement(made: Replacement) -> None:
    """The one edit that is new since the text before gets the replacement's explanation and author."""
    before = probe_state().undo_texts[-1] if probe_state().undo_texts else current_pair().original
    known = {
        (edit.span, edit.new) for edit in executable.recover(current_pair().original, before, current_pair().declared)
    }
    new = [edit for edit in current_edits() if (edit.span, edit.new) not in known]
    if len(new) == 1:
        declare_edit(replace(new[0], explanation=made.explanation, by=user_name()))


def _text_before_step() -> str:
    """The text in the editor, once what was typed last is in the history."""
    note_change()
    return edited_summary()


def _show_step(text: str) -> None:
    set_editor_text(EDITOR_KEY, text)
    probe_state().known_text = text
    keep_draft()


def _with_plain_texts(pair: Pair) -> Pair:
    """The pair with plain line ends; a context begins so much earlier as line ends before it became shorter."""
    spans = [
        [place - pair.document.count("\r\n", 0, place) for place in (one.span.start, one.span.end)]
        for one in pair.contexts
    ]
    return replace(
        pair,
        original=_with_plain_line_ends(pair.original),
        document=_with_plain_line_ends(pair.document),
        contexts=tuple(Context(one.name, Span(*span)) for one, span in zip(pair.contexts, spans, strict=True)),
    )


def _with_plain_line_ends(text: str) -> str:
    # a text box knows only this line end; offsets must agree with it
    return text.replace("\r\n", "\n").replace("\r", "\n")
