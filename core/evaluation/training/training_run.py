"""A training from its data to a folder: preview, training, baselines, card; what the command, the page and `make` share."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.training.benchmark_figures import benchmark_figures, benchmark_section, judged_examples
from core.evaluation.training.card import (
    WITHOUT,
    CardFacts,
    CardFigure,
    RecipeAccount,
    card_figures,
    words_account,
    write_card,
)
from core.evaluation.training.cross_encoder_trainer import (
    EncoderSetting,
    EncoderTraining,
    TrainedEncoder,
    encoder_account,
    score_examples,
    train_cross_encoder,
)
from core.evaluation.training.shallow_data import LABEL_TARGET, shallow_features
from core.evaluation.training.shallow_trainer import TrainingTable, TrainingTask, held_out_pairs, train_model
from core.evaluation.training.stress_figures import stress_figures, stress_section
from core.evaluation.training.teacher_figures import teacher_figures, teacher_section, time_student
from core.evaluation.training.teacher_scores import TEACHER_FILE
from core.evaluation.training.trainer import Encoder, deal_parts, train_words
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_plan import ENCODER, TrainingPlan
from core.evaluation.training.word_folds import FOLDS
from core.model_reference import Checkpoint
from core.models import (
    CONFIG_FILE,
    FORMAT,
    IMPORTING,
    SHALLOW_FEATURES,
    SHALLOW_FILE,
    UNFINISHED,
    WORD_FEATURES,
    ModelStatus,
    TrainingFacts,
    TrainingStep,
    UnfinishedTraining,
    attention_shapes,
    locate,
    state_on_disk,
    write_head,
)
from core.scoring import METRICS, Engine
from core.settings import VERSION
from core.stats import Numbers, Values
from core.text import words
from core.types import Example, Result

if TYPE_CHECKING:
    from core.models import PairNetwork


@dataclass(frozen=True, slots=True)
class TrainedFolder:
    """Folder of the metric, its spec, and its figures."""

    folder: Path
    spec: str
    figures: tuple[CardFigure, ...]


TrainingRun = Generator[TrainingStep, None, TrainedFolder]


def check_folder(folder: Path) -> None:
    """Raise TouchstoneError for a folder that holds something else than an earlier or unfinished model: it would be lost."""
    holds_model = any((folder / name).exists() for name in (CONFIG_FILE, SHALLOW_FILE, UNFINISHED, TEACHER_FILE))
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not holds_model)):
        raise TouchstoneError(f"{folder} holds something else. Name a new folder with --to.")


def train_to_folder(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> TrainingRun:
    """Trains by the plan's recipe, judges beside the baselines, and writes the folder at the end. Raises TouchstoneError."""
    check_folder(folder)
    recipes = {
        "words": _train_words_to_folder,
        "cross-encoder": _train_cross_encoder_to_folder,
        "shallow": _train_shallow_to_folder,
    }
    return recipes[plan.recipe](plan, data, folder, engine)


def _train_words_to_folder(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> TrainingRun:
    encoder = load_encoder(engine.pool.device)
    unfinished = open_unfinished(plan, data, folder, encoder)
    trained = yield from train_words(data, encoder, plan.seed, unfinished)
    account = words_account(trained)
    yield TrainingStep("Scoring with the baselines", 0, 1)
    figures = card_figures(data, account, baseline_scores(engine, data, plan.seed))
    write_head(folder, trained.head)
    finished = _finish(plan, data, TrainedFolder(folder, f"mine[model={folder}]", tuple(figures)), account, engine)
    unfinished.remove()
    return finished


def _finish(
    plan: TrainingPlan, data: TrainingData, trained: TrainedFolder, account: RecipeAccount, engine: Engine
) -> TrainedFolder:
    """Write the card of a trained metric, beside its teacher where it has one, and add the further figures."""
    if data.taught:
        of_teacher = teacher_figures(data, data.taught, account.held_out)
        seconds = time_student(engine, trained.spec, data, account.held_out)
        section = account.section + teacher_section(data.taught, of_teacher, seconds)
        account = replace(account, further=[*account.further, *of_teacher], section=section)
    write_card(trained.folder, _facts(plan), data, account, trained.figures)
    return replace(trained, figures=(*trained.figures, *account.further))


def open_unfinished(plan: TrainingPlan, data: TrainingData, folder: Path, encoder: Encoder) -> UnfinishedTraining:
    """Open what is kept of a training of words into a folder."""
    return UnfinishedTraining.open(
        folder,
        (
            VERSION,
            FORMAT,
            attention_shapes(FOLDS, 0),
            WORD_FEATURES,
            encoder.sha256,
            plan.seed,
            data.documents.tolist(),
            *data.rows,
        ),
    )


def _train_cross_encoder_to_folder(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> TrainingRun:
    stress, labelled, compared = data.stress, labelled_places(data), {}
    if stress.pairs:  # the same without the run, to compare with
        yield TrainingStep("Loading the encoder", 0, 1)
        network = load_pair_network(plan.encoder, engine.pool.device, plan.seed)
        plain = yield from _without_run(replace(data, stress=replace(stress, pairs=())), network, plan.seed)
        before = yield from score_examples(judged_examples(stress.benchmarks), network)
        compared = {"the same without the stress run": plain.held_out[labelled]}
    yield TrainingStep("Loading the encoder", 0, 1)
    network = load_pair_network(plan.encoder, engine.pool.device, plan.seed)
    trained = yield from train_cross_encoder(data, network, plan.seed)
    account = encoder_account(trained, plan.encoder, network.limit)
    if stress.pairs:
        after = yield from score_examples(judged_examples(stress.benchmarks), network)
        of_run = stress_figures(stress, plain.stress, trained.stress)
        of_benchmarks = benchmark_figures(stress.benchmarks, before, after)
        section = stress_section(stress, of_run) + benchmark_section(stress.benchmarks, of_benchmarks)
        account = replace(account, further=[*of_run, *of_benchmarks], section=section)
    yield TrainingStep("Scoring with the baselines", 0, 1)
    figures = card_figures(data, account, compared | baseline_scores(engine, data, plan.seed))
    network.save(folder)
    return _finish(plan, data, TrainedFolder(folder, f"mine[model={folder}]", tuple(figures)), account, engine)


def _without_run(data: TrainingData, network: PairNetwork, seed: int) -> EncoderTraining:
    """The training, whose steps say that it learns from no stress run."""
    training = train_cross_encoder(data, network, seed)
    while True:
        try:
            step = next(training)
        except StopIteration as end:
            trained: TrainedEncoder = end.value
            return trained
        yield replace(step, stage=f"{step.stage}{WITHOUT}")


def _train_shallow_to_folder(plan: TrainingPlan, data: TrainingData, folder: Path, engine: Engine) -> TrainingRun:
    labelled = labelled_places(data)
    yield TrainingStep("Measuring the surface", 0, len(labelled))
    table, signatures = shallow_table(engine, data, labelled)
    yield TrainingStep("Fitting", 0, 1)
    task = TrainingTask(" + ".join(source.name for source in plan.sources), LABEL_TARGET, "probability", plan.seed)
    model = train_model(table, task, signatures)
    held_out = np.full(len(data.rows), np.nan)
    apart = held_out_pairs(table.documents, plan.seed)
    held_out[labelled[apart]] = model.predict(table.values[apart])
    account = shallow_account(model.facts, held_out)
    figures = card_figures(data, account, untrained_scores(engine, data))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SHALLOW_FILE
    file.write_text(model.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return _finish(plan, data, TrainedFolder(folder, f"shallow[model={file}]", tuple(figures)), account, engine)


def shallow_account(facts: TrainingFacts, held_out: Values) -> RecipeAccount:
    """Account of a shallow model for its card."""
    return RecipeAccount(
        held_out,
        {},
        {},
        reads=f"a small perceptron reads six numbers of the surface: {', '.join(SHALLOW_FEATURES)}. The score is the probability that "
        "the summary is consistent. It is what every other metric should beat. Only labelled summaries were learned from.",
        judged=f"{facts.held_out_documents} of {facts.documents + facts.held_out_documents} documents, near-duplicates together, "
        "were held out, and the figures are of these.",
        limits="It reads no meaning: what neither words, entities nor lengths tell, it cannot see.",
    )


def shallow_table(engine: Engine, data: TrainingData, labelled: Numbers) -> tuple[TrainingTable, dict[str, str]]:
    """The features of the surface of the labelled rows, and the signatures of what computed them."""
    examples = [Example(str(place), data.rows[place].document, data.rows[place].summary) for place in labelled]
    targets = np.array([0.0 if data.rows[place].wrong else 1.0 for place in labelled])
    values, signatures = shallow_features(engine, examples)
    return TrainingTable(values, targets, data.documents[labelled]), signatures


def load_encoder(device: str) -> Encoder:
    """The packaged encoder. Raises LoadError, MissingWeightsError."""
    # torch takes seconds to import, and a preview needs none
    with IMPORTING:
        from core.models import WordEncoder, encoder_hash

    checkpoint = Checkpoint(ENCODER, "word_support")
    path = locate(checkpoint)
    return Encoder(WordEncoder.load(path, checkpoint, device), ENCODER, encoder_hash(path))


def load_pair_network(setting: EncoderSetting, device: str, seed: int) -> PairNetwork:
    """The encoder with a new head; what is not here is downloaded. Raises LoadError, MissingWeightsError, TouchstoneError."""
    with IMPORTING:
        from core.models import PairNetwork

    checkpoint = Checkpoint(setting.encoder, "sequence_classifier", setting="encoder")
    if state_on_disk(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD:
        from core.models import download

        download(checkpoint, lambda _: None)
    network = PairNetwork.load(locate(checkpoint), checkpoint, device, setting.max_tokens, seed)
    if setting.lora:
        network.adapt_by_lora(seed)
    return network


def labelled_places(data: TrainingData) -> Numbers:
    """The places of the labelled rows."""
    return np.flatnonzero([row.origin == "labelled" for row in data.rows])


def baseline_scores(engine: Engine, data: TrainingData, seed: int) -> dict[str, Values]:
    """Scores for the labelled rows, (labelled,) each, nan where they fail: of the shallow model and of what needs no training.

    The shallow model learns from the labelled rows of the same folds as the metric that it is compared with.
    """
    labelled = labelled_places(data)
    table, signatures = shallow_table(engine, data, labelled)
    folds = deal_parts(data.documents, seed)[labelled]
    shallow = np.full(len(labelled), np.nan)
    for fold in np.unique(folds):
        model = train_model(table, TrainingTask("", LABEL_TARGET, "probability", seed), signatures, folds == fold)
        shallow[folds == fold] = model.predict(table.values[folds == fold])
    return {"shallow": shallow, **untrained_scores(engine, data)}


def untrained_scores(engine: Engine, data: TrainingData) -> dict[str, Values]:
    """Scores of BERTScore, of ROUGE-2 and of length, shorter summaries above, for the labelled rows, (labelled,) each."""
    examples = [Example(str(place), row.document, row.summary) for place, row in enumerate(data.labelled)]
    scores = {name: np.full(len(examples), np.nan) for name in ("bertscore-minilm", "rouge2")}
    for _, outcome in engine.run([METRICS.parse(name) for name in scores], examples):
        if isinstance(outcome, Result):
            scores[outcome.metric][int(outcome.example_id)] = outcome.score
    return {**scores, "length": -np.array([len(words(row.summary)) for row in data.labelled], dtype=np.float64)}


def _facts(plan: TrainingPlan) -> CardFacts:
    licences = [source.licence for source in plan.sources if source.licence]
    return CardFacts(
        plan.title,
        plan.recipe,
        plan.seed,
        plan.share,
        [source.name for source in plan.sources],
        list(dict.fromkeys(licences)),
        {source.name: number for source in plan.sources if (number := source.learned_test_items())},
        plan.battery,
    )
