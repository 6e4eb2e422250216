"""The pair on the bench: a document, its original summary and the edited one, with a history to walk.

It lives in the session state; the edited text is the editor's. A draft in the database brings it back after a reload.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from uuid import uuid4

import streamlit as st

from annotations.records import StoredPair
from core import edits as executable
from core.datasets.bundled import examples
from core.errors import TouchstoneError
from core.types import Edit, Item, Outcome, Span
from pages.ui import services
from pages.ui.probe import links
from pages.ui.probe.editor import Replacement, replacement_of, set_text, text_of

EDITOR = "editor"
_STEPS = 200  # undo goes back so far


@dataclass(frozen=True, slots=True)
class Pair:
    """What was loaded, and the edits that somebody declared as units with an explanation.

    `example` is the id that links carry: of a bundled example, of a kept pair, or empty for a text not kept yet.
    `saved` are the scores of a kept pair, whose edited summary was `kept`.
    """

    example: str
    title: str
    domain: str
    source: str
    document: str
    original: str
    declared: tuple[Edit, ...] = ()
    saved: tuple[Outcome, ...] = ()
    kept: str = ""


def current() -> Pair:
    pair: Pair = st.session_state["pair"]
    return pair


def edited() -> str:
    return text_of(EDITOR)


def edits() -> list[Edit]:
    """The executable edits between the original and what stands in the editor."""
    return executable.recover(current().original, edited(), current().declared)


def saved_outcomes() -> tuple[Outcome, ...]:
    """The scores that were kept with just this edited summary."""
    return current().saved if current().kept == edited() else ()


def open_pair(pair: Pair, text: str | None = None) -> None:
    """Put a pair on the bench, edited to `text` where one is given."""
    st.session_state["pair"] = replace(pair, original=_lines(pair.original), document=_lines(pair.document))
    st.session_state["past"], st.session_state["future"], st.session_state["shown"] = [], [], {}
    set_text(EDITOR, _lines(pair.original) if text is None else text)
    st.session_state["known"] = edited()
    keep_draft()


def open_example(example: str, packed: str = "") -> None:
    """Open a bundled example, one of its variants or a kept pair by its id. Raises TouchstoneError for an unknown one."""
    bundled = next((item for item in examples() if item.example.id == example), None)
    stored = None if bundled else services.store().pair(example)
    if bundled:
        pair, text = from_item(bundled)
    elif stored:
        pair, text = _from_stored(stored)
    else:
        raise TouchstoneError(f"No example is called {example!r}. Choose one from the list, or paste a pair.")
    if packed:
        unpacked = links.unpack(packed, pair.original)
        pair, text = replace(pair, declared=tuple(unpacked)), executable.apply(pair.original, unpacked)
    open_pair(pair, text)


def note_change() -> None:
    """Remember the text before the last change, however it was made; words that were replaced are an edit of their own.

    A press that is about the pair calls this first: what was typed just before may be in the same message.
    """
    state = st.session_state
    if edited() != state["known"]:
        state["past"] = [*state["past"], state["known"]][-_STEPS:]
        state["future"] = []
        state["known"] = edited()
        keep_draft()
    if replaced := replacement_of(EDITOR):
        _declare_replacement(replaced)


def rewrite(text: str, declared: Sequence[Edit] = ()) -> None:
    """Change the edited summary from outside the editor; declared edits are kept as units."""
    note_change()
    for edit in declared:
        declare(edit)
    set_text(EDITOR, text)
    note_change()


def declare(edit: Edit) -> None:
    """Remember an edit as a unit with its explanation; it replaces what was declared of the same words."""
    others = [other for other in current().declared if other.span != edit.span]
    st.session_state["pair"] = replace(current(), declared=(*others, edit))
    keep_draft()


def revert(edit: Edit) -> None:
    """Take one edit back and leave the others."""
    rewrite(executable.apply(current().original, [other for other in edits() if other != edit]))


def undo() -> None:
    _walk("past", "future")


def redo() -> None:
    _walk("future", "past")


def restore() -> None:
    """Fill an empty bench at the start of a session: from a draft, a link, or the first example."""
    state = st.session_state
    if "pair" in state:
        return
    query = st.query_params.to_dict()
    state["draft"], state["drafted"] = uuid4().hex, False
    draft = services.store().draft(query["draft"]) if "draft" in query else None
    if draft:
        _from_draft(draft)
        return
    first = examples()[0].example.id
    try:
        open_example(query.get("example", first), query.get("edits", ""))
    except TouchstoneError as error:
        open_example(first)
        state["notice"] = str(error)


def keep_draft() -> None:
    """Write the pair down so that a reload finds it again; each session has a draft of its own.

    What can be opened again from its example alone needs none, until it is changed.
    """
    state, pair = st.session_state, current()
    if services.store().read_only or (pair.example and edited() == pair.original and not state["drafted"]):
        return
    payload = json.dumps({**asdict(replace(pair, saved=())), "edited": edited()})
    try:
        services.store().save_draft(state["draft"], state.get("annotator", ""), payload)
    except TouchstoneError as error:
        state["notice"] = f"The draft is not saved, so a reload would lose it: {error}"
    else:
        state["drafted"] = True


def show_in_address() -> None:
    """Let the address of the page name the pair, so that a reload or a bookmark finds it."""
    parts = {"example": current().example} if current().example else {}
    if st.session_state["drafted"]:
        parts["draft"] = st.session_state["draft"]
    if st.query_params.to_dict() != parts:
        st.query_params.from_dict(parts)


def from_item(item: Item) -> tuple[Pair, str]:
    """The pair and the edited summary of a dataset's item."""
    original = item.example.summary
    if item.parent:
        original = next(other.example.summary for other in examples() if other.example.id == item.parent)
    pair = Pair(
        example=item.parent or item.example.id,
        title=item.title,
        domain=item.domain,
        source=item.example.id,
        document=item.example.document,
        original=original,
        declared=item.edits,
    )
    return pair, item.example.summary


def _from_stored(stored: StoredPair) -> tuple[Pair, str]:
    kept = stored.kept
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
    )
    return pair, kept.edited


def _from_draft(payload: str) -> None:
    fields = json.loads(payload)
    text = fields.pop("edited")
    declared = [
        Edit(Span(**edit["span"]), edit["new"], edit["explanation"], edit["by"]) for edit in fields.pop("declared")
    ]
    saved = services.store().pair(fields["example"]) if fields["example"] else None
    outcomes = saved.kept.outcomes if saved else ()
    open_pair(Pair(**{**fields, "declared": tuple(declared), "saved": outcomes}), text)
    st.session_state["notice"] = "Your draft is back." if text != fields["original"] else ""


def _declare_replacement(made: Replacement) -> None:
    """The one edit that is new since the text before gets the replacement's explanation and author."""
    before = st.session_state["past"][-1] if st.session_state["past"] else current().original
    known = {(edit.span, edit.new) for edit in executable.recover(current().original, before, current().declared)}
    new = [edit for edit in edits() if (edit.span, edit.new) not in known]
    if len(new) == 1:
        declare(replace(new[0], explanation=made.explanation, by=st.session_state["annotator"]))


def _walk(source: str, target: str) -> None:
    note_change()
    state = st.session_state
    if not state[source]:
        return
    state[target] = [*state[target], edited()]
    *state[source], text = state[source]
    set_text(EDITOR, text)
    state["known"] = text
    keep_draft()


def _lines(text: str) -> str:
    # a text box knows only this line end; offsets must agree with it
    return text.replace("\r\n", "\n").replace("\r", "\n")
