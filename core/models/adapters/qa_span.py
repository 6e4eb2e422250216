"""Kind "qa_span": the most probable start and the most probable end of an answer in a text, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForQuestionAnswering, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.model import Row, int_option
from core.models.networks.network import (
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
    read_back,
    segment_types,
)
from core.models.networks.tokenizer import DecodingTokenizer, Tokens
from core.types import Answer, Question, Span


class SpanModel:
    """Inputs: question and text, of which only the text is cut. Option "limit": tokens of both at most.

    Texts: the tokens from start to end as the model knows them, special ones and those of the question included; ""
    where the end comes before the start. Spans: where the answer stands in the text, if it stands there.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: DecodingTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._limit = max_positions(network)
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        pairs = [(question.inputs[0], question.inputs[1]) for question in questions]
        limits = [min(self._limit, int_option(question, "limit", self._limit)) for question in questions]
        tokens = self._tokenizer.encode(pairs, limits, "only_second")
        return [Row(question, len(row), (row,)) for question, row in zip(questions, tokens, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, types = pad_batch(tokens, self._network)
            output = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types))
            outside = mask == 0
            starts, ends = read_back(
                output.start_logits.masked_fill(outside, -torch.inf).argmax(-1),
                output.end_logits.masked_fill(outside, -torch.inf).argmax(-1),
            )
        places = zip(tokens, starts.tolist(), ends.tolist(), strict=True)
        return [self._answer(row, start, end) for row, start, end in places]

    def _answer(self, row: Tokens, start: int, end: int) -> Answer:
        text = (
            "".join(self._tokenizer.pieces(row.ids[start : end + 1])).replace("▁", " ").strip()
        )  # as the tokenizers of 2020 did
        inside = [
            row.offsets[place] for place in range(start, end + 1) if row.types[place] == 1 and not row.special[place]
        ]
        spans = (Span(inside[0][0], inside[-1][1]),) if inside else ()
        return Answer(spans=spans, texts=(text,), tokens=len(row), cut=row.cut)


def load(path: Path, checkpoint: Checkpoint, device: str) -> SpanModel:
    network = load_network(AutoModelForQuestionAnswering.from_pretrained, path, checkpoint, device, unused="pooler.")
    return SpanModel(network, DecodingTokenizer.load(path))
