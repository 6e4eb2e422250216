"""The form that makes a metric of a checkpoint: it reads files, guesses, tries five pairs and saves a table; for the operator only."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from annotations.store.records import RightsError
from core.assessment import format_megabytes
from core.base import Setting
from core.errors import Problem, TouchstoneError, attempt
from core.models import ModelPool, ModelState, ModelStatus, Repository, read_repository
from core.registry import choices_of, types_of
from core.scoring import (
    FORMS,
    PAIRS,
    CheckpointEntry,
    Guess,
    ProbeResult,
    best,
    checkpoint_class,
    correct_guess,
    describe_probes,
    entry_of,
    entry_toml,
    family_note,
    guess_form,
    probe,
    remove_entry,
    save_entry,
    suggested_name,
)
from pages.server import services
from pages.ui.metrics.metric_list import open_metric
from pages.ui.metrics.model_rows import model_row
from pages.ui.probe.metric_choice import add_to_bench
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import leave_notice
from pages.ui.shared.session_state import WidgetValue, page_state
from pages.ui.shared.setting_words import CHOICE_TITLES, SETTING_HELP, SETTING_TITLES

_IN_PROGRESS = (ModelStatus.LOADING, ModelStatus.DOWNLOADING)
_FIXED = {"checkpoint", "revision", "labels", "config_check"}
_NAME, _LONG_TEXT = "name", "template"


@dataclass(eq=False)
class AddMetricState:
    """State of the form that adds a metric from a checkpoint."""

    repository: Repository | None = None
    """Repository whose files were read; None before that."""
    guess: Guess | None = None
    """Tables that fit the files, and what is unclear; None before that."""
    table: dict[str, object] = field(default_factory=dict)
    """Table of the entry as it was guessed, by field; typed changes are in the widgets."""
    name: str = ""
    """Suggested name of the metric."""
    version: int = 0
    """Number of tables that were shown; part of the widgets' keys, so that a new table starts with its own values."""
    candidates: list[CheckpointEntry] = field(default_factory=list)
    """Entries under test, which differ in what the files leave unclear."""
    results: list[ProbeResult] = field(default_factory=list)
    """Results of the candidates on the test pairs, empty before the test."""
    is_testing: bool = False
    """True if the test waits for the weights."""
    error: str = ""
    """Reason why the last step failed; empty where it did not."""
    source = WidgetValue[str]("add-metric-source", "")
    typed = WidgetValue[Setting]("add-metric-field", "")


def add_metric_state() -> AddMetricState:
    return page_state(AddMetricState)


def add_metric() -> None:
    """The form, where nobody but the operator uses this server; elsewhere nothing."""
    if services.settings().has_guests:
        return
    state = add_metric_state()
    with st.expander("Add a metric", icon=":material/add:", key="add-metric"):
        st.caption(
            "A checkpoint of the hub or of a folder becomes a metric: its files are read and nothing of them is run, the form of the model "
            "is guessed, and five pairs are scored, which must come out the right way round. A function or a service of yours is a file, "
            "which --plugin names when Touchstone starts."
        )
        with st.form("add-metric-read", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Repository or folder", key=AddMetricState.source.key, placeholder="owner/name", width=420)
            st.form_submit_button("Read its files", icon=":material/search:", on_click=_read)
        if state.error:
            st.error(escape_message(state.error), icon=":material/error:")
        if state.repository and state.guess:
            if note := family_note(state.repository.source):
                st.info(escape_message(note), icon=":material/auto_awesome:")
            for sentence in state.guess.notes:
                st.markdown(f"- {escape_markdown(sentence)}")
            with st.form("add-metric-fields", border=False):
                st.text_input(
                    SETTING_TITLES[_NAME],
                    value=state.name,
                    key=_widget(state, _NAME).key,
                    width=420,
                    help=SETTING_HELP[_NAME],
                )
                _fields(state)
                size = (
                    f" (downloads {format_megabytes(state.repository.download_mb)})"
                    if state.repository.download_mb
                    else ""
                )
                st.form_submit_button(f"Try five pairs{size}", icon=":material/fact_check:", on_click=_test)
            if state.is_testing:
                _probe_when_here(state, services.engine().pool)
            if state.results:
                _result(state, state.guess)


def saved_metric_actions(name: str) -> None:
    """The table of a metric that was saved here, for colleagues, and a button that removes it; nothing for any other."""
    settings = services.settings()
    file = settings.metrics_dir / f"{name}.toml"
    if settings.has_guests or not file.is_file():
        return
    table = file.read_text(encoding="utf-8")

    def remove() -> None:
        _require_operator()
        remove_entry(name, services.settings().metrics_dir)
        leave_notice(f"{name} was removed. Its weights and scores are still here.")
        open_metric("")

    st.markdown("**Table**")
    st.code(table, language=None, wrap_lines=True)
    with st.container(horizontal=True):
        st.download_button("Download the table", table, file.name, key=f"table-{name}", icon=":material/download:")
        st.button("Remove this metric", key=f"remove-{name}", icon=":material/delete:", on_click=remove)
    st.caption("Colleagues use it with --plugin FILE, or put it into their folder of TOUCHSTONE\\_METRICS\\_DIR.")


def _fields(state: AddMetricState) -> None:
    """A field for each setting of the form of model, and for its template where it is asked by one."""
    form = str(state.table["form"])
    hints = {name: hint for name, hint in types_of(FORMS[form]).items() if name not in _FIXED}
    st.caption(f"Form: **{form}**. {escape_markdown((FORMS[form].__doc__ or '').strip().splitlines()[0])}")
    if form != "encoder":
        st.text_area(
            SETTING_TITLES[_LONG_TEXT],
            value=str(_shown(state, _LONG_TEXT)),
            key=_widget(state, _LONG_TEXT).key,
            help=SETTING_HELP[_LONG_TEXT],
        )
    columns = st.columns(3)
    for column, (name, hint) in enumerate(hints.items()):
        value, key = _shown(state, name), _widget(state, name).key
        labels = [label.strip() for label in str(state.table.get("labels", "")).split(",")] if name == "label" else []
        choices: list[Setting] = [*(choices_of(hint) or labels)]
        title, help_text = SETTING_TITLES[name], f"{SETTING_HELP[name]} In its table: {name}."
        with columns[column % 3]:
            if choices:
                st.selectbox(
                    title,
                    choices,
                    index=choices.index(value),
                    key=key,
                    format_func=str if labels else lambda choice: CHOICE_TITLES.get(str(choice), str(choice)),
                    help=help_text,
                )
            elif hint is bool:
                st.toggle(title, value=bool(value), key=key, help=help_text)
            elif hint is int:
                st.number_input(title, value=int(value), key=key, min_value=0, step=1, help=help_text)
            else:
                st.text_input(title, value=str(value), key=key, help=help_text)


def _shown(state: AddMetricState, name: str) -> Setting:
    """The value of a field before it is changed: that of the table, else the default of the form."""
    value = state.table.get(name, getattr(FORMS[str(state.table["form"])], name))
    assert isinstance(value, str | bool | int | float)
    return value


def _widget(state: AddMetricState, name: str) -> WidgetValue[Setting]:
    return AddMetricState.typed.of(f"{state.version}-{name}")


def _read() -> None:
    _require_operator()
    state = add_metric_state()
    state.repository, state.guess, state.results, state.is_testing = None, None, [], False
    with st.spinner("Reading its files…"):
        repository = attempt(partial(read_repository, state.source))
    if isinstance(repository, Problem):
        state.error = repository.error
        return
    guess = attempt(partial(guess_form, repository))
    if isinstance(guess, Problem):
        state.error = f"{guess.error} {family_note(repository.source)}".strip()
        return
    state.error, state.repository, state.guess = "", repository, guess
    state.table, state.version = dict(guess.candidates[0]), state.version + 1
    state.name = suggested_name(repository.source)


def _test() -> None:
    """Begin with the download where the weights are not here; the pairs are scored by the run that finds them here."""
    _require_operator()
    state = add_metric_state()
    assert state.guess
    # the fields in which a person typed something else than what was shown
    names = [name for name in (*types_of(FORMS[str(state.table["form"])]), _LONG_TEXT) if name not in _FIXED]
    typed = {name: st.session_state.get(_widget(state, name).key, _shown(state, name)) for name in names}
    changed = {name: value for name, value in typed.items() if value != _shown(state, name)}
    guess = correct_guess(Guess(({**state.table},)), changed) if changed else state.guess
    try:
        name = str(st.session_state.get(_widget(state, _NAME).key, state.name)).strip()
        state.candidates = [entry_of(table, name) for table in guess.candidates]
        [checkpoint, *_] = checkpoint_class(state.candidates[0])().checkpoints()
    except TouchstoneError as error:
        state.error, state.results, state.is_testing = str(error), [], False
        return
    state.error, state.results, state.is_testing = "", [], True
    pool = services.engine().pool
    if pool.state(checkpoint).status in (ModelStatus.NEEDS_DOWNLOAD, ModelStatus.FAILED):
        pool.fetch(checkpoint)


def _probe_when_here(state: AddMetricState, pool: ModelPool) -> None:
    metric = checkpoint_class(state.candidates[0])()
    weights: ModelState = pool.state(metric.weights)
    if weights.status in _IN_PROGRESS:
        model_row(metric.weights, pool, metric.card.download_mb, "add-metric")
        return
    state.is_testing = False
    if weights.status in (ModelStatus.FAILED, ModelStatus.NEEDS_DOWNLOAD):
        st.error(escape_message(weights.message), icon=":material/error:")
        return
    with st.spinner("Scoring five pairs…"):
        results = probe(services.engine().run, state.candidates)
    add_metric_state().results = results


def _result(state: AddMetricState, guess: Guess) -> None:
    result = best(state.results, bool(guess.open))
    show = st.success if result.passes else st.warning
    show(escape_markdown(" ".join(describe_probes(result, state.results, guess.open))))
    st.dataframe(
        [
            {
                "document": document,
                "supported": good,
                "score": _cell(score),
                "contradicted": bad,
                "its score": _cell(other),
            }
            for (document, good, bad), (score, other) in zip(PAIRS, result.scores, strict=True)
        ],
        hide_index=True,
    )
    st.code(entry_toml(result.entry), language=None, wrap_lines=True)
    with st.container(horizontal=True):
        if result.gaps:
            label = "Save" if result.passes else "Save anyway"
            st.button(
                label, key="save-metric", type="primary", icon=":material/save:", on_click=_save, args=(result.entry,)
            )
        st.download_button(
            "Download the table",
            entry_toml(result.entry),
            f"{result.entry.name}.toml",
            key="new-table",
            icon=":material/download:",
        )


def _cell(score: float | str) -> str:
    return score if isinstance(score, str) else f"{score:.3f}"


def _save(entry: CheckpointEntry) -> None:
    _require_operator()
    state = add_metric_state()
    named = attempt(lambda: save_entry(entry, checkpoint_class(entry), services.settings().metrics_dir))
    if isinstance(named, Problem):
        state.error = named.error
        return
    add_to_bench(checkpoint_class(entry)())
    leave_notice(f"{entry.name} is a metric now, and is on the bench of Probe.")
    state.repository, state.guess, state.results, state.source = None, None, [], ""
    open_metric(entry.name)


def _require_operator() -> None:
    """Raise RightsError on a server that others use: a press comes before the page is drawn."""
    if services.settings().has_guests:
        raise RightsError(
            "Whoever runs this server adds metrics to it, in a terminal: python cli.py add-metric OWNER/NAME."
        )
