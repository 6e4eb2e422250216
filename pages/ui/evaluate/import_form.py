"""Importing on the page: the files, the columns of a table, and the import itself in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.dataset import DATASETS, format_counts
from core.datasets.formats.column_inference import infer_column_map
from core.datasets.formats.column_map import ColumnMap, ScoreColumn
from core.datasets.formats.text_files import Row
from core.datasets.generic import preview_rows, read_with_map
from core.errors import TouchstoneError
from core.models.download import fetch_released_dataset
from pages.ui import services
from pages.ui.evaluate.dataset_choice import EvaluateState, evaluate_state
from pages.ui.evaluate.import_task import ImportRequest, ImportTask, Reader, UploadedFiles, write_upload
from pages.ui.markup import escape_markdown
from pages.ui.session_user import user_name

_SINGLE_COLUMNS = {
    "document": "Document",
    "summary": "Summary",
    "edited": "Edited summary",
    "label": "Label",
    "error_type": "Error type",
    "group": "Which document (group)",
    "id": "Id",
    "system": "Written by (system)",
    "split": "Split",
    "domain": "Domain",
}
_PREVIEW_ROWS = 5


def mapping_form(source: Path) -> Reader | None:
    """What reads the table as it was mapped; None, with a message, where it cannot be read."""
    try:
        rows, guessed = _preview_and_guess(source, source.stat().st_mtime_ns)
    except TouchstoneError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    st.dataframe(pd.DataFrame(rows[:_PREVIEW_ROWS]).astype(str), hide_index=True, height="auto", alt="The first rows")
    columns = list(dict.fromkeys(name for row in rows for name in row if name))
    mapped = _corrected_mapping(columns, guessed, source.name)
    if not mapped.summary:
        st.caption("Choose the column that holds the summary.")
        return None
    st.download_button(
        "Save this mapping",
        mapped.to_json,
        "mapping.json",
        on_click="ignore",
        icon=":material/save:",
        help="In the terminal: cli.py import 'generic[mapping=mapping.json]' FILE",
    )
    return partial(read_with_map, columns=mapped)


@lru_cache(8)
def _preview_and_guess(source: Path, _changed_ns: int) -> tuple[list[Row], ColumnMap]:
    """The first rows and the guess; a large workbook takes seconds to open, and every correction draws the form again."""
    rows = preview_rows(source)
    return rows, infer_column_map(rows)


def _corrected_mapping(columns: Sequence[str], guessed: ColumnMap, file: str) -> ColumnMap:
    """The guess with what was chosen instead."""
    values: dict[str, Any] = {}
    grid = st.columns(2)
    for place, (name, title) in enumerate(_SINGLE_COLUMNS.items()):
        with grid[place % 2]:
            values[name] = _column_select(name, title, columns, getattr(guessed, name), file)
    annotators = st.multiselect(
        "Annotators, a column each",
        columns,
        [name for name in guessed.annotators if name in columns],
        key=f"map-judges-{file}",
    )
    known = {score.column: score for score in guessed.scores}
    scores = st.multiselect(
        "Released scores", columns, list(known), key=f"map-scores-{file}", help="Higher: more consistent."
    )
    mapped = guessed.model_copy(
        update={
            **values,
            "annotators": tuple(annotators),
            "scores": tuple(known.get(name, ScoreColumn(column=name, metric=name)) for name in scores),
        }
    )
    yes = _polarity_choice("A label of 1 or yes says", guessed.yes, f"map-polarity-{file}") if mapped.label else True
    if mapped.annotators:
        says_consistent = _polarity_choice(
            "An annotator's 1 or yes says", guessed.yes != guessed.opposed, f"map-votes-{file}"
        )
        mapped = mapped.model_copy(update={"opposed": says_consistent != yes})
    return mapped if yes == mapped.yes else mapped.flipped()


def _column_select(name: str, title: str, columns: Sequence[str], guessed: str, file: str) -> str:
    place = columns.index(guessed) if guessed in columns else None
    chosen = st.selectbox(title, columns, index=place, key=f"map-{name}-{file}", placeholder="none")
    return chosen or ""


def _polarity_choice(title: str, guessed: bool, key: str) -> bool:
    """Whether yes or 1 says that the summary is consistent."""
    return st.radio(
        title,
        [True, False],
        index=0 if guessed else 1,
        key=key,
        format_func=lambda yes: "the summary is consistent" if yes else "an error is there",
        horizontal=True,
    )


_LOOK_S = 0.5
_GENERIC_IMPORTER = "generic"


def has_import() -> bool:
    """Whether an import was begun here: it goes on, or its receipt or reason is still to be read."""
    return evaluate_state().import_task is not None


def import_form() -> None:
    """Choose an importer and files; the button reads them."""
    names = DATASETS.names()
    left, right = st.columns([1, 1.4], gap="large")
    with left:
        importer = st.selectbox(
            "Form of the data",
            names,
            index=names.index(_GENERIC_IMPORTER),
            key="import-form",
            format_func=lambda name: DATASETS.get(name).title,
        )
        _importer_caption(importer)
        upload = _file_upload(importer)
    with right:
        reading = _chosen_reader(importer, upload) if upload else None
    with left:
        _import_settings(importer)
        _import_buttons(importer, upload, reading)
    if now := evaluate_state().import_task:
        _import_progress(now)


def _importer_caption(importer: str) -> None:
    plugin = DATASETS.get(importer)
    facts = [f"Licence: {plugin.licence}.", f"Written for: {plugin.release}." if plugin.release else "", plugin.url]
    st.caption(escape_markdown(" ".join(filter(None, facts))))


def _file_upload(importer: str) -> UploadedFiles | None:
    """The files that were chosen; what comes with Touchstone needs none."""
    if DATASETS.get(importer).shipped:
        return None
    files = st.file_uploader(
        "Files", accept_multiple_files=True, key="import-files", help="Larger files: cli.py import"
    )
    return _save_upload(files) if files else None


def _save_upload(files: Sequence[UploadedFile]) -> UploadedFiles:
    """The files on disk, written once."""
    before = evaluate_state().upload
    if before and before.ids == tuple(file.file_id for file in files):
        return before
    upload = evaluate_state().upload = write_upload(files)
    return upload


def _chosen_reader(importer: str, upload: UploadedFiles) -> Reader | None:
    return mapping_form(upload.source) if importer == _GENERIC_IMPORTER else DATASETS.get(importer)().read


def _import_settings(importer: str) -> None:
    st.text_input("Name of the dataset", importer, key=EvaluateState.dataset_name.of(importer).key)
    st.toggle(
        "Skip records that cannot be read",
        key=EvaluateState.skip_broken.key,
        help="Otherwise one of them stops the whole import.",
    )


def _import_buttons(importer: str, upload: UploadedFiles | None, reading: Reader | None) -> None:
    """Import what was uploaded, or get the dataset from where it lives."""
    plugin = DATASETS.get(importer)
    with st.container(horizontal=True):
        if not plugin.shipped:
            file, place = (upload.file, upload.place) if upload else ("", Path)
            _import_button("Import", "database", reading, importer, file, place)
        if plugin.shipped or plugin.hub:
            title = "Import the examples" if plugin.shipped else "Get it from the hub"
            _import_button(
                title, "cloud_download", plugin().read, importer, "", partial(fetch_released_dataset, plugin())
            )


def _import_button(
    title: str, icon: str, reading: Reader | None, importer: str, file: str, place: Callable[[], Path]
) -> None:
    demo = services.settings().demo
    now = evaluate_state().import_task
    # no callback: it would be called with the mapping of the run before, when somebody corrects and presses quickly
    pressed = st.button(
        title,
        icon=f":material/{icon}:",
        type="primary" if title == "Import" else "secondary",
        key=f"import-{icon}",
        disabled=demo or reading is None or bool(now and now.running),
        help="Nothing is kept in this demo." if demo else None,
    )
    if pressed and reading:
        _begin_import(importer, file, place, reading)
        st.rerun()


def _begin_import(importer: str, file: str, place: Callable[[], Path], reading: Reader) -> None:
    state = evaluate_state()
    name = EvaluateState.dataset_name.of(importer).get()
    request = ImportRequest(name, importer, file, user_name(), place, reading, state.skip_broken)
    state.import_task = ImportTask(request, services.store())


@st.fragment(run_every=_LOOK_S)
def _import_progress(now: ImportTask) -> None:
    """How far an import is; at its end the page is drawn again once, so that its buttons and choices know of it."""
    state = evaluate_state()
    if now.running:
        st.caption(f":material/hourglass_empty: {now.tally.samples} samples read")
        return
    if state.finished_import is not now:
        state.finished_import = now
        for receipt in now.results:
            state.new_dataset = receipt.dataset
        st.rerun()
    _import_result(now)


def _import_result(now: ImportTask) -> None:
    """The receipt, or why there is none."""
    if now.error:
        st.error(escape_markdown(now.error), icon=":material/error:")
        return
    [receipt] = now.results
    missing = f" {receipt.missing} have no document yet." if receipt.missing else ""
    st.success(escape_markdown(f"{receipt.dataset}: {receipt.added} new, {now.tally.samples} read.{missing}"))
    st.text("\n".join(format_counts(now.tally.counts())))
