"""Choice of the items of a campaign: from one source, of some kinds, so many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import streamlit as st

from annotations.campaigns.campaign import SKILL, NewTask
from annotations.campaigns.questions import QuestionSet
from annotations.management.candidates import (
    Candidate,
    candidate_from_pair,
    draw_candidates,
    fits_questions,
    tasks_for_candidate,
)
from annotations.store.records import LOCAL_LABELS, PairRecord
from core.data import bundled_items
from core.edits import PERTURBATIONS, kind_title
from core.results import StressRun
from core.text import recover
from core.types import ErrorType, Verdict
from pages.server import services
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.campaigns.file_items import file_candidates
from pages.ui.results.run_choice import listed_runs, load_run
from pages.ui.shared.background_results import background_result

FROM_FILE = "From a file"
_COUNTED_TABLES = ("origin", "label", "explanation", "sample", "document")


_SOURCES = ("Bundled examples", FROM_FILE, "Kept here", "Stress run", "Imported")


def _source_candidates(source: str, key: str) -> list[Candidate] | None:
    """Everything of the source that could be labelled; None while it is read or nothing is chosen."""
    match source:
        case "From a file":
            return file_candidates(key)
        case "Kept here":
            candidates = _stored_candidates(LOCAL_LABELS)
            if candidates == []:
                st.caption("Nothing was kept or labelled here yet. Keep pairs on Probe.")
            return candidates
        case "Stress run":
            return _candidates_of_a_run(key)
        case "Imported":
            return _candidates_of_a_dataset(key)
    return list(bundled_candidates())


def _candidates_of_a_run(key: str) -> list[Candidate] | None:
    rows = listed_runs()
    if not rows:
        st.caption("There is no stress run yet. Begin one under Stress test.")
        return None
    id = st.selectbox("Run", list(rows), key=f"{key}-run", format_func=lambda id: rows[id].name)
    return run_candidates(load_run(rows[id]))


def _candidates_of_a_dataset(key: str) -> list[Candidate] | None:
    names = [row.name for row in services.store().datasets()]
    if not names:
        st.caption("Nothing was imported yet. Import a dataset under Evaluate.")
        return None
    return _stored_candidates(st.selectbox("Dataset", names, key=f"{key}-dataset"))


@cache
def bundled_candidates() -> tuple[Candidate, ...]:
    """The bundled summaries and their edits."""
    originals = {item.example.id: item for item in bundled_items() if not item.parent}
    candidates = []
    for item in bundled_items():
        original = originals[item.parent or item.example.id]
        pair = PairRecord(
            item.example.document,
            original.example.summary,
            item.example.summary,
            item.edits,
            by="bundled examples",
            intended=item.intended,
            error_type=item.error_type,
            title=f"{item.title} ({original.title})" if item.parent else item.title,
            domain=item.domain,
            source=item.example.id,
            contexts=item.example.contexts,
            question=item.example.question,
        )
        candidates.append(candidate_from_pair(item.example.id, pair))
    return tuple(candidates)


def run_candidates(run: StressRun) -> list[Candidate]:
    """The variants that a stress run made of its summaries, which come before them."""
    candidates = []
    for source in run.sources.values():
        original = source.example.summary
        pair = PairRecord(
            source.example.document,
            original,
            original,
            (),
            by="",
            title=source.title,
            domain=source.domain,
            source=f"stress run {run.plan.name}",
            contexts=source.example.contexts,
            question=source.example.question,
        )
        candidates.append(candidate_from_pair(source.example.id, pair))
    for variant in run.variants.values():
        source, edited = run.sources[variant.source], variant.summary
        original = source.example.summary
        if not edited or edited == original:
            continue
        breaks = PERTURBATIONS.parse(variant.kind).card.intent == "breaking"
        pair = PairRecord(
            source.example.document,
            original,
            edited,
            variant.edits or tuple(recover(original, edited)),
            by=variant.kind,
            intended=Verdict.INCONSISTENT if breaks else None,
            title=f"{kind_title(variant.kind)} ({source.title})",
            domain=source.domain,
            source=f"stress run {run.plan.name}",
            contexts=source.example.contexts,
            question=source.example.question,
        )
        candidates.append(candidate_from_pair(f"{variant.source}, {variant.kind}", pair))
    return candidates


def _stored_candidates(dataset: str) -> list[Candidate] | None:
    state, manager = tuple(services.store().counts(*_COUNTED_TABLES).values()), campaign_manager()
    return background_result("Reading the items…", ("candidates", dataset, state), lambda: manager.candidates(dataset))


_MAX_ITEMS = 10_000
_DEFAULT_ITEMS = 100
_NOT_GIVEN = "not given"

_FILTER_FIELDS: dict[str, Callable[[Candidate], str]] = {
    "Domain": lambda candidate: candidate.domain,
    "Made by": lambda candidate: candidate.maker if candidate.edited else "",
    "Meant to be": lambda candidate: candidate.intended.value if candidate.intended else "",
    "Error type": lambda candidate: candidate.error_type.value if candidate.error_type else "",
}


@dataclass(frozen=True, slots=True)
class ItemPool:
    """Candidates to draw from, and how many; `types` are the error types that are to be written of each, `skill` is what they ask for, or ""."""

    candidates: tuple[Candidate, ...] = ()
    types: tuple[ErrorType, ...] = ()
    number: int = 0
    seed: int = 0
    skill: str = ""


@dataclass(frozen=True, slots=True)
class ChosenItems:
    """Tasks that the choice gives: those of work, and those with known answers."""

    work: tuple[NewTask, ...] = ()
    answered: tuple[NewTask, ...] = ()

    @property
    def tasks(self) -> tuple[NewTask, ...]:
        return (*self.answered, *self.work)

    @property
    def by_part(self) -> Counter[str]:
        return Counter(str(task.part) for task in self.tasks)

    def of(self, part: str) -> int:
        return self.by_part[part]


def item_pool(questions: QuestionSet, key: str) -> ItemPool:
    """The source, and behind a button the filters and how many."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        source = st.selectbox("Items", _SOURCES, key=f"{key}-source", width=260)
    offered = _source_candidates(source, key) or []
    usable = [candidate for candidate in offered if fits_questions(candidate, questions)]
    if not usable:
        if offered:
            edited = {"some": "edited summaries", "one": "summaries with a single edit", "any": "summaries"}
            pairs = edited[questions.edits]
            needed = {"summary": "summaries", "pair": pairs, "explanation": f"{pairs} with an explanation of an error"}
            st.info(
                f"Of {len(offered)} items none can be asked about: this question set needs {needed[questions.unit]}.",
                icon=":material/info:",
            )
        return ItemPool()
    with row, st.popover("Which of them", icon=":material/filter_alt:", key=f"{key}-which"):
        return _drawn_items(usable, questions, key, _MAX_ITEMS if source == FROM_FILE else _DEFAULT_ITEMS)


def _drawn_items(usable: Sequence[Candidate], questions: QuestionSet, key: str, most: int) -> ItemPool:
    """The filters and how many of those that pass, at first no more than `most`."""
    candidates = _side_choice(usable, questions, key) if questions.unit == "summary" else list(usable)
    columns = st.columns(2)
    for place, (name, field) in enumerate(_FILTER_FIELDS.items()):
        with columns[place % 2]:
            values = sorted(set(map(field, candidates)))
            if len(values) < 2:
                continue
            selected = st.multiselect(
                name,
                values,
                key=f"{key}-{name}",
                placeholder="All",
                format_func=lambda value: kind_title(value) or _NOT_GIVEN,
            )
            candidates = [candidate for candidate in candidates if not selected or field(candidate) in selected]

    types: list[ErrorType] = []
    if questions.required_type:
        types = st.multiselect(
            "Error types to write",
            list(ErrorType),
            default=[kind for kind in ErrorType if kind is not ErrorType.OTHER],
            key=f"{key}-types",
            format_func=str,
            help="Each summary is given out once for each type (BUMP, task 1).",
        )
    available = len(candidates)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            f"How many of {available}",
            min(1, available),
            _MAX_ITEMS,
            min(available, most),
            key=f"{key}-number-{available}-{most}",
            width=170,
            help="Drawn at random; the same seed draws the same items.",
        )
        seed = st.number_input("Seed of the draw", 0, None, 0, key=f"{key}-draw", width=150)
        skill = st.text_input(
            "Skill that they ask for",
            key=f"{key}-skill",
            width=220,
            max_chars=80,
            help="The name of a group of people; under rules with “Items may ask for a skill” only they get these items.",
        )

    return ItemPool(tuple(candidates), tuple(types), number, seed, skill.strip())


def chosen_items(pool: ItemPool, answered: Mapping[str, NewTask], questions: QuestionSet) -> ChosenItems:
    """Tasks of work drawn from the pool, without what is used with a known answer."""
    rest = [candidate for candidate in pool.candidates if candidate.name not in answered]
    requirement = {SKILL: pool.skill} if pool.skill else {}
    work = [
        replace(task, asked={**task.asked, **requirement})
        for candidate in draw_candidates(rest, pool.number, pool.seed)
        for task in tasks_for_candidate(candidate, questions, pool.types)
    ]
    return ChosenItems(tuple(work), tuple(answered.values()))


def _side_choice(usable: Sequence[Candidate], questions: QuestionSet, key: str) -> list[Candidate]:
    """Edited summaries, or those that they were made from; who writes edits starts from the latter. Nothing is asked where none is edited."""
    if not any(candidate.edited for candidate in usable):
        return list(usable)
    sources = {"Originals": (False,), "Edited": (True,), "Both": (False, True)}
    side = st.segmented_control(
        "Summaries",
        list(sources),
        default="Originals" if _asks_for_edits(questions) else "Both",
        key=f"{key}-sides-{questions.name}",
        required=True,
    )
    return [candidate for candidate in usable if candidate.edited in sources[side]]


def _asks_for_edits(questions: QuestionSet) -> bool:
    return any(question.kind == "edit" for question in questions.questions)
