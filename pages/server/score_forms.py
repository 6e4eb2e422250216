"""Forms in which other servers are asked for scores of pairs: those of vLLM and of Text Embeddings Inference (TEI).

Fields after their references: vLLM, OpenAI-Compatible Server, Score API and Re-rank API; TEI, OpenAPI description 1.8.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

Texts = list[str]


class ScoreForm(BaseModel):
    """One request. A field that would change the scores, or that is unknown, is refused and never passed over."""

    model_config = ConfigDict(extra="forbid", strict=True)

    paths: ClassVar[tuple[str, ...]]
    """Paths that such a server answers at."""

    model: str = ""
    """The metric, "" for the first one that is served."""

    @property
    @abstractmethod
    def pairs(self) -> list[tuple[str, str]]:
        """Document and summary of each pair; raises ValueError where the numbers of texts do not fit."""

    @abstractmethod
    def answer(self, scores: Sequence[float], metric: str) -> object:
        """The answer with the scores of the pairs, as JSON."""

    @classmethod
    def error(cls, status: int, message: str) -> object:
        """A refusal, as JSON."""
        return {"error": {"message": message, "type": "BadRequestError", "code": status}}


class VllmScore(ScoreForm):
    """Score API of vLLM: `text_1` is the document, one for all or one for each summary in `text_2`."""

    paths: ClassVar[tuple[str, ...]] = ("/score", "/v1/score")

    text_1: str | Texts
    text_2: str | Texts
    encoding_format: Literal["float"] = "float"
    user: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        documents, summaries = ([texts] if isinstance(texts, str) else texts for texts in (self.text_1, self.text_2))
        if len(documents) == 1:
            documents *= len(summaries)
        if len(documents) != len(summaries):
            raise ValueError(f"text_1 has {len(documents)} texts and text_2 {len(summaries)}. Send one, or as many.")
        return list(zip(documents, summaries, strict=True))

    def answer(self, scores: Sequence[float], metric: str) -> object:
        return {
            "id": f"score-{uuid4().hex}",
            "object": "list",
            "created": int(time.time()),
            "model": metric,
            "data": [{"index": place, "object": "score", "score": score} for place, score in enumerate(scores)],
            "usage": {"prompt_tokens": 0, "total_tokens": 0, "completion_tokens": 0},
        }


class VllmRerank(ScoreForm):
    """Re-rank API of vLLM: `query` is the summary, each of `documents` one that may support it."""

    paths: ClassVar[tuple[str, ...]] = ("/rerank", "/v1/rerank", "/v2/rerank")

    query: str
    documents: Texts
    top_n: int = Field(0, ge=0)
    user: str = ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(document, self.query) for document in self.documents]

    def answer(self, scores: Sequence[float], metric: str) -> object:
        results = [
            {"index": place, "document": {"text": self.documents[place]}, "relevance_score": scores[place]}
            for place in _highest_first(scores)
        ]
        return {
            "id": f"rerank-{uuid4().hex}",
            "model": metric,
            "usage": {"total_tokens": 0},
            "results": results[: self.top_n or len(results)],
        }


class _TeiForm(ScoreForm):
    """A request to TEI, which has one model and cuts no text here."""

    truncate: Literal[False] | None = None
    raw_scores: Literal[False] = False

    @classmethod
    def error(cls, status: int, message: str) -> object:
        return {"error": message, "error_type": "validation" if status < 500 else "backend"}


class TeiRerank(_TeiForm):
    """`/rerank` of TEI: `query` is the summary, each of `texts` a document that may support it."""

    paths: ClassVar[tuple[str, ...]] = ("/rerank",)

    query: str
    texts: Texts
    return_text: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(text, self.query) for text in self.texts]

    def answer(self, scores: Sequence[float], metric: str) -> object:  # noqa: ARG002  # TEI names no model
        return [
            {"index": place, "score": scores[place], **({"text": self.texts[place]} if self.return_text else {})}
            for place in _highest_first(scores)
        ]


class TeiPredict(_TeiForm):
    """`/predict` of TEI for pairs: `inputs` is [document, summary], or a list of these."""

    paths: ClassVar[tuple[str, ...]] = ("/predict",)

    inputs: Texts | list[Texts]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        for pair in [self.inputs] if self._is_single else self.inputs:
            if isinstance(pair, str) or len(pair) != 2:
                raise ValueError("inputs: Send [document, summary], or a list of such pairs.")
            document, summary = map(str, pair)
            pairs.append((document, summary))
        return pairs

    @property
    def _is_single(self) -> bool:
        return bool(self.inputs) and isinstance(self.inputs[0], str)

    def answer(self, scores: Sequence[float], metric: str) -> object:
        predictions = [[{"score": score, "label": metric}] for score in scores]
        return predictions[0] if self._is_single else predictions


SCORE_FORMS: Mapping[str, type[ScoreForm]] = MappingProxyType(
    {"vllm-score": VllmScore, "vllm-rerank": VllmRerank, "tei-rerank": TeiRerank, "tei-predict": TeiPredict}
)
"""Forms by the name that `serve --like` takes."""


def _highest_first(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: -scores[place])
