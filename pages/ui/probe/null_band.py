"""The null band on Probe: how far each metric moves under harmless edits of the pair, of about the size of its edit.

Only metrics that are scored while a person types are measured: two dozen scores more of a slow one would take minutes,
and those of a judge are paid for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core import edits as executable
from core.job import Cell, CellKey, Request
from core.llm.addressee import SOURCE
from core.metric import Metric
from core.remember import remembered
from core.stress.noise import band
from core.stress.null_bands import NullBands
from core.stress.shifts import changed_words
from core.types import Edit, Example, Result
from pages.ui import services
from pages.ui.forecasting import pace
from pages.ui.probe import pair as bench
from pages.ui.probe.rows import Noise
from pages.ui.probe.sets import waits_for_key

Cells = Mapping[CellKey, Cell]
_LOOK_S = 0.2  # how long a click may wait for the open run to notice it


@st.cache_resource(show_spinner=False)
def null_bands() -> NullBands:
    """What was measured, for every session."""
    return NullBands(services.engine())


def measure(request: Request, cells: Cells) -> list[Metric]:
    """Have the bands of the metrics that have scored the pair measured in the background, the cheapest first; which these are."""
    scored = [
        metric
        for metric in request.metrics
        if all(isinstance(cells[metric.spec, example.id].outcome, Result) for example in request.examples)
    ]
    wanted = sorted(filter(_is_measured, scored), key=_cost)
    null_bands().measure(wanted, request.examples[0])
    return wanted


def measuring(wanted: Sequence[Metric], request: Request) -> bool:
    """Whether some of these bands are still to come, and there is an edit to draw before them."""
    original, edited = request.examples
    return original.summary != edited.summary and _known(wanted, request) < len(wanted)


def wait(wanted: Sequence[Metric], request: Request) -> None:
    """Wait a moment for the next band."""
    null_bands().wait(wanted, request.examples[0], _known(wanted, request), _LOOK_S)


def noise_of(metric: Metric, original: Example, edited: Example) -> Noise:
    """What harmless edits of the size of this one do to a metric, as far as it is known."""
    if original.summary == edited.summary:
        return Noise()
    found = null_bands().shifts(metric, original)
    if found is not None:
        return Noise(band(found, _words(original.summary, edited.summary, bench.current().declared)))
    return Noise(words="measuring" if _is_measured(metric) else "not measured")


def _known(wanted: Sequence[Metric], request: Request) -> int:
    return sum(null_bands().shifts(metric, request.examples[0]) is not None for metric in wanted)


def _is_measured(metric: Metric) -> bool:
    return not waits_for_key(metric) and all(checkpoint.source != SOURCE for checkpoint in metric.checkpoints())


def _cost(metric: Metric) -> tuple[bool, float]:
    took = pace().last(metric.spec, "edited")
    return bool(metric.checkpoints()), took.seconds if took else 0.0


@remembered(64)
def _words(original: str, edited: str, declared: tuple[Edit, ...]) -> int:
    return changed_words(original, executable.recover(original, edited, declared))
