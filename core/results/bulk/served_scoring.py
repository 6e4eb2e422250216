"""Scores whose network is computed by a server, held to those that are computed here: a share of the pairs is scored twice."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from core.errors import Problem, TouchstoneError, attempt
from core.models import NetworkServer
from core.scoring import Engine, Metric, fingerprint_of, signature
from core.text import splitter_name
from core.types import Answer, Example, Failure, FailureKind, Outcome, Question, Result, Rounds, Score

PARITY_TOLERANCE = 1e-3
"""The largest difference from the scores that are computed here; beyond it nothing is kept."""
_LEAST_CHECKED, _PAIRS_PER_CHECK = 50, 1000
_LEAST_COMPARED = 0.5  # of the checked pairs, those that have both scores
_MOST_ERRORS = 10  # of this machine and not of the texts, after which no further pair is drawn


@dataclass(frozen=True, slots=True)
class Parity:
    """Pairs that were scored twice, and the largest difference between a score of the server and one that was computed here."""

    pairs: int = 0
    largest: float = 0.0

    def __add__(self, other: Parity) -> Parity:
        return Parity(self.pairs + other.pairs, max(self.largest, other.largest))

    def sentence(self, form: str) -> str:
        """As it stands in the notes of each score."""
        return (
            f"The network was computed by {form}. Of {self.pairs:,} pairs that were scored here too, the largest difference is "
            f"{self.largest:.1e}."
        )


def checked_pairs(pairs_by_block: Mapping[str, int]) -> dict[str, int]:
    """The number of pairs of each block that are scored here too: 0.1 % of all, at least 50, and one of each block."""
    pairs = sum(pairs_by_block.values())
    checked = min(pairs, max(_LEAST_CHECKED, math.ceil(pairs / _PAIRS_PER_CHECK)))
    numbers: dict[str, int] = {}
    start = 0
    for block, size in pairs_by_block.items():
        # shares of the run before and after the block, so that roundings of many blocks do not add up
        share = checked * (start + size) // pairs - checked * start // pairs if pairs else 0
        numbers[block] = min(size, max(share, 1))
        start += size
    return numbers


class ServedScoring:
    """Scores of metrics whose network a server computes; `checked` is the number of pairs of a block that are scored here too."""

    def __init__(self, server: NetworkServer, engine: Engine, checked: Mapping[str, int]) -> None:
        self._server, self._engine, self._checked = server, engine, checked

    def outcomes(self, metric: Metric, examples: Sequence[Example], block: str) -> tuple[list[Outcome], Parity]:
        """The outcomes in the order of the examples of a block, and how far those that are drawn are from the scores here.

        Where a drawn pair has no score here, another is drawn. Raises TouchstoneError where one is further away than PARITY_TOLERANCE,
        and where no score of the server can be compared; the pairs that were not drawn are not sent then.
        """
        order = random.Random(f"{block} {metric.spec}").sample(range(len(examples)), len(examples))
        outcomes: dict[int, Outcome] = {}
        parity, errors = Parity(), list[Failure]()
        while order and parity.pairs < self._checked[block]:
            number = self._checked[block] - parity.pairs
            places, order = sorted(order[:number]), order[number:]
            sample = [examples[place] for place in places]
            served = self._score(metric, sample)
            here = [outcome for _, outcome in self._engine.run([metric], sample)]
            parity += self._compare(metric, served, here)
            outcomes |= dict(zip(places, served, strict=True))
            errors += [row for row in here if isinstance(row, Failure) and row.kind is not FailureKind.INPUT]
            if not parity.pairs and len(errors) >= _MOST_ERRORS:
                raise TouchstoneError(
                    f"{metric.spec}: this machine computes no score that those of {self._server.url} can be compared with, and nothing is "
                    f"kept: {errors[0].error}"
                )
        if not parity.pairs and any(isinstance(outcome, Result) for outcome in outcomes.values()):
            raise TouchstoneError(
                f"{metric.spec}: {self._server.url} has scores for pairs of block {block}, and this machine for none of its {len(examples):,}. They "
                "cannot be compared, and nothing is kept. Score one of them here to read why."
            )
        places = sorted(order)
        outcomes |= dict(zip(places, self._score(metric, [examples[place] for place in places]), strict=True))
        note = parity.sentence(self._server.form_name)
        return [_with_note(outcomes[place], note) for place in range(len(examples))], parity

    def _compare(self, metric: Metric, served: Sequence[Outcome], here: Sequence[Outcome]) -> Parity:
        both = [
            (own.example_id, there.score, own.score)
            for there, own in zip(served, here, strict=True)
            if isinstance(there, Result) and isinstance(own, Result)
        ]
        scored = sum(isinstance(outcome, Result) for outcome in here)
        if len(both) < _LEAST_COMPARED * scored:
            reason = next(outcome.error for outcome in served if isinstance(outcome, Failure))
            raise TouchstoneError(
                f"{metric.spec}: {self._server.url} scored {len(both)} of {scored} pairs that have a score here, and nothing is kept. The "
                f"first: {reason}"
            )
        if not both:
            return Parity()
        id, there, own = max(both, key=lambda scores: abs(scores[1] - scores[2]))
        if abs(there - own) > PARITY_TOLERANCE:
            raise TouchstoneError(
                f"{metric.spec}: by {self._server.url} the pair {id} has {there:.4f}, and computed here {own:.4f}. That is further apart than "
                f"{PARITY_TOLERANCE:g}, and nothing is kept. Have it serve the same weights in the same precision, with the whole of each text."
            )
        return Parity(len(both), abs(there - own))

    def _score(self, metric: Metric, examples: Sequence[Example]) -> list[Outcome]:
        """The outcomes of examples whose conversations go on together, one round after the other."""
        started = time.perf_counter()
        running: dict[int, Rounds[Score]] = {place: metric.rounds(example) for place, example in enumerate(examples)}
        ended: dict[int, Score | Problem] = {}
        questions_by_place: dict[int, Sequence[Question]] = {}
        heard: dict[int, list[Answer] | None] = dict.fromkeys(running)
        while heard:
            for place, answers in heard.items():
                step = attempt(partial(_next_round, running[place], answers))
                if isinstance(step, Score | Problem):
                    ended[place] = step
                else:
                    questions_by_place[place] = step
            heard = {}
            questions = [question for own in questions_by_place.values() for question in own]
            received = iter(self._server.answers(questions))
            for place, own in questions_by_place.items():
                got: list[Answer] = []
                for answer in islice(received, len(own)):
                    if isinstance(answer, Problem):
                        ended[place] = answer
                    else:
                        got.append(answer)
                if place not in ended:
                    heard[place] = got
            questions_by_place = {}
        seconds = (time.perf_counter() - started) / max(len(examples), 1)
        return [self._outcome(metric, example, ended[place], seconds) for place, example in enumerate(examples)]

    def _outcome(self, metric: Metric, example: Example, end: Score | Problem, seconds: float) -> Outcome:
        if isinstance(end, Problem):
            return Failure(example.id, metric.spec, end.kind, end.error)
        if not math.isfinite(end.value):
            return Failure(
                example.id, metric.spec, FailureKind.INPUT, f"The metric gave {end.value}, which is no score."
            )
        prints = [fingerprint_of(model, self._engine.pool) for model in metric.checkpoints()]
        facts = (*end.asked, f"executor:{self._server.form_name}")
        made_of = signature(metric, prints, splitter_name(), facts)
        return Result(
            example.id,
            metric.spec,
            made_of,
            end.value,
            end.parts,
            end.seen,
            seconds,
            self._server.form_name,
            claims=end.claims,
        )


def _next_round(rounds: Rounds[Score], answers: list[Answer] | None) -> Sequence[Question] | Score:
    try:
        return next(rounds) if answers is None else rounds.send(answers)
    except StopIteration as stop:
        score: Score = stop.value
        return score


def _with_note(outcome: Outcome, note: str) -> Outcome:
    if not isinstance(outcome, Result):
        return outcome
    return replace(outcome, seen=replace(outcome.seen, notes=(*outcome.seen.notes, note)))
