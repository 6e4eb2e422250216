"""Importing on the page: from uploaded files or from where the dataset lives, in the background, with what it held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.dataset import DATASETS
from core.intake import lines
from core.models.released import released
from pages.ui import services
from pages.ui.evaluate.intake import Intake, Reading, Wish
from pages.ui.evaluate.mapping import mapping_form
from pages.ui.plain import plain

_LOOK_S = 0.5
_GENERIC = "generic"


@dataclass(eq=False)
class Upload:
    """Uploaded files in a folder of their own, which lasts as long as somebody holds it."""

    ids: tuple[str, ...]
    folder: TemporaryDirectory[str]
    source: Path

    def place(self) -> Path:
        return self.source

    @property
    def file(self) -> str:
        """The names of the files."""
        return ", ".join(sorted(path.name for path in self.source.iterdir())) if len(self.ids) > 1 else self.source.name


def importing() -> bool:
    """Whether an import was begun here: it goes on, or its receipt or reason is still to be read."""
    return "import-now" in st.session_state


def import_form() -> None:
    """Choose an importer and files; the button reads them."""
    names = DATASETS.names()
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
        upload = _upload(importer)
    with right:
        reading = _reading(importer, upload) if upload else None
    with left:
        _settings(importer)
        _buttons(importer, upload, reading)
    if now := st.session_state.get("import-now"):
        _progress(now)


def _about(importer: str) -> None:
    plugin = DATASETS.get(importer)
    told = [f"Licence: {plugin.licence}.", f"Written for: {plugin.release}." if plugin.release else "", plugin.url]
    st.caption(plain(" ".join(filter(None, told))))


def _upload(importer: str) -> Upload | None:
    """The files that were chosen; what comes with Touchstone needs none."""
    if DATASETS.get(importer).shipped:
        return None
    files = st.file_uploader(
        "Files", accept_multiple_files=True, key="import-files", help="Larger files: cli.py import"
    )
    return _uploaded(files) if files else None


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
    upload = Upload(ids, folder, paths[0] if len(paths) == 1 else Path(folder.name))
    st.session_state["import-upload"] = upload
    return upload


def _reading(importer: str, upload: Upload) -> Reading | None:
    return mapping_form(upload.source) if importer == _GENERIC else DATASETS.get(importer)().read


def _settings(importer: str) -> None:
    st.text_input("Name of the dataset", importer, key=f"import-name-{importer}")
    st.toggle(
        "Skip records that cannot be read", key="import-skip", help="Otherwise one of them stops the whole import."
    )


def _buttons(importer: str, upload: Upload | None, reading: Reading | None) -> None:
    """Import what was uploaded, or get the dataset from where it lives."""
    plugin = DATASETS.get(importer)
    with st.container(horizontal=True):
        if not plugin.shipped:
            file, place = (upload.file, upload.place) if upload else ("", Path)
            _button("Import", "database", reading, importer, file, place)
        if plugin.shipped or plugin.hub:
            title = "Import the examples" if plugin.shipped else "Get it from the hub"
            _button(title, "cloud_download", plugin().read, importer, "", partial(released, plugin()))


def _button(
    title: str, icon: str, reading: Reading | None, importer: str, file: str, place: Callable[[], Path]
) -> None:
    demo = services.settings().demo
    now: Intake | None = st.session_state.get("import-now")
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
        _begin(importer, file, place, reading)
        st.rerun()


def _begin(importer: str, file: str, place: Callable[[], Path], reading: Reading) -> None:
    state = st.session_state
    by = state.get("annotator", services.settings().user)
    wish = Wish(state[f"import-name-{importer}"], importer, file, by, place, reading, state["import-skip"])
    state["import-now"] = Intake(wish)
    state["import-now"].begin(services.store())


@st.fragment(run_every=_LOOK_S)
def _progress(now: Intake) -> None:
    """How far an import is; at its end the page is drawn anew once, so that its buttons and choices know of it."""
    state = st.session_state
    if now.running:
        st.caption(f":material/hourglass_empty: {now.tally.samples} samples read")
        return
    if state.get("import-seen") is not now:
        state["import-seen"] = now
        if now.imported:
            state["evaluate-add"] = now.imported.dataset
        st.rerun()
    _ended(now)


def _ended(now: Intake) -> None:
    """The receipt, or why there is none."""
    if now.imported is None:
        st.error(plain(now.trouble), icon=":material/error:")
        return
    lacking = f" {now.imported.missing} lack their document still." if now.imported.missing else ""
    st.success(plain(f"{now.imported.dataset}: {now.imported.added} new, {now.tally.samples} read.{lacking}"))
    st.text("\n".join(lines(now.tally.counts())))
