"""A crowd with spammers and hasty people labels a campaign: our loop against a fixed overlap of three and majority, for equally many paid labels.

The loop has limits per person (known answers, pace, variety), leaves out the labels of whoever is paused, asks for a third to a
fifth label where the model of annotators is not sure, and takes final labels from the model. Run:
`python -m tests.load.annotation_quality --campaigns 20`; prints a row of Markdown for each campaign.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.labelling.limits import PAUSE_EVIDENCE
from annotations.labelling.queue import EARLY_GOLD
from core.stats.annotators.accuracy_limit import evidence_below
from core.stats.annotators.agreement import LabelMatrix
from core.stats.annotators.annotator_model import UNKNOWN, AnnotatorModel, fit_model
from core.stats.statistic import Mask, Numbers, Values

PEOPLE, SPAMMERS, HASTY = 60, 6, 12
ITEMS, GOLD, OVERLAP = 1500, 40, 3
INCONSISTENT = 0.3
FIRST, MOST, SURE = 2, 5, 0.9  # labels of an item, and how sure the model must be of it
EARLY = 7  # items, of which EARLY_GOLD are known
LEAST_GOLD, LEAST_VARIETY, FEW_FAST, LEAST_OTHERS = 0.7, 0.5, 0.5, 30
REFIT = 100  # labels after which the model is fitted again
FIRST_SEED = 100  # settings were chosen on campaigns 0 to 2
HARD = 0.2  # share of items on which everybody comes half way to chance


@dataclass(frozen=True)
class Crowd:
    """Right answers of items and known ones, how often each person is right and too fast, and what spammers answer."""

    truth: Numbers
    known: Numbers
    hard: Mask
    accuracy: Values
    fast: Values
    constant: Numbers
    rng: np.random.Generator

    @classmethod
    def draw(cls, seed: int, hard: float) -> Crowd:
        rng = np.random.default_rng(seed)
        careful = PEOPLE - SPAMMERS - HASTY
        accuracy = np.concatenate(
            [np.full(SPAMMERS, 0.5), rng.uniform(0.6, 0.75, HASTY), rng.uniform(0.8, 0.95, careful)]
        )
        fast = np.concatenate([np.full(SPAMMERS, 0.7), np.full(HASTY, 0.5), np.full(careful, 0.02)])
        constant = np.full(PEOPLE, -1)
        constant[: SPAMMERS // 2] = 0  # half of the spammers always say the frequent answer, half guess
        return cls(
            (rng.random(ITEMS) < INCONSISTENT).astype(np.intp),
            (rng.random(GOLD) < 0.5).astype(np.intp),
            rng.random(ITEMS) < hard,
            accuracy,
            fast,
            constant,
            rng,
        )

    def answer(self, person: int, right: int, hard: bool) -> int:
        if self.constant[person] >= 0:
            return int(self.constant[person])
        accuracy = 0.5 + (self.accuracy[person] - 0.5) * (0.5 if hard else 1.0)
        return right if self.rng.random() < accuracy else 1 - right


def fixed_overlap(crowd: Crowd) -> Values:
    """Labels of three people for each item, whoever they are, (items, people), nan where there is none."""
    labels = np.full((ITEMS, PEOPLE), np.nan)
    for item in range(ITEMS):
        for person in crowd.rng.choice(PEOPLE, OVERLAP, replace=False):
            labels[item, person] = crowd.answer(int(person), int(crowd.truth[item]), bool(crowd.hard[item]))
    return labels


def majority_error(crowd: Crowd, labels: Values) -> float:
    """The share of items whose most frequent label is wrong; a tie, or no label, is half right."""
    ones, given = np.nansum(labels, axis=1), (~np.isnan(labels)).sum(axis=1)
    wrong = np.where(2 * ones == given, 0.5, (2 * ones > given) != crowd.truth)
    return float(wrong.mean())


class Loop:
    """A campaign as our loop runs it, until as many labels are paid as the fixed overlap costs."""

    def __init__(self, crowd: Crowd, *, model: bool = True, adaptive: bool = True, gold_every: int = 10) -> None:
        self.gold_every = gold_every
        self.crowd, self.model, self.adaptive = crowd, model, adaptive
        self.labels = np.full((ITEMS, PEOPLE), np.nan)
        self.gold = np.full((GOLD, PEOPLE), np.nan)
        self.seen = np.zeros((ITEMS, PEOPLE), dtype=bool)
        self.counts = np.zeros(ITEMS, dtype=int)
        self.answers = np.zeros((PEOPLE, 2), dtype=int)
        self.wanted = np.full(ITEMS, FIRST if adaptive else OVERLAP)
        self.paid = 0
        self.paused: dict[int, int] = {}
        self.left_out = 0

    def run(self) -> None:
        crowd, rng = self.crowd, self.crowd.rng
        had, fast = np.zeros(PEOPLE, dtype=int), np.zeros(PEOPLE, dtype=int)
        places = [set(rng.permutation(EARLY)[:EARLY_GOLD].tolist()) for _ in range(PEOPLE)]
        while self.paid < ITEMS * OVERLAP:
            person = int(rng.choice([one for one in range(PEOPLE) if one not in self.paused]))
            place, known = int(had[person]), int((~np.isnan(self.gold[:, person])).sum())
            later = place >= EARLY and place % self.gold_every == person % self.gold_every
            if known < GOLD and (place in places[person] or later):
                self.gold[known, person] = crowd.answer(person, int(crowd.known[known]), hard=False)
            else:
                item = self._free_item(person)
                if item is None:
                    return
                self.seen[item, person] = True
                answer = crowd.answer(person, int(crowd.truth[item]), bool(crowd.hard[item]))
                self.labels[item, person] = answer
                self.counts[item] += 1
                self.answers[person, answer] += 1
            had[person] += 1
            fast[person] += rng.random() < crowd.fast[person]
            self.paid += 1
            if self._is_below(person, int(had[person]), int(fast[person])):
                self.paused[person] = int(had[person])
                self.counts -= ~np.isnan(self.labels[:, person])
                self.labels[:, person] = np.nan
                self.left_out += int(self.answers[person].sum())
                self.answers[person] = 0
            if self.adaptive and self.paid % REFIT == 0:
                self._ask_more()

    def _free_item(self, person: int) -> int | None:
        """An item with the fewest labels of those that want one and that the person has not had, by chance."""
        free = np.flatnonzero((self.counts < self.wanted) & ~self.seen[:, person])
        if not len(free):
            return None
        fewest = free[self.counts[free] == self.counts[free].min()]
        return int(self.crowd.rng.choice(fewest))

    def _is_below(self, person: int, had: int, fast: int) -> bool:
        answered = ~np.isnan(self.gold[:, person])
        right = int((self.gold[answered, person] == self.crowd.known[answered]).sum())
        signals = [(right, int(answered.sum()), LEAST_GOLD), (had - fast, had, FEW_FAST)]
        own = self.answers[person]
        others = self.answers.sum(axis=0) - own
        commonest = int(own.argmax())
        if own.sum() and others.sum() >= LEAST_OTHERS and others[1 - commonest]:
            least = LEAST_VARIETY * float(others[1 - commonest] / others.sum())
            signals.append((int(own[1 - commonest]), int(own.sum()), least))
        return any(evidence_below(good, total, least) >= PAUSE_EVIDENCE for good, total, least in signals)

    def fit(self) -> AnnotatorModel:
        known = np.concatenate([np.full(ITEMS, UNKNOWN), self.crowd.known])
        labels = np.vstack([self.labels, self.gold])
        return fit_model("dawid-skene", LabelMatrix(labels, np.arange(len(labels)), (0.0, 1.0)), known)

    def _ask_more(self) -> None:
        """One label more for each item of which the model is not sure, none for the others, as `ask_for_labels` does."""
        sure = self.fit().posterior[:ITEMS].max(axis=1) >= SURE
        wants = np.clip(self.counts + ~sure, FIRST, MOST)
        self.wanted = np.where(self.counts >= FIRST, wants, self.wanted)

    def error(self) -> float:
        if not self.model:
            return majority_error(self.crowd, self.labels)
        return float(np.mean(self.fit().posterior[:ITEMS].argmax(axis=1) != self.crowd.truth))


FIXED = "fixed overlap 3, majority"
ARMS: Mapping[str, Mapping[str, Any]] = {
    "limits, majority of 3": {"model": False, "adaptive": False},
    "limits, model of 3": {"adaptive": False},
    "the loop, gold one in 10": {},
    "the loop, gold one in 40": {"gold_every": 40},
}
HEAD = (
    "| items | campaign | error, % | ± | beside fixed, % | paid | gold | left out | spammers paused | hasty | careful |"
)


def outcomes(seed: int, hard: float) -> Iterator[tuple[str, list[float]]]:
    """By campaign: error, labels paid, of them gold and left out, and who was paused, of one crowd."""
    crowd = Crowd.draw(seed, hard)
    yield FIXED, [majority_error(crowd, fixed_overlap(crowd)), ITEMS * OVERLAP, 0, 0, 0, 0, 0]
    for name, settings in ARMS.items():
        loop = Loop(Crowd.draw(seed, hard), **settings)
        loop.run()
        gold = int((~np.isnan(loop.gold)).sum())
        kinds = np.digitize(list(loop.paused), [SPAMMERS, SPAMMERS + HASTY])
        yield name, [loop.error(), loop.paid, gold, loop.left_out, *np.bincount(kinds, minlength=3)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=20)
    campaigns = parser.parse_args().campaigns
    show(HEAD)
    show("|--|--|" + "--:|" * 9)
    for hard in (HARD, 0.0):
        found: dict[str, list[list[float]]] = defaultdict(list)
        for seed in range(FIRST_SEED, FIRST_SEED + campaigns):
            for name, figures in outcomes(seed, hard):
                found[name].append(figures)
        errors = {name: np.array(figures)[:, 0] for name, figures in found.items()}
        for name, figures in found.items():
            error, *others = np.mean(figures, axis=0)
            spread = 100 * np.std(errors[name], ddof=1) / campaigns**0.5
            beside = 100 * (errors[name].mean() / errors[FIXED].mean() - 1)
            rest = " | ".join(f"{one:.0f}" if one >= 10 else f"{one:.1f}" for one in others)
            items = f"{hard:.0%} hard" if hard else "alike"
            show(f"| {items} | {name} | {100 * error:.2f} | {spread:.2f} | {beside:+.0f} | {rest} |")


def show(row: str) -> None:
    print(row, flush=True)  # noqa: T201  # its purpose


if __name__ == "__main__":
    main()
