"""Choice of datasets, slices and metrics to evaluate; they are in the address, so that a link shows the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.exchange.samples import campaign_datasets, load_samples, newer_references
from annotations.store.records import LOCAL_LABELS
from core.base import BackgroundTask
from core.data import dataset_of_reference, format_dataset
from core.evaluation import StudyData
from core.results import SLICE_FIELDS, Cases, Slice, affordable_resamples, pool_cases, select_metrics, slice_cases
from core.scoring import metric_title
from core.types import PRECOMPUTED
from pages.server import services
from pages.ui.evaluate.import_task import ImportTask, UploadedFiles
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, render_html
from pages.ui.shared.newer_version import newer_version_line
from pages.ui.shared.session_state import WidgetValue, page_state

SLICE_TITLES = {
    "error_type": "error type",
    "required_type": "required type",
    "category": "category",
    "domain": "domain",
    "system": "system",
    "source": "source",
    "split": "split",
    "slice": "named slice",
    "dataset": "dataset",
}
_COUNTED_TABLES = ("sample", "score", "label", "origin", "response", "settlement", "explanationjudgement")


@dataclass(frozen=True, slots=True)
class CostMeasuring:
    """A measurement of what scores cost: the members by the names of their columns, and when somebody asked for it."""

    members: tuple[str, ...]
    datasets: tuple[str, ...]
    begun: float


@dataclass(eq=False)
class EvaluateState:
    """State of the page: its choices, the import of this session, and which ends of background work were rendered."""

    import_open: bool = False
    """True if the dialog of the import is open."""
    import_task: ImportTask | None = None
    """Last import of this session, running or finished."""
    finished_import: ImportTask | None = None
    """Import whose end the page has rendered."""
    upload: UploadedFiles | None = None
    """Uploaded files on disk, until others are uploaded."""
    bulk_import: BackgroundTask[int] | None = None
    """Last import of a folder of bulk results; its results are counts of saved rows."""
    finished_bulk_import: BackgroundTask[int] | None = None
    """Import of bulk results whose end the page has rendered."""
    bulk_dataset: str = ""
    """Name of the dataset that the bulk results are imported as."""
    new_dataset: str = ""
    """Dataset imported since the last run, which the next run selects; else empty."""
    datasets_chosen: int = 0
    """Number of times that an import changed the selection of datasets; part of the widget's key."""
    finished_scorings: dict[str, object] = field(default_factory=dict)
    """By dataset, the scoring task whose end the page has rendered."""
    saved_threshold: str = ""
    """Name of the threshold saved last in this session."""
    threshold_error: str = ""
    """Reason why the last threshold was not saved; empty where it was."""
    saved_combination: str = ""
    """Name of the combination saved last in this session."""
    combination_error: str = ""
    """Reason why the last combination was not saved; empty where it was."""
    measuring: CostMeasuring | None = None
    """Measurement of costs that is running or has failed."""
    costs_measured: int = 0
    """Number of times that a measurement filled in the costs; part of the form's key."""
    drawn_campaign: str = ""
    """Id of the campaign drawn last in this session."""
    drawn_sentence: str = ""
    """Receipt of that campaign: its size, and where it stops."""
    draw_error: str = ""
    """Reason why the last sample was not drawn; empty where it was."""
    datasets = WidgetValue[list[str] | None]("evaluate-datasets", None)
    by = WidgetValue[str | None]("evaluate-by", None)
    bulk_folder = WidgetValue[str]("bulk-folder", "")
    bulk_run = WidgetValue[str | None]("bulk-run", None)
    bulk_name = WidgetValue[str]("bulk-name", "")
    import_form = WidgetValue[str]("import-form", "generic")
    import_files = WidgetValue[Sequence[UploadedFile]]("import-files", ())
    dataset_name = WidgetValue[str]("import-name", "")
    skip_broken = WidgetValue[bool]("import-skip", False)


def evaluate_state() -> EvaluateState:
    return page_state(EvaluateState)


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationChoice:
    """Choice that the page shows; `key` distinguishes it from any other choice and any other state of the database."""

    datasets: tuple[str, ...]
    by: str | None
    cases: Cases
    parts: tuple[Slice, ...]
    key: tuple[object, ...]
    resamples: int
    metric_names: tuple[str, ...] = ()  # of fewer than all metrics

    @property
    def data(self) -> StudyData:
        """The same for a study."""
        return StudyData(
            datasets=self.datasets,
            cases=self.cases,
            by=self.by,
            metric_names=self.metric_names,
            resamples=self.resamples,
        )


def known_datasets() -> list[str]:
    """Imported datasets, the campaigns that have labels, the bundled examples with scores that were computed beforehand,
    and, last, what was kept and labelled outside of campaigns: often a single pair, which is no first look."""
    store = services.store()
    own = [LOCAL_LABELS] if any(store.counts("origin", "label").values()) else []
    imported = chain.from_iterable(store.version_references().values())
    return [*imported, *campaign_datasets(store), PRECOMPUTED, *own]


def offered_dataset(name: str, datasets: Sequence[str]) -> str | None:
    """The dataset of the list that a name is, by itself the newest version; None where there is none."""
    if name in datasets:
        return name
    return next((reference for reference in datasets if dataset_of_reference(reference) == name), None)


def choose_slices(names: tuple[str, ...]) -> EvaluationChoice | None:
    """The slices and metrics of the datasets; None while the samples are read or where nothing is chosen."""
    if not names:
        return None
    cases = read_cases(names, render_html("skeleton.html", tabs=True))
    if cases is None:
        return None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        fields = [by for by in SLICE_FIELDS if len({SLICE_FIELDS[by](sample) for sample in cases.samples}) > 1]
        preset = st.query_params.get("by", next(iter(fields), None))
        widget = EvaluateState.by.of("-".join(fields))  # other fields are another widget, which would forget its value
        by = st.selectbox(
            "Slices",
            fields,
            key=widget.key,
            index=fields.index(preset) if preset in fields else None,
            format_func=lambda by: f"by {SLICE_TITLES[by]}",
            placeholder="Overall only",
            width=220,
        )
        st.query_params["by"] = by or ""
        offered = [column.name for column in cases.all_columns]
        metrics: tuple[str, ...] = ()
        if offered:
            key = f"evaluate-metrics-{hash(tuple(offered))}"
            n = {column.name: int(np.sum(~np.isnan(column.values))) for column in cases.all_columns}
            addressed = [name for name in st.query_params.get_all("metric") if name in offered]
            count = len(st.session_state.get(key, addressed or offered))
            label = f"Metrics: {f'{count} of {len(offered)}' if count < len(offered) else f'all {count}' if count > 1 else '1'}"
            with st.popover(label, icon=":material/tune:", key="evaluate-metrics-popover"):
                metrics = tuple(
                    st.multiselect(
                        "Metrics",
                        offered,
                        default=addressed or offered,
                        key=key,
                        format_func=lambda name: f"{metric_title(name)} ({n[name]})",
                        help="Others are here once they scored the data, under Data. In brackets: summaries with a score. Released scores have the name that their authors gave them.",
                    )
                )
            st.query_params["metric"] = list(metrics) if len(metrics) < len(offered) else []
    if cases.unfinished:
        st.warning("\n\n".join(map(escape_markdown, cases.unfinished)), icon=":material/hourglass_top:")
    if cases.warnings:
        st.warning("\n\n".join(map(escape_markdown, cases.warnings)), icon=":material/balance:")
    if cases.all_columns and not metrics:
        st.info("Choose at least one metric.")
        return None
    selected = select_metrics(cases, metrics)
    return EvaluationChoice(
        names,
        by,
        selected,
        tuple(slice_cases(selected, by)),
        (names, _database_state(), by, metrics),
        affordable_resamples(selected),
        metrics if len(metrics) < len(cases.all_columns) else (),
    )


def read_cases(names: tuple[str, ...], shape: str = "") -> Cases | None:
    """The samples of datasets with all their scores; None while they are read, with the HTML of their `shape`."""
    store = services.store()
    return background_result(
        "Reading the samples…",
        ("cases", names, _database_state()),
        lambda: pool_cases([load_samples(store, name) for name in names]),
        shape,
    )


def _database_state() -> tuple[int, ...]:
    """Counts that distinguish two states of the database, as rows only grow."""
    return tuple(services.store().counts(*_COUNTED_TABLES).values())


def choose_datasets(datasets: Sequence[str]) -> tuple[str, ...]:
    """The datasets that are chosen, at first those of the address, or else the first that there is."""
    state, query = evaluate_state(), st.query_params
    widget = EvaluateState.datasets.of(state.datasets_chosen)
    selection = widget.get()
    if selection is None:
        addressed = (offered_dataset(name, datasets) for name in query.get_all("dataset"))
        selection = [name for name in addressed if name] or list(datasets[:1])
    new = offered_dataset(state.new_dataset, datasets) if state.new_dataset else None
    if new and new not in selection:
        selection = [new]
        # another widget: what a browser sent for the first before it heard of the import would undo the choice
        state.datasets_chosen += 1
        widget = EvaluateState.datasets.of(state.datasets_chosen)
    state.new_dataset = ""
    # what was chosen while the dataset had one version is that one still
    selection = [name for name in selection if name in datasets or f"{name}@1" in datasets]
    selection = [name if name in datasets else f"{name}@1" for name in selection]
    widget.follow(selection)
    with st.container(key="evaluate-datasets"):
        names = st.multiselect(
            "Datasets",
            datasets,
            default=selection,
            key=widget.key,
            format_func=format_dataset,
            placeholder="Choose a dataset",
        )
    query["dataset"] = names
    _offer_newer_versions(names)
    return tuple(names)


def _offer_newer_versions(names: Sequence[str]) -> None:
    """Say which chosen datasets have a newer version, with a button that shows the same view of it."""
    newer = newer_references(services.store(), names)
    if not newer:
        return

    def choose() -> None:
        state = evaluate_state()
        state.datasets_chosen += 1  # another widget, which takes its choice from the address
        st.query_params["dataset"] = list(dict.fromkeys(newer.get(name, name) for name in names))

    newer_version_line(newer, "evaluate", choose)
