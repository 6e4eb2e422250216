"""Scores of a teacher for the rows of a training: asked once, kept in the folder of the metric, with what they cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from math import fsum, isfinite
from pathlib import Path
from time import perf_counter

from core.base import CODE_MARK
from core.errors import TouchstoneError
from core.evaluation.training.training_row import TrainingRow
from core.model_reference import asks_endpoint
from core.models import CostEstimate, TrainingStep, format_estimate, format_money
from core.results import format_duration
from core.scoring import (
    Conversation,
    Engine,
    MeteredScore,
    Metric,
    fingerprint_of,
    metered,
    metric_code_hash,
    score_seconds,
)
from core.settings import Settings
from core.types import Example, Failure, FailureKind

TEACHER_FILE = "teacher.jsonl"
"""Scores of the teacher by the hash of each pair, without any text."""
ASKING = "Asking the teacher"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TeacherScore:
    """Score of a teacher for a pair, None with an `error` where it has none; seconds since the one before, and its cost."""

    pair: str
    score: float | None
    error: str
    seconds: float
    money: float | None


def pair_key(row: TrainingRow) -> str:
    """The name of a pair in the file: a hash of its texts."""
    return hashlib.sha256(f"{row.document}\0{row.summary}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class TeacherRun:
    """The pairs of some rows, each once, to be scored by a metric with the engine; what it has scored lies in the folder.

    `left_out` counts pairs that are not among the rows by the reason.
    """

    metric: Metric
    rows: Sequence[TrainingRow]
    folder: Path
    engine: Engine
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def _file(self) -> Path:
        return self.folder / TEACHER_FILE

    def _by(self) -> str:
        """Name of the metric with its settings, code and weights or addresses: with another, everything is asked again."""
        models = [fingerprint_of(model, self.engine.pool) for model in self.metric.checkpoints()]
        return "|".join([self.metric.spec, f"{CODE_MARK}{metric_code_hash(self.metric)}", *models])

    def _examples(self) -> dict[str, Example]:
        return {key: Example(key, row.document, row.summary) for row in self.rows for key in (pair_key(row),)}

    def cached(self) -> dict[str, TeacherScore]:
        """The scores of an earlier run by the same metric, by their pair; a line that was cut off is none."""
        if not self._file.is_file():
            return {}
        by, pairs = self._by(), self._examples()
        scores = {}
        for line in self._file.read_text(encoding="utf-8").split("\n"):
            try:
                record = json.loads(line)
                if record.pop("by") == by and record["pair"] in pairs:
                    scores[record["pair"]] = TeacherScore(**record)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
        return scores

    def unscored(self) -> list[Example]:
        """The pairs without a score of the teacher."""
        cached = self.cached()
        return [example for key, example in self._examples().items() if key not in cached]

    def _conversation(self, example: Example) -> Conversation[MeteredScore]:
        metric = self.metric
        return Conversation(metric.spec, example, lambda: metered(metric.rounds(example)), metric.checkpoints())

    def cost(self) -> CostEstimate:
        """About what the pairs without a score will cost; asks nothing."""
        return self.engine.estimate(map(self._conversation, self.unscored()))

    def estimate(self, settings: Settings) -> list[str]:
        """Sentences on the pairs, the requests with their price, and the time. A metric of this machine is timed on a few pairs."""
        cached, unscored = self.cached(), self.unscored()
        pairs = len(cached) + len(unscored)
        sentences = [f"{self.metric.spec} is to score {pairs} pairs; {len(cached)} of them are scored already."]
        if not unscored:
            return sentences
        if not asks_endpoint(self.metric.checkpoints()):
            seconds = score_seconds(settings, [self.metric], unscored)[self.metric.spec] * len(unscored)
            return [*sentences, f"Requests: none, nothing to pay. Time: about {format_duration(seconds)} here."]
        sentences.append(f"Requests: {format_estimate(self.cost()) or 'answered before, nothing to pay'}.")
        if cached:
            seconds = mean_seconds(cached) * len(unscored)
            return [*sentences, f"Time: about {format_duration(seconds)}, by the pairs scored before."]
        return [*sentences, "Time: unknown before the first answers; the progress tells it then."]

    def check_budget(self, budget: float) -> None:
        """Raise TouchstoneError where the rest may cost more than the budget leaves, or an unknown sum."""
        estimate = self.cost()
        if estimate.unpriced or estimate.open_ended:
            what = (
                f"the price of {', '.join(estimate.unpriced)} is not set"
                if estimate.unpriced
                else "it asks on by its answers"
            )
            raise TouchstoneError(
                f"The cost of {self.metric.spec} is unknown, as {what}, so that a budget of {budget:g} cannot be kept. Set the price "
                "of the endpoint, or leave out the budget."
            )
        spent = fsum(score.money or 0.0 for score in self.cached().values())
        if spent + estimate.money > budget + _ROUNDING:
            raise TouchstoneError(
                f"{self.metric.spec} may cost about {format_money(estimate.money)} for {len(self.unscored())} pairs"
                f"{f', after {format_money(spent)} spent' if spent else ''}, and the budget is {budget:g}. Give more, or fewer pairs: less "
                "data, or a smaller share of corruptions."
            )

    def ask(self, budget: float | None) -> Generator[TrainingStep, None, dict[str, TeacherScore]]:
        """Score what has no score yet, and return all scores by their pair. A run that is cut off goes on where it stopped.

        A pair that the metric cannot score has an error. Raises TouchstoneError where the metric fails for another reason, and
        where the budget is spent.
        """
        if budget is not None:
            self.check_budget(budget)
        scores, unscored, by = self.cached(), self.unscored(), self._by()
        total = len(scores) + len(unscored)
        yield TrainingStep(ASKING, len(scores), total)
        if not unscored:
            return scores
        self.folder.mkdir(parents=True, exist_ok=True)
        spent = fsum(score.money or 0.0 for score in scores.values())
        before = perf_counter()
        with (
            self._file.open("a", encoding="utf-8") as file,
            closing(self.engine.converse(map(self._conversation, unscored))) as outcomes,
        ):
            file.write("\n")  # a line that was cut off ends here
            for conversation, outcome in outcomes:
                if isinstance(outcome, Failure) and outcome.kind is not FailureKind.INPUT:
                    raise TouchstoneError(
                        f"{self.metric.spec} gave no score: {outcome.error} {len(scores)} of {total} pairs are scored and kept in "
                        f"{self._file.name}; the same command goes on with the others."
                    )
                now = perf_counter()
                score = _teacher_score(conversation.example.id, outcome, now - before)
                before = now
                file.write(json.dumps({"by": by, **asdict(score)}) + "\n")
                file.flush()
                scores[score.pair] = score
                spent += score.money or 0.0
                if budget is not None and spent > budget + _ROUNDING:
                    raise TouchstoneError(
                        f"{self.metric.spec} has cost {format_money(spent)}, and the budget is {budget:g}. {len(scores)} of {total} pairs are "
                        "scored and kept; the same command with more budget goes on."
                    )
                yield TrainingStep(ASKING, len(scores), total)
        return scores


def _teacher_score(pair: str, outcome: MeteredScore | Failure, seconds: float) -> TeacherScore:
    if isinstance(outcome, Failure):
        return TeacherScore(pair, None, outcome.error, seconds, None)
    score, usage = outcome
    if not isfinite(score.value):
        return TeacherScore(pair, None, f"The score is {score.value}.", seconds, None)
    return TeacherScore(pair, score.value, "", seconds, usage.money if usage else 0.0)


def mean_seconds(scores: Mapping[str, TeacherScore]) -> float:
    """Mean seconds of a pair, the first ones with the loading of models."""
    return fsum(score.seconds for score in scores.values()) / len(scores)


def mean_money(scores: Mapping[str, TeacherScore]) -> float | None:
    """Mean cost of a pair that was scored; None where that of any is unknown."""
    costs = [score.money for score in scores.values() if score.score is not None]
    paid = [cost for cost in costs if cost is not None]
    return fsum(paid) / len(paid) if paid and len(paid) == len(costs) else None


def first_error(scores: Mapping[str, TeacherScore]) -> str:
    """The error of the first pair without a score; "" where all have one."""
    return next((score.error for score in scores.values() if score.error), "")
