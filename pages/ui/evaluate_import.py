"""Importing from the page: files are uploaded, read and kept in the background, and what they held is counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.importing import Imported, Provenance
from annotations.store import Store
from core.dataset import DATASETS, Refusal
from core.errors import TouchstoneError
from core.intake import Tally, lines, readable, sha256, whole
from core.types import Item
from pages.ui import services
from pages.ui.evaluate_mapping import mapping_form
from pages.ui.plain import plain

_LOOK_S = 0.5
_GENERIC = "generic"
_NOT_FROM_FILES = ("bundled",)

Reading = Callable[[], Iterator[Item | Refusal]]
"""Begins to read the uploaded files."""


@dataclass(eq=False)
class Upload:
    """Uploaded files in a folder of their own, which lasts as long as somebody holds it."""

    ids: tuple[str, ...]
    folder: TemporaryDirectory[str]
    source: Path


@dataclass(eq=False)
class Intake:
    """An import under way in a thread: what was read so far, and how it ended."""

    upload: Upload
    tally: Tally = field(default_factory=Tally)
    imported: Imported | None = None
    trouble: str = ""

    @property
    def running(self) -> bool:
        return self.imported is None and not self.trouble

    def begin(self, store: Store, origin: Provenance, reading: Reading, skip_broken: bool) -> None:
        threading.Thread(target=self._run, args=(store, origin, reading, skip_broken), daemon=True).start()

    def _run(self, store: Store, origin: Provenance, reading: Reading, skip_broken: bool) -> None:
        taken = readable if skip_broken else whole
        try:
            self.imported = store.import_dataset(origin, taken(reading(), self.tally), self.tally.counts)
        except TouchstoneError as error:
            self.trouble = str(error)


def import_form() -> None:
    """Choose an importer and files; the button reads them."""
    names = [plugin.name for plugin in DATASETS if plugin.name not in _NOT_FROM_FILES]
    left, right = st.columns([1, 1.4], gap="large")
    with left:
        importer = st.selectbox(
            "Form of the data",
            names,
            index=names.index(_GENERIC),
            key="import-form",
            format_func=lambda name: DATASETS.get(name).title,
        )
        _about(importer)
        files = st.file_uploader(
            "Files", accept_multiple_files=True, key="import-files", help="Larger files: cli.py import"
        )
    upload = _uploaded(files) if files else None
    with right:
        reading = _reading(importer, upload) if upload else None
    with left:
        _button(importer, upload, reading)
    if now := st.session_state.get("import-now"):
        _progress(now)


def _about(importer: str) -> None:
    plugin = DATASETS.get(importer)
    told = [f"Licence: {plugin.licence}.", f"Written for: {plugin.release}." if plugin.release else "", plugin.url]
    st.caption(plain(" ".join(filter(None, told))))


def _uploaded(files: Sequence[UploadedFile]) -> Upload:
    """The files on disk: one is read as a file, several as a folder."""
    ids = tuple(file.file_id for file in files)
    before: Upload | None = st.session_state.get("import-upload")
    if before and before.ids == ids:
        return before
    folder = TemporaryDirectory(ignore_cleanup_errors=True)
    paths = [Path(folder.name, Path(file.name).name) for file in files]
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.getvalue())
    st.session_state["import-upload"] = Upload(ids, folder, paths[0] if len(paths) == 1 else Path(folder.name))
    return _uploaded(files)


def _reading(importer: str, upload: Upload) -> Reading | None:
    if importer == _GENERIC:
        return mapping_form(upload.source)
    return lambda: DATASETS.get(importer)().read(upload.source)


def _button(importer: str, upload: Upload | None, reading: Reading | None) -> None:
    demo = services.settings().demo
    st.text_input("Name of the dataset", importer, key=f"import-name-{importer}")
    st.toggle(
        "Skip records that cannot be read", key="import-skip", help="Otherwise one of them stops the whole import."
    )
    now: Intake | None = st.session_state.get("import-now")
    st.button(
        "Import",
        icon=":material/database:",
        type="primary",
        key="import-go",
        disabled=demo or reading is None or bool(now and now.running),
        on_click=_begin,
        args=(importer, upload, reading),
        help="Nothing is kept in this demo." if demo else None,
    )


def _begin(importer: str, upload: Upload, reading: Reading) -> None:
    state, plugin, source = st.session_state, DATASETS.get(importer), upload.source
    named = ", ".join(sorted(path.name for path in source.iterdir())) if source.is_dir() else source.name
    by = state.get("annotator", services.settings().user)
    try:
        origin = Provenance(
            state[f"import-name-{importer}"], importer, named, sha256(source), plugin.licence, plugin.release, by
        )
    except TouchstoneError as error:
        state["notice"] = str(error)
        return
    state["import-now"] = Intake(upload)
    state["import-now"].begin(services.store(), origin, reading, state["import-skip"])


@st.fragment(run_every=_LOOK_S)
def _progress(now: Intake) -> None:
    if now.running:
        st.caption(f":material/hourglass_empty: {now.tally.samples} samples read")
        return
    if now.trouble:
        st.error(plain(now.trouble), icon=":material/error:")
        return
    _done(now)


def _done(now: Intake) -> None:
    """The receipt; the page is drawn anew once, so that the dataset can be chosen."""
    imported, state = now.imported, st.session_state
    if imported is None:
        return
    if state.get("import-seen") is not now:
        state["import-seen"], state["evaluate-add"] = now, imported.dataset
        st.rerun()
    lacking = f" {imported.missing} lack their document still." if imported.missing else ""
    st.success(plain(f"{imported.dataset}: {imported.added} new, {now.tally.samples} read.{lacking}"))
    st.text("\n".join(lines(now.tally.counts())))
