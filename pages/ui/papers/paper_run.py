"""A paper's stress test on a reader's pairs: its form, and its tables while the run fills them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count

import streamlit as st

from annotations.store.records import RunRow
from core.assessment import (
    ORIGINAL,
    Paper,
    default_metrics,
    kinds_of_metric,
    missing_steps,
    read_published,
    row_title,
    run_tables,
)
from core.base import read_profile
from core.edits import PERTURBATIONS, Perturbation, kind_title
from core.errors import TouchstoneError, attempt
from core.evaluation import for_each_metric
from core.results import Plan, kind_verdicts, score_shifts
from core.scoring import METRICS, NLI_CHECKS, is_surface, metric_title
from core.stats import format_count
from pages.server import services
from pages.ui.papers.compared_table import cell_sentence, compared_table
from pages.ui.papers.paper_choice import open_paper
from pages.ui.probe.metric_choice import bench_specs_with_settings
from pages.ui.results.run_choice import begin_run, follow_run, listed_runs, load_run, show_error
from pages.ui.shared.markup import escape_markdown
from pages.ui.shared.paper_kinds import paper_kinds, paper_title
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.stress.cell_pairs import cell_pairs
from pages.ui.stress.new_run import cost_line
from pages.ui.stress.pair_source import PAIR_SOURCES, PROBE_PAIR, TABLE_OF_VARIANTS, pairs_choice
from pages.ui.stress.stress_tabs import ShownRun

PAIRS_PARAMETER = "pairs"
"""The parameter of the address by which the pair on Probe is chosen at first, with all metrics of its board."""


class PapersState:
    """State of the page: the error for which a run could not be started, until it was shown, and the values of its form."""

    error: str = ""
    metrics = WidgetValue[Sequence[str]]("paper-metrics", ())
    name = WidgetValue[str]("paper-run-name", "")
    checked = WidgetValue[bool]("paper-check", False)


def run_form(paper: Paper) -> None:
    """Pairs, perturbations and metrics, the estimated cost, and the button of the run."""
    st.subheader("Run it on your pairs", anchor=False)
    profile, of_probe = read_profile(paper.name), st.query_params.get(PAIRS_PARAMETER) == "probe"
    pairs_column, kinds_column = st.columns(2, gap="large")
    with pairs_column:
        ways = [way for way in PAIR_SOURCES if way != TABLE_OF_VARIANTS]
        pairs = pairs_choice(ways, PROBE_PAIR if of_probe else ways[0])
    with kinds_column:
        kinds = paper_kinds(paper)
    with pairs_column:
        st.multiselect(
            "Metrics",
            [*paper.metric_rows(), *(plugin.name for plugin in METRICS), *bench_specs_with_settings()],
            default=_first_metrics(paper, of_probe),
            key=PapersState.metrics.of(paper.name).key,
            format_func=partial(_metric_label, paper),
            accept_new_options=True,
            wrap=True,
            help="The paper's metrics come first, under its names and with its settings.",
        )
        if profile.nli_check:
            st.checkbox(
                f"Check the variants as the paper did ({profile.nli_check})",
                not missing_steps(NLI_CHECKS.parse(f"{profile.nli_check}@{paper.name}")),
                key=PapersState.checked.of(paper.name).key,
            )
        taken = {row.name for row in listed_runs().values()}
        title = paper_title(paper.name)
        name = next(name for number in count(1) if (name := f"{title}, run {number}") not in taken)
        st.text_input("Name of the run", name, key=PapersState.name.key)
        metrics = PapersState.metrics.of(paper.name).get()
        pressed = st.button(
            f"Run: {format_count(pairs.number, 'pair')} × {format_count(len(kinds), 'perturbation')} × {format_count(len(metrics), 'metric')}",
            icon=":material/play_arrow:",
            type="primary",
            key="paper-go",
            disabled=not (pairs.number and kinds and metrics),
        )
        state = page_state(PapersState)
        if pressed:
            try:
                open_paper(paper.name, run=begin_run(pairs.run(_plan(paper, kinds, metrics))))
            except TouchstoneError as error:
                state.error = str(error)
            st.rerun()
        show_error(state.error)
        state.error = ""
        plan = attempt(partial(_plan, paper, kinds, metrics))
        if isinstance(plan, Plan):  # what keeps it from being one is said when the button is pressed
            cost_line(plan, pairs)


def _first_metrics(paper: Paper, of_probe: bool) -> list[str]:
    """The ready ones of the paper, else those that are ready here; all of the board for the pair on Probe."""
    ready = [spec for spec in paper.metric_rows() if not missing_steps(METRICS.parse(spec))]
    here = [row.name for row in default_metrics(services.engine().pool) if not is_surface(row.name)]
    board = [*here, *bench_specs_with_settings()]
    return [*ready, *board] if of_probe else ready or here


def _metric_label(paper: Paper, spec: str) -> str:
    name = paper.metric_rows().get(spec)
    return f"{name}, as in the paper" if name else metric_title(spec)


def _plan(paper: Paper, kinds: Sequence[Perturbation], metrics: Sequence[str]) -> Plan:
    """Plan of the form. Raises TouchstoneError for an unknown metric."""
    of_plan = [METRICS.parse(spec) for spec in metrics]
    specs = for_each_metric([kind.spec for kind in kinds], of_plan)
    check = read_profile(paper.name).nli_check if PapersState.checked.of(paper.name).get() else ""
    guard = NLI_CHECKS.parse(f"{check}@{paper.name}") if check else None
    return Plan.of(PapersState.name.get(), [PERTURBATIONS.parse(spec) for spec in specs], of_plan, guard=guard)


def run_view(paper: Paper, row: RunRow) -> None:
    """The tables of the paper from a run, which fill while it goes on, and the pairs of the selected cell."""
    run = load_run(row)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Another run", icon=":material/add:", on_click=open_paper, args=(paper.name,), key="paper-new-run")
        st.page_link(
            "views/stress.py", label="Open on Stress test", icon=":material/bolt:", query_params={"run": row.id}
        )
    st.markdown(f"**{escape_markdown(row.name)}**")
    follow_run(row, run)
    printed_table = ""
    if paper.score_tables:
        published = read_published(paper.name)
        captions = {id: f"Table {id}: {published.table(id).caption}" for id in paper.score_tables}
        printed_table = st.selectbox(
            "Printed figures beside yours", captions, format_func=captions.__getitem__, width=560
        )
    selected = None
    for table in run_tables(paper, run, printed_table):
        st.markdown(f"**{escape_markdown(f'{table.published.id}: {table.published.caption}')}**")
        cell = compared_table(table, f"paper-table-{row.id}-{table.published.id}")
        selected = cell or selected
    if selected is None:
        st.caption("Select a cell to see its pairs.")
        return
    metric = next(metric for metric in run.plan.metrics if row_title(paper, metric) == selected.row)
    kinds = [of[selected.column] for of in kinds_of_metric(paper, metric).values() if selected.column in of]
    if selected.column == ORIGINAL or not kinds:
        st.caption(escape_markdown(cell_sentence(selected)))
        return
    shifts = score_shifts(run)
    cells = ShownRun(row, run, None, shifts).cells
    cell_of_run = next((cell for cell in cells if (cell.metric, cell.kind) == (metric, kinds[0])), None)
    if cell_of_run is None:
        st.caption(escape_markdown(f"{kind_title(kinds[0])}: {cell_sentence(selected)}"))
        return
    cell_pairs(row, run, cell_of_run, shifts, kind_verdicts(cells)[cell_of_run.kind])
