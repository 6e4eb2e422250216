"""Other texts on the bench: pasted, or from a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import streamlit as st

from core.data import DocumentText, Pairs, Refusal, format_cleaning, is_formatted, read_document
from core.errors import TouchstoneError
from core.types import UNSTATED, Intention, Item
from pages.ui.probe.context_form import context_form
from pages.ui.probe.document_reading import DocumentReading, follow_reading
from pages.ui.probe.opening import open_pair
from pages.ui.probe.probe_state import LoadedPair, ProbeState, probe_state
from pages.ui.probe.system_outputs import outputs_choice
from pages.ui.shared.markup import escape_markdown, escape_message

_TABLE_SUFFIXES = ("jsonl", "csv", "tsv")
_MOST_IN_FIELD = 200_000  # characters
_STEP = 2_000  # pairs read until the bar moves
_SHORT_S = 1.0  # a document that takes no longer is the document at once, without a bar that comes and goes
_MOST_LISTED = 200  # summaries of a file, or its refused lines: a browser takes a minute to search a hundred thousand


def upload_popover() -> None:
    """The popover in the toolbar: paste a pair or upload one, or add contexts to the document that is there."""
    with st.popover("Open a text", icon=":material/upload_file:", key=ProbeState.upload_open.key, on_change="rerun"):
        opening, adding = st.tabs(["Another pair", "Contexts of this one"])
        with opening:
            file = st.file_uploader(
                "From a file",
                key=ProbeState.upload.key,
                on_change=_read_upload,
                help="A document (.txt, .md, .pdf, .docx, .html), or pairs (.jsonl, .csv) with document (or contexts) and summary.",
            )
            if file is None:  # as also after a visit to another page, which takes it out of the uploader
                _end_reading()
                probe_state().long_document, probe_state().cleaning = "", None
            else:
                if is_formatted(file.name):
                    _show_cleaning()
                _show_reading()
                _show_upload()
            if long := probe_state().long_document:
                st.caption(
                    f"The document is the file, with {len(long):,} characters: too many to show them in a field."
                )
            else:
                st.text_area(
                    "Document", key=ProbeState.pasted_document.key, height=140, placeholder="Paste the document here."
                )
            st.text_area(
                "Summary", key=ProbeState.pasted_summary.key, height=90, placeholder="Paste a summary of it here."
            )
            st.button("Open the pair", key="open-pasted", type="primary", on_click=_open_pasted)
            if problem := probe_state().upload_error:
                st.error(escape_message(problem), icon=":material/error:")
        with adding:
            context_form()


def _show_cleaning() -> None:
    """The switch of cleaning, and what it changed in the document that was read."""
    st.toggle(
        "Text as a reader would copy it",
        key=ProbeState.clean_upload.key,
        on_change=_read_upload,
        help="Joins words over line ends, folds ligatures, and leaves out running heads, page numbers, marks of footnotes, "
        "navigation and hidden parts. Off: the text as the file stores it.",
    )
    cleaning = probe_state().cleaning
    if cleaning:
        st.caption(f"Cleaned: {format_cleaning(cleaning)}.")
    elif cleaning is not None and probe_state().clean_upload:
        st.caption("Nothing had to be cleaned.")


def _show_reading() -> None:
    """The progress of a document that is being read; at its end its text is offered, or why there is none.

    It does not take the place of the document by itself, where somebody may be typing what no server has heard of yet.
    """
    state = probe_state()
    reading = state.reading
    if reading is None:
        return
    if reading.cancelled:
        read = reading.task.progress
        st.caption(f"Cancelled after {read.done} of {read.total} pages: the document is what it was before.")
    elif not reading.is_read:
        follow_reading(reading)
    elif reading.task.error:
        _take_reading()
    else:
        name = escape_markdown(reading.name)
        st.button(f"Use the text of {name} as the document", key="use-reading", on_click=_take_reading)


def _take_reading() -> None:
    """Make the text that was read the document; why there is none is the problem that is shown."""
    state = probe_state()
    reading, state.reading = state.reading, None
    try:
        if reading:
            _take_document(reading.document)
    except TouchstoneError as error:
        state.upload_error = str(error)


def _end_reading() -> None:
    state = probe_state()
    if state.reading:
        state.reading.cancel()
    state.reading = None


def _take_document(document: DocumentText) -> None:
    state, text = probe_state(), document.text
    state.cleaning = document.cleaning
    if len(text) > _MOST_IN_FIELD:  # a browser would stand still for seconds with so long a text in a field
        state.long_document = text
    else:
        state.pasted_document = text


def _show_upload() -> None:
    uploaded = probe_state().uploaded
    items = {item.example.id: item for item in uploaded if isinstance(item, Item)}
    refused = [refusal for refusal in uploaded if isinstance(refusal, Refusal)]
    if items:
        outputs_choice([*items.values()])
        shown = list(items)
        if len(items) > _MOST_LISTED:
            st.text_input(
                "Find a summary", key=ProbeState.uploaded_words.key, placeholder="words of its id or its text"
            )
            words = probe_state().uploaded_words.casefold().split()
            texts = {name: f"{name} {item.title} {item.example.summary}".casefold() for name, item in items.items()}
            shown = [name for name, text in texts.items() if all(word in text for word in words)]
            st.caption(f"{len(shown):,} of {len(items):,} found; the first {min(_MOST_LISTED, len(shown))} are listed.")
        st.selectbox(
            f"{len(items)} summaries read",
            shown[:_MOST_LISTED],
            key=ProbeState.uploaded_id.key,
            on_change=_open_uploaded,
            index=None,
            placeholder="Choose one to open",
        )
    if refused:
        with st.container(height=120, border=True):
            more = f"\n{len(refused) - _MOST_LISTED:,} lines more" if len(refused) > _MOST_LISTED else ""
            lines = (f"Line {refusal.line}: {refusal.error}" for refusal in refused[:_MOST_LISTED])
            st.text("\n".join(lines) + more)


def _read_upload() -> None:
    state = probe_state()
    state.uploaded, state.upload_error, state.long_document, state.cleaning = (), "", "", None
    _end_reading()
    file = state.upload
    if file is None:
        return
    name, data = file.name, file.getvalue()
    try:
        if name.lower().endswith(_TABLE_SUFFIXES):
            lines, words = max(1, data.count(b"\n")), f"Reading {escape_markdown(name)}…"
            bar = st.progress(0.0, words)
            entries: list[Item | Refusal] = []
            for entry in read_uploaded_pairs(name, data):
                entries.append(entry)
                if len(entries) % _STEP == 0:  # whoever takes the file out of the field meanwhile ends it here
                    bar.progress(min(1.0, len(entries) / lines), words)
            bar.empty()
            state.uploaded = entries
        elif is_formatted(name):
            state.reading = DocumentReading(name, data, clean=state.clean_upload)
            if state.reading.task.wait(_SHORT_S):
                _take_reading()
        else:
            _take_document(read_document(name, data))
    except TouchstoneError as error:
        state.upload_error = str(error)


def read_uploaded_pairs(name: str, data: bytes) -> Iterator[Item | Refusal]:
    """The pairs of an uploaded file; raises TouchstoneError where it cannot be read as a whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name)
        path.write_bytes(data)
        yield from Pairs().read(path)


def _open_uploaded() -> None:
    state = probe_state()
    items = {item.example.id: item for item in state.uploaded if isinstance(item, Item)}
    item = items.get(state.uploaded_id or "")
    if item is None:
        return
    parent = items.get(item.parent or "")
    original = parent.example.summary if parent else item.example.summary
    opened = LoadedPair(
        *("", item.title or item.example.id, item.domain, "upload", item.example.document, original),
        declared=item.edits,
        contexts=item.example.contexts,
        question=item.example.question,
    )
    meant = Intention(item.intended, item.error_type) if item.example.summary != original else UNSTATED
    open_pair(opened, item.example.summary, meant)
    state.upload_open = False


def _open_pasted() -> None:
    state = probe_state()
    if state.reading and state.reading.is_read and not state.pasted_document.strip():
        _take_reading()
    document, summary = state.long_document or state.pasted_document, state.pasted_summary
    missing = [what for what, text in (("document", document), ("summary", summary)) if not text.strip()]
    state.upload_error = f"The {' and the '.join(missing)} is empty. Paste or upload it first." if missing else ""
    if not missing:
        open_pair(LoadedPair("", "Pasted pair", "", "pasted", document, summary))
        state.upload_open = False
