"""Scores that authors print for their examples, and how far ours are from them with the weights at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.assessment.catalog.metric_setup import missing_steps
from core.scoring import METRICS, Engine
from core.types import Example, Result


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A metric with its settings, a document and a summary, and the score that `source` prints for them.

    `tolerance` is the largest difference that the digits printed and the arithmetic of another machine explain.
    """

    spec: str
    document: str
    summary: str
    value: float
    source: str
    tolerance: float = 1e-4

    @property
    def metric(self) -> str:
        return METRICS.parse(self.spec).name


@dataclass(frozen=True, slots=True)
class ScoreComparison:
    """A published score and ours; where there is none, `error` says why."""

    published: PublishedScore
    ours: float | None
    error: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.published.value

    @property
    def agrees(self) -> bool:
        return self.difference is not None and abs(self.difference) <= self.published.tolerance


def compare_published(engine: Engine, published: Iterable[PublishedScore]) -> Iterator[ScoreComparison]:
    """Score each example with the weights that are here; downloads nothing."""
    for published_score in published:
        metric = METRICS.parse(published_score.spec)
        if missing := missing_steps(metric):
            names = ", ".join(dict.fromkeys(step.name for step in missing))
            yield ScoreComparison(published_score, None, f"{names}: not here. Run: cli.py doctor {metric.name}")
            continue
        [(_, outcome)] = engine.run([metric], [Example("published", published_score.document, published_score.summary)])
        if isinstance(outcome, Result):
            yield ScoreComparison(published_score, outcome.score)
        else:
            yield ScoreComparison(published_score, None, outcome.error)


_LIBRARY = "A group of students gather in the school library to study for their upcoming final exams."
_EXAMINATION, _VACATION = "The students are preparing for an examination.", "The students are on vacation."
_MINICHECK = "README of Liyan06/MiniCheck"

# with the authors' spelling
_MARS = """Scientists are studying Mars to learn about the Red Planet and find landing sites for future missions.
One possible site, known as Arcadia Planitia, is covered instrange sinuous features.
The shapes could be signs that the area is actually made of glaciers, which are large masses of slow-moving ice.
Arcadia Planitia is in Mars' northern lowlands."""
_SHAPES = "There are strange shape patterns on Arcadia Planitia. The shapes could indicate the area might be made of glaciers."
_IDEAL = f"{_SHAPES} This makes Arcadia Planitia ideal for future missions."
_SUMMAC = "README of tingofurro/summac"

# the run of blanks is the authors'
_PARTY = (
    "Peter and Elizabeth took a taxi to attend the night party in the city.              "
    "While in the party, Elizabeth collapsed and was rushed to the hospital."
)
_UNIEVAL = "README of maszhongming/UniEval"

_WEATHER, _SUNNY, _STADIUM = "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."
_SBERT = "README of sentence-transformers (all-MiniLM-L6-v2)"

_HHEM = "model card of vectara/hallucination_evaluation_model"
_HHEM_PAIRS = (
    ("The capital of France is Berlin.", "The capital of France is Paris.", 0.0111),
    ("I am in California", "I am in United States.", 0.6474),
    ("I am in United States", "I am in California.", 0.1290),
    ("A person on a horse jumps over a broken down airplane.", "A person is outdoors, on a horse.", 0.8969),
    (
        "A boy is jumping on skateboard in the middle of a red bridge.",
        "The boy skates down the sidewalk on a red bridge",
        0.1846,
    ),
    (
        "A man with blond-hair, and a brown shirt drinking out of a public water fountain.",
        "A blond man wearing a brown shirt is reading a book.",
        0.0050,
    ),
    ("Mark Wahlberg was a fan of Manny.", "Manny was a fan of Mark Wahlberg.", 0.0543),
)

PUBLISHED: tuple[PublishedScore, ...] = (
    PublishedScore(
        "alignscore-large[mode=nli]", "hello world.", "hello world.", 0.98871756, "yuh-zha/AlignScore issue 8"
    ),
    PublishedScore(
        "bartscore", "This is interesting.", "This is fun.", -2.510652780532837, "README of neulab/BARTScore"
    ),
    PublishedScore(
        "bartscore",
        "This is a very good meal.",
        "This is a very good meal.",
        -0.40471726655960083,
        "neulab/BARTScore issue 11",
    ),
    # in bfloat16, whose last digit is worth about a hundredth of a probability
    PublishedScore("bespoke-minicheck-7b", _LIBRARY, _EXAMINATION, 0.9840446675, _MINICHECK, 0.02),
    PublishedScore("bespoke-minicheck-7b", _LIBRARY, _VACATION, 0.0109863496, _MINICHECK, 0.02),
    *(PublishedScore("hhem", premise, claim, value, _HHEM, 1.5e-4) for premise, claim, value in _HHEM_PAIRS),
    PublishedScore("minicheck-flan-t5", _LIBRARY, _EXAMINATION, 0.9805923700, _MINICHECK),
    PublishedScore("minicheck-flan-t5", _LIBRARY, _VACATION, 0.0071213306, _MINICHECK),
    PublishedScore("semantic-similarity", _WEATHER, _SUNNY, 0.6660, _SBERT),
    PublishedScore("semantic-similarity", _WEATHER, _STADIUM, 0.1046, _SBERT),
    PublishedScore("semantic-similarity", _SUNNY, _STADIUM, 0.1411, _SBERT),
    PublishedScore("summac-conv", _MARS, _IDEAL, 0.536, _SUMMAC, 6e-4),
    PublishedScore("summac-conv", _MARS, _SHAPES, 0.709, _SUMMAC, 6e-4),
    PublishedScore("summac-zs", _MARS, _IDEAL, 0.582, _SUMMAC, 6e-4),
    PublishedScore("summac-zs", _MARS, _SHAPES, 0.877, _SUMMAC, 6e-4),
    PublishedScore("unieval-fact", _PARTY, "Tom was rushed to hospital.", 0.025441, _UNIEVAL),
    PublishedScore(
        "unieval-sum", _PARTY, "Peter and Elizabeth attend party city. Elizabeth rushed hospital.", 0.883036, _UNIEVAL
    ),
)
