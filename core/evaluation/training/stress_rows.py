"""Rows of a stress run that a metric is hardened by: originals with their harmless variants, and with their broken ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.training.near_documents import near_duplicates
from core.evaluation.training.training_data import StressRows, TrainingData
from core.evaluation.training.training_row import TrainingRow
from core.results import StressRun, filter_variants, intent_of
from core.stats import Numbers, number_documents
from core.types import Item

ORIGIN = "stress run"


@dataclass(frozen=True, slots=True, eq=False)
class StressSource:
    """A stress run to be hardened by; `benchmarks` are items of datasets by their name, of whose documents none is learned from."""

    name: str
    run: StressRun
    benchmarks: Mapping[str, Sequence[Item]] = field(default_factory=dict)


def with_stress_run(data: TrainingData, source: StressSource, tests: Sequence[str]) -> TrainingData:
    """The data with the rows of a stress run; documents that both have are one.

    A row whose document is a near-duplicate of a benchmark's, or of one of the `tests`, is left out, and so is an item of a
    benchmark whose document is one of the labels'. Raises TouchstoneError where no harmless variant is left, or no broken one.
    """
    rows, left_out = _rows_of(source.run)
    benchmarks = [(name, item) for name, items in source.benchmarks.items() for item in items]
    apart = list(dict.fromkeys([*(item.example.document for _, item in benchmarks), *tests]))
    texts = [*(row.document for row in (*data.rows, *rows)), *apart]
    groups = [*(row.group for row in data.rows), *(f"run/{row.group}" for row in rows), *("" for _ in apart)]
    numbers = near_duplicates(texts, groups)
    ends = len(data.rows), len(data.rows) + len(rows)
    allowed = ~np.isin(numbers[ends[0] : ends[1]], numbers[ends[1] :])
    if not allowed.all():
        left_out["of a benchmark's or a test's document"] = int((~allowed).sum())

    allowed_rows = tuple(row for row, keep in zip(rows, allowed, strict=True) if keep)
    row_numbers: Numbers = np.concatenate([numbers[: ends[0]], numbers[ends[0] : ends[1]][allowed]])
    documents = number_documents([number] for number in row_numbers.tolist())
    taught = set(numbers[: ends[0]].tolist())
    unseen = {text for text, number in zip(apart, numbers[ends[1] :].tolist(), strict=True) if number not in taught}
    judged = {
        name: [item for item in items if item.example.document in unseen] for name, items in source.benchmarks.items()
    }
    originals = {row.id: place for place, row in enumerate(allowed_rows) if not row.parent}
    pairs = tuple((originals[row.parent], place) for place, row in enumerate(allowed_rows) if row.parent)
    stress = StressRows(source.name, allowed_rows, documents[ends[0] :], pairs, left_out, judged)
    for what, wrong in (("harmless", False), ("broken", True)):
        if not any(allowed_rows[variant].wrong is wrong for _, variant in stress.pairs):
            reasons = "; ".join(f"{number} {reason}" for reason, number in left_out.items())
            raise TouchstoneError(
                f"The stress run {source.name} has no {what} variant to learn from. {f'Left out: {reasons}. ' if reasons else ''}"
                "Take a run with kinds that keep the meaning and kinds that break it, on documents of no benchmark."
            )
    return replace(data, documents=documents[: ends[0]], stress=stress)


def _rows_of(run: StressRun) -> tuple[list[TrainingRow], dict[str, int]]:
    """The originals of a run, each before its variants, and how many variants were left out for which reason.

    A phrase that games metrics says nothing of the document: neither of the two losses is for it.
    """
    unmarked = filter_variants(run, ["contradicting"]) or frozenset()
    as_meant = filter_variants(run, ["unverified"]) or frozenset()
    left_out: Counter[str] = Counter()
    variants: dict[str, list[TrainingRow]] = {}
    for (id, kind), variant in run.variants.items():
        source = run.sources[id]
        if variant.summary is None:
            continue
        if intent_of(kind) == "gaming":
            left_out["variants with a phrase that games metrics"] += 1
        elif (id, kind) not in unmarked or ((id, kind) in run.opinions and (id, kind) not in as_meant):
            left_out["variants that a check or a person objects to"] += 1
        else:
            row = TrainingRow(
                id=f"{id}/{kind}",
                document=source.example.document,
                summary=variant.summary,
                wrong=intent_of(kind) == "breaking",
                wrong_words=None,
                kind=kind,
                origin=ORIGIN,
                domain=source.domain,
                group=source.group,
                parent=id,
            )
            variants.setdefault(id, []).append(row)
    rows = []
    for id, of_source in variants.items():
        original = replace(
            of_source[0], id=id, summary=run.sources[id].example.summary, wrong=False, kind="", parent=""
        )
        rows += [original, *of_source]
    return rows, dict(left_out)
