"""The line on a result of an older version of a dataset, with the button that gives the same of the newest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.data import dataset_of_reference, format_dataset
from pages.ui.shared.markup import escape_label, escape_markdown


def newer_version_line(newer: Mapping[str, str], key: str, run_again: Callable[..., Any] | None = None) -> bool:
    """Name the newer versions, by name in the result, and offer to run it again on them; True where that was pressed."""
    datasets = [format_dataset(newest) for newest in newer.values()]
    older = [format_dataset(_numbered(name)) for name in newer]
    number = next(iter(newer.values())).rpartition("@")[2]
    again = f"version {number}" if len(newer) == 1 else "the newest versions"
    with st.container(horizontal=True, vertical_alignment="center", key=f"newer-version-{key}"):
        st.caption(
            escape_markdown(f"This is of {' and '.join(older)}; there is {' and '.join(datasets)}."), width="content"
        )
        return st.button(
            escape_label(f"Run again on {again}"),
            icon=":material/refresh:",
            key=f"run-again-{key}",
            type="tertiary",
            on_click=run_again,
        )


def _numbered(name: str) -> str:
    """The version of a result that names none: it was made when there was one."""
    return name if dataset_of_reference(name) != name else f"{name}@1"
