"""Studies from Python: the data that a notebook has, and a report that a notebook shows, saves and turns into tables."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.assessment.notebook.session import download_weights, engine
from core.base import Setting
from core.errors import TouchstoneError
from core.evaluation import (
    STUDIES,
    Input,
    Report,
    Study,
    StudyData,
    flat_rows,
    report_html,
    report_record,
    report_text,
    write_report,
)
from core.results import (
    StressRun,
    affordable_resamples,
    pool_cases,
    pool_labels,
    read_pool_labels,
    run_from_lines,
    scored_sample,
    select_metrics,
    select_pool_metrics,
    with_labels,
)
from core.scoring import METRICS, parts_of_texts
from core.stats import RESAMPLES
from core.types import Item, Part, Sample, StoredScore

PAIRS_DATASET = "pairs"
"""The name that the pairs of a notebook have where others have that of their dataset."""

_SCORE_FIELDS = ("id", "metric", "score", "signature")


class NotebookReport(Report):
    """A report of a study in a notebook, which shows it as tables and charts."""

    def record(self) -> dict[str, Any]:
        """Everything that `--json` prints."""
        return report_record(self)

    def rows(self, table: str = "") -> list[dict[str, Any]]:
        """The rows of a table, by default the first, for `pandas.DataFrame`: a figure is its value, `<name>_low` and so on stand beside it."""
        return flat_rows(self.table(table))

    def save(self, file: str | Path) -> list[Path]:
        """Write the form that the ending names (.json, .csv, .html, .tex, .md, .txt, .svg, .pdf); the files written."""
        return write_report(self, Path(file))

    def _repr_html_(self) -> str:
        return report_html(self)

    def __str__(self) -> str:
        return report_text(self)


def run_study(
    name: str,
    settings: Mapping[str, Setting],
    data: StudyData,
    *,
    metrics: Sequence[str] = (),
    resamples: int | None = None,
) -> NotebookReport:
    """The report of the study of that name; see `touchstone.study`. Raises TouchstoneError as the study does."""
    study: Study = STUDIES.build(name, settings)
    if not {Input.SAMPLES, Input.SCORES, Input.POOL} & {*study.takes, *study.may_take}:
        data = dataclasses.replace(data, cases=None)  # it scores the pairs itself, or takes none
    if data.cases is not None:
        cases = select_metrics(data.cases, metrics) if metrics else data.cases
        data = dataclasses.replace(data, cases=cases, resamples=resamples or affordable_resamples(cases))
    data = dataclasses.replace(data, metric_names=tuple(metrics), resamples=resamples or data.resamples)
    if study.scores_texts:
        opened = engine()
        specs = metrics or (data.run.plan.metrics if data.run else ())
        download_weights(opened.pool, [model for spec in specs for model in METRICS.parse(spec).checkpoints()])
        data = dataclasses.replace(data, engine=opened)
    report = study.run(data)
    return NotebookReport(**{field.name: getattr(report, field.name) for field in dataclasses.fields(report)})


def study_data(
    items: Sequence[Item],
    scores: Iterable[Mapping[str, Any]],
    datasets: Sequence[str],
    run: str | Path | StressRun | None,
    by: str | None,
    load: Callable[[str], list[Sample]],
) -> StudyData:
    """The data of a study: items of pairs with scores, datasets that `load` reads, and a run or its file."""
    samples = [load(name) for name in datasets]
    names = list(datasets)
    parts: dict[tuple[str, str], list[Part]] = {}
    if items:
        summaries = {item.example.id: item.example.summary for item in items}
        stored: defaultdict[str, list[StoredScore]] = defaultdict(list)
        for record in scores:
            if missing := [name for name in _SCORE_FIELDS if name not in record]:
                raise TouchstoneError(
                    f"A record of scores has no {missing[0]}; it has {', '.join(record) or 'nothing'}. Give the records of touchstone.score whole."
                )
            score = StoredScore(record["metric"], record["score"], record["signature"] or "", record.get("error") or "")
            stored[record["id"]].append(score)
            if record.get("sentences") and record["id"] in summaries:
                sentences = [(part["text"], part["score"]) for part in record["sentences"]]
                parts[record["id"], score.signature] = parts_of_texts(summaries[record["id"]], sentences)
        samples.append([scored_sample(PAIRS_DATASET, item, stored[item.example.id]) for item in items])
        names.append(PAIRS_DATASET)
    cases = pool_cases(samples) if samples else None
    read, run_name = run if isinstance(run, StressRun) else None, "RUN.jsonl"
    if isinstance(run, str | Path):
        read, run_name = run_of_file(Path(run)), str(run)
    return StudyData(
        datasets=tuple(names),
        cases=cases,
        by=by,
        resamples=RESAMPLES,
        run=read,
        run_name=run_name,
        items={PAIRS_DATASET: list(items)} if items else {},
        sentence_scores=parts,
    )


def with_pool_labels(
    data: StudyData, labels: str | Path | Iterable[Mapping[str, Any]], metrics: Sequence[str]
) -> StudyData:
    """The data with a pool whose labels are those of a file or of records. Raises TouchstoneError where they do not fit it."""
    of_file = isinstance(labels, str | Path)
    read = read_pool_labels(Path(labels)) if isinstance(labels, str | Path) else pool_labels(map(dict, labels))
    pool = select_pool_metrics(with_labels(data.summaries, read), metrics)
    return dataclasses.replace(data, pool=pool, labels_file=str(labels) if of_file else "")


def run_of_file(file: Path) -> StressRun:
    """The stress run in a file. Raises TouchstoneError where it cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")  # U+2028 and the like end no row
    except (OSError, UnicodeDecodeError) as error:
        raise TouchstoneError(f"{file} cannot be read: {error}. Name a file that `stress` wrote.") from error
    return run_from_lines(line for line in lines if line)
