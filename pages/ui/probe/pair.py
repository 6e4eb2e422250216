"""The pair on the bench: a document, its original summary and the edited one, with a history to walk.

It lives in the state of the page; the edited text is the editor's. Every change is kept as a draft in the database.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from core.errors import TouchstoneError
from core.text import edits as executable
from core.types import Edit, Intention, Outcome
from pages.server import services
from pages.ui.probe.probe_state import LoadedPair, probe_state
from pages.ui.probe.text_panes import editor_replacement, editor_text, set_editor_text
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.pair_link import PinnedEdit
from pages.ui.shared.session_user import user_name

EDITOR_KEY = "editor"
MAX_PINNED = 6
_MAX_UNDO = 200  # undo goes back so far


def current_pair() -> LoadedPair:
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
    """Intention of the edits, where somebody stated it."""
    return probe_state().meant


def intend(meant: Intention) -> None:
    """State what the edits are meant to be, until a label under Record says what they are."""
    probe_state().meant = meant


def saved_outcomes() -> tuple[Outcome, ...]:
    """The scores that were kept with just this edited summary."""
    return current_pair().saved if current_pair().kept == edited_summary() else ()


def edit_letter(place: int) -> str:
    """The name of a pinned edit, counted from 0; A is the original."""
    return chr(ord("B") + place)


def is_pinned() -> bool:
    """True if the summary in the editor is one of the pinned edits."""
    original = current_pair().original
    return edited_summary() in {executable.apply(original, pinned.edits) for pinned in probe_state().pinned}


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
    pinned = probe_state().pinned[place]
    rewrite_summary(executable.apply(current_pair().original, pinned.edits), pinned.edits)
    intend(pinned.meant)
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
        before = probe_state().undo_texts[-1] if probe_state().undo_texts else current_pair().original
        changes_before = {
            (edit.span, edit.new)
            for edit in executable.recover(current_pair().original, before, current_pair().declared)
        }
        new = [edit for edit in current_edits() if (edit.span, edit.new) not in changes_before]
        if len(new) == 1:
            declare_edit(replace(new[0], explanation=replaced.explanation, by=user_name()))


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
            "pinned": [asdict(pinned) for pinned in state.pinned],
            "claims": [state.claims.summary, state.claims.to_json()] if state.claims else None,
        }
    )
    try:
        services.store().save_draft(state.draft_id, user_name(), payload)
    except TouchstoneError as error:
        leave_notice(f"The draft is not saved, so a reload would lose it: {error}")
    else:
        state.draft_saved = True


def _text_before_step() -> str:
    """The text in the editor, once what was typed last is in the history."""
    note_change()
    return edited_summary()


def _show_step(text: str) -> None:
    set_editor_text(EDITOR_KEY, text)
    probe_state().known_text = text
    keep_draft()
