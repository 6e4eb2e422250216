"""The contract of a study: typed, described settings and `run(data) -> Report`; one file of `core/evaluation/studies/` each.

From it come the command (`cli.py study NAME`), the tab with its form, every form of the report, the call in Python
(`touchstone.study`), the figure of the audit and the table of the paper pack.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from core.base import Setting, Track, untracked
from core.data import format_dataset
from core.errors import BadSettingError, TouchstoneError
from core.evaluation.report import Chart, Report, Table
from core.registry import Registry, format_spec, settings_of
from core.results import Slice, draw_resamples, pool_of_cases, slice_cases
from core.settings import VERSION
from core.stats import RESAMPLES
from core.types import T

if TYPE_CHECKING:
    from core.results import Cases, Shift, StressRun, SummaryPool, VariantKey
    from core.scoring import Engine, SentenceScores
    from core.stats import Resamples
    from core.types import Item


class Input(StrEnum):
    """Kinds of data that a study takes."""

    SAMPLES = "samples"
    """Samples of datasets: labels, ratings and explanations, with or without scores of metrics."""
    SCORES = "scores"
    """The same with the scores of at least one metric."""
    SENTENCES = "sentences"
    """Scores of the sentences of these summaries, where they are kept."""
    RUN = "run"
    """A stress run."""
    PAIRS = "pairs"
    """Pairs of a file, with their edits."""
    ITEMS = "items"
    """The texts of datasets with their documents."""
    POOL = "pool"
    """Summaries with or without scores, of which few have a label."""
    FILES = "files"
    """Files that a command wrote, such as the grades of judges."""


Group = Literal[
    "Which metric?",
    "How many are wrong?",
    "Improve it",
    "Data",
    "Shifts",
    "Gaming",
    "Reading",
]
"""The tab that a study is in: the first four are on Evaluate, the others on Stress test."""

_FORMER_GROUPS = MappingProxyType(
    {
        **dict.fromkeys(("Compare", "Errors", "People", "Surface"), "Which metric?"),
        **dict.fromkeys(("Combine", "Thresholds"), "Improve it"),
        "Export": "Data",
    }
)
"""The tabs of before, which studies of others may name, and what they are now."""

Outlet = Literal["command", "page", "audit", "python", "pack"]


@dataclass(frozen=True, slots=True, eq=False)
class StudyData:
    """The data of a study, which reads those that its `takes` and `may_take` name."""

    datasets: tuple[str, ...] = ()
    """Names of the datasets that `cases` or `pool` were read from."""
    cases: Cases | None = None
    """Samples with their scores; None where no dataset was read."""
    by: str | None = None
    """Field whose values are the slices besides Overall; None for Overall alone."""
    metric_names: tuple[str, ...] = ()
    """Specs of the metrics to which the data were reduced; empty for all."""
    resamples: int = RESAMPLES
    """Number of resamples of documents for intervals and tests."""
    run: StressRun | None = None
    """A stress run; None where none was read."""
    run_name: str = "RUN.jsonl"
    """File of the run as commands name it."""
    counting: frozenset[VariantKey] | None = None
    """Variants of the run that count; None for all."""
    left_out: tuple[str, ...] = ()
    """Names of the filters that left the other variants out."""
    items: Mapping[str, Sequence[Item]] = dataclasses.field(default_factory=dict)
    """Items by the name of their dataset or file: pairs with their edits, or texts to count."""
    pool: SummaryPool | None = None
    """Summaries of which few have a label, where they were read without samples."""
    labels_file: str = ""
    """File with the labels that replace those of the pool; "" for its own."""
    results: tuple[str, ...] = ()
    """Those of `datasets` that are folders of results."""
    files: tuple[Path, ...] = ()
    """Files that a command wrote, such as the grades of judges."""
    sentence_scores: SentenceScores = dataclasses.field(default_factory=dict)
    """Scores of single sentences, for a study that takes them; empty where none are kept."""
    engine: Engine | None = None
    """Scores texts for a study that `asks`; None where nobody opened one."""
    track: Track = untracked
    """Reports the progress of iterables to whoever waits."""

    @property
    def samples(self) -> Cases:
        """The samples. Raises TouchstoneError without a dataset."""
        if self.cases is None:
            raise TouchstoneError("This study needs labelled summaries. Name a dataset.")
        return self.cases

    @property
    def scored(self) -> Cases:
        """The samples with scores. Raises TouchstoneError where no metric has one."""
        if not self.samples.all_columns:
            raise TouchstoneError(
                f"No metric has a score in {', '.join(self.datasets)}. Score it: cli.py score-dataset NAME --metric …; in Python "
                "give the scores that touchstone.score makes of these pairs."
            )
        return self.samples

    @property
    def summaries(self) -> SummaryPool:
        """The pool of summaries, by default made of the samples. Raises TouchstoneError if there is neither."""
        return self.pool or pool_of_cases(self.samples, self.by)

    @property
    def parts(self) -> list[Slice]:
        """The slices, Overall first."""
        return slice_cases(self.samples, self.by)

    @property
    def draws(self) -> Resamples:
        """The resamples of documents, the same for all figures."""
        return draw_resamples(self.samples, self.resamples, track=self.track)

    @property
    def stress_run(self) -> StressRun:
        """The run. Raises TouchstoneError without one."""
        if self.run is None:
            raise TouchstoneError("This study needs a stress run. Make one: cli.py stress PAIRS -o RUN.jsonl")
        return self.run

    @property
    def shifts(self) -> list[Shift]:
        """The shifts of the run under the variants that count."""
        from core.results import score_shifts

        return score_shifts(self.stress_run, self.counting)

    @property
    def scoring(self) -> Engine:
        """The engine. Raises TouchstoneError if none is open."""
        if self.engine is None:
            raise TouchstoneError("This study asks models, and no engine is open.")
        return self.engine

    def facts(self) -> dict[str, object]:
        """Facts that the figures rest on, as a record."""
        facts: dict[str, object] = {"version": VERSION}
        if self.cases is not None:
            columns = [
                {
                    "metric": column.name,
                    "signature": column.signature,
                    "released": column.released,
                    "direction": column.direction,
                    "scores": int(np.sum(~np.isnan(column.values))),
                    "failures": column.failed,
                }
                for column in self.cases.all_columns
            ]
            facts |= {
                "datasets": list(self.datasets),
                "by": self.by,
                "resamples": self.resamples,
                "seed": 0,
                "samples": len(self.cases.samples),
                "documents": self.cases.clusters,
                "metrics": columns,
                "warnings": [*self.cases.warnings, *self.cases.unfinished],
            }
        if self.pool is not None:
            facts |= {"datasets": list(self.datasets), "by": self.by, "labels_file": self.labels_file}
            facts["pool"] = {
                "summaries": len(self.pool.ids),
                "labels": len(self.pool.labelled),
                "metrics": [
                    {
                        "metric": column.name,
                        "signature": column.signature,
                        "scores": int(np.isfinite(column.values).sum()),
                    }
                    for column in self.pool.columns
                ],
            }
        if self.run is not None:
            plan = self.run.plan
            facts["run"] = {
                "name": plan.name,
                "battery": plan.battery_label,
                "seed": plan.seed,
                "version": plan.version,
                "nli_check": plan.guard,
                "left_out": list(self.left_out),
                "pairs": len(self.run.sources),
                "metrics": list(plan.metrics),
                **({"dataset": plan.dataset} if plan.dataset else {}),
            }
        return facts


def setting(  # noqa: PLR0913  # what there is to say of a setting
    default: T,
    description: str,
    *,
    choices: Iterable[str] = (),
    labels: Mapping[str, str] = MappingProxyType({}),
    low: float | None = None,
    high: float | None = None,
    shown: bool = False,
    title: str = "",
    several: str = "",
    each: float | None = None,
    views: Iterable[str] = (),
) -> T:
    """A described setting of a study: the field's default, and what the command's help and the form say of it.

    `choices` are the only values that a text may have, `labels` their names in a form; `low` and `high` bound a number.
    A form shows its `title`, by default the name of the field. With `several`, the text is a list of the data's choices with
    that separator, and a form offers them for multiple selection. With `each`, the text assigns numbers as name=number, a form
    has a field for each name, and names that are not listed have the number `each`.
    A setting that is `shown` only changes how a study that asks displays its scores, and needs no new ones.
    `views` are the views that read it, of a study with several; empty for all.
    """
    metadata = {
        "help": description,
        "choices": tuple(choices),
        "labels": labels,
        "low": low,
        "high": high,
        "shown": shown,
        "title": title,
        "several": several,
        "each": each,
        "views": tuple(views),
    }
    field: T = dataclasses.field(default=default, metadata=metadata)
    return field


def setting_help(field: dataclasses.Field[Setting]) -> str:
    """The description of a setting, preceded by the views that read it unless all do."""
    views: Sequence[str] = field.metadata["views"]
    return f"View {' and '.join(views)}: {field.metadata['help']}" if views else str(field.metadata["help"])


@dataclass(frozen=True)
class Study(ABC):
    """A frozen dataclass whose fields are its settings, each made by `setting`.

    A study with several views of the same data has a setting `view`, whose labels are their titles.
    """

    name: ClassVar[str]
    """Its name in commands, records and addresses."""
    title: ClassVar[str]
    """The heading of its report and of its section on the page."""
    does: ClassVar[str]
    """One sentence in the imperative, the help of its command."""
    group: ClassVar[Group]
    """The tab that it is in."""
    takes: ClassVar[tuple[Input, ...]] = ()
    """Inputs that it needs."""
    may_take: ClassVar[tuple[Input, ...]] = ()
    """Inputs that it uses where they are there."""
    asks: ClassVar[bool] = False
    """True if it scores texts with an engine, at least with some settings (`scores_texts`)."""
    sliced: ClassVar[bool] = False
    """True if its figures are by the slices of the data."""
    place: ClassVar[int] = 50
    """Order within its group, the smallest first."""
    audit: ClassVar[str] = ""
    """Question of the audit that shows its figure; "" for none."""
    without: ClassVar[Mapping[Outlet, str]] = MappingProxyType({})
    """The reason for each outlet that it does not have."""

    def __post_init__(self) -> None:
        for name, field in settings_of(self).items():
            value, choices = getattr(self, name), field.metadata["choices"]
            low, high = field.metadata["low"], field.metadata["high"]
            if choices and value not in choices:
                raise BadSettingError(f"{self.name} takes {name} as one of {', '.join(choices)}; got {value!r}.")
            if (low is not None and value < low) or (high is not None and value > high):
                raise BadSettingError(
                    f"{self.name} takes {name} from {low:g} to {high if high is not None else '…'}; got {value}."
                )
            if name not in self.settings and value != field.default:
                views = " or ".join(f"view={view}" for view in field.metadata["views"])
                raise BadSettingError(f"{self.name} takes {name} with {views}; got view={self.view_name}.")

    @abstractmethod
    def run(self, data: StudyData) -> Report:
        """The report on these data. Raises TouchstoneError, with what to do, where they give no figure."""

    @classmethod
    def in_pack(cls, data: StudyData) -> Sequence[Study]:  # noqa: ARG003  # most studies are packed as they are
        """The studies, with their settings, that the paper pack includes."""
        return [cls()]

    def choices(self, data: StudyData) -> Mapping[str, Sequence[str]]:  # noqa: ARG002  # most settings depend on no data
        """Values that a form offers for settings whose choices depend on the data."""
        return {}

    @property
    def scores_texts(self) -> bool:
        """True if it needs an engine with these settings."""
        return self.asks

    @property
    def spec(self) -> str:
        """The spelling `name[setting=value,…]`."""
        return format_spec(self)

    @property
    def view_name(self) -> str:
        """The name of its view; empty for a study with a single one."""
        return str(getattr(self, "view", ""))

    @property
    def view_title(self) -> str:
        """The title of its view; that of the study if it has a single one."""
        field = settings_of(self).get("view")
        return str(field.metadata["labels"][self.view_name]) if field else self.title

    @property
    def settings(self) -> dict[str, Setting]:
        """The settings that its view reads."""
        return {
            name: getattr(self, name)
            for name, field in settings_of(self).items()
            if not field.metadata["views"] or self.view_name in field.metadata["views"]
        }

    def command(self, data: StudyData) -> str:
        """The command that gives the same report in the terminal."""
        words = ["python cli.py study", self.name]
        if data.run is not None:
            words.append(quote(data.run_name))
            words += [f"--leave-out {quote(name)}" for name in data.left_out]
        words += [quote(str(file)) for file in data.files]
        if Input.PAIRS in self.takes:
            words += [quote(file) for file in data.items]
        else:
            words += [f"--{'results' if name in data.results else 'dataset'} {quote(name)}" for name in data.datasets]
        if data.labels_file:
            words.append(f"--labels {quote(data.labels_file)}")
        if self.sliced and data.by:
            words.append(f"--by {quote(data.by)}")
        words += [f"--metric {quote(name)}" for name in data.metric_names]
        pooled = Input.POOL in {*self.takes, *self.may_take}
        resampled = (data.cases is not None or data.files) and data.run is None and not pooled
        if resampled and data.resamples != RESAMPLES:
            words.append(f"--resamples {data.resamples}")
        for name, field in settings_of(self).items():
            value = getattr(self, name)
            if value == field.default:
                continue
            option = name.replace("_", "-")
            flag = f"--{option}" if value else f"--no-{option}"
            words.append(flag if isinstance(value, bool) else f"--{option} {quote(str(value))}")
        return " ".join(words)

    def report(
        self,
        data: StudyData,
        tables: Sequence[Table],
        *,
        charts: Sequence[Chart] = (),
        sentences: Sequence[str] = (),
        notes: Sequence[str] = (),
        problems: Sequence[str] = (),
    ) -> Report:
        """A report of this study with its settings, the facts of the data and the command that repeats it."""
        return Report(
            self.name,
            self.view_title,
            tuple(tables),
            tuple(charts),
            tuple(sentences),
            (*notes, *(data.cases.unfinished if data.cases else ()), *_version_notes(data)),
            tuple(problems),
            self.settings,
            data.facts(),
            self.command(data),
        )


def _version_notes(data: StudyData) -> list[str]:
    """The versions of datasets that the figures are of, where a dataset has several."""
    names = [*data.datasets, *([data.run.plan.dataset] if data.run else [])]
    versions = [format_dataset(name) for name in names if format_dataset(name) != name]
    return [f"Data: {'; '.join(versions)}."] if versions else []


STUDIES: Registry[Study] = Registry("study", f"{__package__}.studies", ("touchstone.studies",), Study)


def studies_of(group: str) -> list[type[Study]]:
    """The studies of a group, in their order, also those that name it as it was called before."""
    named = (study for study in STUDIES if _FORMER_GROUPS.get(study.group, study.group) == group)
    return sorted(named, key=lambda study: (study.place, study.name))


_FORMER_STUDIES: Mapping[str, str] = MappingProxyType(
    {
        "density": "readings[view=density]",
        "document-ablation": "readings[view=ablation]",
        "edit-discrimination": "shifts[view=discrimination]",
        "overview": "measures[view=overview]",
        "percentiles": "measures[view=percentiles]",
        "ranks": "measures[view=ranks]",
        "roc": "measures[view=roc]",
        "sensitivity": "shifts[view=sensitivity]",
        "windows": "readings[view=windows]",
    }
)
"""Views by their former names as studies, as in pins, recipes and addresses from before 0.3."""


def current_spec(spec: str) -> str:
    """The current spelling of a stored spec, with its settings."""
    name, _, settings = spec.partition("[")
    current = _FORMER_STUDIES.get(name)
    if current is None:
        return spec
    return f"{current.removesuffix(']')},{settings}" if settings else current
