"""The role of a file that is imported into a dataset that is there: it takes the place of an earlier one, or adds to the samples."""

from __future__ import annotations

import streamlit as st

from annotations.store.imported_datasets import DatasetRow
from pages.server import services
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.session_state import WidgetValue

_BY_NAME = "As the names of the files say"
_ADD = "It adds to the dataset"


class ReplacedFile:
    """Choice in the import form, by the name of the dataset."""

    choice = WidgetValue[str]("import-replaces", _BY_NAME)


def replaced_file_choice(name: str) -> None:
    """Draw the choice where a dataset of that name is there."""
    row = _dataset(name)
    if row is None:
        return
    st.caption(
        escape_markdown(f"{name} is there with version {row.versions[-1].number}: what changes makes the next version.")
    )
    st.selectbox(
        "This file",
        [_BY_NAME, *_replaceable(row), _ADD],
        key=ReplacedFile.choice.of(name).key,
        help="By their names, a file takes the place of the one of the same name, and another file adds what it knows of the "
        "samples. Where that would change a text or label, the import stops and asks you.",
    )


def replaced_file(name: str) -> str | None:
    """The file whose place an import takes, by the beginning of its SHA-256; "" for none, None for a decision by names."""
    row, choice = _dataset(name), ReplacedFile.choice.of(name).get()
    return None if row is None or choice == _BY_NAME else _replaceable(row).get(choice, "")


def _dataset(name: str) -> DatasetRow | None:
    return next((row for row in services.store().datasets() if row.name == name), None)


def _replaceable(row: DatasetRow) -> dict[str, str]:
    return {f"It takes the place of {file.file} ({file.sha256[:8]})": file.sha256[:16] for file in row.files}
