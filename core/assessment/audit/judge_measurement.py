"""Evidence that only judges give: trials, other scales, both orders of two summaries, and what each verdict used up."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.assessment.audit.audit_judge import JudgeModel
from core.assessment.audit.judge_trials import BROKEN, FAITHFUL, ScoredTrial, Trial, plan_trials, stand_in_trials
from core.assessment.audit.repetition import next_sample
from core.evaluation import PairwiseAnswer, pairwise_conversation
from core.models import Sampling
from core.results import StressRun
from core.scoring import Conversation, Engine, MeteredScore, Metric, VerdictUsage, metered
from core.text import document_for_reader
from core.types import Example, Failure, Result


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A summary and its broken variant compared in both orders by the judge's model; None where it failed."""

    trial: Trial
    comparison: PairwiseAnswer | None


@dataclass(eq=False)
class JudgeEvidence:
    """Evidence on one judge, and the model and endpoint that it asks; it grows while `work` goes on."""

    metric: Metric
    model: JudgeModel
    sampling: Sampling
    trials: list[ScoredTrial] = field(default_factory=list)
    comparisons: list[ComparedPair] = field(default_factory=list)
    usages: dict[str, VerdictUsage] = field(default_factory=dict)

    @property
    def again(self) -> Metric:
        """The judge asked for another sample, as the control of whatever changes the question."""
        return next_sample(self.metric)

    @property
    def scales(self) -> Sequence[Metric]:
        return self.metric.rescalings()

    def of(self, experiment: str, metric: str = "") -> list[ScoredTrial]:
        """Trials of an experiment by this judge, or by it in another form."""
        spec = metric or self.metric.spec
        return [scored for scored in self.trials if scored.trial.experiment == experiment and scored.metric == spec]

    @property
    def done(self) -> int:
        return sum(len(scored.scores) for scored in self.trials) + len(self.comparisons) + len(self.usages)

    def planned(self, run: StressRun, wrong: StressRun, texts: int) -> int:
        """Number of scores, comparisons and usages that there will be at most."""
        trials = list(stand_in_trials(run, wrong))
        pairs = sum(trial.experiment == "pair" for trial in trials)
        forms = len(self._pair_metrics()) * 2
        return sum(len(trial.arms) for trial in trials) + pairs * (forms + 1) + texts

    def conversations(self, engine: Engine, run: StressRun, wrong: StressRun) -> Iterator[Conversation[Any]]:
        """Conversations of the work, for an estimate of their cost."""
        trials = list(stand_in_trials(run, wrong))
        yield from engine.conversations([self.metric], _forms(trials))
        pairs = [trial for trial in trials if trial.experiment == "pair"]
        yield from engine.conversations(self._pair_metrics(), _forms(pairs))
        yield from (self._comparison(pair) for pair in pairs)

    def work(self, engine: Engine, run: StressRun, wrong: StressRun, scored: Sequence[Example]) -> Generator[object]:
        """Score the trials, compare the pairs in both orders and read the usage of what is `scored`, whose answers are kept."""
        trials = plan_trials(run, wrong)
        pairs = [trial for trial in trials if trial.experiment == "pair"]
        yield from self._score(engine, self.metric, trials)
        for metric in self._pair_metrics():
            yield from self._score(engine, metric, pairs)
        compared = engine.converse(self._comparison(pair) for pair in pairs)
        for trial, (_, outcome) in zip(pairs, compared, strict=True):
            self.comparisons.append(ComparedPair(trial, None if isinstance(outcome, Failure) else outcome))
            yield outcome
        for conversation, scored_again in engine.converse(map(self._metered, scored)):
            if not isinstance(scored_again, Failure) and (used := scored_again[1]):
                self.usages[conversation.example.id] = used
            yield scored_again

    def _pair_metrics(self) -> list[Metric]:
        """Forms of the judge that are asked about pairs besides itself: another sample, and other scales."""
        return [self.again, *self.scales]

    def _score(self, engine: Engine, metric: Metric, trials: Sequence[Trial]) -> Generator[object]:
        scores = (
            outcome.score if isinstance(outcome, Result) else None
            for _, outcome in engine.run([metric], _forms(trials))
        )
        for trial in trials:
            self.trials.append(ScoredTrial(trial, metric.spec, {arm: next(scores) for arm in trial.arms}))
            yield trial

    def _comparison(self, pair: Trial) -> Conversation[PairwiseAnswer]:
        faithful, broken = pair.arms[FAITHFUL], pair.arms[BROKEN]
        return pairwise_conversation(
            faithful.id, document_for_reader(faithful), faithful.summary, broken.summary, self.sampling
        )

    def _metered(self, example: Example) -> Conversation[MeteredScore]:
        spec = f"{self.metric.spec} usage"
        return Conversation(spec, example, lambda: metered(self.metric.rounds(example)), self.metric.checkpoints())


def _forms(trials: Sequence[Trial]) -> list[Example]:
    return [example for trial in trials for example in trial.arms.values()]
