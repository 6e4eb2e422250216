"""The measuring of an audit's evidence, step by step: scores, a stress run, and asking again."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from itertools import chain
from typing import Any

from core.assessment.audit.audit_judge import is_judge, judge_model, judge_sampling
from core.assessment.audit.data import AuditData
from core.assessment.audit.evidence import LAYOUT_SOURCES, Evidence
from core.assessment.audit.judge_measurement import JudgeEvidence
from core.assessment.audit.repetition import ask_again, ask_reworded, next_sample, repeated_texts
from core.edits import LAYOUT_BATTERY, Battery, Filler, Perturbation, Repeated, read_battery, sanity_pairs
from core.errors import Problem, TouchstoneError, attempt
from core.evaluation import (
    SURFACE_FEATURES,
    WINDOWS,
    OwnThreshold,
    control_lengths,
    is_retrieval_metric,
    original_summaries,
    score_sentences,
    window_run,
)
from core.model_reference import asks_endpoint
from core.results import (
    MOST_PLACED,
    PLACES,
    Plan,
    Source,
    StressRun,
    affordable_resamples,
    continue_run,
    draw_sample,
    missing_conversations,
    planned_examples,
    pool_cases,
    score_placed,
)
from core.scoring import METRICS, Conversation, Engine, Metric
from core.settings import Settings
from core.types import Result


@dataclass(eq=False)
class EvidenceWork:
    """Measures the evidence step by step: `work` is a generator for a background task, `evidence` returns the result at its end."""

    engine: Engine
    """Engine that scores, with its cache."""
    settings: Settings
    """Settings for the second engine, with an empty cache, that scores texts again."""
    data: AuditData
    """Texts, labels and edits to measure on."""
    metrics: Sequence[Metric]
    """Metrics to score."""
    seed: InitVar[int] = 0
    """Seed of the edits."""
    saved_thresholds: InitVar[Mapping[str, OwnThreshold] | None] = None
    """Threshold to judge instead of one fitted on these data, by metric."""
    released: InitVar[Sequence[str]] = ()
    """Metrics whose scores came with the data; nothing is scored for them."""

    def __post_init__(
        self, seed: int, saved_thresholds: Mapping[str, OwnThreshold] | None, released: Sequence[str]
    ) -> None:
        battery = self.data.battery
        kinds = [*battery.of_intent("gaming"), *phrase_controls(battery)]
        layouts = read_battery(LAYOUT_BATTERY)
        by_document = {source.group: source for source in reversed(self.data.sources)}
        self.judges = [judge for metric in self.metrics if (judge := self._judge(metric))]
        self._sided = [metric for metric in self.metrics if metric.card.direction != "neutral"]
        self.gathered = Evidence(
            self.data,
            pool_cases([]),
            self._new_run("audit", battery.perturbations(), self.metrics, self.data.sources, seed, battery.signature),
            self._new_run("audit, inconsistent summaries", kinds, self.metrics, self.data.broken, seed),
            self._new_run(
                "audit, layouts",
                layouts.perturbations(),
                self._sided,
                draw_sample([*by_document.values()], LAYOUT_SOURCES, seed),
                seed,
                layouts.signature,
            ),
            sanity_pairs=sanity_pairs([source.example for source in self.data.sources], seed),
            seed=seed,
            saved_thresholds=saved_thresholds or {},
            released=tuple(released),
            judges={judge.metric.spec: judge for judge in self.judges},
        )
        run, gaming_run = self.gathered.run, self.gathered.gaming_run
        self._of_judges = sum(judge.planned(run, gaming_run, len(self.data.texts)) for judge in self.judges)
        features = [METRICS.parse(spec) for spec in SURFACE_FEATURES]
        self.scored = list({metric.spec: metric for metric in [*self.metrics, *features]}.values())
        self.finished: Evidence | None = None
        self.scores_done: Evidence | None = None
        self.runs_done = False

    @staticmethod
    def _new_run(
        name: str,
        kinds: Sequence[Perturbation],
        metrics: Sequence[Metric],
        sources: Sequence[Source],
        seed: int,
        battery: str = "",
    ) -> StressRun:
        run = StressRun(Plan.of(name, kinds, metrics, seed, battery=battery))
        for source in sources:
            run.add(source)
        return run

    def _judge(self, metric: Metric) -> JudgeEvidence | None:
        """Evidence to be on a judge; None for other metrics, and where nobody can be asked, of which its scores tell the reason."""
        if not self.data.texts or not is_judge(metric):
            return None
        sampling = attempt(lambda: judge_sampling(metric, self.data.texts[0]))
        if sampling is None or isinstance(sampling, Problem):
            return None
        model = attempt(lambda: judge_model(sampling))
        return None if isinstance(model, Problem) else JudgeEvidence(metric, model, sampling)

    @property
    def counts(self) -> tuple[int, int]:
        """Scores that are done, and those that there will be at most."""
        done = (
            len(self.gathered.outcomes)
            + self.gathered.run.settled
            + self.gathered.gaming_run.settled
            + self.gathered.layout_run.settled
            + 2 * len(self.gathered.placed)
        )
        done += sum(run.settled for run in self.gathered.sweeps.values()) + sum(
            map(len, self.gathered.densities.values())
        )
        done += sum(map(len, self.gathered.sanity.values()))
        asked_again = [*self.gathered.repetitions.values(), *chain.from_iterable(self.gathered.rewordings.values())]
        repeated = sum(len(repetition.scores) for repetition in asked_again)
        of_texts = len(self.data.texts) * len(self.scored)
        ways = len(self.metrics) + sum(len(metric.rewordings()) for metric in self.metrics)
        again = ways * len(repeated_texts(self.data.texts))
        placed = 2 * len(self.metrics) * len(PLACES) * min(MOST_PLACED, len(self.data.sources))
        swept = (
            len(WINDOWS)
            * sum(map(is_retrieval_metric, self.metrics))
            * self.gathered.run.planned
            // max(1, len(self.metrics))
        )
        by_density = len(self.metrics) * len(self.gathered.run.sources)
        runs = (self.gathered.run, self.gathered.gaming_run, self.gathered.layout_run)
        of_runs = sum(run.planned for run in runs) + swept + by_density
        judged = sum(judge.done for judge in self.judges)
        sane = len(self._sided) * len(self.gathered.sanity_pairs)
        return done + repeated + judged, of_texts + of_runs + again + placed + sane + self._of_judges

    def paid_conversations(self) -> Iterator[Conversation[Any]]:
        """Conversations with endpoints, for an estimate: every text, variant, window and long document, and some texts again."""
        paid = [metric for metric in self.metrics if asks_endpoint(metric.checkpoints())]
        if not paid:
            return
        yield from self.engine.conversations(paid, self.data.texts)
        sweeps = [window_run(self.gathered.run, [metric], "windows") for metric in paid if is_retrieval_metric(metric)]
        for run in (self.gathered.run, self.gathered.gaming_run, self.gathered.layout_run, *sweeps):
            yield from missing_conversations(self.engine, run)
        yield from self.engine.conversations(paid, planned_examples(self.gathered.run))
        yield from self.engine.conversations(
            [metric for metric in paid if metric in self._sided],
            [pair.example for pair in self.gathered.sanity_pairs],
        )
        again = [next_sample(metric) for metric in paid]
        reworded = [other for metric in paid for other in metric.rewordings()]
        yield from self.engine.conversations([*again, *reworded], repeated_texts(self.data.texts))
        for judge in self.judges:
            yield from judge.conversations(self.engine, self.gathered.run, self.gathered.gaming_run)

    def work(self) -> Generator[object]:
        """Every score of the audit; closing it cancels what is under way."""
        for _, outcome in self.engine.run(self.scored, self.data.texts):
            self.gathered.outcomes.append(outcome)
            yield outcome
        cases = self.data.cases_of(self.gathered.outcomes)
        # it shares all that is still to be measured with what is gathered
        self.scores_done = replace(self.gathered, cases=cases, resamples=affordable_resamples(cases))
        yield self.scores_done
        runs = (self.gathered.run, self.gathered.gaming_run, self.gathered.layout_run)
        for run in runs if self.metrics else ():
            yield from continue_run(self.engine, run)
        self.runs_done = True
        yield runs
        for metric in self.metrics:
            for pair in score_placed(self.engine, self.gathered.run, metric):
                self.gathered.placed.append(pair)
                yield pair
            yield from self._sweep_and_bin(metric)
        yield from self.score_sanity()
        for metric in self.metrics:
            first = self._scores_of(metric)
            self.gathered.repetitions[metric.spec] = ask_again(
                self.engine, self.settings, metric, self.data.texts, first
            )
            yield metric
            self.gathered.rewordings[metric.spec] = []
            for other in metric.rewordings():
                self.gathered.rewordings[metric.spec].append(ask_reworded(self.engine, other, self.data.texts, first))
                yield other
        for judge in self.judges:
            first = self._scores_of(judge.metric)
            scored = [text for text in self.data.texts if text.id in first]
            yield from judge.work(self.engine, self.gathered.run, self.gathered.gaming_run, scored)
        # once more, so that no figure is left that was computed before all was there
        self.finished = replace(self.scores_done)
        yield self.finished

    def score_sanity(self) -> Generator[object]:
        """Scores of the sanity battery; the originals that it is compared with have those of the stress run."""
        for metric in self._sided:
            scores = self.gathered.sanity[metric.spec] = {}
            for _, outcome in self.engine.run([metric], [pair.example for pair in self.gathered.sanity_pairs]):
                scores[outcome.example_id] = outcome.score if isinstance(outcome, Result) else math.nan
                yield outcome

    def _sweep_and_bin(self, metric: Metric) -> Generator[object]:
        """The windows of a metric that retrieves, and the sentences of one that scores them."""
        if is_retrieval_metric(metric):
            self.gathered.sweeps[metric.spec] = window_run(
                self.gathered.run, [metric], f"{self.gathered.run.plan.name}, windows"
            )
            yield from continue_run(self.engine, self.gathered.sweeps[metric.spec])
        if any(
            outcome.parts
            for outcome in self.gathered.outcomes
            if isinstance(outcome, Result) and outcome.metric == metric.spec
        ):
            self.gathered.densities[metric.spec] = []
            for scores in score_sentences(self.engine, [metric], original_summaries(self.gathered.run)):
                self.gathered.densities[metric.spec].append(scores)
                yield scores

    def evidence(self) -> Evidence:
        """Measured evidence. Raises TouchstoneError where the work has not ended, or a saved threshold is of other scores."""
        if self.finished is None:
            raise TouchstoneError("The audit was stopped before its end: start it again, what was scored is kept.")
        for metric, saved in self.gathered.saved_thresholds.items():
            saved.require_signature(self.finished.signature(metric))
        return self.finished

    def _scores_of(self, metric: Metric) -> dict[str, float]:
        scores = (outcome for outcome in self.gathered.outcomes if isinstance(outcome, Result))
        return {result.example_id: result.score for result in scores if result.metric == metric.spec}


def phrase_controls(battery: Battery) -> list[Perturbation]:
    """Repetitions of the summary's own words, as long as the phrases of the battery: what any words do."""
    phrases = [kind for kind in battery.of_intent("gaming") if isinstance(kind, Filler)]
    return [Repeated(words=length) for length in control_lengths(phrases)]
