"""The contract of a paper: which files it needs, and how our figures for its tables are computed from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import ClassVar

from core.assessment.catalog.metric_setup import missing_steps
from core.assessment.papers.published import CellPlace, Waiting
from core.data import DATASETS, ImportCounts, readable_items, source_sha256
from core.edits import PERTURBATIONS, Perturbation
from core.errors import TouchstoneError
from core.model_reference import EndpointModel
from core.registry import Registry
from core.results import Cases, Plan, Source, StressRun, build_cases, continue_run
from core.scoring import Engine, Metric, NliCheck
from core.types import Example, Failure, Item, Outcome, Result, Sample, StoredScore


class MissingDataError(TouchstoneError):
    """A released file that is not on this machine, and where anybody gets it."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A released file or folder: the importer that reads it, its place in the folder of released data, and where it is to be had."""

    importer: str
    place: str
    get: str


Figures = Mapping[CellPlace, float | Waiting]
"""Our figures for a table, in its unit; the column "" stands for all of a row, and a cell that is not named has none."""


@dataclass(frozen=True, eq=False)
class ReleasedData:
    """The folder of released files, and the engine that scores their summaries; each file is read once.

    Endpoints, which may cost money, are asked only where it `asks`.
    """

    folder: Path
    engine: Engine
    asks: bool = False
    _read: dict[DataFile, tuple[Sample, ...]] = field(default_factory=dict)
    _counts: dict[DataFile, ImportCounts] = field(default_factory=dict)
    _runs: dict[Plan, StressRun] = field(default_factory=dict)

    def samples(self, file: DataFile) -> tuple[Sample, ...]:
        """Samples that the importer reads; broken records are left out and counted. Raises MissingDataError without the file."""
        if file not in self._read:
            self._read[file] = tuple(self._samples(file))
        return self._read[file]

    def items(self, file: DataFile) -> list[Item]:
        return [sample.item for sample in self.samples(file)]

    def cases(self, file: DataFile) -> Cases:
        return build_cases(self.samples(file))

    def path(self, file: DataFile) -> Path:
        """Path of the file. Raises MissingDataError where there is none."""
        path = self.folder / file.place
        if not path.exists():
            raise MissingDataError(f"Waits for data, {file.place} in the folder of --data: {file.get}")
        return path

    def sha256(self, file: DataFile) -> str:
        return source_sha256(self.path(file))

    def counts(self, file: DataFile) -> dict[str, object]:
        self.samples(file)
        return self._counts[file].counts()

    def scored(self, file: DataFile, metrics: Sequence[Metric]) -> Cases:
        """The cases with scores of ours, of these metrics, beside the released ones."""
        return build_cases(self.scored_samples(self.samples(file), metrics))

    def scored_samples(self, samples: Sequence[Sample], metrics: Sequence[Metric]) -> list[Sample]:
        """The samples with scores of ours beside the released ones."""
        outcomes: dict[tuple[str, str], Outcome] = {}
        for example, outcome in self.engine.run(metrics, [sample.item.example for sample in samples]):
            outcomes[example.id, outcome.metric] = outcome
        scored = []
        for sample in samples:
            scores = []
            for name in dict.fromkeys(metric.spec for metric in metrics):
                outcome = outcomes[sample.item.example.id, name]
                if isinstance(outcome, Result):
                    scores.append(StoredScore(name, outcome.score, outcome.signature))
                else:
                    scores.append(StoredScore(name, None, "", outcome.error))
            scored.append(replace(sample, kept=tuple(scores)))
        return scored

    def missing(self, metric: Metric | Perturbation | NliCheck) -> Waiting | None:
        """Parts that something lacks on this machine, or the leave to ask its endpoint; None where it can be used."""
        if missing := missing_for(metric):
            return missing
        if not self.asks and any(isinstance(model, EndpointModel) for model in metric.checkpoints()):
            return Waiting("Waits for an endpoint: --ask asks the one that is set, which may cost money", "an endpoint")
        return None

    def mean_score(self, metric: Metric, examples: Sequence[Example]) -> float | Waiting:
        """The mean over the texts that the metric can score; what it waits for, or why it scored none."""
        if missing := self.missing(metric):
            return missing
        outcomes = [outcome for _, outcome in self.engine.run([metric], examples)]
        scores = [outcome.score for outcome in outcomes if isinstance(outcome, Result)]
        if scores:
            return fsum(scores) / len(scores)
        return Waiting(
            next((f"No score: {outcome.error}" for outcome in outcomes if isinstance(outcome, Failure)), "No text.")
        )

    def run(self, plan: Plan, items: Sequence[Item]) -> StressRun:
        """The stress run of a plan over these texts, to its end; the same plan is run once."""
        if plan not in self._runs:
            run = self._runs[plan] = StressRun(plan)
            for item in items:
                run.add(Source.of(item))
            deque(continue_run(self.engine, run), maxlen=0)
        return self._runs[plan]

    def _samples(self, file: DataFile) -> Iterable[Sample]:
        path, tally = self.path(file), ImportCounts()
        self._counts[file] = tally
        for item in readable_items(DATASETS.parse(file.importer).read(path), tally):
            yield Sample(dataset=path.stem, item=item, document=item.example.document)


def missing_for(metric: Metric | Perturbation | NliCheck) -> Waiting | None:
    """Parts that something lacks on this machine; None where it is ready."""
    missing = missing_steps(metric)
    if not missing:
        return None
    kind = "an endpoint" if any(step.need == "endpoint" for step in missing) else "weights"
    names = ", ".join(dict.fromkeys(step.name for step in missing))
    advice = f" Run: python cli.py doctor {quote(metric.spec)}" if isinstance(metric, Metric) else ""
    return Waiting(f"Waits for {kind}: {names}.{advice}", kind)


@dataclass(frozen=True, slots=True)
class EndpointWork:
    """Estimate of the questions to an endpoint, and of the tokens that it reads and writes for them."""

    questions: int = 0
    read: int = 0
    written: int = 0


Computation = Callable[[ReleasedData], Figures]
RowComputation = Callable[[ReleasedData], Mapping[str, float | Waiting]]
"""Our figures for a row, by column."""


def by_row(rows: Mapping[str, RowComputation], data: ReleasedData) -> Figures:
    """The figures of rows that rest on files of their own: a row whose file is not here waits for it."""
    figures: dict[CellPlace, float | Waiting] = {}
    for row, compute in rows.items():
        try:
            figures |= {(row, column): value for column, value in compute(data).items()}
        except MissingDataError as error:  # the other rows have their figures all the same
            figures[row, ""] = Waiting(str(error))
    return figures


@dataclass(frozen=True)
class Paper(ABC):
    """Has no settings.

    `data` are the files whose cases the paper pack holds, sliced by `by` and correlated with `aspect` where people rated it.
    `kinds` are its perturbations by table or figure and by the paper's name for them, as specs without the profile.
    `score_tables` are printed tables of mean scores under these perturbations; a paper without one shows mean shifts.
    """

    name: ClassVar[str]
    data: ClassVar[tuple[DataFile, ...]]
    by: ClassVar[str | None] = None
    aspect: ClassVar[str] = ""
    kinds: ClassVar[Mapping[str, Mapping[str, str]]] = MappingProxyType({})
    score_tables: ClassVar[tuple[str, ...]] = ()

    def metrics(self) -> Sequence[Metric]:
        """The metrics that fill its tables, in the paper's form; none where released scores do."""
        return ()

    def metric_rows(self) -> Mapping[str, str]:
        """The paper's names of these metrics by spec, where its tables of perturbed summaries have a row for each."""
        return {}

    def perturbations(self) -> dict[str, dict[str, Perturbation]]:
        """`kinds` in the paper's form."""
        return {
            place: {title: PERTURBATIONS.parse(self._spec(spec)) for title, spec in kinds.items()}
            for place, kinds in self.kinds.items()
        }

    def _spec(self, kind: str) -> str:
        name, bracket, settings = kind.partition("[")
        return f"{name}@{self.name}{bracket}{settings}"

    def checks(self) -> Sequence[NliCheck]:
        """The checks of perturbed summaries that fill its tables; none for most."""
        return ()

    def endpoint_work(self) -> EndpointWork:
        """Work of an endpoint for its tables; none for most."""
        return EndpointWork()

    @abstractmethod
    def computations(self) -> Mapping[str, Computation]:
        """Computations of our figures by the id of the table; one that is not named has none of ours."""


PAPERS: Registry[Paper] = Registry("paper", f"{__package__}.reproduced")
