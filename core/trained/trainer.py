"""Training a metric of the recipe "words": trees on words, fitted and judged over folds of documents, then on all of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import TouchstoneError
from core.models.unfinished_training import UnfinishedTraining
from core.stats.statistic import Mask, Numbers, Values, deal_folds
from core.trained.aggregation import Scale, SentenceTable, fit_scale, fit_sentence_weights
from core.trained.model import Head, HeadConfig
from core.trained.training_data import TrainingData, TrainingRow
from core.trained.trees import MAX_TREES, STEP_TREES, boost, tree_tensors
from core.trained.word_features import FEATURES, Features
from core.trained.word_table import WordTable, read_words, support_scores

if TYPE_CHECKING:
    from core.models.word_encoder import WordEncoder

FOLDS = 5
CALIBRATION = -1
"""The part of the documents that nothing is fitted on and nothing chosen by, but the scale of the probability."""
_CALIBRATION_SHARE = 8  # one document of so many
_PATIENCE = 3  # steps in which the loss may stay above its least, before a fold stops
_MIN_DOMAIN_DOCUMENTS = 5
_MAX_DOMAINS = 8


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """How far training is; `loss` is the log loss of words of documents that were not learned from, None where none was measured."""

    stage: str
    done: int
    total: int
    loss: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A head, and the scores of every row by a head that did not learn from its document, (rows,).

    `by_domain` are the scores of a domain's labelled rows by a head that learned from the other domains: rows and scores.
    """

    head: Head
    held_out: Values
    trees: int
    by_domain: dict[str, tuple[Numbers, Values]]


@dataclass(frozen=True, slots=True)
class Encoder:
    """Which encoder reads the words, and the hash of its weights."""

    network: WordEncoder
    source: str
    sha256: str


TrainingProgress = Generator[TrainingStep, None, Trained]


def train_words(
    data: TrainingData, encoder: Encoder, seed: int, unfinished: UnfinishedTraining | None = None
) -> TrainingProgress:
    """Yields its progress and returns the result; the same data, seed and encoder give the same head.

    What is done is kept in `unfinished`, and is not done again by a second run with the same data, encoder and seed.
    """
    done = unfinished or UnfinishedTraining()
    table = yield from _read(data, encoder, done)
    wrong = np.array([row.wrong for row in data.rows])
    _check_words(table)
    parts = deal_parts(data.documents, seed)
    logits, trees = yield from _held_out_logits(table, parts, seed, done)
    yield TrainingStep("Fitting on all documents but those to calibrate on", 0, 1)
    fitted = parts != CALIBRATION
    model = _boosted(table, fitted, seed, trees)
    logits[table.words_of(~fitted)] = model.decision_function(table.values[table.words_of(~fitted)])
    judge = _SentenceJudge(table.sentence_table(logits), wrong, pairs_of(data.rows))
    weights = judge.weights(fitted)
    scale = judge.scale(weights, ~fitted)
    by_domain = yield from _unseen_domains(data, table, judge, scale, trees, seed)
    known = table.wrong[table.wrong >= 0].mean()
    config = HeadConfig(
        encoder=encoder.source,
        encoder_sha256=encoder.sha256,
        features=FEATURES,
        prior=float(np.log(known / (1 - known))),
    )
    tensors = {**tree_tensors(model), "sentence": scale.weights(weights)}
    return Trained(Head(config, tensors), judge.held_out(parts, scale), trees, by_domain)


def deal_parts(documents: Numbers, seed: int) -> Numbers:
    """CALIBRATION or the fold, 0 to FOLDS - 1, of each row's document, (rows,)."""
    apart = deal_folds(documents, _CALIBRATION_SHARE, seed) == 0
    parts = np.full(len(documents), CALIBRATION)
    parts[~apart] = deal_folds(documents[~apart], FOLDS, seed)
    return parts


def _read(
    data: TrainingData, encoder: Encoder, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, WordTable]:
    if kept := unfinished.load("words"):
        return WordTable(**kept)
    reading = read_words(encoder.network, data.rows)
    while True:
        try:
            done = next(reading)
        except StopIteration as end:
            table: WordTable = end.value
            unfinished.save("words", table.arrays())
            return table
        yield TrainingStep("Reading", done, len(data.rows))


def _check_words(table: WordTable) -> None:
    if not (table.wrong == 1).any():
        raise TouchstoneError(
            "No word is known to be wrong: the inconsistent summaries name no original that they were edited from, and no "
            "corruption is among the rows. Add minimal pairs, or set --corruptions 0.5."
        )


def pairs_of(rows: Sequence[TrainingRow]) -> list[tuple[int, int]]:
    """The places of an original and of its inconsistent edit, for every edit whose original is a consistent row."""
    places = {(row.document, row.id): place for place, row in enumerate(rows) if not row.wrong}
    return [
        (places[row.document, row.parent], place)
        for place, row in enumerate(rows)
        if row.wrong and (row.document, row.parent) in places
    ]


def _learned(table: WordTable, rows: Mask) -> Mask:
    """The words of some rows of which it is known whether they are wrong."""
    return np.asarray(table.words_of(rows) & (table.wrong >= 0))


def _boosted(table: WordTable, rows: Mask, seed: int, trees: int) -> Any:
    learned = _learned(table, rows)
    *_, model = boost(table.values[learned], table.wrong[learned], seed, trees)
    return model


def _held_out_logits(
    table: WordTable, folds: Numbers, seed: int, unfinished: UnfinishedTraining
) -> Generator[TrainingStep, None, tuple[Features, int]]:
    """The logit of every word by trees that did not learn from its document, with as many trees as lose least there.

    A fold stops where its loss has not fallen for some steps. Words of the calibration documents get 0.
    """
    of_folds = []
    for fold in range(FOLDS):
        kept = unfinished.load(f"fold {fold}")
        if kept is None:
            kept = yield from _fold_logits(table, folds, fold, seed)
            unfinished.save(f"fold {fold}", kept)
        of_folds.append(kept)
    judged = [one for one in of_folds if len(one["losses"])]
    reached = min(len(one["losses"]) for one in judged)
    best = int(np.sum([one["losses"][:reached] for one in judged], axis=0).argmin())
    logits = np.zeros(len(table.wrong), dtype=np.float32)
    for fold, one in enumerate(of_folds):
        if len(one["losses"]):
            logits[table.words_of(folds == fold)] = one["logits"][best]
    return logits, (best + 1) * STEP_TREES


def _fold_logits(
    table: WordTable, folds: Numbers, fold: int, seed: int
) -> Generator[TrainingStep, None, dict[str, Features | Values]]:
    """The `logits` of a fold's words after each step of trees of the other folds, (steps, words), and the summed `losses`."""
    learned = _learned(table, (folds != fold) & (folds != CALIBRATION))
    asked = table.words_of(folds == fold)
    known = table.wrong[asked] >= 0
    steps = MAX_TREES // STEP_TREES
    logits: list[Features] = []
    losses: list[float] = []
    for step, model in enumerate(_steps(table, learned, seed) if asked.any() else ()):
        logits.append(model.decision_function(table.values[asked]).astype(np.float32))
        loss = _log_loss(logits[-1][known], table.wrong[asked][known])
        losses.append(loss * known.sum())
        yield TrainingStep(f"Fold {fold + 1} of {FOLDS}", fold * steps + step + 1, FOLDS * steps, loss)
        if step - int(np.argmin(losses)) >= _PATIENCE:
            break
    return {"logits": np.array(logits), "losses": np.array(losses)}


def _steps(table: WordTable, learned: Mask, seed: int) -> Iterator[Any]:
    if len(np.unique(table.wrong[learned])) < 2:
        raise TouchstoneError(
            "In some part of the documents no word is known to be wrong. Add minimal pairs on other documents, or more "
            "corruptions (--corruptions)."
        )
    return boost(table.values[learned], table.wrong[learned], seed)


def _log_loss(logits: Features, wrong: Values | Any) -> float:
    return float(np.mean(np.logaddexp(0, logits) - wrong * logits)) if len(logits) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _SentenceJudge:
    """The sentences with logits of words that were not learned from, the label of each row, (rows,), and the pairs of rows."""

    sentences: SentenceTable
    wrong: Mask
    pairs: Sequence[tuple[int, int]]

    def weights(self, rows: Mask) -> Values:
        """The sentence weights that some rows teach."""
        renumbered = np.cumsum(rows) - 1
        chosen = [
            (int(renumbered[one]), int(renumbered[other])) for one, other in self.pairs if rows[one] and rows[other]
        ]
        return fit_sentence_weights(self.sentences.part(rows), self.wrong[rows], chosen)

    def scale(self, weights: Values, rows: Mask) -> Scale:
        """The scale on which the score of some rows is a probability."""
        return fit_scale(self.sentences.part(rows), weights, self.wrong[rows])

    def held_out(self, parts: Numbers, scale: Scale) -> Values:
        """The score of every row by weights that other parts taught, (rows,); nan for a row without a word."""
        scores = np.full(len(self.wrong), np.nan)
        for part in np.unique(parts):
            taught = self.weights((parts != part) & (parts != CALIBRATION))
            own = parts == part
            scores[own] = support_scores(self.sentences, scale.weights(taught), len(self.wrong))[own]
        scores[np.setdiff1d(np.arange(len(self.wrong)), self.sentences.rows)] = np.nan
        return scores


def _unseen_domains(
    data: TrainingData, table: WordTable, judge: _SentenceJudge, scale: Scale, trees: int, seed: int
) -> Generator[TrainingStep, None, dict[str, tuple[Numbers, Values]]]:
    """The scores of each domain's labelled rows by a head that saw no document of it; nothing where there is one domain."""
    names = np.array([row.domain for row in data.rows])
    labelled = np.array([row.origin == "labelled" for row in data.rows])
    counts = {str(name): len(np.unique(data.documents[names == name])) for name in np.unique(names[labelled])}
    domains = [name for name, count in counts.items() if name and count >= _MIN_DOMAIN_DOCUMENTS]
    found: dict[str, tuple[Numbers, Values]] = {}
    for number, domain in enumerate(domains if len(counts) > 1 and len(domains) <= _MAX_DOMAINS else []):
        yield TrainingStep(f"Leaving out {domain}", number, len(domains))
        own = names == domain
        others = ~np.isin(data.documents, data.documents[own])
        learned = _learned(table, others)
        if len(np.unique(table.wrong[learned])) < 2 or len(np.unique(judge.wrong[own & labelled])) < 2:
            continue
        logits = _boosted(table, others, seed, trees).decision_function(table.values).astype(np.float32)
        # five numbers, fitted on held-out logits of the other domains: on logits of words learned from they would be too sure
        weights = scale.weights(judge.weights(others))
        rows = np.flatnonzero(own & labelled & np.isin(np.arange(len(own)), table.row))
        found[domain] = (rows, support_scores(table.sentence_table(logits), weights, len(own))[rows])
    return found
