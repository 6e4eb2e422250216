"""Kind "question_generation": the question that a BART writes about a marked answer, by the search of QAEval's question generator.

AllenNLP's beam search: sums of log-probabilities without regard to length, the start token first, finished beams kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import BartForConditionalGeneration, DynamicCache, EncoderDecoderCache

from core.model_reference import Checkpoint
from core.models.adapters.seq2seq_generation import clean_spaces
from core.models.networks.model import Row
from core.models.networks.network import freeing_memory, load_network, network_bytes, pad_batch
from core.models.networks.tokenizer import DecodingTokenizer, Tokens
from core.types import Answer, Question

_BEAMS = 4
_MAX_LENGTH = 100
_TOKENS_BETWEEN_LOOKS = 8  # at the beams of a GPU, which waits for each look
_MARKS = ("<m>", "</m>")


class QuestionGenerator:
    """Inputs: what stands before the answer, the answer, what stands after it; blanks beside the marks are dropped.

    Texts: the best question, with the special tokens that the model wrote.
    """

    def __init__(self, network: BartForConditionalGeneration, tokenizer: DecodingTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._marks = [ids[0] for ids in tokenizer.words(_MARKS)]
        self._start = cast(int, network.config.bos_token_id)
        self._end = cast(int, network.config.eos_token_id)
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        tokens = [self._read(*question.inputs) for question in questions]
        return [Row(question, len(row), (row,), writes=True) for question, row in zip(questions, tokens, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            ids, mask, _ = pad_batch(tokens, self._network)
            written = self._search(ids, mask)
        return [
            Answer(texts=(self._text(wrote),), tokens=len(row), cut=row.cut)
            for wrote, row in zip(written.tolist(), tokens, strict=True)
        ]

    def _read(self, before: str, answer: str, after: str) -> Tokens:
        parts = self._tokenizer.words([before.rstrip(), answer.strip(), after.lstrip()])
        opening, closing = self._marks
        ids = [self._start, *parts[0], opening, *parts[1], closing, *parts[2], self._end]
        length = min(len(ids), int(self._network.config.max_position_embeddings))
        return Tokens(ids=tuple(ids[:length]), types=(0,) * length, cut=len(ids) - length)

    def _search(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The best beam of each row; (rows, written)."""
        read = self._network.model.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        rows = len(ids)
        read, mask = read.repeat_interleave(_BEAMS, 0), mask.repeat_interleave(_BEAMS, 0)
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        last = torch.full((rows * _BEAMS, 1), self._start, device=ids.device)
        shares = self._shares(last, read, mask, cache).view(rows, _BEAMS, -1)[:, 0]
        totals, best = shares.topk(_BEAMS)  # (rows, beams)
        wrote = best.unsqueeze(-1)  # (rows, beams, written)
        while wrote.shape[-1] < _MAX_LENGTH and not self._has_ended(best, wrote.shape[-1]):
            shares = self._shares(best.view(-1, 1), read, mask, cache).view(rows, _BEAMS, -1)
            shares = self._beam_shares(shares, best)
            node_totals, node_best = shares.topk(_BEAMS)  # (rows, beams, next)
            totals, top_nodes = (totals.unsqueeze(-1) + node_totals).flatten(1).topk(_BEAMS)
            parents = top_nodes // _BEAMS
            best = node_best.flatten(1).gather(1, top_nodes)
            wrote = torch.cat([wrote.gather(1, parents.unsqueeze(-1).expand_as(wrote)), best.unsqueeze(-1)], -1)
            places = (parents + torch.arange(rows, device=ids.device).unsqueeze(-1) * _BEAMS).flatten()
            cache.reorder_cache(cast(torch.LongTensor, places))
        return wrote.gather(1, totals.argmax(-1)[:, None, None].expand(-1, -1, wrote.shape[-1]))[:, 0]

    def _has_ended(self, best: Tensor, written: int) -> bool:
        """True if every beam has ended; a GPU is asked after some tokens only, and beams that go on with their end stay as they are."""
        return (best.device.type == "cpu" or written % _TOKENS_BETWEEN_LOOKS == 0) and bool((best == self._end).all())

    def _shares(self, last: Tensor, read: Tensor, mask: Tensor, cache: EncoderDecoderCache) -> Tensor:
        """Log-probabilities of the next token; (beams of all rows, vocabulary)."""
        own = None
        if (
            last.device.type == "cuda"
        ):  # of a mask without these dimensions the decoder asks for each token if it masks anything
            own = torch.ones((len(last), 1, 1, cache.get_seq_length() + 1), dtype=torch.bool, device=last.device)
            mask = mask.bool()[:, None, None]
        state = self._network.model.decoder(
            input_ids=last,
            attention_mask=own,
            encoder_hidden_states=read,
            encoder_attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
        ).last_hidden_state[:, -1]
        return (self._network.lm_head(state) + self._network.final_logits_bias).float().log_softmax(-1)

    def _beam_shares(self, shares: Tensor, last: Tensor) -> Tensor:
        """A beam that has ended goes on with its end, at no cost."""
        ended = torch.where(torch.arange(shares.shape[-1], device=shares.device) == self._end, 0.0, -torch.inf)
        return torch.where((last == self._end).unsqueeze(-1), ended, shares)

    def _text(self, ids: list[int]) -> str:
        while ids and ids[-1] == self._end:
            ids = ids[:-1]
        return clean_spaces(self._tokenizer.text(ids, special=True)).strip()


def load(path: Path, checkpoint: Checkpoint, device: str) -> QuestionGenerator:
    network = load_network(BartForConditionalGeneration.from_pretrained, path, checkpoint, device)
    asker = cast(BartForConditionalGeneration, network)
    _skip_second_position(asker)
    return QuestionGenerator(asker, DecodingTokenizer.load(path))


@torch.no_grad()
def _skip_second_position(network: BartForConditionalGeneration) -> None:
    """The authors' decoder counts 0, 2, 3, …: its cache was one place too long. Their questions depend on it."""
    table = network.model.decoder.embed_positions
    second = table.offset + 1
    table.weight[second:-1] = table.weight[second + 1 :].clone()
