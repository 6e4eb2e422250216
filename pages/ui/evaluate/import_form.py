"""Importing on the page: the files, and the import itself in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.exchange.campaign_files import (
    campaign_lines,
    is_campaign_file,
    is_store_file,
    one_way_export,
    store_lines,
)
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.store_import import format_store_import, import_store
from annotations.people.people import Right
from core.base import Limits, read_apart
from core.data import DATASETS, Importer, format_counts
from core.errors import TouchstoneError
from core.models import fetch_released_dataset
from core.text import format_named_languages
from pages.server import services
from pages.server.job_work import STARTERS
from pages.server.jobs import BackgroundJob
from pages.ui.evaluate.dataset_choice import EvaluateState, evaluate_state
from pages.ui.evaluate.import_task import (
    ImportRequest,
    ImportTask,
    Reader,
    UploadedFiles,
    recognise_upload,
    write_upload,
)
from pages.ui.evaluate.mapping_form import mapping_form
from pages.ui.evaluate.version_choice import replaced_file, replaced_file_choice
from pages.ui.shared.background_results import RedrawState
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice
from pages.ui.shared.page_list import IMPORT_PARAMETERS, OPEN_PARAMETER
from pages.ui.shared.session_state import page_state
from pages.ui.shared.session_user import job_person, member_later, user_name

_LOOK_S = 0.5
_GENERIC_IMPORTER = "generic"
_CAMPAIGN_LIMITS = Limits(seconds=300, megabytes=2048)


def import_button() -> None:
    """A button that opens the form in a dialog, which closes once the data is imported; an address may open it too."""
    if st.query_params.get(OPEN_PARAMETER) == IMPORT_PARAMETERS[OPEN_PARAMETER]:
        del st.query_params[OPEN_PARAMETER]  # once: the dialog can be dismissed
        _set_open(True)
    st.button("Import data", icon=":material/database_upload:", key="import-open", on_click=_set_open, args=(True,))
    page_state(RedrawState).held = evaluate_state().import_open
    if evaluate_state().import_open:
        _import_dialog()


def import_receipt() -> None:
    """The receipt of the last import of this session; its progress, where somebody closed the dialog meanwhile."""
    state = evaluate_state()
    now = state.import_task
    if state.import_open or now is None:
        return
    if state.finished_import is not now or not now.results:
        _import_progress(now)
        return
    [receipt] = now.results
    missing = f" {receipt.missing} have no document yet." if receipt.missing else ""
    version = f" It is at version {receipt.version}; what changed is under Data." if receipt.version > 1 else ""
    if not (receipt.added or receipt.joined or receipt.removed):
        version = f" All of it was there: it stays at version {receipt.version}."
    st.success(escape_markdown(f"{receipt.dataset}: {receipt.added} new, {now.tally.samples} read.{version}{missing}"))
    if languages := format_named_languages(now.tally.languages):
        st.caption(f":material/translate: {escape_markdown(languages)}")
    with st.expander("What was imported"):
        st.text("\n".join(format_counts(now.tally.counts())))


def _set_open(shown: bool) -> None:
    evaluate_state().import_open = shown


@st.dialog("Import data", width="large", on_dismiss=lambda: _set_open(False))
def _import_dialog() -> None:
    """Choose an importer and files; the button reads them, and what fails is said here, beside what was chosen."""
    names, upload = DATASETS.names(), _current_upload()
    source_column, mapping_column = st.columns([1, 1.4], gap="large")
    with source_column:
        importer = st.selectbox(
            "Form of the data",
            names,
            index=names.index(_GENERIC_IMPORTER),
            key=EvaluateState.import_form.key,
            format_func=lambda name: DATASETS.get(name).title,
        )
        plugin = DATASETS.get(importer)
        facts = [f"Licence: {plugin.licence}.", f"Written for: {plugin.release}." if plugin.release else "", plugin.url]
        st.caption(escape_markdown(" ".join(filter(None, facts))))
        if not plugin.shipped:
            files = st.file_uploader(
                "Files",
                accept_multiple_files=True,
                key=EvaluateState.import_files.key,
                help="Larger files: cli.py import",
            )
            upload = upload if files else None
            if upload and upload.looks_like:
                st.info(escape_markdown(upload.looks_like), icon=":material/info:")
        questions = st.container()
    if upload and importer == _GENERIC_IMPORTER and _is_own_export(upload.source):
        with mapping_column:
            _own_export(upload)
        return
    with mapping_column:
        reading = None
        if upload:
            is_table = importer == _GENERIC_IMPORTER
            reading = mapping_form(upload.source, questions) if is_table else _known_form(plugin(), upload)
    with source_column:
        st.text_input("Name of the dataset", importer, key=EvaluateState.dataset_name.of(importer).key)
        replaced_file_choice(EvaluateState.dataset_name.of(importer).get() or importer)
        st.toggle(
            "Skip records that cannot be read",
            key=EvaluateState.skip_broken.key,
            help="Otherwise one of them stops the whole import.",
        )
        with st.container(horizontal=True):
            if not plugin.shipped:
                file, place = (upload.file, upload.place) if upload else ("", Path)
                _import_button("Import", "database", reading, importer, file, place)
            if plugin.shipped or plugin.hub:
                title = "Import the examples" if plugin.shipped else "Get it from the hub"
                fetched = partial(fetch_released_dataset, plugin())
                _import_button(title, "cloud_download", Reader(plugin().read), importer, "", fetched)
        if now := evaluate_state().import_task:
            _import_progress(now)


def _current_upload() -> UploadedFiles | None:
    """The uploaded files on disk; new ones choose the form that their content says, and a name for the dataset."""
    state = evaluate_state()
    files, before = state.import_files, state.upload
    if not files:
        return None
    if before and before.ids == tuple(file.file_id for file in files):
        return before
    upload = state.upload = write_upload(files)
    recognition = recognise_upload(upload.source)
    if recognition:
        upload.looks_like = recognition.sentence
        state.import_form = recognition.importer
    elif before and before.looks_like:
        state.import_form = _GENERIC_IMPORTER
    if len(files) == 1:
        EvaluateState.dataset_name.of(state.import_form).set(upload.source.stem)
    return upload


def _known_form(importer: Importer, upload: UploadedFiles) -> Reader:
    """The reader of a form that needs no mapping, below what is not read of it."""
    try:
        lines = importer.describe(upload.source)
    except TouchstoneError:
        lines = []  # reading it says what is wrong
    st.caption("  \n".join(map(escape_markdown, lines)))
    return Reader(importer.read)


def _is_own_export(source: Path) -> bool:
    """True for an export of Touchstone that is more than a dataset, or has none in it."""
    return is_campaign_file(source) or is_store_file(source) or bool(one_way_export(source))


def _own_export(upload: UploadedFiles) -> None:
    if sentence := one_way_export(upload.source):
        st.warning(escape_markdown(sentence), icon=":material/warning:")
    elif is_store_file(upload.source):
        _store_import(upload)
    else:
        _campaign_import(upload)


def _campaign_import(upload: UploadedFiles) -> None:
    """An exported campaign comes back as a campaign: as a table it would lose its questions, people and decisions."""
    st.info(
        "This is an exported campaign. It is imported as one, with its texts, people, labels and decisions.",
        icon=":material/groups:",
    )
    name = st.text_input("Name of the campaign", key="import-campaign-name", placeholder="as in the file")
    member, demo = member_later(), services.settings().demo
    if st.button("Import the campaign", type="primary", key="import-campaign", disabled=demo):
        try:
            member().require(Right.MANAGE)
            rows = read_apart(upload.file, _CAMPAIGN_LIMITS, campaign_lines, upload.source)
            campaign = import_campaign(services.store(), rows, name.strip())
        except TouchstoneError as error:
            st.error(escape_message(str(error)), icon=":material/error:")
            return
        st.success(escape_markdown(f"{campaign.name} is imported: see Campaigns."))


def _store_import(upload: UploadedFiles) -> None:
    """An export of everything: pairs, scores and labels come back as what they were."""
    st.info(
        "This is an export of everything that was kept: pairs, scores, labels and judgements. They are added to what is here.",
        icon=":material/database:",
    )
    member, demo = member_later(), services.settings().demo
    if st.button("Import everything", type="primary", key="import-everything", disabled=demo):
        try:
            member().require(Right.MANAGE)
            rows = read_apart(upload.file, _CAMPAIGN_LIMITS, store_lines, upload.source)
            added = import_store(services.store(), rows)
        except TouchstoneError as error:
            st.error(escape_message(str(error)), icon=":material/error:")
            return
        st.success(escape_markdown(format_store_import(added)))


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
        state = evaluate_state()
        name = EvaluateState.dataset_name.of(importer).get()
        request = ImportRequest(
            name, importer, file, user_name(), place, reading, state.skip_broken, replaced_file(name)
        )
        with error_as_notice():
            state.import_task = _begin(request)
        st.rerun()


def _begin(request: ImportRequest) -> ImportTask:
    """Begin an import as a job. Raises RecordError where the person has as many under way as a person may."""
    tasks: list[ImportTask] = []

    def begin() -> ImportTask:
        tasks.append(ImportTask(request, services.store()))
        return tasks[0]

    # an uploaded file is gone with the session, so that a job that was interrupted leads to the form
    job = BackgroundJob(
        f"import {request.dataset}", "import", request.dataset, "evaluate", {"tab": "Data"}, {}, job_person()
    )
    services.jobs().start(job, begin, by=request.by, counted=lambda: (tasks[0].tally.samples, 0, "samples read"))
    return tasks[0]


def _import_again(_: BackgroundJob) -> None:
    _set_open(True)


STARTERS["import"] = _import_again


@st.fragment(run_every=_LOOK_S)
def _import_progress(now: ImportTask) -> None:
    """Show the progress of an import; at its end draw the page again once, with the dialog closed unless it failed.

    It stays open, too, where other files were given meanwhile.
    """
    state = evaluate_state()
    if now.running:
        st.caption(f":material/hourglass_empty: {now.tally.samples} samples read")
        return
    if state.finished_import is not now:
        state.finished_import = now
        for receipt in now.results:
            state.new_dataset = receipt.dataset
            others = state.import_files and state.upload and state.upload.place != now.place
            state.import_open = state.import_open and bool(others)
        st.rerun()
    if now.error:
        st.error(escape_message(now.error), icon=":material/error:")
