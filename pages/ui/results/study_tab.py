"""A study on a page: a form of its settings, the work in the background, and its report."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import streamlit as st
from cachetools import LRUCache

from core.assessment import Pin, StudySource, study_pin
from core.base import Mark, Progress, Setting, recent_marks, recent_rate, silence
from core.errors import Problem, TouchstoneError, attempt
from core.evaluation import STUDIES, Cell, Report, Study, StudyData, current_spec
from core.registry import choices_of, settings_of, split_pieces, types_of
from core.scoring import metric_title
from core.types import T
from pages.server import services
from pages.ui.results.copy_popover import copy_popover
from pages.ui.results.pin_form import pin_button, study_offers
from pages.ui.results.report_view import TableView, report_downloads, report_view
from pages.ui.shared.background_results import background_result, polled, progress_bar, redraw
from pages.ui.shared.grouped_views import SETTINGS_PARAMETER
from pages.ui.shared.markup import escape_label, escape_markdown, escape_message, render_html

StudyT = TypeVar("StudyT", bound=Study)

_LOOK_S = 1.0
_MAX_KEPT = 16  # works of this process, so that a reload finds them


@dataclass(frozen=True, slots=True)
class ShownStudy:
    """A study as the page shows it: its report, and the selected row of each of its tables."""

    study: Study
    report: Report
    selected: Mapping[str, Mapping[str, Cell]]


def study_tab(
    study: type[Study],
    data: StudyData,
    key: tuple[Hashable, ...],
    own: Mapping[str, TableView] = MappingProxyType({}),
    run_id: str = "",
    form: int = 0,
) -> ShownStudy | None:
    """Draw the form and the report; None while it is computed, and where it cannot be, which is shown.

    `key` distinguishes the data from any others, and any other state of the database; `own` draws tables in the page's own way.
    `run_id` is that of the stress run, where the data have one. Another number of the `form` is a new one, which begins with the
    settings of the address.
    """
    try:
        built = study_form(study, data, form)
    except TouchstoneError as error:
        st.info(escape_message(str(error)))
        return None
    name = (study.name, built.spec, *key)
    if built.scores_texts:
        # the settings that change which scores are asked for; the others only change what is shown of them
        settings = built.settings
        about = settings_of(built)
        asking = [value for setting, value in settings.items() if not about[setting].metadata["shown"]]
        result = _asked_result((study.name, *asking, *key), built, data)
    else:

        def run_or_explain() -> Report | str:
            try:
                return built.run(data)
            except TouchstoneError as error:
                return str(error)

        shape = render_html("skeleton.html", tabs=False)
        result = background_result(f"{study.title}…", name, run_or_explain, shape)
    if result is None:
        return None
    if isinstance(result, str):
        st.info(escape_markdown(result))
        return None
    place = f"{study.name}-{hash(name)}"
    selected = report_view(result, place, own)
    with st.container(horizontal=True):
        make = partial(_study_pin, built, data, result, run_id)
        pin_button(f"study-{study.name}", study_offers(result, selected, make))
        copy_popover(lambda: result, place)
        report_downloads(result, place)
    return ShownStudy(built, result, selected)


def _study_pin(study: Study, data: StudyData, report: Report, run_id: str, **part: Any) -> Pin:
    """A pin of the report, or of the table, chart or row that `part` names."""
    source = StudySource(
        study.spec, data.datasets, data.by or "", data.metric_names, data.resamples, run_id, data.left_out, **part
    )
    return study_pin(study, data, report, source)


def addressed_study(study: type[StudyT]) -> StudyT:
    """The study with the settings that the address has of it; with the usual ones where it names another, or none that it takes."""
    specs = map(current_spec, st.query_params.get_all(SETTINGS_PARAMETER))
    spec = next((spec for spec in specs if spec.partition("[")[0] == study.name), "")
    stated = attempt(lambda: STUDIES.parse(spec)) if spec else None
    return stated if isinstance(stated, study) else study()


def address_study(study: Study) -> None:
    """Put the settings of the study into the address, or none where they are the usual ones, beside those of others."""
    specs = st.query_params.get_all(SETTINGS_PARAMETER)
    others = [spec for spec in specs if current_spec(spec).partition("[")[0] != study.name]
    own = [study.spec] if study.spec != study.name else []
    if specs != [*others, *own]:
        st.query_params[SETTINGS_PARAMETER] = [*others, *own]


def study_form(study: type[Study], data: StudyData, form: int = 0) -> Study:
    """A control for each setting that these data leave open. Raises TouchstoneError where they have no value of one."""
    view = _view_choice(study, data, form)
    hints, offered = types_of(study), view.choices(data)
    fields = {name: field for name, field in settings_of(study).items() if name in view.settings and name != "view"}
    choices = {
        name: tuple(offered.get(name) or field.metadata["choices"] or choices_of(hints[name]))
        for name, field in fields.items()
    }
    composed = {
        name for name, field in fields.items() if field.metadata["several"] or field.metadata["each"] is not None
    }
    values: dict[str, Setting] = {"view": view.view_name} if view.view_name else {}
    values |= {name: only[0] for name, only in choices.items() if len(only) == 1 and name not in composed}
    stated = addressed_study(study).settings
    open_fields = [name for name in fields if name not in values]
    if open_fields:
        row = st.container(horizontal=True, vertical_alignment="bottom")
        main = row.container(horizontal=True, vertical_alignment="bottom", width="content")
        boxes = [main] * len(open_fields)
        if len(open_fields) > _MOST_FIELDS:
            with row:
                more = st.popover("More settings", icon=":material/tune:", key=f"study-{study.name}-more")
            boxes[_FIRST_FIELDS:] = [more] * (len(open_fields) - _FIRST_FIELDS)
        for name, box in zip(open_fields, boxes, strict=True):
            with box:
                field = fields[name]
                key = f"study-{study.name}-{view.view_name}-{name}-{hash((choices[name], form))}"
                first = stated.get(name, field.default)
                values[name] = _setting_control(name, first, hints[name], choices[name], field.metadata, key)
    built = STUDIES.build(study.name, values)
    address_study(built)
    return built


def _view_choice(study: type[Study], data: StudyData, form: int) -> Study:
    """The study with the view that is chosen among those that the data have, of one that has several."""
    field = settings_of(study).get("view")
    if field is None:
        return study()
    choices = tuple(study().choices(data).get("view") or field.metadata["choices"])
    view: Setting = choices[0]
    if len(choices) > 1:
        key = f"study-{study.name}-view-{hash((choices, form))}"
        view = _setting_control("view", addressed_study(study).view_name, str, choices, field.metadata, key)
    return STUDIES.build(study.name, {"view": view})


_FEW_CHOICES = 6  # that fit beside each other
_MOST_FIELDS, _FIRST_FIELDS = 4, 2  # of a form in one row; where it has more, all but the first are behind a button


def _setting_control(
    name: str, default: Any, hint: object, choices: Sequence[Setting], metadata: Mapping[str, Any], key: str
) -> Setting:
    label, help_text = metadata["title"] or name.replace("_", " ").capitalize(), escape_markdown(metadata["help"])
    value: Setting
    named = partial(_choice_label, labels=metadata["labels"])
    if (separator := metadata["several"]) and choices:
        stated = [choice for choice in choices if choice in split_pieces(default, separator)]
        several = st.multiselect(
            label, choices, stated, key=key, help=help_text, width=420, placeholder="all", format_func=metric_title
        )
        value = separator.join(str(choice) for choice in several)
    elif choices and metadata["each"] is not None:
        value = _number_fields(label, metadata, list(map(str, choices)), default, key)
    elif choices:
        first = default if default in choices else choices[0]
        if len(choices) <= _FEW_CHOICES and sum(len(str(choice)) for choice in choices) < 80:
            value = st.segmented_control(
                label, choices, default=first, key=key, help=help_text, required=True, format_func=named
            )
        else:
            place = list(choices).index(first)
            value = st.selectbox(label, choices, index=place, key=key, help=help_text, width=420, format_func=named)
    elif hint is bool:
        value = st.toggle(label, value=default, key=key, help=help_text)
    elif hint is str:
        value = st.text_input(label, value=default, key=key, help=help_text, width=320)
    else:
        low, high = metadata["low"], metadata["high"]
        kind = int if hint is int else float
        value = st.number_input(
            label,
            min_value=None if low is None else kind(low),
            max_value=None if high is None else kind(high),
            value=default,
            key=key,
            help=help_text,
            width=160,
        )
    return value


_NUMBER_OF = re.compile(r"(.+)=(\d{1,9}(?:\.\d+)?(?:e-\d+)?)")


def _number_fields(label: str, metadata: Mapping[str, Any], names: Sequence[str], stated: str, key: str) -> str:
    """A field for the number of each of these metrics; as name=number those that are not the usual one."""
    usual: float = metadata["each"]
    stated_by_name = {match[1]: match[2] for match in map(_NUMBER_OF.fullmatch, split_pieces(stated)) if match}
    with st.popover(label, key=f"{key}-popover"):
        st.caption(escape_markdown(metadata["help"]))
        values = {
            name: st.number_input(
                escape_label(metric_title(name)),
                min_value=0.0,
                value=float(stated_by_name.get(name, usual)),
                step=0.1,
                format="%g",
                key=f"{key}-{name}",
            )
            for name in names
        }
    return ",".join(f"{name}={value:g}" for name, value in values.items() if value != usual)


def _choice_label(choice: Setting, labels: Mapping[str, str]) -> str:
    return labels.get(str(choice), str(choice).replace("_", " ") or "all")


def _asked_result(name: Hashable, study: Study, data: StudyData) -> Report | str | None:
    """The report of a study that asks models, which a button begins; None while it is under way.

    Once the scores are there, a setting that only changes what is shown of them needs no button.
    """
    work = _works().get(name)
    if work and work.result is not None and work.study != study:
        _begin(name, study, data)
        work = _works()[name]
    if work and work.progress.running:
        _follow(work)
        return None
    if work and work.progress.error:
        st.error(escape_message(work.progress.error), icon=":material/error:")
    if work and work.result is not None:
        return work.result
    st.button(
        "Score the texts",
        icon=":material/play_arrow:",
        key=f"study-go-{study.name}",
        on_click=_begin,
        args=(name, study, data),
        type="primary",
    )
    st.caption(escape_markdown(study.does))
    return None


def _begin(name: Hashable, study: Study, data: StudyData) -> None:
    _works()[name] = StudyWork(study, replace(data, engine=services.engine()))


@st.cache_resource(show_spinner=False)
def _works() -> LRUCache[Hashable, StudyWork]:
    """Studies of this process that ask models."""
    return LRUCache(_MAX_KEPT)


class StudyWork:
    """A study that runs in a thread of its own, with progress and cancel; what it asked for stays in the engine's cache."""

    def __init__(self, study: Study, data: StudyData) -> None:
        self.result: Report | None = None
        self.study, self._data = study, replace(data, track=self._track)
        self._marks: tuple[Mark, ...] = ((time.monotonic(), 0),)
        self._total, self._error = 1, ""
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def progress(self) -> Progress:
        """As of now; stopped or failed, it says why."""
        marks, now, running = self._marks, time.monotonic(), self._thread.is_alive()
        rate, silent_s = recent_rate(marks, now), silence(marks, now) if running else 0.0
        stopping = running and self._cancelled.is_set()
        return Progress(marks[-1][1], self._total, rate, running, self._error, silent_s, stopping)

    def cancel(self) -> None:
        self._cancelled.set()

    def _run(self) -> None:
        outcome = attempt(lambda: self.study.run(self._data))
        if isinstance(outcome, Problem):
            self._error = outcome.error
        else:
            self.result = outcome

    def _track(self, results: Iterable[T], what: str, total: int, /) -> Iterator[T]:
        self._total, self._marks = (
            total,
            ((time.monotonic(), 0),),
        )  # a study may track several works, one after the other
        for done, result in enumerate(results, start=1):
            if self._cancelled.is_set():
                if isinstance(results, Generator):
                    results.close()  # which cancels what is under way
                raise TouchstoneError(
                    f"Stopped after {done - 1} of {total} {what}, which are kept: a new start goes on there."
                )
            self._marks = recent_marks(self._marks, (time.monotonic(), done))
            yield result


@polled(_LOOK_S)
def _follow(work: StudyWork) -> None:
    if not work.progress.running:
        redraw()
    progress_bar(work.progress, work.cancel)
