"""Figures of a trained metric, and its model card: saved with the weights, and read by whoever meets the metric."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.edits import Battery, standard_battery
from core.evaluation.training.trainer import Trained, pairs_of
from core.evaluation.training.training_data import TrainingData, describe
from core.models import CARD_FILE, DOCUMENTS_FILE, FIGURES_FILE, HEADS, document_key
from core.settings import VERSION
from core.stats import (
    FEW_PAIRS,
    Distribution,
    Estimate,
    LabelledScores,
    Mask,
    Numbers,
    Resamples,
    ScorePairs,
    Values,
    auc,
    calibration_error,
    compare_paired,
    consistency_share,
    format_percent,
    format_signed,
    markdown_table,
    mean_shift,
    noise_range,
)

RESAMPLES = 2_000
DIFFERENCE, CALIBRATION_ERROR = "AUC difference", "calibration error"
_SIGNED = {DIFFERENCE, "mean shift"}
PAIR_SHARE, NOTICED, LEFT_ALONE = "pairs told apart", "noticed", "left alone"
BROKEN, HARMLESS = "broken variants", "harmless variants"
WITHOUT = ", without the stress run"
"""End of the name of what the same training without its stress run does."""
_UNSEEN = ", learned from others"
"""End of the name of what was left out of the training as a whole."""


@dataclass(frozen=True, slots=True)
class CardFigure:
    """A figure of the card: of what, by which measure, with its interval."""

    of: str
    measure: str
    estimate: Estimate

    @property
    def text(self) -> str:
        return format_signed(self.estimate) if self.measure in _SIGNED else format_percent(self.estimate)


@dataclass(frozen=True, slots=True)
class CardFacts:
    """Facts for the card besides the figures."""

    title: str
    """Name of the metric in its card."""
    recipe: str
    """Name of the recipe, as `--recipe` takes it."""
    seed: int
    """Seed of the folds, the corruptions and the weights."""
    share: float
    """Share of generated summaries that was asked for, 0 to below 1."""
    data: Sequence[str]
    """Names of the sources that were learned from."""
    licences: Sequence[str]
    """Licences of the sources, each once; empty where none is known."""
    learned_tests: Mapping[str, int] = field(default_factory=dict)
    """By dataset, the number of test summaries that were learned from on request; empty for none."""
    battery: Battery = field(default_factory=standard_battery)
    """Made the corruptions and harmless edits, where `share` is above 0."""

    @property
    def test_note(self) -> str:
        if not self.learned_tests:
            return "Nothing that is marked as test, and no data of a paper's tables, was learned from."
        counts = ", ".join(f"{number} summaries of {name}" for name, number in self.learned_tests.items())
        return (
            f"On request it learned from test data: {counts}. What it scores on {' or '.join(self.learned_tests)} is no test "
            "of it; the figures below are of documents, or domains, that were left out in turn."
        )


@dataclass(frozen=True, slots=True, eq=False)
class RecipeAccount:
    """Account of a recipe on the model that it made: the held-out scores, and paragraphs of the card."""

    held_out: Values
    """Score of every row by a model that did not learn from its document, (rows,); nan for a row that nobody judged."""
    by_domain: Mapping[str, tuple[Numbers, Values]]
    """By domain, places and scores of its labelled rows by a model that learned from the other domains; may be empty."""
    settings: Mapping[str, object]
    """Settings of the model that are written into the file of figures."""
    reads: str
    """Paragraph of the card: how the model reads."""
    judged: str
    """Paragraph of the card: how documents were divided between learning and judging."""
    limits: str
    """Paragraph of the card: what the model cannot see."""
    stress: Sequence[CardFigure] = ()
    """Figures of a stress run that it was hardened by; empty without one."""
    section: str = ""
    """Section of the card with these figures, in Markdown; "" without a stress run."""


def words_account(trained: Trained) -> RecipeAccount:
    """The account of the recipe "words"."""
    config, weights = trained.head.config, trained.head.summary_weights()
    members = len(trained.head.attention["query"])
    return RecipeAccount(
        trained.held_out,
        trained.by_domain,
        {
            "trees": trained.trees,
            "attention members": members,
            "worst": weights.worst.tolist(),
            "share": weights.share.tolist(),
        },
        reads=f"{trained.trees} trees of each of {members} folds read {len(config.features)} features of each word of a summary, made "
        f"with the frozen encoder {config.encoder}; {HEADS} attention heads of each fold read the same and what they find of the "
        "word among the states of the document's words. The logit of a word is the mean of all. The score is the probability that "
        "neither of two reasons to doubt holds: the worst sentence, by the mean odds that a word of it is wrong (log odds "
        f"{_line(weights.worst, -1)} log of these), and the share of content that the document lacks (log odds {_line(weights.share, 1)} mean "
        "similarity of the content words, and less where more than a quarter of them is like nothing there). A sentence that the document has word for word is "
        "supported, a text without content is not. The scale makes labelled and made summaries count the same, with classes as frequent "
        "as in this data: on other data read the calibration error first.",
        judged="Near-duplicates count as one document. One document of eight teaches no word and no weight. Each of the others lies in one of five folds and is judged by the trees and heads that "
        "learned from the other four; those that are left out, by the mean of all five, which is what is used. It stays so: when a "
        "document that was learned from is scored later, also respaced or changed a little, its fold judges it, by weights that its fold did "
        "not teach. The number of "
        "trees is the best one for these folds; a fold stops where its loss has not fallen for 75 trees.",
        limits="It compares words and their neighbours with the document's. Roles that are exchanged among words that all "
        "stand in the document, and wrong verbs that are close to the right ones, move it little; what needs arithmetic or "
        "knowledge moves it by chance. A paraphrase in words far from the document's looks like an error to it.",
    )


def _line(weights: Values, sign: int) -> str:
    """Offset and slope as a formula, up to what is multiplied."""
    slope = sign * float(weights[1])
    return f"{float(weights[0]):+.2f} {'−' if slope < 0 else '+'} {abs(slope):.2f} times the"


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The rows of a training as arrays, and the resamples of their documents."""

    data: TrainingData
    wrong: Mask
    labelled: Mask
    kinds: NDArray[np.str_]
    datasets: NDArray[np.str_]
    draws: Resamples

    @classmethod
    def of(cls, data: TrainingData) -> _Judged:
        rows = data.rows
        return cls(
            data,
            np.array([row.wrong for row in rows]),
            np.array([row.origin == "labelled" for row in rows]),
            np.array([row.kind for row in rows]),
            np.array([data.datasets.get(row.id, "") for row in rows]),
            Resamples.draw(data.document_count(), RESAMPLES),
        )

    def auc(self, of: str, rows: Mask, scores: Values) -> CardFigure:
        return CardFigure(of, "AUC", self._auc(rows, scores).estimate())

    def auc_above(self, of: str, rows: Mask, scores: Values, baseline: Values) -> CardFigure:
        """The AUC less that of a baseline on the cases that both have."""
        shared = np.asarray(rows & ~np.isnan(scores) & ~np.isnan(baseline))
        compared = compare_paired(self._auc(shared, scores), self._auc(shared, baseline))
        return CardFigure(of, DIFFERENCE, compared.difference)

    def calibration_error(self, of: str, rows: Mask, scores: Values) -> CardFigure:
        error = calibration_error(scores[rows], ~self.wrong[rows], self.data.documents[rows])
        return CardFigure(of, CALIBRATION_ERROR, self.draws.estimate(error))

    def _auc(self, rows: Mask, scores: Values) -> Distribution:
        return self.draws.of(auc(LabelledScores(scores[rows], ~self.wrong[rows], self.data.documents[rows])))

    def several_datasets(self) -> list[str]:
        """The datasets that labelled rows come from; nothing where there is one."""
        names = sorted(set(self.datasets[self.labelled].tolist()) - {""})
        return names if len(names) > 1 else []

    def judged_kinds(self) -> list[str]:
        """The error types and corruptions of which there are at least FEW_PAIRS wrong rows."""
        counts = Counter(self.kinds[self.wrong].tolist())
        return sorted(kind for kind, count in counts.items() if kind and count >= FEW_PAIRS)

    def of_kind(self, kind: str) -> Mask:
        """The wrong rows of a kind, and the consistent rows of the same origin: labelled ones or generated ones."""
        bad = self.wrong & (self.kinds == kind)
        return np.asarray(bad | (~self.wrong & np.isin(self.labelled, self.labelled[bad])))

    def spread(self, places: Numbers | Mask, values: Values) -> Values:
        """Values of some rows as those of all, nan elsewhere, (rows,)."""
        all_values = np.full(len(self.wrong), np.nan)
        all_values[places] = values
        return all_values


def card_figures(data: TrainingData, account: RecipeAccount, baselines: Mapping[str, Values]) -> list[CardFigure]:
    """Figures on documents that were not learned from; `baselines` score the labelled rows in their order."""
    judged, scores = _Judged.of(data), account.held_out
    # the baselines are compared on the same rows
    labelled = np.asarray(judged.labelled & ~np.isnan(scores))
    generated = np.asarray(~judged.labelled & ~np.isnan(scores))
    figures = [judged.auc("labelled summaries", labelled, scores)]
    for name, values in baselines.items():
        baseline = judged.spread(judged.labelled, values)
        figures.append(judged.auc(f"labelled summaries, {name}", labelled, baseline))
        figures.append(judged.auc_above(f"labelled summaries, above {name}", labelled, scores, baseline))
    figures.append(judged.calibration_error("labelled summaries", labelled, scores))
    figures += [
        judged.auc(f"labelled summaries of {name}", labelled & (judged.datasets == name), scores)
        for name in judged.several_datasets()
    ]
    for domain, (places, values) in account.by_domain.items():
        apart = judged.spread(places, values)
        of = f"labelled summaries of {domain}{_UNSEEN}"
        figures += [judged.auc(of, ~np.isnan(apart), apart), judged.calibration_error(of, ~np.isnan(apart), apart)]
    if generated.any():
        figures.append(judged.auc("generated summaries", generated, scores))
    figures += [judged.auc(kind, judged.of_kind(kind), scores) for kind in judged.judged_kinds()]

    pairs = pairs_of(data.rows)
    real = [pair for pair in pairs if judged.labelled[pair[1]]]
    for of, subset in (("labelled pairs", real), ("all pairs", pairs)):
        if subset:
            share = consistency_share(_pairs(data, scores, subset))
            figures.append(CardFigure(of, PAIR_SHARE, judged.draws.estimate(share)))
    if harmless := _harmless_pairs(data):
        shift = mean_shift(_pairs(data, scores, harmless))
        figures.append(CardFigure("harmless edits", "mean shift", judged.draws.estimate(shift)))
    return figures


def _pairs(data: TrainingData, scores: Values, pairs: Sequence[tuple[int, int]]) -> ScorePairs:
    originals, edited = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    return ScorePairs(scores[originals], scores[edited], data.documents[originals])


def _harmless_pairs(data: TrainingData) -> list[tuple[int, int]]:
    places = {(row.document, row.id): place for place, row in enumerate(data.rows)}
    return [
        (places[row.document, row.parent], place)
        for place, row in enumerate(data.rows)
        if row.origin == "harmless edit" and (row.document, row.parent) in places
    ]


def null_band(data: TrainingData, held_out: Values) -> tuple[float, float] | None:
    """The middle 95 % of the shifts under harmless edits; None where there are too few."""
    pairs = _harmless_pairs(data)
    return noise_range(_pairs(data, held_out, pairs).shifts) if pairs else None


def verdict(figures: Sequence[CardFigure]) -> str:
    """Sentences that say if it tells consistent labelled summaries from inconsistent ones at all, what does as well, and
    how it fares where nothing of the kind was learned from."""
    first = figures[0].estimate
    if first.value is None:
        return f"It could not be judged: {first.error}"
    if first.low is None or first.low <= 0.5:
        sentence = f"On the labelled summaries it is no better than chance: AUC {figures[0].text} on documents that it did not learn from."
    else:
        sentence = (
            f"On documents that it did not learn from it reaches an AUC of {figures[0].text} on the labelled summaries."
        )
    above = "labelled summaries, above "  # a benchmark's difference stands in a table of its own
    names = [
        figure.of.removeprefix(above)
        for figure in figures
        if figure.measure == DIFFERENCE
        and figure.of.startswith(above)
        and figure.estimate.low is not None
        and figure.estimate.low <= 0
    ]
    sentences = [sentence, f"Not shown to be better than {', '.join(names)} there."] if names else [sentence]
    values = [
        figure.estimate.value
        for figure in figures
        if figure.of.endswith(_UNSEEN) and figure.measure == "AUC" and figure.estimate.value is not None
    ]
    if values:
        sentences.append(
            f"On {len(values)} domains or datasets, each left out in turn: AUC {min(values):.1%} to {max(values):.1%}."
        )
    return " ".join([*sentences, *_hardening(figures)])


def _hardening(figures: Sequence[CardFigure]) -> list[str]:
    """A sentence on what the stress run taught, if one was learned from."""
    texts = {(figure.of, figure.measure): figure.text for figure in figures}
    if (BROKEN, PAIR_SHARE) not in texts:
        return []
    return [
        f"Of the stress run's variants on documents that it did not learn from, it puts {texts[BROKEN, PAIR_SHARE]} % of the broken "
        f"ones below their original ({texts[BROKEN + WITHOUT, PAIR_SHARE]} % without the run), notices "
        f"{texts[BROKEN, NOTICED]} % beyond noise ({texts[BROKEN + WITHOUT, NOTICED]} %) and leaves {texts[HARMLESS, LEFT_ALONE]} % of the "
        f"harmless ones alone ({texts[HARMLESS + WITHOUT, LEFT_ALONE]} %)."
    ]


def write_card(
    folder: Path, facts: CardFacts, data: TrainingData, account: RecipeAccount, figures: Sequence[CardFigure]
) -> None:
    """The card, its figures as JSON, and the hashes of the documents that were learned from."""
    keys = sorted({document_key(row.document) for row in (*data.rows, *data.stress.rows)})
    (folder / DOCUMENTS_FILE).write_text("\n".join(keys) + "\n", encoding="utf-8")
    band = null_band(data, account.held_out)
    record = {
        "recipe": facts.recipe,
        "seed": facts.seed,
        "share": facts.share,
        "battery": facts.battery.signature if facts.share else None,
        "learned_tests": dict(facts.learned_tests),
        **account.settings,
        "data": describe(data),
        "verdict": verdict([*figures, *account.stress]),
        "null_band": band,
        "figures": [
            {"of": figure.of, "measure": figure.measure, **figure.estimate.record()}
            for figure in (*figures, *account.stress)
        ],
    }
    (folder / FIGURES_FILE).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / CARD_FILE).write_text(_card(facts, data, account, figures, band), encoding="utf-8")


def _card(
    facts: CardFacts,
    data: TrainingData,
    account: RecipeAccount,
    figures: Sequence[CardFigure],
    band: tuple[float, float] | None,
) -> str:
    counts = describe(data)
    lines = [
        [figure.of, figure.measure, figure.text, str(figure.estimate.n), str(figure.estimate.documents)]
        for figure in figures
    ]
    shares = "\n".join(f"- {name}: {_format_count(value)}" for name, value in counts.items() if value)
    noise = f"\nThe middle 95 % of shifts under harmless edits: {band[0]:+.3f} to {band[1]:+.3f}.\n" if band else ""
    made_by = f", by the battery {facts.battery.signature} and by rules for inventions" if facts.share else ""
    return f"""# {facts.title}

{verdict([*figures, *account.stress])}

A metric of Touchstone {VERSION}, recipe "{facts.recipe}", seed {facts.seed}: {account.reads}
The named contexts of a document were joined and are read so; a question is not read.

## Data

{", ".join(facts.data)}. Licences: {", ".join(facts.licences) or "not known"}. `{DOCUMENTS_FILE}` names the documents by hash.

{shares}

Generated summaries are asked to be {facts.share:.0%} of all{made_by}. {facts.test_note}

## Figures

{account.judged} Intervals (95 %) resample documents.
Error types and corruptions with fewer than {FEW_PAIRS} inconsistent summaries have no figure.

{markdown_table(["of", "measure", "value", "n", "documents"], lines)}
{noise}{account.section}
## What it cannot see

{account.limits}
"""


def _format_count(value: Mapping[str, int] | int) -> str:
    return ", ".join(f"{name} {number}" for name, number in value.items()) if isinstance(value, Mapping) else str(value)
