"""The versions of an imported dataset: what each is made of, what changed between two, and their tags."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.exchange.samples import compare_dataset_versions
from annotations.store.imported_datasets import DatasetRow
from core.data import DatasetDiff, dataset_of_reference, format_counts, format_directions, label_rows, sample_rows
from core.errors import TouchstoneError
from pages.server import services
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_user import user_name

_MOST_ROWS = 1000  # of samples that differ, in the table


def dataset_versions(names: Sequence[str]) -> None:
    """The versions of the chosen datasets with their files, licences, fingerprints and counts."""
    chosen = {dataset_of_reference(name): name for name in names} | {name: name for name in names}
    for row in services.store().datasets():
        if row.name in chosen:
            st.subheader(escape_markdown(f"{row.name}: {row.samples} samples"))
            _version_table(row)
            if len(row.versions) > 1:
                _changes(row)
            _tag_form(row)


def _version_table(row: DatasetRow) -> None:
    import pandas as pd

    st.dataframe(
        pd.DataFrame(
            {
                "version": version.number,
                "tags": ", ".join(version.tags),
                "samples": version.samples,
                "file": file.file,
                "read as": file.importer,
                "licence": file.licence,
                "release": file.release,
                "imported": file.created_at,
                "by": file.by,
                "SHA-256": file.sha256,
                "labels": format_directions(file.counts),
                "contents": "; ".join(" ".join(line.split()) for line in format_counts(file.counts)),
            }
            for version in reversed(row.versions)
            for file in version.files
        ),
        hide_index=True,
        alt="Versions with their imported files",
        placeholder="",
        column_config={"imported": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
    )


def _changes(row: DatasetRow) -> None:
    """The difference of two versions, at first of the last two."""
    box = st.expander(
        "What changed between versions", icon=":material/difference:", key=f"versions-{row.name}", on_change="rerun"
    )
    if not box.open:
        return
    numbers = [version.number for version in row.versions]
    with box:
        with st.container(horizontal=True):
            before = st.selectbox("From version", numbers, len(numbers) - 2, key=f"diff-before-{row.name}", width=160)
            after = st.selectbox("to version", numbers, len(numbers) - 1, key=f"diff-after-{row.name}", width=160)
        store = services.store()
        diff = background_result(
            "Comparing the versions…",
            ("version-diff", row.name, before, after),
            lambda: compare_dataset_versions(store, f"{row.name}@{before}", f"{row.name}@{after}"),
        )
        if diff is not None:
            _diff_view(row.name, diff)


def _diff_view(name: str, diff: DatasetDiff) -> None:
    import pandas as pd

    counts = [f"{number:,} {kind}" for kind, number in diff.counts.items() if number]
    st.markdown(escape_markdown(f"{', '.join(counts) or 'No sample in either'}."))
    labels = pd.DataFrame(label_rows(diff))
    st.dataframe(labels, hide_index=True, alt="Labels in both versions", placeholder="")
    rows = sample_rows(diff)
    if rows:
        frame = pd.DataFrame(rows)
        if len(rows) > _MOST_ROWS:
            st.caption(
                f"The first {_MOST_ROWS:,} of {len(rows):,} samples that differ; the copied table has all of them."
            )
        st.dataframe(frame.head(_MOST_ROWS), hide_index=True, alt="Samples that differ", placeholder="")
        copy_table(f"Changes of {name}", frame, f"version-diff-{name}")


def _tag_form(row: DatasetRow) -> None:
    """A word for a version, for good, where something may be kept."""
    if services.settings().demo:
        return
    newest = row.versions[-1].number
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = newest
        if newest > 1:
            numbers = [version.number for version in reversed(row.versions)]
            number = st.selectbox("Version", numbers, key=f"tag-version-{row.name}", width=120)
        tags = [tag for version in row.versions for tag in version.tags]
        tag = st.text_input(
            "Tag",
            key=f"version-tag-{row.name}-{len(tags)}",  # empty again after each tag
            width=220,
            placeholder="camera-ready",
            help=f"A word for this version, for good: {row.name}@camera-ready in commands.",
        )
        # no callback: it would be called with the version of the run before, and a tag stays
        pressed = st.button("Tag it", icon=":material/add:", key=f"tag-{row.name}")
    if pressed:
        try:
            services.store().tag_version(f"{row.name}@{number}", tag.strip(), user_name())
        except TouchstoneError as error:
            leave_notice(str(error))
        st.rerun()
