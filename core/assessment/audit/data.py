"""Data of an audit: labelled texts, texts to perturb, and the commands that read the same data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote

import numpy as np

from core.edits import STANDARD_BATTERY, Battery, read_battery, standard_battery
from core.errors import TouchstoneError
from core.results import (
    Cases,
    DataFacts,
    MetricColumn,
    Source,
    build_sources,
    data_facts,
    draw_sample,
    pool_cases,
    scored_sample,
    sources_of_items,
    stored_samples,
    stored_score,
    without_inconsistent,
)
from core.scoring import METRICS
from core.types import Example, Item, Outcome, Sample, StoredScore, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class AuditData:
    """Data that a metric is audited on, and the options that name the same data to commands."""

    facts: tuple[DataFacts, ...]
    """Name, size and SHA-256 of each dataset."""
    texts: tuple[Example, ...]
    """Texts to score, each id once."""
    sources: tuple[Source, ...]
    """Summaries to perturb, without those labelled inconsistent."""
    broken: tuple[Source, ...]
    """Summaries labelled inconsistent, to add gaming phrases to."""
    cases_of: Callable[[Sequence[Outcome]], Cases]
    """Function that joins outcomes with the labels."""
    options: str
    """Options of commands that read datasets."""
    stress_options: str
    """Options of `stress`; empty for several datasets, as it takes one only."""
    audit_options: str
    """Options of `audit`."""
    most: int | None = None
    """Largest number of `sources` and of `broken`; None for all."""
    preparation: str = ""
    """Command that imports the file into the database; empty for data that are there already."""
    battery: Battery = field(default_factory=standard_battery)
    """Edits of the stress run."""


def items_data(path: Path, items: Sequence[Item], most: int | None, seed: int) -> AuditData:
    """The pairs of a file, or others that no database holds."""
    inconsistent = [replace(item, parent=None) for item in items if item.intended is Verdict.INCONSISTENT]
    dataset = path.stem

    def cases_of(outcomes: Sequence[Outcome]) -> Cases:
        scores = kept_scores(outcomes)
        return pool_cases([[scored_sample(dataset, item, scores[item.example.id]) for item in items]])

    return AuditData(
        facts=(data_facts(path.name, [scored_sample(dataset, item, ()) for item in items]),),
        texts=tuple({item.example.id: item.example for item in items}.values()),
        sources=tuple(sources_of_items(items, most, seed)),
        broken=tuple(sources_of_items(inconsistent, most, seed, with_inconsistent=True)),
        cases_of=cases_of,
        options=f"--dataset {quote(dataset)}",
        stress_options=f"{quote(str(path))}{f' --most {most}' if most else ''}",
        audit_options=f"--data {quote(str(path))}",
        most=most,
        preparation=f"python cli.py import pairs {quote(str(path))} --name {quote(dataset)}",
    )


def samples_data(
    datasets: Mapping[str, Sequence[Sample]],
    texts: Sequence[Example],
    cases_of: Callable[[Sequence[Outcome]], Cases],
    most: int | None,
    seed: int,
) -> AuditData:
    """Datasets by name as the store gives them, with their texts under the ids of the store."""
    samples = [sample for of_dataset in datasets.values() for sample in of_dataset]
    candidates, bad = (
        stored_samples(samples),
        [sample for sample in samples if sample.item.intended is Verdict.INCONSISTENT],
    )
    good_subset = draw_sample(without_inconsistent(candidates), most or len(candidates), seed)
    bad_subset = draw_sample(stored_samples(bad), most or len(bad), seed)
    options = " ".join(f"--dataset {quote(name)}" for name in datasets)
    return AuditData(
        facts=tuple(data_facts(name, of_dataset) for name, of_dataset in datasets.items()),
        texts=tuple({text.id: text for text in texts}.values()),
        sources=tuple(build_sources(good_subset, texts)),
        broken=tuple(build_sources(bad_subset, texts)),
        cases_of=cases_of,
        options=options,
        stress_options=f"{options}{f' --most {most}' if most else ''}" if len(datasets) == 1 else "",
        audit_options=" ".join(f"--data {quote(name)}" for name in datasets),
        most=most,
    )


def kept_scores(outcomes: Sequence[Outcome]) -> defaultdict[str, list[StoredScore]]:
    """Scores as a database keeps them, by the id of the text."""
    scores: defaultdict[str, list[StoredScore]] = defaultdict(list)
    for outcome in outcomes:
        scores[outcome.example_id].append(stored_score(outcome))
    return scores


def with_saved_thresholds(data: AuditData, names: Sequence[str]) -> AuditData:
    """The data whose commands name saved thresholds, or files of them, as well."""
    named = "".join(f" --threshold {quote(name)}" for name in names)
    return replace(data, audit_options=f"{data.audit_options}{named}")


def with_given_scores(data: AuditData, files: Mapping[str, Mapping[str, Mapping[str, float]]]) -> AuditData:
    """The data with columns of scores from files: by the path of the file, the metric and the id of the summary."""
    columns = {metric: scores for metrics in files.values() for metric, scores in metrics.items()}

    def cases_of(outcomes: Sequence[Outcome]) -> Cases:
        cases = data.cases_of(outcomes)
        file_columns = []
        for metric, scores in columns.items():
            values = [scores.get(sample.item.example.id, scores.get(sample.stored, np.nan)) for sample in cases.samples]
            if np.isnan(values).all():
                data_ids = ", ".join(sample.item.example.id for sample in cases.samples[:3])
                raise TouchstoneError(
                    f"No score of {metric} is of a summary of these data: its ids are {', '.join(list(scores)[:3])} …, those of the data "
                    f"{data_ids} …. Give scores whose ids are those of the pairs."
                )
            name = metric.partition("[")[0].partition("@")[0]
            direction = METRICS.parse(metric).card.direction if name in METRICS.names() else "higher"
            file_columns.append(MetricColumn(metric, np.array(values, dtype=np.float64), direction))
        other_columns = tuple(column for column in cases.columns if column.name not in columns)
        return replace(cases, columns=(*file_columns, *other_columns))

    named = "".join(f" --scores {quote(path)}" for path in files)
    return replace(data, cases_of=cases_of, audit_options=f"{data.audit_options}{named}")


def released_columns(data: AuditData) -> list[str]:
    """Names of the columns of scores that the data have without a metric of ours, as a benchmark releases them."""
    return [column.name for column in data.cases_of(()).all_columns if column.released]


def with_battery(data: AuditData, spec: str) -> AuditData:
    """The data perturbed by a battery, a name or file, which the commands name too; raises as `read_battery` does."""
    battery = read_battery(spec)
    if spec == STANDARD_BATTERY:
        return data
    named = f" --battery {quote(spec)}"
    return replace(
        data,
        battery=battery,
        stress_options=f"{data.stress_options}{named}" if data.stress_options else "",
        audit_options=f"{data.audit_options}{named}",
    )


def audit_command(data: AuditData, metrics: Sequence[str], seed: int) -> str:
    """The command that repeats an audit."""
    named = " ".join(map(quote, metrics))
    most = f" --most {data.most}" if data.most else ""
    return f"python cli.py audit {named} {data.audit_options}{most}{f' --seed {seed}' if seed else ''}"
