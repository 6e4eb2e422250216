"""The shallow model as a metric: what six features of the surface alone would say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.errors import BadSettingError
from core.model_reference import Checkpoint, ModelRef
from core.models import MODEL_SUFFIX, SHALLOW_FEATURES
from core.registry import Plugin
from core.scoring.metric import METRICS, Card, Metric
from core.scoring.metric_parts.lockstep import run_in_lockstep
from core.scoring.metric_parts.question_answering import MultiRoundMetric
from core.types import Example, Option, Question, Rounds, Score, Seen, Span


@METRICS.add
@dataclass(frozen=True)
class Shallow(MultiRoundMetric):
    """Goes round after round with the six metrics at once, and asks a trained model what their values come to."""

    name: ClassVar[str] = "shallow"
    card: ClassVar[Card] = Card(
        title="Shallow model",
        family="Trained",
        measures="What a small network trained on labels, or on the scores of another metric, predicts from six features of "
        "the surface: ROUGE-2 F1, entity overlap, semantic similarity, word novelty, sentence novelty, conciseness.",
        paper="Ramprasad, Wallace 2024, Do Automatic Factuality Metrics Measure Factuality?",
        url="https://arxiv.org/abs/2411.16638",
        low=None,
        high=None,
        licence="Touchstone's own code and the encoder of its features Apache-2.0.",
        differs="Train it on your own pairs: python cli.py train-shallow. Trained on labels it gives the probability of "
        "consistent; trained on a metric it has that metric's range and direction. The features are our metrics of these "
        "names in the paper's form, semantic-similarity[compared=sentences] and conciseness[numerator=document]; a model that "
        "learned from others is refused. One that is undefined counts as the mean of the training pairs and is marked as undefined, and a text that lacks "
        "one which no training pair lacked is refused. It reads the summary as a whole: a sentence has no score.",
    )

    model: str = ""

    def __post_init__(self) -> None:
        if self.model:
            path = self.model
            object.__setattr__(
                self, "model", path if Path(path).is_absolute() or path.startswith((".", "~")) else f"./{path}"
            )  # the fields alone are frozen

    @property
    def features(self) -> Mapping[str, Metric]:
        return {spec: METRICS.parse(spec) for spec in SHALLOW_FEATURES}

    def uses(self) -> Sequence[Plugin]:
        return list(self.features.values())

    def checkpoints(self) -> tuple[ModelRef, ...]:
        own = (Checkpoint(self.model, "mlp", setting="model"),) if self.model else ()
        return (*own, *(needed for metric in self.features.values() for needed in metric.checkpoints()))

    def rounds(self, example: Example) -> Rounds[Score]:
        if not self.model:
            raise BadSettingError(
                f"No model is chosen. Train one: python cli.py train-shallow PAIRS.jsonl -o MODEL{MODEL_SUFFIX}, and write "
                f"shallow[model=MODEL{MODEL_SUFFIX}]."
            )
        verdicts = yield from run_in_lockstep({spec: metric.rounds(example) for spec, metric in self.features.items()})
        values: tuple[Option, ...] = tuple(
            (spec, verdict.value) for spec, verdict in verdicts.items() if isinstance(verdict, Score)
        )
        [answer] = yield [Question(Checkpoint(self.model, "mlp", setting="model"), (), values)]
        # what the six metrics read, their values or reasons, and the origin of the model
        read = [verdict.seen for verdict in verdicts.values() if isinstance(verdict, Score)]
        outcomes = [
            f"{spec}: {verdict.value:.3f}." if isinstance(verdict, Score) else f"{spec}: undefined. {verdict}"
            for spec, verdict in verdicts.items()
        ]
        seen = Seen(
            pieces=(Span(0, len(example.document)),),
            tokens=sum(inputs.tokens for inputs in read),
            cut=sum(inputs.cut for inputs in read),
            notes=(*answer.texts, *outcomes),
        )
        return Score(answer.values[0], seen=seen)
