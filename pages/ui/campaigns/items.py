"""Which items a campaign gets: from one source, of some kinds, so many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from annotations.campaigns.candidates import Candidate, drawn, fits, tasks
from annotations.campaigns.questions import QuestionSet
from annotations.campaigns.setup import NewTask
from core.types import ErrorType
from pages.ui.campaigns.sources import source_choice

_MOST = 10_000
_FEW = 100
_NONE = "not said"

_FIELDS: dict[str, Callable[[Candidate], str]] = {
    "Domain": lambda one: one.domain,
    "Made by": lambda one: one.maker if one.edited else "",
    "Meant to be": lambda one: one.intended.value if one.intended else "",
    "Error type": lambda one: one.error_type.value if one.error_type else "",
}


@dataclass(frozen=True, slots=True)
class Pool:
    """What is offered to draw from, so many of it; `types` are the error types that are to be written of each."""

    kept: tuple[Candidate, ...] = ()
    types: tuple[ErrorType, ...] = ()
    number: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ChosenItems:
    """What becomes of the choice: tasks of work, and those with known answers."""

    work: tuple[NewTask, ...] = ()
    known: tuple[NewTask, ...] = ()

    @property
    def tasks(self) -> tuple[NewTask, ...]:
        return (*self.known, *self.work)

    def of(self, part: str) -> int:
        return sum(task.part == part for task in self.tasks)


def item_pool(questions: QuestionSet, key: str) -> Pool:
    """The source, the filters, and how many."""
    found = source_choice(key) or []
    fitting = [one for one in found if fits(one, questions)]
    if not fitting:
        if found:
            st.info(_nothing_fits(questions, len(found)), icon=":material/info:")
        return Pool()
    kept = _kinds(fitting, questions, key)
    types = _types(key) if _writes(questions) else []
    number, seed = _how_many(len(kept), key)
    return Pool(tuple(kept), tuple(types), number, seed)


def chosen_items(pool: Pool, known: Mapping[str, NewTask], questions: QuestionSet) -> ChosenItems:
    """Tasks of work drawn from the pool, without what is used with a known answer."""
    rest = [one for one in pool.kept if one.name not in known]
    work = [task for one in drawn(rest, pool.number, pool.seed) for task in tasks(one, questions, pool.types)]
    return ChosenItems(tuple(work), tuple(known.values()))


def _nothing_fits(questions: QuestionSet, found: int) -> str:
    needed = {"summary": "summaries", "pair": "edited summaries", "explanation": "edited summaries with an explanation"}
    return f"Of {found} items none can be asked about: this question set needs {needed[questions.unit]}."


def _kinds(fitting: Sequence[Candidate], questions: QuestionSet, key: str) -> list[Candidate]:
    kept = _sides(fitting, questions, key) if questions.unit == "summary" else list(fitting)
    with st.expander("Filter", icon=":material/filter_alt:"):
        columns = st.columns(2)
        for place, (name, field) in enumerate(_FIELDS.items()):
            with columns[place % 2]:
                kept = _filtered(kept, name, field, key)
    return kept


def _sides(fitting: Sequence[Candidate], questions: QuestionSet, key: str) -> list[Candidate]:
    """Edited summaries, or those that they were made from; who writes edits starts from the latter."""
    ways = {"Originals": (False,), "Edited": (True,), "Both": (False, True)}
    chosen = st.segmented_control(
        "Summaries",
        list(ways),
        default="Originals" if _writes(questions) else "Both",
        key=f"{key}-sides-{questions.name}",
        required=True,
    )
    return [one for one in fitting if one.edited in ways[chosen]]


def _filtered(kept: Sequence[Candidate], name: str, field: Callable[[Candidate], str], key: str) -> list[Candidate]:
    """Those with one of the chosen values; where nothing is chosen, all."""
    values = _values(map(field, kept))
    if len(values) < 2:
        return list(kept)
    chosen = st.multiselect(name, values, key=f"{key}-{name}", placeholder="All", format_func=lambda one: one or _NONE)
    return [one for one in kept if not chosen or field(one) in chosen]


def _values(found: Iterable[str]) -> list[str]:
    return sorted(set(found))


def _types(key: str) -> list[ErrorType]:
    return st.multiselect(
        "Error types to write",
        list(ErrorType),
        default=[kind for kind in ErrorType if kind is not ErrorType.OTHER],
        key=f"{key}-types",
        format_func=str,
        help="Each summary is given out once for each type (BUMP, task 1).",
    )


def _writes(questions: QuestionSet) -> bool:
    return any(question.kind == "edit" for question in questions.questions)


def _how_many(available: int, key: str) -> tuple[int, int]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            f"How many of {available}",
            min(1, available),
            _MOST,
            min(available, _FEW),
            key=f"{key}-number-{available}",
            width=170,
            help="Drawn by chance, the same for the same seed.",
        )
        seed = st.number_input("Seed of the draw", 0, None, 0, key=f"{key}-draw", width=150)
    return number, seed
