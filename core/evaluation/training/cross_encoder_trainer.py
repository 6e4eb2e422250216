"""Training a metric of the recipe "cross-encoder": an encoder that reads premise and claim together, judged on documents of its own."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import TouchstoneError
from core.evaluation.training.card import RecipeAccount
from core.evaluation.training.claim_batches import batches, stress_batches
from core.evaluation.training.training_data import TrainingData
from core.evaluation.training.training_row import TrainingRow
from core.models import TrainingStep, premise
from core.stats import Mask, Values, deal_folds
from core.text import sentences
from core.types import Example

if TYPE_CHECKING:
    from core.models import PairNetwork, Tokens

MAX_EPOCHS = 8
LOSS_STAGE = "Epochs"
"""The stage of the steps that report a loss."""
_PATIENCE = 2  # epochs without a smaller loss, after which training stops
_PARTS = 10
_JUDGED, _CHOOSING = (0, 1), (2,)  # parts of the documents; the other seven are learned from
_WARM_EPOCHS = 0.5  # while the learning rate rises
_STEPS = 1_000_003  # so that two seeds never share the random numbers of a step
_READ_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class EncoderSetting:
    """Encoder to train: its name, the limit of tokens of premise and claim together, and if by low-rank updates only."""

    encoder: str
    max_tokens: int = 256
    lora: bool = False

    @property
    def shown(self) -> str:
        """The encoder as a card names it: of a folder, which is of this machine, the last part."""
        path = Path(self.encoder)
        return path.name if path.is_absolute() or path.exists() else self.encoder


@dataclass(frozen=True, slots=True, eq=False)
class TrainedEncoder:
    """The scores of the rows of judged documents, (rows,), nan for the others, and how training went.

    `stress` are the same of the rows of the stress run.
    """

    held_out: Values
    stress: Values
    epochs: int
    documents: tuple[int, int, int]
    losses: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _ReadRows:
    """Distinct texts, and their places for each row, one for a sentence; a row without a sentence has none."""

    texts: list[Tokens]
    of_row: list[tuple[int, ...]]
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, document: str, summary: str, network: PairNetwork) -> None:
        """Add a row, with those of its texts that no row had before."""
        places = []
        for span in sentences(summary):
            claim = span.of(summary)
            if (document, claim) not in self._places:
                read = premise(document, claim, network.limit, network.tokenizer.count)
                self._places[document, claim] = len(self.texts)
                self.texts.extend(network.encode([(read.text if read else "", claim)]))
            places.append(self._places[document, claim])
        self.of_row.append(tuple(places))


EncoderTraining = Generator[TrainingStep, None, TrainedEncoder]


def train_cross_encoder(data: TrainingData, network: PairNetwork, seed: int) -> EncoderTraining:
    """Yields its progress, and leaves the network at its best epoch; the same data, seed and network give the same weights.

    The best epoch has the smallest loss on a tenth of the documents; another fifth, used neither for learning nor for
    this choice, is judged. With the pairs of a stress run, as many batches of them are dealt among the others,
    or all. Raises TouchstoneError where one of the three parts lacks a class.
    """
    rows, size = (*data.rows, *data.stress.rows), len(data.rows)
    wrong = np.array([row.wrong for row in data.rows])
    parts = deal_folds(np.concatenate([data.documents, data.stress.documents]), _PARTS, seed)
    of_run, parts = parts[size:], parts[:size]
    judged, choosing = np.isin(parts, _JUDGED), np.isin(parts, _CHOOSING)
    learned = ~(judged | choosing)

    for what, part in (("learned from", learned), ("judged", judged)):
        if len(set(wrong[part].tolist())) < 2:
            raise TouchstoneError(
                f"The {part.sum()} summaries of the documents that are to be {what} are all of one class. Add summaries of "
                "both classes on more documents, or take another seed."
            )

    read = yield from _read_rows(rows, network)
    places = [place for place in np.flatnonzero(learned).tolist() if read.of_row[place]]
    taught = ~np.isin(of_run, (*_JUDGED, *_CHOOSING))
    pairs = [
        (size + original, size + variant)
        for original, variant in data.stress.pairs
        if taught[original] and read.of_row[size + original] and read.of_row[size + variant]
    ]
    losses: list[float] = []
    while len(losses) < MAX_EPOCHS and len(losses) - int(np.argmin(losses or [0])) <= _PATIENCE:
        order_seed = f"{seed}\0{len(losses)}"
        labelled = list(batches(rows, read.of_row, places, order_seed))
        hardening = islice(stress_batches(rows, read.of_row, pairs, order_seed), len(labelled))
        epoch_batches = [batch for turn in zip_longest(labelled, hardening) for batch in turn if batch]
        for number, batch in enumerate(epoch_batches):
            step = len(losses) * len(epoch_batches) + number
            texts = [read.texts[text] for text in batch.texts]
            network.step(batch, texts, (step + 1) / (_WARM_EPOCHS * len(epoch_batches)), seed * _STEPS + step)
            yield TrainingStep(f"Epoch {len(losses) + 1}", number + 1, len(epoch_batches))

        scores = _scores(read, choosing, network)
        scored = ~np.isnan(scores)
        right = np.where(wrong, 1 - scores, scores)[scored]
        loss = float(-np.log(np.clip(right, 1e-12, 1)).mean())
        losses.append(loss)
        if loss == min(losses):
            network.keep_best()
        yield TrainingStep(LOSS_STAGE, len(losses), MAX_EPOCHS, loss)
    network.take_best()
    documents = tuple(len(np.unique(data.documents[part])) for part in (learned, choosing, judged))
    apart = _scores(_ReadRows(read.texts, read.of_row[size:]), np.isin(of_run, _JUDGED), network)
    return TrainedEncoder(
        _scores(read, judged, network),
        apart,
        int(np.argmin(losses)) + 1,
        (documents[0], documents[1], documents[2]),
        tuple(losses),
    )


def score_examples(examples: Sequence[Example], network: PairNetwork) -> Generator[TrainingStep, None, Values]:
    """Scores of texts by the network as it is, (examples,); nan where there is no sentence."""
    scores = np.full(len(examples), np.nan)
    for start in range(0, len(examples), _READ_AT_ONCE):
        yield TrainingStep("Scoring the benchmarks", start, len(examples))
        part = examples[start : start + _READ_AT_ONCE]
        read = _ReadRows([], [])
        for example in part:
            read.add(example.document, example.summary, network)
        scores[start : start + len(part)] = _scores(read, np.full(len(part), fill_value=True), network)
    return scores


def _read_rows(rows: Sequence[TrainingRow], network: PairNetwork) -> Generator[TrainingStep, None, _ReadRows]:
    read = _ReadRows([], [])
    for number, row in enumerate(rows):
        if number % _READ_AT_ONCE == 0:
            yield TrainingStep("Reading", number, len(rows))
        read.add(row.document, row.summary, network)
    return read


def _scores(read: _ReadRows, rows: Mask, network: PairNetwork) -> Values:
    """The score of each row of the mask, the product over its sentences, (rows,); nan for the others."""
    needed = sorted({text for place in np.flatnonzero(rows) for text in read.of_row[place]})
    logits = dict(zip(needed, network.logits([read.texts[text] for text in needed]).tolist(), strict=True))
    scores = np.full(len(rows), np.nan)
    for place in np.flatnonzero(rows):
        if texts := read.of_row[place]:
            scores[place] = np.prod([1 / (1 + np.exp(-np.clip(logits[text], -50, 50))) for text in texts])
    return scores


def encoder_account(trained: TrainedEncoder, setting: EncoderSetting, limit: int) -> RecipeAccount:
    """Account of a cross-encoder for its card."""
    learned, choosing, judged = trained.documents
    trained_weights = "low-rank updates (LoRA) of its layers, merged into them," if setting.lora else "all its weights"
    return RecipeAccount(
        trained.held_out,
        {},
        {
            "encoder": setting.shown,
            "max_tokens": limit,
            "lora": setting.lora,
            "epochs": trained.epochs,
            "losses": trained.losses,
        },
        reads=f"the encoder {setting.shown} reads each sentence of a summary beside the document, {limit} tokens at most; of a "
        f"longer document the sentences that are closest to the claim by BM25. {trained_weights[0].upper()}{trained_weights[1:]} "
        f"were trained for {trained.epochs} epochs by cross-entropy on labelled summaries, and by a margin on pairs of an "
        "original and its wrong edit. The score of a sentence is the probability that the document supports it, that of a "
        "summary the product over its sentences. Plain sentence-transformers reads the folder: "
        "`CrossEncoder(FOLDER).predict([(premise, sentence)])`.",
        judged=f"Of {learned + choosing + judged} documents, near-duplicates together, {learned} were learned from, {choosing} chose "
        f"the best epoch, and the figures are of the other {judged}, by these very weights. The shallow model in the table "
        "learned in five folds, and is compared on the same documents.",
        limits="It learned from these data alone: on texts of another kind it may do no better than chance, and no figure here is "
        "of a domain that it did not learn from. Of a long document it sees only the sentences that share words with "
        "the claim, and it says nothing of single words.",
    )
