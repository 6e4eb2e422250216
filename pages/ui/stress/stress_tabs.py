"""The views of a run in groups, among them its comparison with another and its downloads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from types import MappingProxyType

import streamlit as st

from annotations.store.records import RunRow
from core.data import format_dataset
from core.edits import kind_title
from core.evaluation import (
    ALL_METRICS,
    STUDIES,
    Cell,
    Input,
    Readings,
    Report,
    Shifts,
    Study,
    StudyData,
    cells_of,
    window_charts,
    window_effects,
    window_families,
)
from core.results import (
    MatrixCell,
    Shift,
    StressRun,
    VariantKey,
    filter_variants,
    kind_verdicts,
    run_lines,
    score_shifts,
    shift_matrix,
)
from core.scoring import metric_title
from core.stats import format_signed
from core.text import BYTE_ORDER_MARK, records_csv
from pages.ui.evaluate.dataset_choice import known_datasets, read_cases
from pages.ui.results.copy_popover import copy_table
from pages.ui.results.report_charts import report_chart
from pages.ui.results.run_choice import chosen_filters, load_run, shown_runs
from pages.ui.results.study_tab import ShownStudy, addressed_study, study_tab
from pages.ui.shared.grouped_views import Groups, grouped_views, with_studies
from pages.ui.shared.markup import escape_markdown, render_html
from pages.ui.stress.cell_pairs import cell_pairs, unused_answers
from pages.ui.stress.matrix_and_plots import (
    matrix_table,
    metric_plots,
    score_dots,
    shift_boxes,
)
from pages.ui.stress.phrase_form import phrase_form, try_phrases
from pages.ui.stress.sweep_form import sweep_form


def compare_runs(row: RunRow, cells: Sequence[MatrixCell]) -> None:
    """Choose another run and show what both have in common."""
    import pandas as pd

    others = {id: other for id, other in shown_runs().items() if id != row.id}
    if not others:
        st.info("There is no other run yet to compare with. Start one with “New run”.")
        return
    run_id = st.selectbox(
        "Compare with",
        list(others),
        format_func=lambda id: others[id].name,
        key="stress-other",
        persist_state="page",
        width=420,
    )
    other = load_run(others[run_id])
    other_cells = {
        (cell.metric, cell.kind): cell
        for cell in shift_matrix(other, score_shifts(other, filter_variants(other, chosen_filters())))
    }
    common = [(cell, other_cells[cell.metric, cell.kind]) for cell in cells if (cell.metric, cell.kind) in other_cells]
    if not common:
        st.info("The two runs share no metric under the same perturbation.")
        return
    for heading, run in (("This run", load_run(row)), ("The other", other)):
        plan = run.plan  # these facts must be alike for figures to be compared
        check = f", NLI check {plan.guard}" if plan.guard else ""
        size, battery = f"{len(run.sources)} pairs", f"set of perturbations {plan.battery_label}"
        st.caption(
            escape_markdown(f"{heading}: {size}, {battery}, seed {plan.seed}{check}, Touchstone {plan.version}.")
        )
    rows = []
    for this, that in common:
        here, there = this.shift.value, that.shift.value
        rows.append(
            {
                "metric": metric_title(this.metric),
                "perturbation": kind_title(this.kind),
                "this run": format_signed(this.shift),
                "other run": format_signed(that.shift),
                "difference": None if here is None or there is None else round(here - there, 4),
                "pairs": f"{this.shift.n} / {that.shift.n}",
            }
        )
    frame = pd.DataFrame(rows)
    st.dataframe(
        frame,
        hide_index=True,
        height="auto",
        alt="Both runs",
        placeholder="–",
        column_config={"difference": st.column_config.NumberColumn(format="%+.4f")},
    )
    copy_table("Both runs", frame, "stress-compared")


RUN_FILE = "stress-run.jsonl"


def run_downloads(run: StressRun, shifts: Sequence[Shift]) -> None:
    """Three downloads, each made when it is clicked."""
    downloads = (
        ("Shifts (CSV)", "stress-shifts.csv", "table", lambda: shifts_csv(run, shifts)),
        ("The run (JSONL)", RUN_FILE, "data_object", lambda: "".join(f"{line}\n" for line in run_lines(run))),
        ("Plots (HTML)", "stress-plots.html", "bar_chart", lambda: plots_html(run, shifts)),
    )
    with st.container(horizontal=True):
        for title, file, icon, made in downloads:
            st.download_button(title, made, file, on_click="ignore", icon=f":material/{icon}:")
    counting = {(shift.source, shift.kind) for shift in shifts}
    st.caption(f"{len(shifts)} shifts of {len(counting)} variants count.")
    st.caption(
        "The shifts have one row per pair, perturbation and metric; the matrix is among the downloads of its own view. "
        "The JSONL file is the whole run: what `cli.py stress` writes and goes on with. For PNG, open the HTML page and save every plot with "
        "its button, or one plot with its camera here: your browser draws them, no network is needed."
    )
    st.code("\n".join(_run_facts(run)), language=None, wrap_lines=True)


def shifts_csv(run: StressRun, shifts: Sequence[Shift]) -> str:
    """One row per pair, perturbation and metric, with the signatures of both and people's verdict on the variant."""

    rows = []
    for shift in shifts:
        key = (shift.source, shift.kind)
        variant, opinion, check = run.variants[key], run.opinions.get(key), run.checks.get(key)
        reading = run.readings[shift.source, shift.kind, shift.metric]
        mark = check.mark if check else None
        fields = asdict(shift)
        del fields["group"]  # it may be a whole document
        rows.append(
            {
                **fields,
                "shift": shift.size,
                "perturbation_signature": variant.signature,
                "metric_signature": reading.signature,
                "error": reading.error,
                "remarks": "; ".join(variant.remarks),
                "contradicts": mark.contradicts if mark else None,
                "contradiction_probability": mark.probability if mark else None,
                "guard": mark.by if mark else "",
                "guard_error": check.error if check else "",
                "meaning": opinion.meaning.value if opinion else "",
                "seed": run.plan.seed,
            }
        )
    return f"{BYTE_ORDER_MARK}{records_csv(rows)}"


def plots_html(run: StressRun, shifts: Sequence[Shift]) -> str:
    """One page that needs no network, with the plots of every metric; a button saves each of them as PNG."""
    figures = [
        figure
        for metric in run.plan.metrics
        if (of_metric := [shift for shift in shifts if shift.metric == metric and shift.size is not None])
        for figure in (shift_boxes(run, metric, of_metric), score_dots(run, metric, of_metric))
    ]
    for place, (family, by_window) in enumerate(window_families(run.plan.metrics).items(), 1):
        if effects := window_effects(run, by_window, shifts):
            figures += map(report_chart, window_charts(place, family, effects))
    plots = [
        figure.to_html(full_html=False, include_plotlyjs=place == 0, div_id=f"plot-{place + 1}")
        for place, figure in enumerate(figures)
    ]
    return render_html("plots.html", title=run.plan.name, facts="\n".join(_run_facts(run)), plots=plots)


def _run_facts(run: StressRun) -> list[str]:
    """Name, seed, version and what was run, for a paper."""
    signatures = sorted({reading.signature for reading in run.readings.values() if reading.signature})
    check = f" · NLI check {run.plan.guard}" if run.plan.guard else ""
    facts = f"{run.plan.name} · battery {run.plan.battery_label} · seed {run.plan.seed}{check} · touchstone {run.plan.version}"
    return [facts, *signatures]


@dataclass(frozen=True, slots=True, eq=False)
class ShownRun:
    """A run as it is now, the variants that count (None: all), and their shifts."""

    row: RunRow
    run: StressRun
    counting: frozenset[VariantKey] | None
    shifts: Sequence[Shift]

    @property
    def data(self) -> StudyData:
        """The same for a study, under the name of the file that a download gives."""
        return StudyData(run=self.run, run_name=RUN_FILE, counting=self.counting, left_out=tuple(chosen_filters()))

    @property
    def cells(self) -> list[MatrixCell]:
        return _cached_matrix((self.row.id, self.row.lines, self.counting), self.run, self.shifts)


def stress_tabs(shown: ShownRun) -> None:
    """Draw the view that is open, at first the windows of a sweep and the matrix of any other run."""
    default = Readings(view="windows").spec if window_families(shown.run.plan.metrics) else Shifts.name
    studies = [study for study in STUDIES if Input.RUN in {*study.takes, *study.may_take}]
    grouped_views("stress", with_studies(_VIEWS, studies, _study_view), _MOVED, shown, default)


def _study_view(study: type[Study], shown: ShownRun) -> None:
    key = (shown.row.id, shown.row.lines, shown.counting)
    data = shown.data
    if Input.SAMPLES in study.takes:
        name = st.selectbox(
            "Dataset of these summaries",
            known_datasets(),
            index=None,
            key="stress-study-dataset",
            format_func=format_dataset,
            placeholder="None",
            width=420,
        )
        if name is None:
            st.info("Choose the dataset that the summaries of this run are of: it has what people said of them.")
            return
        cases = read_cases((name,))
        if cases is None:
            return
        data = replace(data, datasets=(name,), cases=cases)
    own = {"matrix": partial(_matrix_view, shown)} if study is Shifts else {}
    result = study_tab(study, data, (*key, data.datasets), own, run_id=shown.row.id)
    if study.name in _BESIDE:
        _BESIDE[study.name](shown, result)


def _matrix_view(shown: ShownRun, report: Report) -> dict[str, Cell] | None:
    """The matrix, and the pairs of the cell that is selected; its row."""
    cells = cells_of(report)
    cell = matrix_table(cells)
    if cell is None:
        return None
    cell_pairs(shown.row, shown.run, cell, shown.shifts, kind_verdicts(cells)[cell.kind])
    return next(
        (row for row in report.table().records() if (row["metric"], row["kind"]) == (cell.metric, cell.kind)), None
    )


def _sweep_of_windows(shown: ShownRun, _: ShownStudy | None) -> None:
    """The form of a sweep below its windows, also where the run has none yet."""
    if addressed_study(Readings).view == "windows":
        sweep_form(shown.run)


def _phrases_of_discovery(shown: ShownRun, result: ShownStudy | None) -> None:
    """The phrases of the metric whose row is selected, those of all metrics at first."""
    if result is None:
        return
    metric = result.selected.get("phrases", {}).get("metric", ALL_METRICS)
    try_phrases(shown.run, [str(row["text"]) for row in result.report.table().records() if row["metric"] == metric])


@st.cache_resource(max_entries=16, show_spinner=False)
def _cached_matrix(key: Hashable, _run: StressRun, _found: Sequence[Shift]) -> list[MatrixCell]:  # noqa: ARG001  # the key is that of the cache
    return shift_matrix(_run, _found)


_VIEWS: Groups[ShownRun] = MappingProxyType(
    {
        "Shifts": {
            "Plots": lambda shown: metric_plots(shown.run, shown.shifts),
        },
        "Gaming": {},
        "Reading": {},
        "Compare and export": {
            "Compare": lambda shown: compare_runs(shown.row, shown.cells),
            "Export": lambda shown: run_downloads(shown.run, shown.shifts),
        },
    }
)
"""Views that are no studies, by their group; the studies of a group that take a run come before them."""

_BESIDE: Mapping[str, Callable[[ShownRun, ShownStudy | None], None]] = MappingProxyType(
    {
        "shifts": lambda shown, _: unused_answers(shown.run),
        "gaming": lambda shown, _: phrase_form(shown.run),
        "discovery": _phrases_of_discovery,
        "readings": _sweep_of_windows,
    }
)
"""By study, what the page draws below its report, or below the reason why there is none."""

_MOVED: Mapping[str, str] = MappingProxyType(
    {
        "Matrix": "shifts",
        "Sensitivity": "shifts[view=sensitivity]",
        "Gaming": "gaming",
        "Windows": "readings[view=windows]",
        "Density": "readings[view=density]",
        "Without document": "readings[view=ablation]",
    }
)
"""Former views by their names in addresses, and the studies that replace them."""
