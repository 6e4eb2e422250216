"""The datasets of the database, and the folders of results, that commands read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from annotations.exchange.labelled_items import load_items
from annotations.exchange.samples import (
    dataset_references,
    load_samples,
    load_sentence_scores,
    load_texts,
    stored_reference,
)
from annotations.store.store import Store
from core.data import Refusal
from core.errors import TouchstoneError
from core.evaluation import ExplanationCase, SkippedCase, cases_from_items, read_cases
from core.results import (
    WHOLE,
    Cases,
    Shard,
    Source,
    SummaryPool,
    build_sources,
    cases_of_results,
    draw_sample,
    pool_cases,
    pool_of_cases,
    pool_of_results,
    sources_of_items,
    stored_samples,
    without_inconsistent,
)
from core.scoring import SentenceScores
from core.settings import Settings
from core.types import Item
from pages.commands.shared.inputs import read_items, refuse_overwriting_input, report_refusals
from pages.commands.shared.messages import print_status, with_progress


def version_references(dataset: Sequence[str]) -> list[str]:
    """The names by which results call these datasets, with the version where there are several."""
    if not dataset:
        return []
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        return dataset_references(store, dataset)


def full_reference(dataset: str | None) -> str:
    """The version of an imported dataset with its number; "" for what has no versions."""
    if dataset is None:
        return ""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        return stored_reference(store, dataset)


def read_samples(dataset: Sequence[str], results: Sequence[str] = ()) -> Cases:
    """The samples of datasets and of folders of results together; what was left out is printed."""
    if not dataset and not results:
        raise TouchstoneError("Name a dataset with --dataset, or a folder of results with --results.")
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        stored = [load_samples(store, name) for name in dataset]
    read = [cases_of_results(url, lambda names: with_progress(names, "blocks read", len(names))) for url in results]
    alone = len(read) == 1 and not stored
    pooled = read[0] if alone else pool_cases([*stored, *(list(cases.samples) for cases in read)])
    for warning in pooled.warnings:
        print_status(warning)
    return pooled


def read_pool(dataset: Sequence[str], results: Sequence[str], by: str | None) -> SummaryPool:
    """The summaries of datasets, or of one folder of results, with those that have no label; what was left out is printed."""
    if bool(dataset) == bool(results) or len(results) > 1:
        raise TouchstoneError("Name the pool: datasets with --dataset, or one folder of results with --results.")
    if results:
        return pool_of_results(results[0], by)
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        cases = pool_cases([load_samples(store, name) for name in dataset])
    for warning in cases.warnings:
        print_status(warning)
    return pool_of_cases(cases, by)


def read_scored_samples(dataset: Sequence[str], results: Sequence[str] = ()) -> Cases:
    """The same where at least one metric has a score."""
    cases = read_samples(dataset, results)
    if not cases.all_columns:
        raise TouchstoneError(
            f"No metric has a score in {', '.join([*dataset, *results])}. Score it: cli.py score-dataset NAME --metric …"
        )
    return cases


def read_sentence_scores(cases: Cases) -> SentenceScores:
    """The scores of sentences that the database keeps of these cases."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        return load_sentence_scores(store, *cases.score_keys)


def read_sources(
    pairs: Path | None,
    dataset: str | None,
    most: int | None,
    seed: int,
    refusals: list[Refusal],
    *,
    with_inconsistent: bool = False,
    shard: Shard = WHOLE,
) -> list[Source]:
    """The originals of a file or a shard of blocks, edited summaries being left to `score`; or those of a dataset."""
    if pairs:
        return sources_of_items(read_items(pairs, refusals, shard), most, seed, with_inconsistent=with_inconsistent)
    name = dataset or ""
    keep = list if with_inconsistent else without_inconsistent
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        candidates = keep(stored_samples(load_samples(store, name)))
        sources = build_sources(draw_sample(candidates, most or len(candidates), seed), load_texts(store, name))
    if not sources:
        raise TouchstoneError(
            f"{name} has no summary that is stored with its document and not labelled inconsistent. Import one that has."
        )
    return sources


def read_dataset_items(dataset: str) -> list[Item]:
    """Items of a dataset of the store, with the documents."""
    with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
        return load_items(store, dataset)


def read_explanations(
    cases: Path | None, dataset: str | None, output: Path, refusals: list[Refusal]
) -> list[ExplanationCase]:
    """The explanations of a file or of an imported dataset that can be graded; how many cannot is printed, with the reasons."""
    if (cases is None) == (dataset is None):
        raise TouchstoneError("Name a file of explanations, or an imported dataset with --dataset: one of the two.")
    if cases:
        refuse_overwriting_input(cases, output)
        entries = list(report_refusals(read_cases(cases), cases, refusals))
    else:
        items = read_dataset_items(dataset or "")
        if not any(item.explanations for item in items):
            raise TouchstoneError(f"{dataset} has no explanations. Import one that has, such as factualnlg.")
        entries = list(cases_from_items(items))
    skipped = Counter(entry for entry in entries if isinstance(entry, SkippedCase))
    if skipped:
        print_status(f"Not graded: {', '.join(f'{count} {reason}' for reason, count in skipped.items())}.")
    return [entry for entry in entries if isinstance(entry, ExplanationCase)]
