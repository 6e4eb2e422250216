"""A stress run of an older version of a dataset, run again on the newest one."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import streamlit as st

from annotations.exchange.samples import newer_references
from annotations.store.records import RunRow
from core.data import format_dataset
from core.errors import TouchstoneError
from core.results import StressRun
from core.settings import VERSION
from pages.server import services
from pages.sources.runs_again import sources_of_version
from pages.ui.results.run_choice import begin_run, listed_runs, open_run
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.newer_version import newer_version_line
from pages.ui.shared.notices import leave_notice


def offer_newer_version(row: RunRow, run: StressRun) -> None:
    """Name the version of the dataset that the summaries of a run are of, and offer the same run on a newer one."""
    dataset = run.plan.dataset
    if not dataset:
        return
    newer = newer_references(services.store(), [dataset])
    if not newer:
        st.caption(escape_markdown(f"Summaries of {format_dataset(dataset)}."))
        return

    def begin() -> None:
        sources = sources_of_version(services.store(), run, newer[dataset])
        if not sources:
            leave_notice(f"{format_dataset(newer[dataset])} has no summary that is stored with its document.")
            return
        plan = replace(
            run.plan, name=_free_name(run.plan.name, newer[dataset]), dataset=newer[dataset], version=VERSION
        )
        try:
            open_run(begin_run(StressRun(plan, {source.example.id: source for source in sources})))
        except TouchstoneError as error:
            leave_notice(str(error))

    newer_version_line(newer, f"run-{row.id}", begin)


def _free_name(name: str, reference: str) -> str:
    """The name of a run on another version, with a number where it is taken."""
    again = f"{name}, version {reference.rpartition('@')[2]}"
    taken = {row.name for row in listed_runs().values()}
    numbered = (f"{again} ({number})" for number in count(2))
    return again if again not in taken else next(other for other in numbered if other not in taken)
