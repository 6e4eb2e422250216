"""Kind "local_chat": the text that a chat model on this machine answers, or an encoder-decoder that follows instructions."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedModel,
    TemperatureLogitsWarper,
    TopPLogitsWarper,
)

from core.errors import UnscorableError
from core.model_reference import Checkpoint
from core.models.llm.chat import Sampling, sampling_of
from core.models.networks.chat_template import ChatTemplate
from core.models.networks.model import UNLIMITED, Row
from core.models.networks.network import (
    copy_to_device,
    freeing_memory,
    load_network,
    max_positions,
    network_bytes,
    pad_batch,
)
from core.models.networks.tokenizer import DecodingTokenizer, without_special_tokens
from core.models.weights.weight_files import read_json_object
from core.types import Answer, Question


class AnsweringModel(ABC):
    """Writes the answers to questions of kind "endpoint_chat", those with equal sampling together."""

    nbytes: int
    _network: PreTrainedModel

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            answers: dict[int, Answer] = {}
            groups: dict[Sampling, list[int]] = {}
            for number, row in enumerate(rows):
                sampling = sampling_of(row.question)
                same = replace(sampling, sample=0, max_tokens=min(sampling.max_tokens, self._room(row)))
                groups.setdefault(same, []).append(number)
            for sampling, numbers in groups.items():
                written = self._write([rows[number] for number in numbers], sampling)
                answers.update(zip(numbers, written, strict=True))
        return [answers[number] for number in range(len(rows))]

    @abstractmethod
    def _room(self, row: Row) -> int:
        """The tokens that the model can write after a row."""

    @abstractmethod
    def _write(self, rows: Sequence[Row], sampling: Sampling) -> list[Answer]:
        """The answers to rows with equal sampling and room."""

    def _generate(self, ids: Tensor, mask: Tensor, questions: Sequence[Question], sampling: Sampling) -> Tensor:
        """Tokens that were written, up to the limit, (rows, tokens); where they are sampled, each row by the seed of its question."""
        generate = cast(Callable[..., Tensor], self._network.generate)
        draws = [RowDraws(questions, sampling, ids.device)] if sampling.temperature else []
        return generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=sampling.max_tokens,
            num_beams=1,
            do_sample=False,
            logits_processor=LogitsProcessorList(draws),
        )


class RowDraws(LogitsProcessor):
    """Adds noise by which the most likely token is a draw: a sample of p is where log p and Gumbel noise are largest (Maddison et al. 2014).

    The noise of a row is that of its question, so that the rows beside it move no draw.
    """

    def __init__(self, questions: Sequence[Question], sampling: Sampling, device: torch.device) -> None:
        self._warpers = (TemperatureLogitsWarper(sampling.temperature), TopPLogitsWarper(sampling.top_p))
        texts = [repr((question.inputs, question.options)) for question in questions]
        seeds = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:7] for text in texts]
        self._sources = [torch.Generator(device).manual_seed(int.from_bytes(seed)) for seed in seeds]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Scores of the next token with the noise, (rows, vocabulary)."""
        logits = scores.float()
        for warper in self._warpers:
            logits = warper(input_ids, logits)
        waits = torch.stack([torch.empty_like(logits[0]).exponential_(generator=source) for source in self._sources])
        # a wait of 0 would be drawn whatever its logit
        return cast(torch.FloatTensor, logits - waits.clamp_min(torch.finfo(waits.dtype).tiny).log())


class ChatModel(AnsweringModel):
    """Inputs and options: those of kind "endpoint_chat"; a schema is not enforced, and whoever reads the answer is strict.

    At temperature 0 decoding is greedy. Above it each question is drawn by a seed made of itself, so that the same
    question has the same answer and another `sample` another one. Texts: the answer without special tokens, and how it
    ended (stop | length); values: the tokens written; tokens: those read.
    """

    def __init__(self, network: PreTrainedModel, template: ChatTemplate) -> None:
        self._network = network
        self._template = template
        # the configuration and the tokenizer of a checkpoint may name different ends of an answer
        own = network.generation_config.eos_token_id
        named = own if isinstance(own, list) else [own]
        self._ends = frozenset(token for token in [*named, template.end] if token is not None)
        self.nbytes = network_bytes(network)
        # the penalties and temperatures that a checkpoint suggests are no part of the question
        self._network.generation_config = GenerationConfig(
            do_sample=False,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=template.padding if template.padding is not None else min(self._ends, default=0),
        )

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return [self._row(question) for question in questions]

    def _row(self, question: Question) -> Row:
        tokens = self._template.tokens(question.inputs, special=False)
        if len(tokens) >= (window := max_positions(self._network)):
            raise UnscorableError(
                f"The question has {len(tokens)} tokens and this model reads and writes {window}. Shorten the document, or "
                "name a model that reads more."
            )
        return Row(question, len(tokens), (tokens,), writes=True)

    def _room(self, row: Row) -> int:
        return max_positions(self._network) - row.length

    def _write(self, rows: Sequence[Row], sampling: Sampling) -> list[Answer]:
        """The answers to rows with equal sampling and room, padded on the left."""
        ids, mask = self._pad([row.payload[0].ids for row in rows])
        written = self._generate(ids, mask, [row.question for row in rows], sampling)[:, ids.shape[1] :].tolist()
        return [self._answer(row, tokens, sampling.stop) for row, tokens in zip(rows, written, strict=True)]

    def _answer(self, row: Row, ids: list[int], stop: str) -> Answer:
        end = next((place for place, token in enumerate(ids) if token in self._ends), None)
        text = self._template.words(ids[:end])
        reply, stopped, _ = _before_stop(text, stop)
        ended = "length" if end is None and not stopped else "stop"
        return Answer((float(len(ids) if end is None else end + 1),), texts=(reply, ended), tokens=row.length)

    def _pad(self, rows: Sequence[tuple[int, ...]]) -> tuple[Tensor, Tensor]:
        """Ids and mask, each (rows, longest)."""
        longest = max(map(len, rows))
        batch = torch.zeros((2, len(rows), longest), dtype=torch.long)
        ids, mask = batch
        ids.fill_(int(self._network.generation_config.pad_token_id))
        for number, row in enumerate(rows):
            ids[number, longest - len(row) :] = torch.tensor(row)
            mask[number, longest - len(row) :] = 1
        ids, mask = copy_to_device(batch, self._network.device)
        return ids, mask


class InstructionModel(AnsweringModel):
    """An encoder-decoder that follows instructions, as Flan-T5, in the place of a chat model: the same inputs and answers.

    It has no roles: the messages are read as one text, with blank lines between them.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: DecodingTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        names = self._tokenizer.special_names
        texts = [
            "\n\n".join(without_special_tokens(part.strip(), names) for part in question.inputs if part.strip())
            for question in questions
        ]
        return [self._row(question, text) for question, text in zip(questions, texts, strict=True)]

    def _row(self, question: Question, text: str) -> Row:
        [tokens] = self._tokenizer.encode([text], [UNLIMITED])
        # relative positions, as those of T5, have no table and no end
        window = getattr(self._network.config, "max_position_embeddings", UNLIMITED)
        if len(tokens.ids) > window:
            raise UnscorableError(
                f"The question has {len(tokens.ids)} tokens and this model reads {window}. Shorten the document, or name a "
                "model that reads more."
            )
        return Row(question, len(tokens.ids), (tokens,), writes=True)

    def _room(self, row: Row) -> int:
        return UNLIMITED - row.length  # the window is that of its encoder

    def _write(self, rows: Sequence[Row], sampling: Sampling) -> list[Answer]:
        """The answers to rows with equal sampling."""
        ids, mask, _ = pad_batch([row.payload[0] for row in rows], self._network)
        written = self._generate(ids, mask, [row.question for row in rows], sampling)
        return [self._answer(row, ids, sampling.stop) for row, ids in zip(rows, written[:, 1:].tolist(), strict=True)]

    def _answer(self, row: Row, written: list[int], stop: str) -> Answer:
        end = written.index(self._end) if self._end in written else None
        reply, stopped, _ = _before_stop(self._tokenizer.text(written[:end], special=False).strip(), stop)
        ended = "length" if end is None and not stopped else "stop"
        return Answer((float(len(written) if end is None else end + 1),), texts=(reply, ended), tokens=row.length)

    @property
    def _end(self) -> int:
        return int(self._network.config.eos_token_id)


def _before_stop(text: str, stop: str) -> tuple[str, str, str]:
    return text.partition(stop) if stop else (text, "", "")


def load(path: Path, checkpoint: Checkpoint, device: str) -> ChatModel | InstructionModel:
    if read_json_object(path / "config.json").get("is_encoder_decoder"):
        network = load_network(AutoModelForSeq2SeqLM.from_pretrained, path, checkpoint, device)
        return InstructionModel(network, DecodingTokenizer.load(path))
    template = ChatTemplate.load(path)
    return ChatModel(load_network(AutoModelForCausalLM.from_pretrained, path, checkpoint, device), template)
