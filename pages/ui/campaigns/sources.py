"""Where the items of a campaign come from: bundled, kept here, varied by a stress run, or imported."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import streamlit as st

from annotations.campaigns.candidates import Candidate, of_pair
from annotations.records import OWN, KeptPair
from core.datasets.bundled import examples
from core.edits import recover
from core.perturbation import PERTURBATIONS
from core.stress.records import Run, Source, Variant
from core.types import Item, Verdict
from pages.ui import services
from pages.ui.campaigns.choice import desk
from pages.ui.evaluate.work import result_of
from pages.ui.stress.runs import listed, load

_COUNTED = ("origin", "label", "explanation", "sample", "document")


def source_choice(key: str) -> list[Candidate] | None:
    """Everything of the chosen source that could be labelled; None while it is read or nothing is chosen."""
    ways: dict[str, Callable[[str], list[Candidate] | None]] = {
        "Bundled examples": lambda _: list(bundled()),
        "Kept here": _kept,
        "Stress run": _of_run,
        "Imported": _of_import,
    }
    chosen = st.segmented_control(
        "Items from", list(ways), default="Bundled examples", key=f"{key}-source", required=True
    )
    return ways[chosen](key)


@cache
def bundled() -> tuple[Candidate, ...]:
    """The bundled summaries and their edits."""
    originals = {item.example.id: item for item in examples() if not item.parent}
    return tuple(_bundled(item, originals[item.parent or item.example.id]) for item in examples())


def of_run(run: Run) -> list[Candidate]:
    """The variants that a stress run made of its summaries, which come before them."""
    originals = [of_pair(source.example.id, _unedited(source, run.plan.name)) for source in run.sources.values()]
    variants = [
        of_pair(f"{variant.source}, {variant.kind}", _varied(run.sources[variant.source], variant, run.plan.name))
        for variant in run.variants.values()
        if variant.summary and variant.summary != run.sources[variant.source].example.summary
    ]
    return originals + variants


def _kept(_: str) -> list[Candidate] | None:
    found = _of_store(OWN)
    if found == []:
        st.caption("Nothing was kept or labelled here yet. Keep pairs on Probe.")
    return found


def _of_run(key: str) -> list[Candidate] | None:
    rows = listed()
    if not rows:
        st.caption("There is no stress run yet. Begin one under Stress test.")
        return None
    id = st.selectbox("Run", list(rows), key=f"{key}-run", format_func=lambda id: rows[id].name)
    return of_run(load(rows[id]))


def _of_import(key: str) -> list[Candidate] | None:
    names = [row.name for row in services.store().datasets()]
    if not names:
        st.caption("Nothing was imported yet. Import a dataset under Evaluate.")
        return None
    return _of_store(st.selectbox("Dataset", names, key=f"{key}-dataset"))


def _of_store(dataset: str) -> list[Candidate] | None:
    counts, manager = services.store().counts(), desk()
    state = tuple(counts[table] for table in _COUNTED)
    return result_of("Reading the items…", ("candidates", dataset, state), lambda: manager.candidates(dataset))


def _bundled(item: Item, original: Item) -> Candidate:
    pair = KeptPair(
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
    )
    return of_pair(item.example.id, pair)


def _unedited(source: Source, run: str) -> KeptPair:
    summary = source.example.summary
    return KeptPair(
        source.example.document,
        summary,
        summary,
        (),
        by="",
        title=source.title,
        domain=source.domain,
        source=f"stress run {run}",
    )


def _varied(source: Source, variant: Variant, run: str) -> KeptPair:
    original, edited = source.example.summary, variant.summary or ""
    breaks = PERTURBATIONS.parse(variant.kind).card.intent == "breaking"
    return KeptPair(
        source.example.document,
        original,
        edited,
        variant.edits or tuple(recover(original, edited)),
        by=variant.kind,
        intended=Verdict.INCONSISTENT if breaks else None,
        title=f"{variant.kind} ({source.title})",
        domain=source.domain,
        source=f"stress run {run}",
    )
