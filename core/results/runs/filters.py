"""Summaries of a dataset that a run perturbs, remarks of rules on variants, and filters of the variants that count."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from core.edits import PERTURBATIONS, Intent, PerturbationCard, trivial_kind
from core.errors import UnknownNameError
from core.results.runs.stress_run import Meaning, Source, StressRun, Variant, VariantKey
from core.text import Origin, edit_origin
from core.types import Edit, ErrorType, Example, Item, Sample, T, Verdict


def stored_samples(samples: Iterable[Sample]) -> list[Sample]:
    """The samples whose summary and document are both stored, each text once."""
    by_text: dict[str, Sample] = {}
    for sample in samples:
        if sample.stored and sample.item.example.summary:
            by_text.setdefault(sample.stored, sample)
    return list(by_text.values())


def without_inconsistent(samples: Iterable[Sample]) -> list[Sample]:
    """Those that are not labelled inconsistent: what is broken already cannot be broken by a perturbation."""
    return [sample for sample in samples if sample.item.intended is not Verdict.INCONSISTENT]


def draw_sample(samples: Sequence[T], most: int, seed: int) -> list[T]:
    """A sample without replacement of at most this size, in the given order; the same seed draws the same."""
    if len(samples) <= most:
        return list(samples)
    return [samples[place] for place in sorted(random.Random(seed).sample(range(len(samples)), most))]


def build_sources(picked: Iterable[Sample], texts: Iterable[Example]) -> list[Source]:
    """Sources that a run perturbs; `texts` are those of the dataset by the ids of the store, others are left out."""
    by_id = {sample.stored: sample for sample in picked}
    examples = {text.id: text for text in texts if text.id in by_id}
    return [
        Source(replace(examples[id], id=sample.item.example.id), sample.document, sample.item.domain, sample.item.title)
        for id, sample in by_id.items()
        if id in examples
    ]


def sources_of_items(
    items: Iterable[Item], most: int | None = None, seed: int = 0, *, with_inconsistent: bool = False
) -> list[Source]:
    """The same of items with their documents: originals, at most this number."""
    originals = [
        item for item in items if not item.parent and (with_inconsistent or item.intended is not Verdict.INCONSISTENT)
    ]
    return [Source.of(item) for item in draw_sample(originals, most or len(originals), seed)]


TRIVIAL_PREFIX = "trivial: "
MISPLACED_PREFIX = "meant "
"""Beginning of a remark that says that an edit is trivial, or that its words come from elsewhere than intended."""

_EXPECTED_ORIGINS: dict[ErrorType, Origin] = {
    ErrorType.INTRINSIC_PREDICATE: "intrinsic",
    ErrorType.INTRINSIC_ENTITY: "intrinsic",
    ErrorType.INTRINSIC_CIRCUMSTANCE: "intrinsic",
    ErrorType.EXTRINSIC_PREDICATE: "extrinsic",
    ErrorType.EXTRINSIC_ENTITY: "extrinsic",
    ErrorType.EXTRINSIC_CIRCUMSTANCE: "extrinsic",
}


def rule_remarks(card: PerturbationCard, example: Example, edits: Sequence[Edit]) -> tuple[str, ...]:
    """One short phrase each, in order and without repetition; none where there is nothing to say."""
    if card.intent != "breaking":
        return ()
    kinds = [trivial_kind(edit, example.summary) for edit in edits]
    remarks = [f"{TRIVIAL_PREFIX}{kind.value}" for kind in kinds if kind]
    origins = {edit_origin(edit, example.summary, example.document) for edit in edits} - {None}
    if origins:
        whole: Origin = "extrinsic" if "extrinsic" in origins else "intrinsic"
        remarks.append(whole)
        intended = _EXPECTED_ORIGINS.get(card.error_type) if card.error_type else None
        if intended and intended != whole:
            remarks.append(f"{MISPLACED_PREFIX}{intended}, but its words are {whole}")
    return tuple(dict.fromkeys(remarks))


VariantFilter = Callable[[StressRun, Variant], bool]
"""True if a variant is left out."""

_EXPECTED_MEANINGS: dict[Intent, frozenset[Meaning]] = {
    "preserving": frozenset({Meaning.KEPT}),
    "breaking": frozenset({Meaning.CHANGED}),
    "gaming": frozenset({Meaning.KEPT, Meaning.CHANGED}),  # a phrase may say something or nothing
}
"""Meanings that a person has to give a variant for it to be what it was meant to be."""


def filter_variants(run: StressRun, filters: Iterable[str]) -> frozenset[VariantKey] | None:
    """The variants that none of these filters leaves out; None, for all of them, where there is no filter.

    Raises UnknownNameError for a filter that does not exist.
    """
    predicates = [_variant_filter(name) for name in filters]
    if not predicates:
        return None
    return frozenset(
        key for key, variant in run.variants.items() if not any(objects(run, variant) for objects in predicates)
    )


def count_left_out(run: StressRun, filter_name: str) -> int:
    """Number of the variants that were made and that a filter leaves out."""
    made = [variant for variant in run.variants.values() if variant.summary is not None]
    return sum(_variant_filter(filter_name)(run, variant) for variant in made)


def _variant_filter(name: str) -> VariantFilter:
    if name not in VARIANT_FILTERS:
        raise UnknownNameError("filter", name, VARIANT_FILTERS)
    return VARIANT_FILTERS[name]


def _is_contradicting(run: StressRun, variant: Variant) -> bool:
    check = run.checks.get((variant.source, variant.kind))
    return check is not None and check.mark is not None and check.mark.contradicts


def _is_unverified(run: StressRun, variant: Variant) -> bool:
    opinion = run.opinions.get((variant.source, variant.kind))
    return opinion is None or opinion.meaning not in _EXPECTED_MEANINGS[PERTURBATIONS.parse(variant.kind).card.intent]


VARIANT_FILTERS: dict[str, VariantFilter] = {
    "contradicting": _is_contradicting,
    "unchecked": lambda run, variant: (
        variant.kind in run.plan.guarded and not run.has_mark(variant.source, variant.kind)
    ),
    "unverified": _is_unverified,
    "trivial": lambda _, variant: any(remark.startswith(TRIVIAL_PREFIX) for remark in variant.remarks),
    "misplaced": lambda _, variant: any(remark.startswith(MISPLACED_PREFIX) for remark in variant.remarks),
}
"""Left out: what the guard marked, what it could not tell, what no person found to be as meant, edits that need no reading
of the document, and words that come from elsewhere than intended."""


def balanced_variants(variants: Iterable[Variant], seed: int) -> list[Variant]:
    """The variants, in their order, with equally many errors of each type that has any; harmless ones and phrases all stay.

    As many as the rarest type has are drawn by the seed: of several kinds of one type as evenly as they allow.
    """
    made = [variant for variant in variants if variant.summary is not None]
    by_type: defaultdict[ErrorType, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, variant in enumerate(made):
        error = error_type_of(variant)
        if error is not None:
            by_type[error][variant.kind].append(place)
    if not by_type:
        return made
    number = min(sum(map(len, kinds.values())) for kinds in by_type.values())
    rng = random.Random(seed)
    sampled: set[int] = set()
    for error in sorted(by_type):
        kinds = by_type[error]
        shuffled = [rng.sample(kinds[kind], len(kinds[kind])) for kind in sorted(kinds)]
        rounds = range(max(map(len, shuffled)))
        in_turn = [places[turn] for turn in rounds for places in shuffled if turn < len(places)]
        sampled.update(in_turn[:number])
    return [variant for place, variant in enumerate(made) if place in sampled or error_type_of(variant) is None]


def error_type_of(variant: Variant) -> ErrorType | None:
    """The type of error that a variant is meant to have; None for one that breaks nothing or whose kind names no type."""
    return PERTURBATIONS.parse(variant.kind).card.error_type
