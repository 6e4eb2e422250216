"""Bespoke-MiniCheck-7B (Bespoke Labs 2024): a language model that answers whether a document supports a claim.

The algorithm is that of the authors' package since August 2025 (MiniCheck e9fd26e): the claim sentence by sentence, chunks of
whole sentences within the model's window, the probability that the answer begins with "Yes", the largest over the chunks,
and the smallest of these over the sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum
from typing import ClassVar, Literal

from core.errors import BadSettingError, UnreadableAnswerError
from core.model_reference import Checkpoint, Dtype, EndpointModel, ModelRef
from core.models import require_whole_question, token_word
from core.scoring.metric import METRICS, Card
from core.scoring.metric_parts.entailment import Claims
from core.scoring.metrics.minicheck import Chunk, ChunkMetric, pack_passages, units_of_passages
from core.types import Answer, Example, Option, Question, Rounds, Score, Span

SYSTEM = (
    "Determine whether the provided claim is consistent with the corresponding document. Consistency in this context implies "
    "that all information presented in the claim is substantiated by the document. If not, it should be considered "
    'inconsistent. Please assess the claim\'s consistency with the document by responding with either "Yes" or "No".'
)
"""The message that the model was trained on; it belongs to the weights. The test holds its SHA-256."""
USER = "Document: [DOCUMENT]\nClaim: [CLAIM]"

_TOP_TOKENS = 5
_RESERVED_TOKENS = 300  # tokens for the messages around a chunk, and for the claim


@METRICS.add
@dataclass(frozen=True)
class BespokeMiniCheck(ChunkMetric):
    """Asks an endpoint that serves the model, or loads it; an edit asks about the edited sentence only."""

    name: ClassVar[str] = "bespoke-minicheck-7b"
    card: ClassVar[Card] = Card(
        title="Bespoke-MiniCheck 7B",
        family="Judge",
        measures="How probable it is that the model answers Yes when asked whether the document supports a sentence of the "
        "summary; the least supported sentence counts.",
        paper="Tang, Laban, Durrett 2024, MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents",
        url="https://aclanthology.org/2024.emnlp-main.499",
        low=0.0,
        high=1.0,
        contexts="best",
        licence="Code Apache-2.0. Weights CC BY-NC 4.0: not for commercial use.",
        differs="The authors run the model inside vLLM. Here it is asked of an OpenAI-compatible endpoint "
        "(TOUCHSTONE_LLM_BASE_URL, or one that endpoint= names) that serves it under the name that checkpoint= gives, and which applies the model's own chat "
        "template; only vLLM adds the start token that the authors' prompt has twice (set special_tokens=false for a server "
        "that refuses the request). Quantized weights give other numbers, and a model is known by its name alone. "
        "through=transformers loads 15.5 GB of weights from a folder with all files of the repository and a tokenizer.json; "
        "its code runs only with trust_remote_code=true and where TOUCHSTONE_TRUSTED_REPOS on this machine names that folder: read "
        "it first. A document is counted as one chunk by its bytes where "
        "these show that it fits, which spares the question for its tokens. Scores from before August 2025 took a summary of "
        "several sentences as one claim (claims=whole). A blank before Yes or No is passed over, and where neither "
        "is among the five most likely tokens there is no score; the authors' package gives 0.",
    )

    checkpoint: str = "bespokelabs/Bespoke-MiniCheck-7B"
    """Name under which the endpoint serves the model, or the folder of the weights."""
    revision: str = ""
    """Branch, tag or commit on the hub; empty for the pinned commit."""
    through: Literal["endpoint", "transformers"] = "endpoint"
    """Route to the model: an endpoint, or Transformers in this process."""
    dtype: Dtype = "bfloat16"
    """Number format of weights that are loaded; an endpoint has its own."""
    trust_remote_code: bool = False
    """True to run the code of the repository, which TOUCHSTONE_TRUSTED_REPOS must name as well."""
    special_tokens: bool = True
    """True to have the server add the start token once more, as the authors' prompt has it; false for servers that reject the option."""
    max_tokens: int = 32_768
    """Tokens of chunk, claim and message together."""
    claims: Claims = "sentences"
    """Unit that is judged: each sentence, or the summary as a whole."""
    endpoint: str = ""
    """Name of the endpoint; empty for the default one."""

    def __post_init__(self) -> None:
        if not 512 <= self.max_tokens <= 32_768:
            raise BadSettingError(f"{self.name}: max_tokens must be 512 to 32768; got {self.max_tokens}.")

    @property
    def weights(self) -> ModelRef:
        if self.through == "endpoint":
            return EndpointModel(self.endpoint, "endpoint_logprobs")
        kind = "local_logprobs_trusted" if self.trust_remote_code else "local_logprobs"
        return Checkpoint(self.checkpoint, kind, self.revision, self.dtype)

    @property
    def counter(self) -> ModelRef:
        if self.through == "endpoint":
            return EndpointModel(self.endpoint, "endpoint_token_count")
        return Checkpoint(self.checkpoint, "token_count", self.revision)

    @property
    def options(self) -> tuple[Option, ...]:
        named: tuple[Option, ...] = (("model", self.checkpoint),) if self.through == "endpoint" else ()
        return (*named, ("top_tokens", _TOP_TOKENS), ("special_tokens", int(self.special_tokens)))

    def rounds_as_read(self, example: Example) -> Rounds[Score]:
        contexts = units_of_passages(example)
        texts = tuple(span.of(example.document) for span in chain(*contexts))
        sizes = [len(text.encode()) + 1 for text in texts]
        budget = self.max_tokens - _RESERVED_TOKENS
        if sum(sizes) > budget:
            named: tuple[Option, ...] = (("model", self.checkpoint),) if self.through == "endpoint" else ()
            [lengths] = yield [Question(self.counter, texts, named)]
            sizes = [int(length) for length in lengths.values]
        chunks = pack_passages(example.document, contexts, sizes, budget) or [Chunk("", Span(0, 0))]
        questions = self.ask(example, chunks)
        answers = yield questions
        return self.fold(example, questions, answers)

    def inputs(self, chunk: str, claim: str) -> tuple[str, ...]:
        return SYSTEM, user_message(chunk, claim)

    def support(self, answer: Answer) -> float:
        return yes_probability(answer)

    def combine(self, scores: Sequence[float]) -> float:
        return min(scores)


def user_message(document: str, claim: str) -> str:
    """Message of the user. The authors fill the document in first, so that a claim mark in it is replaced too."""
    return USER.replace("[DOCUMENT]", document).replace("[CLAIM]", claim)


def yes_probability(answer: Answer) -> float:
    """The probability that the answer begins with Yes, in any case and after any blank.

    0 where No is among the tokens and Yes is not; UnreadableAnswerError where neither is.
    """
    require_whole_question(answer)
    words = [token_word(token).lower() for token in answer.texts]
    if "yes" not in words and "no" not in words:
        tokens = ", ".join(repr(token) for token in answer.texts) or "no token at all"
        raise UnreadableAnswerError(
            f"The model begins its answer with neither Yes nor No, but with {tokens}. Serve it with its own chat template and "
            "without reasoning.",
            [answer],
        )
    # the usage of an endpoint's answer stands behind the probabilities
    return fsum(share for word, share in zip(words, answer.values, strict=False) if word == "yes")
