"""Items of a campaign from a file that is dropped on the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import streamlit as st

from annotations.campaigns.campaign import NewTask
from annotations.management.candidates import CELL_SEPARATOR, Candidate, candidates_from_items
from core.base import Limits, read_apart
from core.data import DATASETS, ImportCounts, infer_column_map, readable_items
from core.errors import TouchstoneError
from core.stats import format_count
from pages.ui.campaigns.campaign_choice import campaigns_state
from pages.ui.evaluate.import_task import Reader, recognise_upload, write_upload
from pages.ui.evaluate.mapping_form import guesses_summary, mapping_form
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown

_GENERIC = "generic"
_LIMITS = Limits(seconds=300, megabytes=2048)
_PREVIEW_ITEMS = 10
_GUESS_ITEMS = 200
_NUMBERED = re.compile(r"(\D*)(\d+)(\D*)")


def file_candidates(key: str) -> list[Candidate] | None:
    """The items of a dropped file, below what is asked about it; None before there is one that can be read."""
    file = st.file_uploader(
        "Your file",
        key=f"{key}-items-file",
        help="CSV, JSONL, JSON, parquet, xlsx, or the export of another tool: a row an item, with its document and its summary. "
        "All other columns stay with the item, and leave with each label.",
    )
    state = campaigns_state()
    if not file:
        state.upload = None
        return None
    if state.upload is None or state.upload.ids != (file.file_id,):
        state.upload = write_upload([file])
        recognition = recognise_upload(state.upload.source)
        state.upload_importer = recognition.importer if recognition else _GENERIC
        state.upload.looks_like = recognition.sentence if recognition else ""
    upload, importer = state.upload, state.upload_importer
    if upload.looks_like:
        st.info(escape_markdown(upload.looks_like), icon=":material/info:")
    reading = _mapped_reader(upload.source) if importer == _GENERIC else Reader(DATASETS.get(importer)().read)
    if reading is None:
        return None

    def read() -> tuple[list[Candidate], int, ImportCounts]:
        tally = ImportCounts()
        with closing(read_apart(upload.file, _LIMITS, reading.read, upload.source)) as records:
            candidates, missing = candidates_from_items(readable_items(records, tally), upload.file)
        return candidates, missing, tally

    settings = tuple(sorted(reading.settings.items()))
    result = background_result("Reading the file…", ("file-items", upload.ids, importer, settings), read)
    if result is None:
        return None
    candidates, missing, tally = result
    _preview(candidates)
    repeated, refused = tally.samples - missing - len(candidates), tally.refused.total()
    notes = [
        f"{format_count(len(candidates), 'item')} in {upload.file}.",
        f"{format_count(missing, 'row')} without a document left out." if missing else "",
        f"{format_count(refused, 'row')} left out: {next(iter(tally.refused))}" if refused else "",
        f"{format_count(repeated, 'row')} with the texts of another: both are one item." if repeated else "",
    ]
    st.caption(escape_markdown(" ".join(filter(None, notes))))
    return candidates


def _mapped_reader(source: Path) -> Reader | None:
    """Reader of a table by the guessed columns; what the file does not say is asked above them."""
    questions = st.container()
    is_guessed = guesses_summary(source)
    with st.expander("Columns", icon=":material/tune:", expanded=not is_guessed):
        return mapping_form(source, questions)


def _preview(candidates: Sequence[Candidate]) -> None:
    import pandas as pd

    rows = [
        {
            **candidate.columns,
            "document": candidate.pair.document if candidate.pair else "",
            "summary": candidate.summary,
        }
        for candidate in candidates[:_PREVIEW_ITEMS]
    ]
    st.dataframe(
        pd.DataFrame(rows).astype(str),
        hide_index=True,
        height="auto",
        alt="The first items of the file",
        column_config={name: st.column_config.Column(width="medium") for name in ("document", "summary")},
    )


def shown_columns_choice(key: str, columns: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """The columns that annotators see above the texts; nothing is drawn where the items have none."""
    if not columns:
        return ()
    selected = st.multiselect(
        "Columns that annotators see",
        columns,
        default,
        key=f"{key}-shown-{hash((*columns, *default))}",
        placeholder="None",
        help="They are shown above the document. At first only those that number the items are, so that people label blind: look "
        "for labels, scores and systems before you add one. Every column leaves with each label.",
    )
    return tuple(selected)


def earlier_labels_choice(key: str, tasks: Sequence[NewTask]) -> list[str]:
    """People whose labels from another tool come along; nothing is drawn where the items have none."""
    counts = Counter(name for task in tasks for name in task.earlier)
    if not counts:
        return []
    names = sorted(counts)
    return st.multiselect(
        "People whose earlier labels come along",
        names,
        names,
        key=f"{key}-earlier-{hash(tuple(names))}",
        format_func=lambda name: f"{name} ({format_count(counts[name], 'label')})",
        placeholder="Nobody: all is labelled again",
        help="They take places of their items and count in agreement and final labels, marked as imported; tables by mode have them "
        "apart. Nobody is shown them while they label.",
    )


def column_names(candidates: Sequence[Candidate]) -> list[str]:
    """Columns of the owners' tables, in the order in which the items have them."""
    return list(dict.fromkeys(name for candidate in candidates for name in candidate.columns))


def blind_columns(candidates: Sequence[Candidate]) -> list[str]:
    """Columns that number the items, as lh-001 and lh-002 do; any other may tell an annotator of a label, a score or a system."""
    rows = [{**candidate.columns, "summary": candidate.summary} for candidate in candidates[:_GUESS_ITEMS]]
    try:
        guess = infer_column_map(rows)
    except TouchstoneError:
        return []
    telling = {
        *(guess.label, guess.error_type, guess.system, guess.annotator),
        *(*guess.annotators, *guess.ratings, *(score.column for score in guess.scores)),
    }
    return [
        name
        for name in column_names(candidates)
        if name not in telling and _numbers_items(name, [candidate.columns.get(name, "") for candidate in candidates])
    ]


def _numbers_items(name: str, cells: Sequence[str]) -> bool:
    """If each cell has other digits, and the words around them are the same: q-7-lead and q-7-bart tell systems apart."""
    parts = [_NUMBERED.fullmatch(part) for cell in cells for part in cell.split(CELL_SEPARATOR)]
    around = {(part[1], part[3]) for part in parts if part}
    is_named = name.casefold() == "id" or any(any(map(str.isalpha, before)) for before, _ in around)  # 4 may be a grade
    return is_named and all(parts) and len(around) == 1 and len({part[2] for part in parts if part}) == len(parts)
